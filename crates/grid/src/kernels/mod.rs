//! Kernels whose speed is that of memory.

mod stream;
mod sweep;

pub use sweep::sweep;
