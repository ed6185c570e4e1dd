//! The height field: one height of the surface per column of cells, the last axis up [foster1996 §4.3].
//!
//!   ∂h/∂t = w − u ∂h/∂x − v ∂h/∂y    (eq. 11)
//!
//! By default in flux form, which a divergence-free velocity makes of it: the water of a column changes by what flows
//! through the wet parts of its sides,
//!
//!   Δh = Σ over sides of ± Δt/δ · Σ over rows of u · wet part of the face
//!
//! with the height at a side h_f = ½(h_L + h_R) − ½ sign(u) c (h_R − h_L), where c = (1 − α) Σ|u| Δt/δ + α: Lax–Wendroff's
//! for α = 0 (second order), donor cell for α = 1. Stable where eq. 3 holds. What leaves one column enters the next, so the
//! volume is exact to rounding. No column gives more than it has; what does not fit below the ceiling of a column stays
//! in its volume until there is room.
//!
//! By key eq. 12 to the letter: forward in time, central in space, w interpolated to h. It does not conserve volume, and
//! heights are cut off at floor and ceiling; both is reported.
//!
//! The state is the depth of water in each column, which is its height where no obstacle floats in it. Not modelled:
//! anything that hides behind something else in a column, such as air below an overhang.

mod columns;
mod eq12;
mod flux_form;
mod sampler;
#[cfg(test)]
mod tests;

use std::io;

use undine_frame::CellKind;
use undine_grid::Grid;
use undine_sim::{Reader, Writer};

use super::super::cells::{Cells, is_obstacle};
use super::{SurfaceChange, SurfaceStep};
use columns::Columns;

/// A cell holds liquid if the surface is this far above its floor, in cells. Still water on the border of two cells
/// then does not flicker.
const DEPTH: f64 = 1e-3;

/// How the height field moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeightForm {
    /// Fluxes between columns.
    Flux,
    /// Eq. 12.
    Eq12,
}

/// How the height field moves, and the donor-cell share of its heights at sides. With a tenth a free wave of the height of a cell
/// gains energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeightSettings {
    pub form: HeightForm,
    /// α of the flux form.
    pub upwind: f64,
}

/// One height of the surface per column.
#[derive(Debug, Clone)]
pub struct HeightField<const D: usize> {
    settings: HeightSettings,
    columns: Columns<D>,
    /// Metres of water in each column: its volume over its area.
    depths: Vec<f64>,
    /// Surface of each column in metres; the floor of a column that is closed or dry.
    heights: Vec<f64>,
    /// Metres of water that pass the low side of each column along each axis in a step.
    fluxes: [Vec<f64>; D],
    /// The share of what is asked of each column that it can give.
    shares: Vec<f64>,
}

impl<const D: usize> HeightField<D> {
    /// Heights by the horizontal position of the centres of the columns, cut off at floor and ceiling. The last coordinate
    /// given to `height` means nothing.
    pub fn new(cells: &Cells<D>, settings: HeightSettings, height: impl Fn([f64; D]) -> f64) -> Self {
        let columns = Columns::new(cells);
        let count = columns.count();
        let mut field = HeightField {
            settings,
            depths: vec![0.0; count],
            heights: vec![0.0; count],
            fluxes: std::array::from_fn(|_| vec![0.0; count]),
            shares: vec![1.0; count],
            columns,
        };
        for column in 0..count {
            let at = cells.grid().centre(cells.cell(column).map(|i| i as isize));
            let wanted = height(at);
            let wanted = if wanted.is_nan() { f64::NEG_INFINITY } else { wanted };
            field.depths[column] = field.columns.depth_below(cells, column, wanted);
        }
        field.update_heights(cells);
        field
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<D> {
        self.columns.grid()
    }

    /// Whether each column has cells that are no obstacles.
    pub fn is_open(&self, column: usize) -> bool {
        self.columns.is_open(column)
    }

    /// Volume of the water in m³, or m² in the plane.
    pub fn volume(&self) -> f64 {
        self.depths.iter().sum::<f64>() * self.columns.area()
    }

    /// Volume that does not fit below the ceilings of its columns, and is part of [`HeightField::volume`].
    fn surplus(&self) -> f64 {
        let beyond = |(column, depth): (usize, &f64)| (depth - self.columns.capacity(column)).max(0.0);
        self.depths.iter().enumerate().map(beyond).sum::<f64>() * self.columns.area()
    }

    /// Moves the heights for a step, around the obstacles of the cells that were last labelled.
    pub fn advance(&mut self, step: &SurfaceStep<'_, D>) -> SurfaceChange {
        let change = match self.settings.form {
            HeightForm::Flux => self.advance_by_fluxes(step),
            HeightForm::Eq12 => self.advance_by_eq12(step),
        };
        self.update_heights(step.cells);
        SurfaceChange { surplus: self.surplus(), ..change }
    }

    fn update_heights(&mut self, cells: &Cells<D>) {
        for (column, height) in self.heights.iter_mut().enumerate() {
            *height = self.columns.height_of(cells, column, self.depths[column]);
        }
    }

    /// Labels all cells but obstacles: those crossed or below the surface hold liquid.
    pub fn label(&mut self, cells: &mut Cells<D>) {
        self.columns.update(cells);
        self.update_heights(cells);
        let (count, layers) = (self.columns.count(), cells.grid().cells()[D - 1]);
        for layer in 0..layers {
            let threshold = self.columns.floor_of_layer(layer) + DEPTH * cells.grid().spacing()[D - 1];
            for column in 0..count {
                let index = column + layer * count;
                if !is_obstacle(cells.kinds()[index]) {
                    let is_liquid = self.heights[column] > threshold;
                    cells.set(index, if is_liquid { CellKind::Full } else { CellKind::Empty });
                }
            }
        }
        cells.mark_surface();
    }

    /// Distance in cells from the centre of a Surface cell to the surface: upwards to the height of the column; sideways
    /// to where a straight line to the next column's height passes the level of the centre. Negative where the surface lies
    /// behind the centre.
    pub fn interface(&self, cell: [usize; D], axis: usize, towards_high: bool) -> f64 {
        let spacing = self.grid().spacing()[D - 1];
        let level = self.columns.floor_of_layer(cell[D - 1]) + 0.5 * spacing;
        let column = self.columns.of_cell(cell);
        let above = (self.heights[column] - level) / spacing;
        if axis == D - 1 {
            return if towards_high { above } else { 1.0 };
        }
        // Towards the column before or behind, whichever lies on the other side of the level
        let is_ahead = above > 0.0;
        let none = if is_ahead { 1.0 } else { -1.0 };
        let beside = self.columns.beside(column, cell[axis], axis, towards_high == is_ahead);
        let Some(beside) = beside else { return none };
        let fall = (self.heights[column] - self.heights[beside]) / spacing;
        if (fall - above) * none > 0.0 { none * above / fall } else { none }
    }

    /// Writes the depths of all columns.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("column_depths", &self.depths)
    }

    /// Reads what was written. The cells must be labelled again.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.values_into("column_depths", &mut self.depths)
    }
}
