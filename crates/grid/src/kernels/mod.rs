//! Kernels bound by memory bandwidth.

mod sweep;

pub use sweep::sweep;
