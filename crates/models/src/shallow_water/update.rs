//! Per-row kernels of a stage: primitive variables, positivity limiter and the conservative update.

use super::friction::Friction;
use super::tile::{CellRow, FluxRow, TileRow, greater, greatest, lesser, sum};

/// Constants of a Runge–Kutta stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct StageParameters {
    /// Length of the step in seconds.
    pub dt: f64,
    pub gravity: f64,
    pub friction: Friction,
    /// Depth below which the velocity is desingularised, in metres.
    pub dry: f64,
    /// 1/Δx, and 1/Δy or zero for a single row.
    pub per_metre: [f64; 2],
    /// Whether the stage is the second, whose result is averaged with Uⁿ.
    pub is_second: bool,
}

/// Sums and maxima over a row of cells after a stage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowSums {
    /// Sum of the depths.
    pub depth: f64,
    /// Largest (|u| + c)/Δx + (|v| + c)/Δy, in 1/s; times dt, the Courant number.
    pub rate: f64,
    /// Sum of the momenta; not finite when any of them is not.
    pub check: f64,
}

impl RowSums {
    /// Combines the sums with those of another part of the row.
    pub fn add(&mut self, other: &RowSums) {
        self.depth += other.depth;
        self.rate = greater(other.rate, self.rate);
        self.check += other.check;
    }
}

/// Largest fraction of its depth that a cell may lose in a stage; the margin covers rounding.
const MAX_FRACTION: f64 = 1.0 - 1e-14;

/// Desingularised 1/h: 2 h/(h² + max(h, h_dry)²), which is 1/h for h ≥ h_dry and tends to zero with h.
#[inline(always)]
pub(super) fn inverse_depth(depth: f64, dry: f64) -> f64 {
    let bounded = greater(depth, dry);
    2.0 * depth / (depth * depth + bounded * bounded)
}

/// Primitive variables W = (h, η, u, v) of a row from the stored (h, q_x, q_y, z): η = h + z, u = q/h desingularised.
#[inline(always)]
pub(super) fn load_primitives(stored: [&[f64]; 4], dry: f64, cells: &mut CellRow) {
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

/// Positivity limiter, first part: the factor r = min(1, h/(dt Σ outgoing fluxes)) of each cell, by which its outgoing
/// fluxes are scaled so that depth stays ≥ 0. Returns whether any r < 1; if not, `factor` is not valid.
#[inline(always)]
pub(super) fn positivity_factors(
    stage: &StageParameters,
    depth: &TileRow,
    x_faces: &FluxRow,
    [south, north]: [&FluxRow; 2],
    [from, to]: [usize; 2],
    [outflow, factor]: [&mut TileRow; 2],
) -> bool {
    let [dt_over_dx, dt_over_dy] = stage.per_metre.map(|per_metre| per_metre * stage.dt);
    let count = to - from;
    let depth = &depth[from..to];
    let (west, east) = (&x_faces.mass[from..to], &x_faces.mass[from + 1..to + 1]);
    let (south, north) = (&south.mass[from..to], &north.mass[from..to]);
    let (outflow, factor) = (&mut outflow[from..to], &mut factor[from..to]);
    // The excess of the outflow over the depth
    for i in 0..count {
        let out_x = greater(east[i], 0.0) - lesser(west[i], 0.0);
        let out_y = greater(north[i], 0.0) - lesser(south[i], 0.0);
        outflow[i] = dt_over_dx * out_x + dt_over_dy * out_y;
        factor[i] = outflow[i] - MAX_FRACTION * depth[i];
    }
    if greatest(factor) <= 0.0 {
        return false;
    }
    // r where there is an excess
    for i in 0..count {
        factor[i] = if factor[i] > 0.0 { MAX_FRACTION * depth[i] / outflow[i] } else { 1.0 };
    }
    true
}

/// The numerical fluxes around one row of cells, and its slope terms.
pub(super) struct RowFluxes<'a> {
    pub x_faces: &'a FluxRow,
    pub south: &'a FluxRow,
    pub north: &'a FluxRow,
    /// Slope terms g h σ_η along x and y.
    pub slope_x: &'a TileRow,
    pub slope_y: &'a TileRow,
}

