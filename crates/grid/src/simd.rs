//! One place that chooses SIMD at run time: x86-64 code is compiled for every machine and once more for AVX2.
//!
//! [`dispatch`] runs a closure with the widest registers that the processor has. The closure is inlined into a function
//! with AVX2 enabled; so it carries `#[inline(always)]`, and so must every function that is hot in it.
//! Both versions do the same operations in the same order, and neither contracts a product and a sum into one rounding
//! (that would take FMA, which is not enabled): the bits are equal on every machine.

/// Runs `work` with the widest registers of this machine.
///
/// ```
/// let sum = undine_grid::simd::dispatch(
///     #[inline(always)]
///     || [1.0_f32; 64].iter().sum::<f32>(),
/// );
/// assert_eq!(sum, 64.0);
/// ```
#[inline(always)]
pub fn dispatch<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, which is all that `with_avx2` requires.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}
