//! Memory bandwidth of this machine: the limit of streaming kernels.

use undine_checks::{Figures, best_of};

use crate::par;

/// 64 Mi single-precision numbers: far beyond any cache.
const COUNT: usize = 1 << 26;

/// Bytes read and written per second by copying memory on all threads: the best of long and short pieces, because
/// the system's copy goes past the caches only for long ones.
pub fn copy_bandwidth() -> f64 {
    let long = COUNT.div_ceil(par::threads());
    [long, 1 << 20, 1 << 16].into_iter().map(copy_in_pieces).fold(0.0, f64::max)
}

fn copy_in_pieces(length: usize) -> f64 {
    let from = vec![1.0f32; COUNT];
    let mut to = vec![0.0f32; COUNT];
    let seconds = best_of(7, || {
        par::for_each_chunk(&mut to, length, |first, chunk| {
            chunk.copy_from_slice(&from[first..first + chunk.len()])
        });
    });
    assert_eq!(std::hint::black_box(&to)[COUNT / 2], 1.0);
    (2 * COUNT * size_of::<f32>()) as f64 / seconds
}

/// Copying on all threads, beside copying on one.
pub fn copy(figures: &mut Figures) -> anyhow::Result<()> {
    let (all, one) = (copy_bandwidth(), copy_in_pieces(COUNT));
    figures.rate("copy on all threads", all / 1e9, "GB/s", one / 1e9, "copy on one thread");
    Ok(())
}
