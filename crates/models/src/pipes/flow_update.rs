//! The flow of a pipe over a step, and the units that it would transfer.
//!
//! The local-inertial equation [bates2010] for the flow per unit of width q between two columns of level h, bed b:
//!
//! ```text
//! d = max(h_i, h_j) − max(b_i, b_j)                                     wet depth of the pipe
//! q ← (q + g Δt d (h_j − h_i)/L) / (1 + Δt (k + g n² |q|/d^(7/3)))      L its length, friction implicit
//! |q| ≤ Fr d √(g d)                                                     where the ground is too steep for waves
//! ```
//!
//! Where the surface below lies by `sharp_drop` or more under the sill, water falls freely: q = (2/3)^(3/2) √g d^(3/2), the
//! flow over a broad-crested weir, whatever was before.
//!
//! With a constant area, as in the thesis, the hydrostatic pressure drives a pipe of fixed depth s whose heads count from
//! the sill, the higher of the two beds: d = s and h ← max(h, sill) in the second line.

use super::border::WEIR;
use super::columns::Columns;
use super::friction::seven_thirds;
use super::pipe_set::{Direction, PipeSet};
use super::settings::{PipeArea, Settings};
use super::tiling::{TileRow, WIDTH, row_at_mut};
use super::units::{CEILING, Units};
use super::visits::Visits;
use undine_grid::simd;

/// The part of its headroom that a column takes from one pipe; it has eight.
const HEADROOM_SHARE: f32 = 1.0 / 9.0;

/// The coefficients of a direction in a step, for flows in units per second.
#[derive(Debug, Clone, Copy)]
struct FlowParameters {
    dt: f32,
    unit: f32,
    /// Δt g κ / A.
    drive: f32,
    /// Δt k.
    linear: f32,
    /// Δt g n² δ A / w.
    manning: f32,
    /// Fr √g w / (δ A).
    froude: f32,
    /// (2/3)^(3/2) √g w / (δ A).
    weir: f32,
    /// Fall in units from which a pipe is a weir.
    sharp_drop: i32,
    /// s, where the area is constant.
    pipe_depth: f32,
}

impl FlowParameters {
    fn new(settings: &Settings, units: &Units, direction: &Direction, area: f64, dt: f64) -> FlowParameters {
        let (g, n, volume) = (settings.gravity, settings.manning, units.unit() * area);
        FlowParameters {
            dt: dt as f32,
            unit: units.unit() as f32,
            drive: (dt * g * direction.conductance / area) as f32,
            linear: (dt * settings.friction) as f32,
            manning: (dt * g * n * n * volume / direction.width) as f32,
            froude: (settings.froude * g.sqrt() * direction.width / volume) as f32,
            weir: (WEIR * g.sqrt() * direction.width / volume) as f32,
            sharp_drop: units.depth(settings.sharp_drop),
            pipe_depth: match settings.area {
                PipeArea::Wet => 0.0,
                PipeArea::Constant(depth) => depth as f32,
            },
        }
    }
}

/// Bed and volume of a row of columns.
#[derive(Clone, Copy)]
struct ColumnRow<'a> {
    bed: &'a TileRow<i32>,
    volume: &'a TileRow<i32>,
}

/// Updates the flows of all pipes that are visited, and sets the transfers of this step.
pub(super) fn update_flows(
    sets: &mut [PipeSet],
    columns: &Columns,
    visits: &Visits,
    settings: &Settings,
    units: &Units,
    area: f64,
    dt: f64,
) {
    for set in sets {
        let parameters = FlowParameters::new(settings, units, &set.direction, area, dt);
        let kernel = match (settings.area, settings.manning > 0.0) {
            (PipeArea::Wet, false) => update_tile::<false, false>,
            (PipeArea::Wet, true) => update_tile::<false, true>,
            (PipeArea::Constant(_), false) => update_tile::<true, false>,
            (PipeArea::Constant(_), true) => update_tile::<true, true>,
        };
        let (offset, length) = (set.direction.offset, columns.tiling.tile_len());
        columns.tiling.for_each(&mut set.values, 2 * length, |tile, values| {
            if visits.is_touched(tile) {
                simd::dispatch(
                    #[inline(always)]
                    || kernel(tile, values, columns, visits, offset, &parameters),
                );
            }
        });
    }
}

