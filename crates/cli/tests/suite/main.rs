//! The tests of undine from outside, in one program: linking is what each further one costs.

mod commands;
mod kill;
mod liquid_surface;
