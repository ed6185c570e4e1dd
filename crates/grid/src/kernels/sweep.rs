//! One sweep of the star stencil: out = c u + n Σ u at the 2D neighbours.
//!
//! This is a step of Jacobi's iteration, of explicit diffusion or of the wave equation, and it does so little arithmetic
//! that memory sets its speed: one value read and one written per cell. To come near that, each task takes a slab of
//! planes and visits it in bands of rows, so that of the 2D + 1 values read per cell all but one come from cache.
//! Stores that bypass the caches were tried and gained nothing over usual ones.
//!
//! [`simd::dispatch`] chooses the registers; the bits are equal on every machine.

use crate::field::Field;
use crate::par;
use crate::simd;
use crate::value::Real;

/// Planes of a slab. Each slab reads two planes that belong to its neighbours, so thin slabs read more.
const SLAB: usize = 32;

/// Bytes that the three planes of a band may take: half of a usual second-level cache.
const BAND_BYTES: usize = 256 << 10;

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
    let band = BAND_BYTES / (3 * of.layout().pitch() * size_of::<T>());
    par::slabs(out, SLAB, |mut slab| {
        slab.for_each_row(band.max(4), |at, row| {
            let star =
                Star { here: of.row(at), neighbours: of.neighbour_runs(at, row.len()), centre, neighbour };
            simd::dispatch(
                #[inline(always)]
                || compute(&star, row),
            );
        });
    });
}

/// Inputs of a row of results: runs of the same length.
struct Star<'a, T, const D: usize> {
    here: &'a [T],
    neighbours: [[&'a [T]; 2]; D],
    centre: T,
    neighbour: T,
}

#[inline(always)]
fn compute<T: Real, const D: usize>(star: &Star<'_, T, D>, out: &mut [T]) {
    let &Star { here, mut neighbours, centre, neighbour } = star;
    // Equal lengths, said where the compiler sees them, leave no bounds to check inside the loop. It sees through a
    // plain loop, but not always through `map`
    let length = out.len();
    let here = &here[..length];
    for axis in 0..D {
        neighbours[axis] = [&neighbours[axis][0][..length], &neighbours[axis][1][..length]];
    }

    for x in 0..length {
        let mut sum = neighbours[0][0][x] + neighbours[0][1][x];
        for axis in 1..D {
            sum = sum + (neighbours[axis][0][x] + neighbours[axis][1][x]);
        }
        out[x] = centre * here[x] + neighbour * sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Condition, Grid, Location, fill_ghosts};

    fn rough<T: Real, const D: usize>(cells: [usize; D]) -> Field<T, D> {
        let grid = Grid::new(cells, [1.0; D], [0.0; D]).unwrap();
        let mut field = Field::new(grid, Location::Center, Condition::Periodic, 1).unwrap();
        field.set_by_position(|point| (1e3 * point.iter().map(|x| x * x).sum::<f64>()).sin());
        fill_ghosts(&mut field);
        field
    }

    fn swept_one_by_one<T: Real, const D: usize>(of: &Field<T, D>, centre: T, neighbour: T) -> Vec<T> {
        let value = |at: [isize; D]| {
            let pair = |axis| of.at(crate::neighbour(at, axis, -1)) + of.at(crate::neighbour(at, axis, 1));
            let sum = (1..D).fold(pair(0), |sum, axis| sum + pair(axis));
            centre * of.at(at) + neighbour * sum
        };
        of.iter().map(|(at, _)| value(at.map(|x| x as isize))).collect()
    }

    fn assert_same_bits<T: Real, const D: usize>(cells: [usize; D]) {
        let of = rough::<T, D>(cells);
        let (centre, neighbour) = (T::from_f64(0.3), T::from_f64(0.1));
        let mut out = of.clone();
        sweep(&of, &mut out, centre, neighbour);
        let wanted = swept_one_by_one(&of, centre, neighbour);
        assert_eq!(out.to_dense(), wanted);

        let mut plain = of.clone();
        for (at, row) in plain.rows_mut() {
            let star =
                Star { here: of.row(at), neighbours: of.neighbour_runs(at, row.len()), centre, neighbour };
            compute(&star, row);
        }
        assert_eq!(plain.to_dense(), wanted);
    }

    #[test]
    fn every_kernel_gives_the_bits_of_the_formula() {
        for width in [1, 7, 16, 35, 300] {
            assert_same_bits::<f32, 1>([width]);
            assert_same_bits::<f64, 1>([width]);
            assert_same_bits::<f32, 2>([width, 5]);
            assert_same_bits::<f64, 2>([width, 40]);
            assert_same_bits::<f32, 3>([width, 9, 70]);
            assert_same_bits::<f64, 3>([width, 5, 3]);
        }
    }
}
