//! Eq. 11 as fluxes through the sides of columns.

use undine_frame::CellKind;
use undine_grid::par;

use super::super::{SurfaceChange, SurfaceStep};
use super::columns::Columns;
use super::{Cells, HeightField, is_obstacle};

/// Columns that a parallel task should at least work on.
const MIN_COLUMNS_PER_TASK: usize = 512;

/// What the fluxes are computed from.
struct Flow<'a, const D: usize> {
    step: &'a SurfaceStep<'a, D>,
    columns: &'a Columns<D>,
    heights: &'a [f64],
    upwind: f64,
    /// Δt/δ along each axis.
    rates: [f64; D],
}

impl<const D: usize> HeightField<D> {
    /// Moves the water of a step through the sides of the columns.
    pub(super) fn advance_by_fluxes(&mut self, step: &SurfaceStep<'_, D>) -> SurfaceChange {
        let flow = Flow {
            step,
            columns: &self.columns,
            heights: &self.heights,
            upwind: self.settings.upwind,
            rates: step.cells.grid().spacing().map(|spacing| step.dt / spacing),
        };
        for axis in 0..D - 1 {
            par::for_each_chunk(&mut self.fluxes[axis], MIN_COLUMNS_PER_TASK, |first, fluxes| {
                for (number, flux) in fluxes.iter_mut().enumerate() {
                    *flux = flow.through_low_side(first + number, axis);
                }
            });
        }
        let held_back = self.limit_fluxes(step.cells);
        for axis in 0..D - 1 {
            let stride = step.cells.strides()[axis];
            for column in stride..self.columns.count() {
                let flux = self.fluxes[axis][column];
                if flux != 0.0 {
                    self.depths[column] += flux;
                    self.depths[column - stride] -= flux;
                }
            }
        }
        let mut change = SurfaceChange { held_back, ..SurfaceChange::default() };
        self.exchange_at_ports(step, &mut change);
        change
    }

    /// Scales what leaves a column to what it has. Answers the volume that stays.
    fn limit_fluxes(&mut self, cells: &Cells<D>) -> f64 {
        let (strides, count) = (cells.strides(), self.columns.count());
        self.shares.fill(0.0);
        for axis in 0..D - 1 {
            for column in strides[axis]..count {
                let flux = self.fluxes[axis][column];
                let from = if flux > 0.0 { column - strides[axis] } else { column };
                self.shares[from] += flux.abs();
            }
        }
        let mut held_back = 0.0;
        for (share, &depth) in self.shares.iter_mut().zip(&self.depths) {
            let (asked, has) = (*share, depth.max(0.0));
            *share = if asked > has { has / asked } else { 1.0 };
            held_back += (asked - has).max(0.0);
        }
        if held_back > 0.0 {
            for axis in 0..D - 1 {
                for column in strides[axis]..count {
                    let flux = &mut self.fluxes[axis][column];
                    *flux *= self.shares[if *flux > 0.0 { column - strides[axis] } else { column }];
                }
            }
        }
        held_back * self.columns.area()
    }

    /// Lets water in and out through the faces between open cells and inflows or outflows, on all sides of the cells.
    fn exchange_at_ports(&mut self, step: &SurfaceStep<'_, D>, change: &mut SurfaceChange) {
        let (cells, area) = (step.cells, self.columns.area());
        for &index in self.columns.ports() {
            let (kind, cell) = (cells.kinds()[index], cells.cell(index));
            for axis in 0..D {
                for high in [false, true] {
                    let Some(mut flux) = self.flux_from_port(step, cell, kind, axis, high) else { continue };
                    let mut beside = cell;
                    beside[axis] = if high { cell[axis] + 1 } else { cell[axis] - 1 };
                    let depth = &mut self.depths[self.columns.of_cell(beside)];
                    if flux < -depth.max(0.0) {
                        change.held_back += (-depth.max(0.0) - flux) * area;
                        flux = -depth.max(0.0);
                    }
                    *depth += flux;
                    *(if kind == CellKind::Inflow { &mut change.inflow } else { &mut change.outflow }) +=
                        if kind == CellKind::Inflow { flux * area } else { -flux * area };
                }
            }
        }
    }

