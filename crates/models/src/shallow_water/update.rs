//! One stage for one row of cells, from the fluxes through their faces.

use super::friction::Friction;
use super::tile::{Cells, Faces, Row, greater, greatest, lesser, sum};

/// What does not change during a stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    /// Length of the step in seconds.
    pub dt: f64,
    pub gravity: f64,
    pub friction: Friction,
    /// Water thinner than this has no velocity of its own, in metres.
    pub dry: f64,
    /// 1/Δx, and 1/Δy or zero for a single row.
    pub per_metre: [f64; 2],
    /// Whether the result is averaged with the state at the start of the step.
    pub is_second: bool,
}

/// What a stage found in a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// Sum of the depths.
    pub depth: f64,
    /// Greatest (|u| + c)/Δx + (|v| + c)/Δy, in 1/s.
    pub rate: f64,
    /// Not finite when any number of the row is not.
    pub check: f64,
}

impl Found {
    /// Adds what was found in another part of the row.
    pub fn add(&mut self, other: &Found) {
        self.depth += other.depth;
        self.rate = greater(other.rate, self.rate);
        self.check += other.check;
    }
}

/// No cell gives more than this share of its water in a stage; the rest covers rounding.
const MOST: f64 = 1.0 - 1e-14;

/// 1/h for water, and a number that goes to zero with h where there is too little of it to have a velocity.
#[inline(always)]
pub(super) fn inverse_depth(depth: f64, dry: f64) -> f64 {
    let enough = greater(depth, dry);
    2.0 * depth / (depth * depth + enough * enough)
}

/// Depths, levels and velocities from stored rows of depth, momentum and bed.
#[inline(always)]
pub(super) fn load(stored: [&[f64]; 4], dry: f64, cells: &mut Cells) {
    let count = stored[0].len();
    let [depths, flow_x, flow_y, beds] = stored.map(|row| &row[..count]);
    let (to_depth, to_level) = (&mut cells.depth[..count], &mut cells.level[..count]);
    let (to_u, to_v) = (&mut cells.u[..count], &mut cells.v[..count]);
    for i in 0..count {
        let depth = depths[i];
        let over_depth = inverse_depth(depth, dry);
        to_depth[i] = depth;
        to_level[i] = depth + beds[i];
        to_u[i] = flow_x[i] * over_depth;
        to_v[i] = flow_y[i] * over_depth;
    }
}

/// The share of its outflow that each cell can afford. Answers whether any cannot afford all of it; if none,
/// `share` means nothing.
#[inline(always)]
pub(super) fn afford(
    stage: &Stage,
    depth: &Row,
    across_x: &Faces,
    [south, north]: [&Faces; 2],
    [from, to]: [usize; 2],
    [outflow, share]: [&mut Row; 2],
) -> bool {
    let [by_x, by_y] = stage.per_metre.map(|per_metre| per_metre * stage.dt);
    let count = to - from;
    let depth = &depth[from..to];
    let (west, east) = (&across_x.mass[from..to], &across_x.mass[from + 1..to + 1]);
    let (south, north) = (&south.mass[from..to], &north.mass[from..to]);
    let (outflow, share) = (&mut outflow[from..to], &mut share[from..to]);
    for i in 0..count {
        let out_x = greater(east[i], 0.0) - lesser(west[i], 0.0);
        let out_y = greater(north[i], 0.0) - lesser(south[i], 0.0);
        outflow[i] = by_x * out_x + by_y * out_y;
        share[i] = outflow[i] - MOST * depth[i];
    }
    if greatest(share) <= 0.0 {
        return false;
    }
    for i in 0..count {
        share[i] = if share[i] > 0.0 { MOST * depth[i] / outflow[i] } else { 1.0 };
    }
    true
}

/// The fluxes and slopes around one row of cells.
pub(super) struct Around<'a> {
    pub across_x: &'a Faces,
    pub south: &'a Faces,
    pub north: &'a Faces,
    /// Push of the water's own slope along x and y.
    pub push_x: &'a Row,
    pub push_y: &'a Row,
}

