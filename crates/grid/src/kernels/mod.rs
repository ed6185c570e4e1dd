//! Kernels whose speed is that of memory.

mod sweep;

pub use sweep::sweep;
