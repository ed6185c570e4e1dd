//! Strided access to adjacent lines.

use std::marker::PhantomData;

use bytemuck::Pod;

/// `W` lines side by side: at each place along them, `W` neighbouring numbers.
///
/// The lines may be columns of a field, which other bundles' columns interleave; so it is a pointer and a stride, and
/// hands out one place at a time.
pub struct StridedLines<'a, T, const W: usize> {
    start: *mut T,
    stride: usize,
    length: usize,
    memory: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod, const W: usize> StridedLines<'a, T, W> {
    /// # Safety
    /// For `'a`, the `W` values from `start + stride · k` on, for every `k` below `length`, must be valid to read, and
    /// not be written by others. If `get_mut` is called they must be valid to write, and not be read by others.
    pub(super) unsafe fn new(start: *mut T, stride: usize, length: usize) -> Self {
        StridedLines { start, stride, length, memory: PhantomData }
    }

    /// Places along the lines.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the lines have no places.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The numbers of all lines at a place.
    ///
    /// # Panics
    /// When the lines are shorter.
    #[inline(always)]
    pub fn get(&self, place: usize) -> &[T; W] {
        assert!(place < self.length);
        // SAFETY: the place exists, and `new` was promised that its values may be read.
        unsafe { &*self.start.add(self.stride * place).cast() }
    }

    /// Like [`StridedLines::get`], to write to.
    ///
    /// # Panics
    /// When the lines are shorter.
    #[inline(always)]
    pub fn get_mut(&mut self, place: usize) -> &mut [T; W] {
        assert!(place < self.length);
        // SAFETY: the place exists, and `new` was promised that its values are this bundle's alone.
        unsafe { &mut *self.start.add(self.stride * place).cast() }
    }
}
