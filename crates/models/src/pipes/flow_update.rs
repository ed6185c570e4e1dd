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
use super::tiling::{TileRow, Tiling, WIDTH, row_at, row_at_mut};
use super::units::{CEILING, Units};
use super::visits::Visits;
use undine_grid::simd;

/// The part of its headroom that a column takes from one pipe; it has eight.
const HEADROOM_SHARE: f32 = 1.0 / 9.0;

/// The coefficients of a direction in a step, for flows in units per second.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowParameters {
    pub dt: f32,
    pub unit: f32,
    /// Δt g κ / A.
    pub drive: f32,
    /// Δt k.
    pub linear: f32,
    /// Δt g n² δ A / w.
    pub manning: f32,
    /// Fr √g w / (δ A).
    pub froude: f32,
    /// (2/3)^(3/2) √g w / (δ A).
    pub weir: f32,
    /// Fall in units from which a pipe is a weir.
    pub sharp_drop: i32,
    /// s, where the area is constant.
    pub pipe_depth: f32,
}

impl FlowParameters {
    pub fn new(
        settings: &Settings,
        units: &Units,
        direction: &Direction,
        area: f64,
        dt: f64,
    ) -> FlowParameters {
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

/// Bed and level of a row of columns.
#[derive(Clone, Copy)]
struct ColumnRow<'a> {
    bed: &'a TileRow<i32>,
    level: &'a TileRow<i32>,
}

/// Bed and level of the columns of a tile and of those from which pipes lead into it, one beyond its sides. The column x of
/// row y is at `[y + 1][x + 1]`; there is ground up to the ceiling where there are no columns.
struct Heads {
    bed: [[i32; WIDTH + 2]; WIDTH + 1],
    level: [[i32; WIDTH + 2]; WIDTH + 1],
}

impl Heads {
    #[inline(always)]
    fn of(columns: &Columns, tile: usize) -> Heads {
        let mut heads =
            Heads { bed: [[CEILING; WIDTH + 2]; WIDTH + 1], level: [[CEILING; WIDTH + 2]; WIDTH + 1] };
        let tiling = &columns.tiling;
        for (step, rows) in [(-1, tiling.height() - 1..tiling.height()), (0, 0..tiling.height())] {
            let [west, middle, east] = [-1, 0, 1].map(|across| tiling.neighbour(tile, [across, step]));
            for row in rows {
                let place = if step < 0 { 0 } else { row + 1 };
                let (to_bed, to_level) = (&mut heads.bed[place], &mut heads.level[place]);
                if let Some(middle) = middle {
                    let bed = tiling.row(&columns.bed, middle, row);
                    let volume = tiling.row(&columns.volume, middle, row);
                    let (to_bed, to_level) = (row_at_mut(to_bed, 1), row_at_mut(to_level, 1));
                    *to_bed = *bed;
                    *to_level = std::array::from_fn(|i| bed[i] + volume[i]);
                }
                for (beside, from, to) in [(west, WIDTH - 1, 0), (east, 0, WIDTH + 1)] {
                    if let Some(beside) = beside {
                        let bed = tiling.row(&columns.bed, beside, row)[from];
                        to_bed[to] = bed;
                        to_level[to] = bed + tiling.row(&columns.volume, beside, row)[from];
                    }
                }
            }
        }
        heads
    }

    /// The columns of a row, or their neighbours at `offset`.
    #[inline(always)]
    fn row(&self, row: usize, [across, along]: [isize; 2]) -> ColumnRow<'_> {
        let (row, first) = ((row + 1).wrapping_add_signed(along), 1_usize.wrapping_add_signed(across));
        ColumnRow { bed: row_at(&self.bed[row], first), level: row_at(&self.level[row], first) }
    }
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
    let step = FlowStep { columns, visits, settings, units, area, dt };
    match (settings.area, settings.manning > 0.0) {
        (PipeArea::Wet, false) => update_sets::<false, false>(sets, step),
        (PipeArea::Wet, true) => update_sets::<false, true>(sets, step),
        (PipeArea::Constant(_), false) => update_sets::<true, false>(sets, step),
        (PipeArea::Constant(_), true) => update_sets::<true, true>(sets, step),
    }
}

