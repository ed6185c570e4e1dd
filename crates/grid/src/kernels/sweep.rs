//! One sweep of the star stencil: out = c u + n Σ u at the 2D neighbours.
//!
//! This is a step of Jacobi's iteration, of explicit diffusion or of the wave equation, and it does so little arithmetic
//! that memory sets its speed: one value read and one written per cell. To come near that, each task takes a slab of
//! planes and visits it in bands of rows, so that of the 2D + 1 values read per cell all but one come from cache.
//! Stores that bypass the caches were tried and gained nothing over usual ones.
//!
//! The same code is compiled twice, once for any machine and once for AVX2, and chosen at run time. Both do the
//! same operations in the same order, and neither contracts a product and a sum into one rounding: the bits are equal.

use crate::field::Field;
use crate::par;
use crate::value::Real;

/// Planes of a slab. Each slab reads two planes that belong to its neighbours, so thin slabs read more.
const SLAB: usize = 8;

/// Bytes that the three planes of a band may take: half of a usual second-level cache.
const BAND_BYTES: usize = 4000 << 10;

/// Writes `centre * u + neighbour * (sum of the 2D neighbours)` at every sample. Ghosts of `of` must be filled; those
/// of `out` are left.
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, fill_ghosts, kernels};
///
/// // Diffusion by one explicit step of a quarter
/// let grid = Grid::new([3, 3], [1.0, 1.0], [0.0, 0.0])?;
/// let mut heat = Field::<f32, 2>::new(grid, Location::Center, Condition::Wall, 1)?;
/// heat[[1, 1]] = 8.0;
/// fill_ghosts(&mut heat);
/// let mut after = heat.clone();
/// kernels::sweep(&heat, &mut after, 0.0, 0.25);
/// assert_eq!(after.to_dense(), [0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// When the fields differ in grid, location or ghosts.
pub fn sweep<T: Real, const D: usize>(of: &Field<T, D>, out: &mut Field<T, D>, centre: T, neighbour: T) {
    of.assert_alike(out);
    let kernel = fastest_kernel::<T, D>();
    let band = BAND_BYTES / (3 * of.layout().pitch() * size_of::<T>());
    par::slabs(out, SLAB, |mut slab| {
        slab.for_each_row(band.max(4), |at, row| {
            kernel(Star { here: of.row(at), beside: of.runs_beside(at, row.len()), centre, neighbour }, row);
        });
    });
}

/// What a row of results is made of: runs of the same length.
struct Star<'a, T, const D: usize> {
    here: &'a [T],
    beside: [[&'a [T]; 2]; D],
    centre: T,
    neighbour: T,
}

type Kernel<T, const D: usize> = fn(Star<'_, T, D>, &mut [T]);

/// The fastest kernel this machine can run.
fn fastest_kernel<T: Real, const D: usize>() -> Kernel<T, D> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, which is all that `on_avx2` asks for.
        return |star, out| unsafe { on_avx2(star, out) };
    }
    on_any_machine
}

fn on_any_machine<T: Real, const D: usize>(star: Star<'_, T, D>, out: &mut [T]) {
    compute(star, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn on_avx2<T: Real, const D: usize>(star: Star<'_, T, D>, out: &mut [T]) {
    compute(star, out);
}

#[inline(always)]
fn compute<T: Real, const D: usize>(star: Star<'_, T, D>, out: &mut [T]) {
    let Star { here, mut beside, centre, neighbour } = star;
    // Equal lengths, said where the compiler sees them, leave no bounds to check inside the loop. It sees through a
    // plain loop, but not always through `map`
    let length = out.len();
    let here = &here[..length];
    for axis in 0..D {
        beside[axis] = [&beside[axis][0][..length], &beside[axis][1][..length]];
    }

    for x in 0..length {
        let mut sum = beside[0][0][x] + beside[0][1][x];
        for axis in 1..D {
            sum = sum + (beside[axis][0][x] + beside[axis][1][x]);
        }
        out[x] = centre * here[x] + neighbour * sum;
    }
}
