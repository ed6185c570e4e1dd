//! Integration tests of undine-gpu, in one executable to save link time.

mod classic;
mod flat;
mod fluid;
mod space;
