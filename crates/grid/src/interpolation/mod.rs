//! The value and slope of a field between its samples.
//!
//! One interpolant per axis, applied axis after axis: [`Linear`] of second order, [`Cubic`] (Catmull-Rom [catmull1974])
//! of third, and [`MonotoneCubic`], the same with its slopes limited [fritsch1980, fedkiw2001], which never leaves the
//! range of the samples at the corners of the cell around the point.
//!
//! A point outside is taken to the nearest place that the samples and their ghosts span; along a periodic axis it is
//! taken around. The samples an interpolant would like beyond that are those at the edge of it: with ghosts of width 1
//! the cubics lose an order within half a cell of a side, with width 2 they do not. Ghosts must be filled.

mod interpolant;
mod stencil;

pub use interpolant::{Cubic, Interpolant, Linear, MonotoneCubic};

use crate::field::Field;
use crate::value::Real;
use stencil::Stencil;

/// The value of a field at a point.
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, fill_ghosts};
/// use undine_grid::interpolation::{Linear, sample};
///
/// let grid = Grid::new([4, 4], [0.5, 0.5], [0.0, 0.0])?;
/// let mut bed = Field::<f32, 2>::new(grid, Location::Node, Condition::Wall, 1)?;
/// bed.set_by_position(|[x, y]| x + 10.0 * y);
/// fill_ghosts(&mut bed);
/// assert_eq!(sample(Linear, &bed, [0.3, 1.2]), 12.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn sample<I: Interpolant, T: Real, const D: usize>(_: I, field: &Field<T, D>, point: [f64; D]) -> T {
    Stencil::<I, T, D>::new(field, point).value()
}

/// The gradient of the interpolant at a point, per metre. Where the interpolant has a kink, that of the cell above.
#[inline]
pub fn slope<I: Interpolant, T: Real, const D: usize>(_: I, field: &Field<T, D>, point: [f64; D]) -> [T; D] {
    Stencil::<I, T, D>::new(field, point).gradient(field.grid().spacing())
}
