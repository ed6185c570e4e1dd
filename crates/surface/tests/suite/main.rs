//! The tests of undine-surface from outside, in one program: linking is what each further one costs.

mod heights;
mod liquid;
mod metaballs;
mod outlines;
mod shapes;
