//! Integration tests in one binary, since each further one costs a link.

mod commands;
mod kill;
mod liquid_surface;
mod papers;
