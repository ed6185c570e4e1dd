//! Shallow water over land: ∂h/∂t + ∇·(h u) = 0 and ∂(h u)/∂t + ∇·(h u u + ½ g h² I) = −g h ∇z − S h u, for the depth h and
//! the velocity u over the bed z, in two dimensions or, on a single row, in one.
//!
//! Finite volumes of second order: lines through the cells (`reconstruct`), one Riemann problem per face over a common
//! bed [audusse2004, chen2017] (`riemann`), all faces of a cell at once, and two stages of Heun's method, which keep what
//! one stage keeps [gottlieb2001]. Friction is semi-implicit (`friction`). Faces through which more would flow than
//! their cell holds are narrowed until it does not (`update`): each flux is taken from one cell and given to the other, so
//! volume is exact, depths are never negative, nothing is clipped and the step need not shrink. A lake at rest, over any
//! bed and around any island, stays at rest to the last bit of its level.
//!
//! Stable for dt ((|u| + c)/Δx + (|v| + c)/Δy) ≤ 1 with c² = g h; the key `cfl` stays below that. When the speed grows past
//! it within a step, the step is taken again, shorter.
//!
//! At the sides the waves that leave and those that come in are told apart (`outside`), so that waves leave an open side
//! and a side may hold a level, let in a discharge or waves, or be driven by another water.
//!
//! Not modelled: vertical motion, and with it dispersion (a crest shorter than some twenty depths runs too fast) and
//! overturning; turbulence; the Coriolis force; wind.

mod band;
mod border;
mod friction;
mod infiltration;
mod outside;
mod reconstruct;
mod riemann;
mod settings;
mod sides;
mod simulation;
mod sponge;
mod sweep;
mod tile;
mod update;
mod water;

#[cfg(test)]
mod tests;

pub use border::{Border, Inflow};
pub use settings::Settings;
pub use water::ShallowWater;

use undine_scene::{Scene, SceneErrors, Values};
use undine_sim::{Built, ConformanceScenes, Estimate, ModelEntry, Status};

use crate::heightfield::{Land, SECTIONS, Sources};

/// The model's line in the list.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "shallow-water",
    summary: "floods, dam breaks, tides and rivers over land: the shallow-water equations by finite volumes",
    folder: "shallow_water",
    cites: &["audusse2004", "chen2017", "gottlieb2001", "green1911", "toro2001"],
    status: Status::Stable,
    keys: settings::KEYS,
    sections: SECTIONS,
    live_sections: SECTIONS,
    can_be_driven: true,
    estimate,
    build,
    conformance: ConformanceScenes {
        rest: r#"
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
        lively: r#"
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
        "#,
        ledger_tolerance: 1e-13,
    },
};

fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    let mut land = Land::read(scene, values)?;
    let sources = Sources::read(scene, values, &land)?;
    let settings = Settings::read(scene, values, &sources)?;
    let warnings = std::mem::take(&mut land.warnings);
    let water = ShallowWater::new(land, settings)
        .map_err(|error| values.problem("resolution", error.to_string(), "choose a smaller resolution"))?;
    Ok(Built { simulation: Box::new(water.with_sources(sources)), warnings })
}

fn estimate(scene: &Scene, values: &Values) -> Estimate {
    let cells = Land::cells(scene, values);
    let size = values.vector_if::<2>("size").map_or(20.0, |size| size[0]);
    // Waves of a depth like the domain's height of land cross a cell in so many steps a frame; nobody knows it better yet
    let spacing = size / values.integer("resolution").max(1) as f64;
    let steps = (1.0 / scene.fps) * (10.0 / spacing) / values.number("cfl");
    Estimate {
        // Two states of three numbers, the bed, what has soaked in, wetness; the frame and its packing
        bytes: cells.saturating_mul(8 * 8 + 4 + 120),
        seconds_per_frame: cells as f64 * steps.max(1.0) * 50e-9,
        lower: "resolution",
    }
}
