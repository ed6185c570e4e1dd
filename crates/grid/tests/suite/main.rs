//! The tests of undine-grid from outside, in one program: linking is what each further one costs.

mod advection;
mod determinism;
mod identities;
mod interpolation;
mod poisson;
