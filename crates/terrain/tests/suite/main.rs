//! The tests of undine-terrain from outside, in one program: linking is what each further one costs.

mod broken;
mod files;
mod geotiff;
mod refusals;
mod roundtrip;
mod shapes;
