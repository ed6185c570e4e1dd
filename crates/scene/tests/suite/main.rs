//! The tests of undine-scene from outside, in one program: linking is what each further one costs.

mod broken;
mod pool;
mod properties;
mod reading;
