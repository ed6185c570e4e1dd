//! Memory aligned to cache lines.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

/// Bytes of a cache line, and the alignment of every row.
pub(crate) const LINE_BYTES: usize = 64;

/// One cache line. A vector of these is aligned to lines without any unsafe code: bytemuck sees it as numbers.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct CacheLine([u8; LINE_BYTES]);

/// Numbers of one type in memory that starts on a cache line and fills whole lines.
#[derive(Clone)]
pub(crate) struct Buffer<T> {
    lines: Vec<CacheLine>,
    holds: PhantomData<T>,
}

/// Number of values of type `T` per cache line.
pub(crate) const fn values_per_line<T>() -> usize {
    LINE_BYTES / size_of::<T>()
}

impl<T: Pod> Buffer<T> {
    /// At least `count` values, all zero; `None` when there is not enough memory.
    pub fn zeroed(count: usize) -> Option<Self> {
        let lines = bytemuck::allocation::try_zeroed_vec(count.div_ceil(values_per_line::<T>())).ok()?;
        Some(Buffer { lines, holds: PhantomData })
    }

    #[inline]
    pub fn values(&self) -> &[T] {
        bytemuck::cast_slice(&self.lines)
    }

    #[inline]
    pub fn values_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.lines.len() * values_per_line::<T>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_and_starts_on_a_line() {
        let buffer = Buffer::<f64>::zeroed(13).unwrap();
        assert_eq!(buffer.values(), [0.0; 16]);
        assert_eq!(buffer.values().as_ptr().addr() % LINE_BYTES, 0);
    }

    #[test]
    fn too_much_is_refused_and_does_not_abort() {
        assert!(Buffer::<f64>::zeroed(usize::MAX / 16).is_none());
    }
}