    /// Metres of water that an open cell beside a port gets through their face in a step. An inflow fills its whole face,
    /// also above the surface, from where the water falls; an outflow takes from the wet part.
    fn flux_from_port(
        &self,
        step: &SurfaceStep<'_, D>,
        cell: [usize; D],
        kind: CellKind,
        axis: usize,
        high: bool,
    ) -> Option<f64> {
        let mut beside = cell.map(|i| i as isize);
        beside[axis] += if high { 1 } else { -1 };
        if step.cells.is_obstacle(beside) {
            return None;
        }
        let mut face = cell;
        face[axis] += usize::from(high);
        let into = if high { 1.0 } else { -1.0 } * step.velocity[axis][face] * step.dt;
        let height = self.heights[self.columns.of_cell(beside.map(|i| i as usize))];
        let (spacing, floor) =
            (step.cells.grid().spacing(), self.columns.floor_of_layer(beside[D - 1] as usize));
        let wet = (height - floor).clamp(0.0, spacing[D - 1]);
        let flux = match kind {
            _ if axis == D - 1 && (kind == CellKind::Inflow || wet > 0.0) => into,
            CellKind::Inflow => into * spacing[D - 1] / spacing[axis],
            _ if axis == D - 1 => 0.0,
            _ => into * wet / spacing[axis],
        };
        (flux.is_finite() && flux != 0.0).then_some(flux)
    }
}

impl<const D: usize> Flow<'_, D> {
    /// Metres of water that enter a column from the one below it along `axis` in a step.
    fn through_low_side(&self, column: usize, axis: usize) -> f64 {
        let (cells, count) = (self.step.cells, self.columns.count());
        let mut cell = cells.cell(column);
        if cell[axis] == 0 {
            return 0.0;
        }
        let below = column - cells.strides()[axis];
        let is_clear = self.columns.is_undivided(column) && self.columns.is_undivided(below);
        let is_joined = |layer: usize| {
            is_clear
                || !is_obstacle(cells.kinds()[column + layer * count])
                    && !is_obstacle(cells.kinds()[below + layer * count])
        };
        let (one, other) = (self.columns.layers(column), self.columns.layers(below));
        let layers = one.start.max(other.start)..one.end.min(other.end);
        let Some(lowest) = layers.clone().find(|&layer| is_joined(layer)) else { return 0.0 };
        let height = self.height_of_side([below, column], cell, axis, lowest);
        // What flows through the wet part of every open face
        let (high, mut sum) = (cells.grid().spacing()[D - 1], 0.0);
        let field = &self.step.velocity[axis];
        cell[D - 1] = 0;
        let (first, stride) =
            (field.layout().offset(cell.map(|i| i as isize)), field.layout().strides()[D - 1]);
        for layer in lowest..layers.end {
            let wet = (height - self.columns.floor_of_layer(layer)).min(high);
            if wet <= 0.0 {
                break;
            }
            if is_joined(layer) {
                sum += field.storage()[first + layer * stride] * wet;
            }
        }
        let flux = sum * self.rates[axis];
        if flux.is_finite() { flux } else { 0.0 }
    }

    /// h_f, between the heights of both columns as far as they are above the lowest face that joins them.
    fn height_of_side(&self, columns: [usize; 2], cell: [usize; D], axis: usize, lowest: usize) -> f64 {
        let floor = self.columns.floor_of_layer(lowest);
        let [low, high] = columns.map(|column| self.heights[column].max(floor));
        let mean = 0.5 * (low + high);
        let layer = self.columns.surface_layer(columns[1], mean).max(lowest);
        let speed = |along: usize, column: [usize; D]| self.step.velocity[along][column];
        let mut face = cell;
        face[D - 1] = layer;
        let across = speed(axis, face);
        let mut courant = across.abs() * self.rates[axis];
        // The flow along the side: the mean of the four faces around it
        for along in (0..D - 1).filter(|&along| along != axis) {
            let mut sum = 0.0;
            for corner in 0..4 {
                let mut at = face;
                at[axis] -= corner & 1;
                at[along] += corner >> 1;
                sum += speed(along, at);
            }
            courant += (0.25 * sum).abs() * self.rates[along];
        }
        let blend = ((1.0 - self.upwind) * courant + self.upwind).clamp(0.0, 1.0);
        let sign = if across > 0.0 {
            1.0
        } else if across < 0.0 {
            -1.0
        } else {
            0.0
        };
        mean - 0.5 * sign * blend * (high - low)
    }
}
