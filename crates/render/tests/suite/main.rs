//! The tests of undine-render from outside, in one program: linking is what each further one costs.

mod caustics;
mod classic;
mod drops;
mod flat;
mod land;
mod liquid;
mod outlines;
mod plots;
mod preview;
mod smoke;
mod trace;
