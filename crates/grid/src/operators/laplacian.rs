//! The Laplacian, for samples anywhere.

use crate::field::Field;
use crate::par;
use crate::value::Real;

/// Laplacian of a field, at its own samples, wherever they lie: per axis (u₊ − 2u + u₋)/Δ².
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, fill_ghosts, operators};
///
/// let grid = Grid::new([8], [0.5], [0.0])?;
/// let mut bowl = Field::new(grid, Location::Node, Condition::Gradient(8.0), 1)?;
/// bowl.set_by_position(|[x]| (x - 2.0) * (x - 2.0) * 2.0);
/// fill_ghosts(&mut bowl);
/// let mut curvature = bowl.clone();
/// operators::laplacian(&bowl, &mut curvature);
/// assert_eq!(curvature.to_dense(), [4.0; 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn laplacian<T: Real, const D: usize>(of: &Field<T, D>, out: &mut Field<T, D>) {
    assert_eq!(of.location(), out.location(), "a field and its Laplacian lie at the same place");
    assert_eq!(of.grid(), out.grid(), "a field and its Laplacian share a grid");
    let scales = of.grid().spacing().map(|spacing| T::from_f64(1.0 / (spacing * spacing)));
    par::rows(out, |at, row| {
        let here = of.run(at, row.len());
        let neighbours = of.neighbour_runs(at, row.len());
        row.fill(T::zeroed());
        for (runs, scale) in neighbours.into_iter().zip(scales) {
            add_second_difference(row, here, runs, scale);
        }
    });
}

fn add_second_difference<T: Real>(out: &mut [T], here: &[T], [low, high]: [&[T]; 2], scale: T) {
    let values = here.iter().zip(low.iter().zip(high));
    for (out, (&here, (&low, &high))) in out.iter_mut().zip(values) {
        // As differences of differences, a large mean level cancels before it is scaled
        *out = *out + scale * ((high - here) - (here - low));
    }
}
