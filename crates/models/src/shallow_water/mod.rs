//! The shallow-water equations by finite volumes, in two dimensions or, on a single row, in one:
//!
//! ```text
//! ∂h/∂t + ∇·(h u) = 0        ∂(h u)/∂t + ∇·(h u u + ½ g h² I) = −g h ∇z − S h u
//! ```
//!
//! for the depth h and the depth-averaged velocity u over the bed z, with the friction rate S.
//!
//! Second order in space and time: MUSCL reconstruction (`reconstruct`), hydrostatic reconstruction
//! [audusse2004, chen2017] and HLLC fluxes [toro2001] (`riemann`), unsplit in the axes, SSP-RK2 [gottlieb2001] with semi-implicit
//! friction (`friction`); `step` states the scheme. A positivity limiter scales the outgoing fluxes of cells that
//! would fall below zero (`update`): fluxes stay conservative, so volume is exact, depths are never negative, nothing
//! is clipped and the step need not shrink. The scheme is well-balanced: a lake at rest, over any bed and around any
//! island, stays at rest to the last bit of its level.
//!
//! Stable for dt ((|u| + c)/Δx + (|v| + c)/Δy) ≤ 1 with c² = g h; the key `cfl` stays below that. When the first stage
//! exceeds the bound, the step is repeated, shorter.
//!
//! At the sides the outgoing Riemann invariant is taken from inside and the incoming one from an exterior state
//! (`exterior_state`): still water, incoming waves, a stage, a discharge, or another model.
//!
//! Not modelled: vertical acceleration, and with it dispersion (waves shorter than some twenty depths are too fast) and
//! overturning; turbulence; the Coriolis force; wind.

#[cfg(feature = "checks")]
mod bench;
mod border;
mod boundary;
mod exterior_state;
mod friction;
mod infiltration;
mod reconstruct;
mod riemann;
mod row_block;
mod settings;
mod sides;
mod simulation;
mod sponge;
mod stage;
mod step;
mod tile;
mod update;
#[cfg(feature = "checks")]
mod validation;
mod water;

#[cfg(test)]
mod tests;

pub use border::{Border, Inflow};
pub use settings::Settings;
pub use water::ShallowWater;

use undine_scene::{Scene, SceneErrors, Values};
use undine_sim::{Answers, Built, ConformanceScenes, Estimate, ModelEntry, RestScene, Status};

use crate::heightfield::{HeightFieldSetup, HeightFieldSources, SECTIONS};

/// The model's line in the list.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "shallow-water",
    summary: "floods, dam breaks, tides and rivers over land: finite volumes",
    folder: "shallow_water",
    cites: &["audusse2004", "chen2017", "gottlieb2001", "green1911", "toro2001"],
    status: Status::Stable,
    keys: settings::KEYS,
    sections: SECTIONS,
    answers: Answers::ALL,
    dimension: |_| 2,
    can_be_driven: true,
    estimate,
    build,
    conformance: ConformanceScenes {
        rest: &[RestScene::exact(
            r#"
            [scene]
            duration = 5
            [[water]]
            kind = "shallow-water"
            size = [5, 5]
            resolution = 24
            level = 0.1
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 0.5
        "#,
        )],
        lively: &[r#"
            [scene]
            duration = 5
            [[water]]
            kind = "shallow-water"
            size = [5, 5]
            resolution = 24
            level = 0.05
            manning = 0.02
            infiltration = 1e-5
            capillary = 0.01
            west = { kind = "discharge", flow = "0.5*(1 + sin(3*t))" }
            east = { kind = "stage", level = "0.2 + 0.1*sin(2*t)" }
            north = { kind = "sponge", width = 1, strength = 3 }
            fill = [{ from = [-1, -1], to = [1, 1], level = 0.7 }]
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 0.5
            [[source]]
            kind = "rain"
            rate = 500
            [[source]]
            kind = "drain"
            at = [1, 1]
            radius = 0.5
            rate = 0.2
        "#],
        ledger_tolerance: 1e-13,
    },
    suite: crate::suite!(validation::CASES, bench::BENCHES),
};

fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    let mut setup = HeightFieldSetup::read(scene, values)?;
    let sources = HeightFieldSources::read(scene, values, &setup)?;
    let settings = Settings::read(scene, values, &sources)?;
    let warnings = std::mem::take(&mut setup.warnings);
    let water = ShallowWater::new(setup, settings)
        .map_err(|error| values.problem("resolution", error.to_string(), "choose a smaller resolution"))?;
    Ok(Built { simulation: Box::new(water.with_sources(sources)), warnings })
}

fn estimate(scene: &Scene, values: &Values) -> Estimate {
    let cells = HeightFieldSetup::cells(scene, values);
    let size = values.vector_if::<2>("size").map_or(20.0, |size| size[0]);
    // Steps at a celerity of 10 m/s; the depth is not known yet
    let spacing = size / values.integer("resolution").max(1) as f64;
    let steps = (1.0 / scene.fps) * (10.0 / spacing) / values.number("cfl");
    Estimate {
        // Two states of three numbers, bed, infiltration, bed change, wetness; the frame and its compression
        bytes: cells.saturating_mul(10 * 8 + 4 + 120),
        seconds_per_frame: cells as f64 * steps.max(1.0) * 50e-9,
        lower: "resolution",
    }
}