/// Conservative update of one row,
///
/// ```text
/// U ← U − dt/Δx (F_{i+½} − F_{i−½} + g h σ_η) − dt/Δy (G_{j+½} − G_{j−½} + g h σ_η)
/// ```
///
/// then semi-implicit friction, and in the second stage the average ½ (Uⁿ + U). `cells` and `stored` are the state at the
/// start of the stage, the former from index `from` on; `into` takes the result, and holds Uⁿ in the second stage.
#[inline(always)]
pub(super) fn update<const FRICTION: bool, const SECOND: bool>(
    stage: &StageParameters,
    cells: &CellRow,
    stored: [&[f64]; 3],
    fluxes: &RowFluxes<'_>,
    from: usize,
    into: [&mut [f64]; 3],
    [rates, momenta]: [&mut TileRow; 2],
) -> RowSums {
    // Slices of equal length, so that the loop has no bounds checks
    let count = stored[0].len();
    let to = from + count;
    let [depths, flows_x, flows_y] = stored.map(|row| &row[..count]);
    let [to_depth, to_x, to_y] = into.map(|row| &mut row[..count]);
    let (thin_u, thin_v) = (&cells.u[from..to], &cells.v[from..to]);
    let (mass_w, mass_e) = (&fluxes.x_faces.mass[from..to], &fluxes.x_faces.mass[from + 1..to + 1]);
    let (mass_s, mass_n) = (&fluxes.south.mass[from..to], &fluxes.north.mass[from..to]);
    let (momentum_w, momentum_e) = (&fluxes.x_faces.high[from..to], &fluxes.x_faces.low[from + 1..to + 1]);
    let (momentum_s, momentum_n) = (&fluxes.south.high[from..to], &fluxes.north.low[from..to]);
    let (shear_w, shear_e) = (&fluxes.x_faces.shear[from..to], &fluxes.x_faces.shear[from + 1..to + 1]);
    let (shear_s, shear_n) = (&fluxes.south.shear[from..to], &fluxes.north.shear[from..to]);
    let (slope_x, slope_y) = (&fluxes.slope_x[from..to], &fluxes.slope_y[from..to]);

    let StageParameters { dt, gravity, friction, dry, per_metre: [per_x, per_y], .. } = *stage;
    let (dt_over_dx, dt_over_dy) = (dt * per_x, dt * per_y);
    let (rates, momenta) = (&mut rates[..count], &mut momenta[..count]);
    for i in 0..count {
        // dt times the flux divergence and the slope terms, which contain the bed slope
        let dh = dt_over_dx * (mass_e[i] - mass_w[i]) + dt_over_dy * (mass_n[i] - mass_s[i]);
        let dq_x = dt_over_dx * ((momentum_e[i] - momentum_w[i]) + slope_x[i])
            + dt_over_dy * (shear_n[i] - shear_s[i]);
        let dq_y = dt_over_dx * (shear_e[i] - shear_w[i])
            + dt_over_dy * ((momentum_n[i] - momentum_s[i]) + slope_y[i]);

        // Momentum at the start of the stage, desingularised in thin cells
        let depth = depths[i];
        let is_thin = depth < dry;
        let flow = [
            if is_thin { depth * thin_u[i] } else { flows_x[i] },
            if is_thin { depth * thin_v[i] } else { flows_y[i] },
        ];
        let mut new_depth = depth - dh;
        let mut new_flow = [flow[0] - dq_x, flow[1] - dq_y];
        if FRICTION {
            // Where a cell more than doubles its depth, friction is that of the new depth
            let friction_depth = if new_depth < 2.0 * depth { depth } else { new_depth };
            let change = friction.damp(greater(friction_depth, dry), flow, [-dq_x, -dq_y], dt);
            new_flow = [flow[0] + change[0], flow[1] + change[1]];
        }
        // SSP-RK2: average with Uⁿ
        if SECOND {
            new_depth = 0.5 * (to_depth[i] + new_depth);
            new_flow = [0.5 * (to_x[i] + new_flow[0]), 0.5 * (to_y[i] + new_flow[1])];
        }
        to_depth[i] = new_depth;
        to_x[i] = new_flow[0];
        to_y[i] = new_flow[1];

        // Rate for the Courant number
        let over_depth = inverse_depth(new_depth, dry);
        let c = (gravity * new_depth).sqrt();
        let (u, v) = ((new_flow[0] * over_depth).abs(), (new_flow[1] * over_depth).abs());
        rates[i] = (u + c) * per_x + (v + c) * per_y;
        momenta[i] = new_flow[0] + new_flow[1];
    }
    RowSums { depth: sum(to_depth), rate: greatest(rates), check: sum(momenta) }
}

/// Sum of the depths and largest rate of a stored row, for a state that no stage has computed.
pub(super) fn measure(
    [depth, flow_x, flow_y]: [&[f64]; 3],
    gravity: f64,
    dry: f64,
    [per_x, per_y]: [f64; 2],
) -> RowSums {
    let mut sums = RowSums { depth: sum(depth), ..RowSums::default() };
    for i in 0..depth.len() {
        let (over_depth, c) = (inverse_depth(depth[i], dry), (gravity * depth[i]).sqrt());
        let (u, v) = ((flow_x[i] * over_depth).abs(), (flow_y[i] * over_depth).abs());
        sums.rate = greater((u + c) * per_x + (v + c) * per_y, sums.rate);
        sums.check += flow_x[i] + flow_y[i];
    }
    sums
}
