//! Virtual pipes: columns of water joined by pipes, with a volume that is exact to the unit [thompson2009, obrien1995, mould1997].
//!
//! Each cell of the grid is a column, and a pipe leads to each of its four or eight neighbours. The difference of the
//! levels accelerates the water in a pipe, friction slows it, and what flows is moved from column to column:
//!
//! ```text
//! ∂q/∂t = −g d ∂h/∂n − (k + g n² |q| / d^(7/3)) q        ∂d/∂t = −∇·q        h = b + d
//! ```
//!
//! With pipes as deep as the water between their columns this is the local-inertial form of the shallow-water equations
//! [bates2010] (`flow_update`), stable for Δt ≤ Δx/√(2 g d) (`step`). With pipes of constant area all waves have one
//! speed, as in the thesis.
//!
//! **Volume** is a whole number of units of 2⁻ᵐ m over a cell, m ≤ 20 (`units`). A pipe moves whole units and carries the
//! remainder of the rounding to its next step; a limiter in whole numbers keeps volumes ≥ 0 (`limiter`). Every unit is in
//! a column or in the ledger, on any number of threads.
//!
//! **Storage** is by tiles of 32² columns (`tiling`); a step visits those that are awake (`visits`). A column takes 28 bytes
//! with four neighbours, and 2 while it is awake. What is handed out, kept for a retake, or measured is what has changed
//! (`changes`).
//!
//! **Drops** fly off where the surface is steep, rises fast or is sharply curved (`spray`). **Waterfalls**: over an edge that
//! falls by `sharp_drop` down to the water below, the flow is that of a weir, q = (2/3)^(3/2) √g d^(3/2) (`flow_update`), and
//! the water is in the air until it lands (`falls`).
//!
//! **Sleep**: the manager `exact` puts tiles to sleep that are quiet (`manager`).
//!
//! Not modelled: advection of momentum (jumps and bores have the wrong speed, there are no eddies), dispersion (all waves
//! are long), supercritical speeds beyond the key `froude`. With eight neighbours Manning's friction sees the speed in
//! each pipe and not that of the flow, so that a uniform flow along an axis is 4 % too shallow.

#[cfg(feature = "checks")]
mod bench;
mod border;
mod changes;
mod columns;
mod curve;
mod drops;
mod falls;
mod flow_update;
mod friction;
mod ground;
mod ledger;
mod limiter;
mod manager;
mod pipe_set;
mod push;
mod rain;
mod receiver;
mod region_states;
mod settings;
mod simulation;
mod spray;
mod stacked_pipes;
mod state;
mod step;
mod thesis;
mod tile_budgets;
mod tiling;
mod units;
#[cfg(feature = "checks")]
mod validation;
mod view;
mod visits;
mod volume_update;
mod water;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

pub use water::Pipes;

use undine_scene::{Scene, Values};
use undine_sim::{Answers, ConformanceScenes, Estimate, ModelEntry, RestScene, Status};

use crate::heightfield::{HeightFieldSetup, SECTIONS};

/// The model's line in the list.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "pipes",
    summary: "water over great terrain: columns and pipes, with exact volume",
    folder: "pipes",
    cites: &["thompson2009", "obrien1995", "mould1997", "bates2010"],
    status: Status::Experimental,
    keys: settings::KEYS,
    sections: SECTIONS,
    answers: Answers::ALL,
    dimension: |_| 2,
    can_be_driven: false,
    estimate,
    build: water::build,
    conformance: ConformanceScenes {
        rest: &[
            RestScene::exact(
                r#"
            [scene]
            duration = 5
            [[water]]
            kind = "pipes"
            size = [5, 5]
            resolution = 70
            level = 0.1
            east = "open"
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 0.5
        "#,
            ),
            RestScene::exact(
                r#"
            [scene]
            duration = 5
            [[water]]
            kind = "pipes"
            size = [5, 0.1]
            resolution = 50
            curve = true
            area = "constant"
            pipe_depth = 0.2
            level = 0.1
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 0.5
        "#,
            ),
        ],
        lively: &[
            r#"
            [scene]
            duration = 5
            [[water]]
            kind = "pipes"
            size = [5, 5]
            resolution = 70
            level = 0.05
            west = "open"
            north = "open"
            fill = [{ from = [-1, -1], to = [1, 1], level = 0.7 }]
            hump = [{ center = [2, 1], radius = [0.5, 0.5], height = 0.1, velocity = [1, 0.5] }]
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 0.5
            [[source]]
            kind = "waves"
            side = "west"
            level = "0.05*sin(4*t)"
            angle = 20
            [[source]]
            kind = "spring"
            at = [-1, 1]
            radius = 0.2
            rate = 0.02
            [[source]]
            kind = "drain"
            at = [1, -1]
            radius = 0.3
            rate = 0.03
            [[source]]
            kind = "rain"
            rate = "2000*step(t-0.3)"
            drops = true
            [[source]]
            kind = "rain"
            rate = 200
        "#,
            r#"
            [scene]
            duration = 5
            [[water]]
            kind = "pipes"
            neighbours = "eight"
            size = [5, 5]
            resolution = 45
            manning = 0.02
            drop_height = 0.1
            drop_speed = 0.5
            drop_curvature = 5
            east = "open"
            fill = [{ from = [-1, -1], to = [1, 1], level = 0.7 }]
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 0.5
        "#,
            r#"
            [scene]
            duration = 5
            [[water]]
            kind = "pipes"
            curve = true
            manager = "thesis"
            size = [20, 1]
            resolution = 90
            cell_height = 0.2
            sharp_drop = 0.3
            stable_samples = 16
            stable_flow = 0.02
            east = "open"
            fill = [{ from = [-9, -9], to = [-4, 9], level = 0.5 }]
            [[terrain]]
            kind = "noise"
            wavelength = 5
            amplitude = 1
            [[source]]
            kind = "spring"
            at = [3, 0]
            radius = 0.4
            rate = "0.5*step(3-t)"
            [[source]]
            kind = "rain"
            rate = 200
        "#,
        ],
        ledger_tolerance: 1e-15,
    },
    suite: crate::suite!(validation::CASES, bench::BENCHES),
};

fn estimate(scene: &Scene, values: &Values) -> Estimate {
    let cells = HeightFieldSetup::cells(scene, values);
    let size = values.vector_if::<2>("size").map_or(20.0, |size| size[0]);
    // Steps at a celerity of 10 m/s; the depth is not known yet
    let spacing = size / values.integer("resolution").max(1) as f64;
    let steps = (1.0 / scene.fps) * (10.0 / spacing) / values.number("courant");
    let pipes = if values.word("neighbours") == "eight" { 4 } else { 2 };
    Estimate {
        // Bed, volume, wetness, and two numbers per pipe; the five fields of the start; a frame's mesh and rasters
        bytes: cells.saturating_mul(12 + 8 * pipes + 40 + 120),
        seconds_per_frame: cells as f64 * steps.max(1.0) * 5e-9 * pipes as f64,
        lower: "resolution",
    }
}
