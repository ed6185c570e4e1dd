//! The tests of undine-sim from outside, in one program: linking is what each further one costs.

mod clock;
mod retake;