/// The pipes of one direction to the columns of one tile.
#[inline(always)]
fn update_tile<const IS_CONSTANT: bool, const HAS_MANNING: bool>(
    tile: usize,
    values: &mut [f32],
    columns: &Columns,
    visits: &Visits,
    offset: [isize; 2],
    parameters: &FlowParameters,
) {
    let tiling = &columns.tiling;
    let (flows, transfers) = values.split_at_mut(tiling.tile_len());
    for row in 0..tiling.height() {
        let lanes = visits.lanes(tiling, tile, row, offset);
        if lanes.is_empty() {
            continue;
        }
        let beyond = |values: &'_ [i32], outside| {
            tiling.shifted_row(|tile, row| tiling.row(values, tile, row), tile, row, offset, outside)
        };
        let (bed, volume) = (beyond(&columns.bed, CEILING), beyond(&columns.volume, 0));
        let neighbour = ColumnRow { bed: &bed, volume: &volume };
        let own = ColumnRow {
            bed: tiling.row(&columns.bed, tile, row),
            volume: tiling.row(&columns.volume, tile, row),
        };
        let flow = row_at_mut(flows, row * WIDTH);
        let transfer = row_at_mut(transfers, row * WIDTH);
        if lanes.len() == WIDTH {
            update_row::<IS_CONSTANT, HAS_MANNING>(own, neighbour, flow, transfer, parameters);
        } else {
            // Only some pipes of the row lead to a tile that is awake
            let (mut new_flow, mut new_transfer) = (*flow, *transfer);
            update_row::<IS_CONSTANT, HAS_MANNING>(
                own,
                neighbour,
                &mut new_flow,
                &mut new_transfer,
                parameters,
            );
            flow[lanes.clone()].copy_from_slice(&new_flow[lanes.clone()]);
            transfer[lanes.clone()].copy_from_slice(&new_transfer[lanes]);
        }
    }
}

#[inline(always)]
fn update_row<const IS_CONSTANT: bool, const HAS_MANNING: bool>(
    own: ColumnRow<'_>,
    neighbour: ColumnRow<'_>,
    flow: &mut TileRow<f32>,
    transfer: &mut TileRow<f32>,
    p: &FlowParameters,
) {
    for i in 0..WIDTH {
        let level = own.bed[i] + own.volume[i];
        let beyond = neighbour.bed[i] + neighbour.volume[i];
        let sill = own.bed[i].max(neighbour.bed[i]);
        let depth = ((level.max(beyond) - sill).max(0)) as f32 * p.unit;

        // The driving difference of heads, and the Froude cap: none for a pipe of constant area
        let (area_depth, head, bound) = if IS_CONSTANT {
            let bound = if depth > 0.0 { f32::MAX } else { 0.0 };
            (p.pipe_depth, beyond.max(sill) - level.max(sill), bound)
        } else {
            (depth, beyond - level, p.froude * depth * depth.sqrt())
        };
        let driven = flow[i] + p.drive * area_depth * head as f32;
        let mut decay = 1.0 + p.linear;
        if HAS_MANNING {
            decay += p.manning * flow[i].abs() / seven_thirds(area_depth.max(p.unit));
        }
        let in_pipe = (driven / decay).max(-bound).min(bound);
        let is_fall = sill - level.min(beyond) >= p.sharp_drop;
        let over_weir = p.weir * depth * depth.sqrt();
        let over_weir = if beyond > level { over_weir } else { -over_weir };
        let updated = if is_fall { over_weir } else { in_pipe };

        // What the last step has rounded is carried; no column is filled above the ceiling
        let carried = transfer[i] - transfer[i].round_ties_even();
        let headroom = (CEILING - level) as f32 * HEADROOM_SHARE;
        let headroom_beyond = (CEILING - beyond) as f32 * HEADROOM_SHARE;
        flow[i] = updated;
        transfer[i] = (updated * p.dt + carried).min(headroom).max(-headroom_beyond);
    }
}
