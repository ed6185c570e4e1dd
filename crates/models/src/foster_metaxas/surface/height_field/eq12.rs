//! Eq. 12 of [foster1996], to the letter: forward in time, central differences of the height.
//!
//!   h ← h + Δt { w̄ + (h₋ − h₊)/(4δx) (u₊ + u₋) + (h₋ − h₊)/(4δy) (v₊ + v₋) }
//!
//! w̄, which the paper leaves open, is w interpolated to h between the faces below and above it. The velocities are those
//! of the cell with the surface. Beside a closed column the height continues.

use undine_grid::par;

use super::super::{SurfaceChange, SurfaceStep};
use super::HeightField;

/// Columns that a parallel task should at least work on.
const MIN_COLUMNS_PER_TASK: usize = 512;

impl<const D: usize> HeightField<D> {
    /// Moves the heights by eq. 12; keeps them within floor and ceiling, and reports by what volume.
    pub(super) fn advance_by_eq12(&mut self, step: &SurfaceStep<'_, D>) -> SurfaceChange {
        let (columns, heights) = (&self.columns, &self.heights);
        par::for_each_chunk(&mut self.shares, MIN_COLUMNS_PER_TASK, |first, next| {
            for (number, next) in next.iter_mut().enumerate() {
                let column = first + number;
                let rate =
                    if columns.is_open(column) { rate_of(columns, heights, step, column) } else { 0.0 };
                let height = heights[column] + step.dt * rate;
                *next = if height.is_finite() { height } else { heights[column] };
            }
        });
        let mut change = SurfaceChange::default();
        for column in 0..columns.count() {
            let [floor, ceiling] = columns.range(column);
            let height = self.shares[column];
            let kept = height.clamp(floor, ceiling);
            change.limited += (height - kept).abs() * columns.area();
            self.depths[column] = columns.depth_below(step.cells, column, kept);
        }
        change
    }
}

/// The braces of eq. 12.
fn rate_of<const D: usize>(
    columns: &super::columns::Columns<D>,
    heights: &[f64],
    step: &SurfaceStep<'_, D>,
    column: usize,
) -> f64 {
    let (spacing, height) = (step.cells.grid().spacing(), heights[column]);
    let mut cell = step.cells.cell(column);
    let layer = columns.surface_layer(column, height);
    cell[D - 1] = layer;
    let face_above = |axis: usize| {
        let mut above = cell;
        above[axis] += 1;
        step.velocity[axis][above]
    };
    let fraction = ((height - columns.floor_of_layer(layer)) / spacing[D - 1]).clamp(0.0, 1.0);
    let mut rate = (1.0 - fraction) * step.velocity[D - 1][cell] + fraction * face_above(D - 1);
    for axis in 0..D - 1 {
        let beside =
            |high: bool| columns.beside(column, cell[axis], axis, high).map_or(height, |at| heights[at]);
        rate += (beside(false) - beside(true)) / (4.0 * spacing[axis])
            * (face_above(axis) + step.velocity[axis][cell]);
    }
    rate
}
