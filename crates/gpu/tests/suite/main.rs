//! The tests of undine-gpu from outside, in one program: linking is what each further one costs.

mod classic;
mod flat;
mod fluid;
mod space;
