//! Gradient and divergence, each the negative transpose of the other.

use super::{Between, add_difference, per_spacing, set_difference};
use crate::field::Field;
use crate::location::Location;
use crate::mac::MacVelocity;
use crate::par;
use crate::value::Real;

/// Gradient of a field at centres, on the faces, those on the sides included.
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, MacVelocity, fill_ghosts, operators};
///
/// let grid = Grid::new([4, 4], [0.5, 0.5], [0.0, 0.0])?;
/// let mut pressure = Field::new(grid, Location::Center, Condition::Extrapolated, 1)?;
/// pressure.set_by_position(|[x, y]| 3.0 * x - y);
/// fill_ghosts(&mut pressure);
/// let mut slope = MacVelocity::<f64, 2>::new(grid, Condition::Open, 1)?;
/// operators::gradient(&pressure, &mut slope);
/// assert_eq!((slope[0][[4, 1]], slope[1][[1, 0]]), (3.0, -1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gradient<T: Real, const D: usize>(of: &Field<T, D>, out: &mut MacVelocity<T, D>) {
    assert_eq!(of.location(), Location::Center, "the gradient on faces is that of a field at centres");
    assert_eq!(of.grid(), out.grid(), "a field and its gradient share a grid");
    for (axis, component) in out.components_mut().iter_mut().enumerate() {
        let scale = per_spacing(of, axis);
        par::rows(component, |at, row| {
            set_difference(row, Between::BeforeAndAt.runs(of, axis, at, row.len()), scale);
        });
    }
}

/// Divergence of a velocity, at centres: what flows out of each cell, per volume. Reads no ghosts.
pub fn divergence<T: Real, const D: usize>(of: &MacVelocity<T, D>, out: &mut Field<T, D>) {
    assert_eq!(out.location(), Location::Center, "the divergence of faces lies at centres");
    assert_eq!(of.grid(), out.grid(), "a velocity and its divergence share a grid");
    par::rows(out, |at, row| {
        for (axis, component) in of.components().iter().enumerate() {
            let runs = Between::AtAndAfter.runs(component, axis, at, row.len());
            let add = if axis == 0 { set_difference } else { add_difference };
            add(row, runs, per_spacing(component, axis));
        }
    });
}