/// What the flows of a step depend on.
#[derive(Clone, Copy)]
struct FlowStep<'a> {
    columns: &'a Columns,
    visits: &'a Visits,
    settings: &'a Settings,
    units: &'a Units,
    area: f64,
    dt: f64,
}

fn update_sets<const IS_CONSTANT: bool, const HAS_MANNING: bool>(sets: &mut [PipeSet], step: FlowStep<'_>) {
    match sets {
        [x] => update_directions::<IS_CONSTANT, HAS_MANNING, 1>([x], step),
        [x, y] => update_directions::<IS_CONSTANT, HAS_MANNING, 2>([x, y], step),
        [x, y, rising, falling] => {
            update_directions::<IS_CONSTANT, HAS_MANNING, 4>([x, y, rising, falling], step);
        }
        _ => unreachable!("pipes lead along x, along both axes, or also along both diagonals"),
    }
}

/// All directions of a tile one after the other, while its columns are in the cache.
fn update_directions<const IS_CONSTANT: bool, const HAS_MANNING: bool, const N: usize>(
    sets: [&mut PipeSet; N],
    step: FlowStep<'_>,
) {
    let FlowStep { columns, visits, settings, units, area, dt } = step;
    let directions = sets
        .each_ref()
        .map(|set| (set.direction.offset, FlowParameters::new(settings, units, &set.direction, area, dt)));
    let (tiling, values) = (&columns.tiling, sets.map(|set| set.values.as_mut_slice()));
    let (groups, length) = (visits.groups(), 2 * tiling.tile_len());
    tiling.for_each_of(groups, values, length, |tile, values| {
        if !visits.is_touched(tile) {
            return;
        }
        simd::dispatch(
            #[inline(always)]
            || {
                let heads = Heads::of(columns, tile);
                for (values, (offset, parameters)) in values.into_iter().zip(&directions) {
                    update_tile::<IS_CONSTANT, HAS_MANNING>(
                        tiling, tile, values, &heads, visits, *offset, parameters,
                    );
                }
            },
        );
    });
}

/// The pipes of one direction to the columns of one tile.
#[inline(always)]
fn update_tile<const IS_CONSTANT: bool, const HAS_MANNING: bool>(
    tiling: &Tiling,
    tile: usize,
    values: &mut [f32],
    heads: &Heads,
    visits: &Visits,
    offset: [isize; 2],
    parameters: &FlowParameters,
) {
    let (flows, transfers) = values.split_at_mut(tiling.tile_len());
    for row in 0..tiling.height() {
        let lanes = visits.lanes(tiling, tile, row, offset);
        if lanes.is_empty() {
            continue;
        }
        let (own, neighbour) = (heads.row(row, [0, 0]), heads.row(row, offset));
        let flow = row_at_mut(flows, row * WIDTH);
        let transfer = row_at_mut(transfers, row * WIDTH);
        // Of some rows only some pipes lead to a tile that is awake
        let before = (lanes.len() < WIDTH).then_some((*flow, *transfer));
        update_row::<IS_CONSTANT, HAS_MANNING>(own, neighbour, flow, transfer, parameters);
        if let Some((old_flow, old_transfer)) = before {
            for lane in (0..WIDTH).filter(|lane| !lanes.contains(lane)) {
                (flow[lane], transfer[lane]) = (old_flow[lane], old_transfer[lane]);
            }
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
        let (level, beyond) = (own.level[i], neighbour.level[i]);
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
        let wanted = updated * p.dt + carried;
        // As `min` and `max`, which would cost instructions to pass over what is not a number
        let possible = if wanted < headroom { wanted } else { headroom };
        transfer[i] = if possible > -headroom_beyond { possible } else { -headroom_beyond };
    }
}