/// Advances one row: `cells` and `stored` are its state at the start of the stage, the latter from place `from` on;
/// `into` takes the result, and holds the state at the start of the step when the stage is the second.
#[inline(always)]
pub(super) fn update<const DAMPED: bool, const SECOND: bool>(
    stage: &Stage,
    cells: &Cells,
    stored: [&[f64]; 3],
    around: &Around<'_>,
    from: usize,
    into: [&mut [f64]; 3],
    [rates, sums]: [&mut Row; 2],
) -> Found {
    let count = stored[0].len();
    let to = from + count;
    let [depths, flows_x, flows_y] = stored.map(|row| &row[..count]);
    let [to_depth, to_x, to_y] = into.map(|row| &mut row[..count]);
    let (thin_u, thin_v) = (&cells.u[from..to], &cells.v[from..to]);
    let (mass_w, mass_e) = (&around.across_x.mass[from..to], &around.across_x.mass[from + 1..to + 1]);
    let (mass_s, mass_n) = (&around.south.mass[from..to], &around.north.mass[from..to]);
    let (thrust_w, thrust_e) = (&around.across_x.high[from..to], &around.across_x.low[from + 1..to + 1]);
    let (thrust_s, thrust_n) = (&around.south.high[from..to], &around.north.low[from..to]);
    let (shear_w, shear_e) = (&around.across_x.shear[from..to], &around.across_x.shear[from + 1..to + 1]);
    let (shear_s, shear_n) = (&around.south.shear[from..to], &around.north.shear[from..to]);
    let (push_x, push_y) = (&around.push_x[from..to], &around.push_y[from..to]);

    let Stage { dt, gravity, friction, dry, per_metre: [per_x, per_y], .. } = *stage;
    let (by_x, by_y) = (dt * per_x, dt * per_y);
    let (rates, sums) = (&mut rates[..count], &mut sums[..count]);
    for i in 0..count {
        let loss = by_x * (mass_e[i] - mass_w[i]) + by_y * (mass_n[i] - mass_s[i]);
        let loss_x = by_x * ((thrust_e[i] - thrust_w[i]) + push_x[i]) + by_y * (shear_n[i] - shear_s[i]);
        let loss_y = by_x * (shear_e[i] - shear_w[i]) + by_y * ((thrust_n[i] - thrust_s[i]) + push_y[i]);

        let depth = depths[i];
        let is_thin = depth < dry;
        let flow = [
            if is_thin { depth * thin_u[i] } else { flows_x[i] },
            if is_thin { depth * thin_v[i] } else { flows_y[i] },
        ];
        let mut new_depth = depth - loss;
        let mut new_flow = [flow[0] - loss_x, flow[1] - loss_y];
        if DAMPED {
            // A cell that fills faster than it held is judged by what fills it
            let felt = if new_depth < 2.0 * depth { depth } else { new_depth };
            let change = friction.damp(greater(felt, dry), flow, [-loss_x, -loss_y], dt);
            new_flow = [flow[0] + change[0], flow[1] + change[1]];
        }
        if SECOND {
            new_depth = 0.5 * (to_depth[i] + new_depth);
            new_flow = [0.5 * (to_x[i] + new_flow[0]), 0.5 * (to_y[i] + new_flow[1])];
        }
        to_depth[i] = new_depth;
        to_x[i] = new_flow[0];
        to_y[i] = new_flow[1];

        let over_depth = inverse_depth(new_depth, dry);
        let c = (gravity * new_depth).sqrt();
        let (u, v) = ((new_flow[0] * over_depth).abs(), (new_flow[1] * over_depth).abs());
        rates[i] = (u + c) * per_x + (v + c) * per_y;
        sums[i] = new_flow[0] + new_flow[1];
    }
    Found { depth: sum(to_depth), rate: greatest(rates), check: sum(sums) }
}

/// Sum of the depths and greatest rate of a stored row, for a state that no stage has made.
pub(super) fn measure(
    [depth, flow_x, flow_y]: [&[f64]; 3],
    gravity: f64,
    dry: f64,
    [per_x, per_y]: [f64; 2],
) -> Found {
    let mut found = Found { depth: sum(depth), ..Found::default() };
    for i in 0..depth.len() {
        let (over_depth, c) = (inverse_depth(depth[i], dry), (gravity * depth[i]).sqrt());
        let (u, v) = ((flow_x[i] * over_depth).abs(), (flow_y[i] * over_depth).abs());
        found.rate = greater((u + c) * per_x + (v + c) * per_y, found.rate);
        found.check += flow_x[i] + flow_y[i];
    }
    found
}
