//! Stores that go past the caches.
//!
//! An ordinary store first reads the cache line it writes to. When a kernel writes much more than the caches hold, that
//! read is a third of all traffic and is thrown away. A streaming store does without it. Every x86-64 has them; on
//! other machines these functions copy as usual.

use crate::aligned::LINE_BYTES;
use crate::value::Real;

/// Fields with more bytes than this gain from streaming: they leave no part of themselves in a usual cache.
const WORTHWHILE_BYTES: usize = 16 << 20;

/// Whether results of this many values should be streamed past the caches.
pub(super) fn is_worthwhile<T>(values: usize) -> bool {
    cfg!(target_arch = "x86_64") && values.saturating_mul(size_of::<T>()) > WORTHWHILE_BYTES
}

/// Copies `from` to `to`, past the caches where `to` starts on a cache line and as far as it fills whole ones. Call
/// [`settle`] on the same thread before others read.
///
/// # Panics
/// When the lengths differ.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn store<T: Real>(from: &[T], to: &mut [T]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    assert_eq!(from.len(), to.len());
    let (from, to): (&[u8], &mut [u8]) = (bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to));
    let is_on_line = to.as_ptr().addr().is_multiple_of(LINE_BYTES);
    let streamed = if is_on_line { to.len() - to.len() % LINE_BYTES } else { 0 };
    for offset in (0..streamed).step_by(size_of::<__m128i>()) {
        // SAFETY: `streamed` is a multiple of 64 and at most the length of both slices, so `offset + 16` is too. `to`
        // starts on a cache line, so every store is aligned to 16 bytes; the load needs no alignment. SSE2 is part of
        // x86-64.
        unsafe {
            let values = _mm_loadu_si128(from.as_ptr().add(offset).cast());
            _mm_stream_si128(to.as_mut_ptr().add(offset).cast(), values);
        }
    }
    to[streamed..].copy_from_slice(&from[streamed..]);
}

/// Copies `from` to `to`.
///
/// # Panics
/// When the lengths differ.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn store<T: Real>(from: &[T], to: &mut [T]) {
    to.copy_from_slice(from);
}

/// Makes what this thread has streamed visible to others, in order with all that follows.
pub(super) fn settle() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the fence is part of SSE, which every x86-64 has, and touches no memory of ours.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
