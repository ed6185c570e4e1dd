//! The tests of undine-export from outside, in one program: linking is what each further one costs.

mod cache;
mod film;
mod formats;
