//! Kernels whose speed is that of memory, and the choice of registers for any kernel.

mod fastest;
mod sweep;

pub use fastest::fastest;
pub use sweep::sweep;
