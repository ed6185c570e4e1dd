//! The tests of undine-models from outside, in one program: linking is what each further one costs.

mod ground;
mod live;
mod rates;
mod retake;
mod stable_fluids;
