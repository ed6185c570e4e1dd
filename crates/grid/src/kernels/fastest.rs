//! Work that is compiled once for any machine and once for AVX2, and chosen at run time.
//!
//! Both versions do the same operations in the same order, and neither contracts a product and a sum into one rounding:
//! the bits are equal.

/// Does the work with the widest registers of this machine. Everything hot in it must be inlined.
///
/// ```
/// let sum = undine_grid::kernels::fastest(|| [1.0_f32; 64].iter().sum::<f32>());
/// assert_eq!(sum, 64.0);
/// ```
#[inline(always)]
pub fn fastest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, which is all that `on_avx2` asks for.
        return unsafe { on_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn on_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}
