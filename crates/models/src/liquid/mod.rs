//! `liquid`: a splashing liquid of particles on a staggered grid (PIC, FLIP, APIC), in 2-D and 3-D, around solids.
//!
//! Navier–Stokes with a free surface: ∂u/∂t + (u·∇)u = −∇p/ρ + ν∇²u + g, ∇·u = 0 in the liquid, p = σκ on its surface.
//! Particles advect the liquid, the grid makes it incompressible [li2007, §3.5.2; zhu2005; jiang2015]. A step (`step`):
//!
//! 1. transfer of velocities to the grid (`particles_to_grid`; in the interior the grid advects its own,
//!    `narrow_band`);
//! 2. gravity, implicit viscosity (`viscosity`), pressure projection (`projection` of `free_surface`) with
//!    `surface_tension`;
//! 3. a potential flow that corrects density and volume (`density_correction`, `volume_control`), and extrapolation of
//!    the velocity beyond the liquid (`extrapolation`);
//! 4. transfer back to particles and advection (`grid_to_particles`);
//! 5. sources (`sources`, `inflow_outflow`, `live_sources`) as far as there is room (`capacity`), sorting (`tiles`), and the new surface
//!    (`surface_distance`).
//!
//! Second order in space at the surface and at solids, first order in time. Stability: Δt ≤ √(Δ/πg) for the shortest
//! gravity waves on the grid and Δt ≤ √(ρΔ³/2πσ) for surface tension. For accuracy liquid crosses at most `courant`
//! cells in a step.
//!
//! Not modelled: the air, which is empty and weightless, so that bubbles collapse; bodies that the liquid moves;
//! turbulence below the size of a cell.

mod backtrace;
#[cfg(feature = "checks")]
mod bench;
mod build;
mod capacity;
mod density_correction;
mod disturbances;
mod grid_to_particles;
mod inflow_outflow;
mod keys;
mod ledger;
mod live_sources;
mod mouth;
mod narrow_band;
mod particles_to_grid;
mod seeding;
mod simulation;
pub mod sources;
mod state;
mod step;
mod surface_tension;
#[cfg(test)]
mod tests;
#[cfg(feature = "checks")]
mod validation;
mod view;
pub mod viscosity;
mod viscosity_step;
mod volume_control;

use undine_sim::{Answers, ConformanceScenes, ModelEntry, RestScene, SectionUse, Status};
use undine_terrain::TERRAIN;

use crate::solids::OBSTACLE;

/// The entry of `liquid`.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "liquid",
    summary: "a splashing liquid of particles around solids, in 2-D and 3-D",
    folder: "liquid",
    cites: &[
        "li2007",
        "zhu2005",
        "jiang2015",
        "batty2007",
        "batty2008",
        "enright2003",
        "gibou2002",
        "ferstl2016",
        "kim2007",
        "kugelstadt2019",
    ],
    status: Status::Stable,
    keys: keys::KEYS,
    sections: &[
        SectionUse::live(&sources::EMITTER),
        SectionUse::live(&sources::DRAIN),
        SectionUse::at_start(&sources::FILL),
        SectionUse::live(&OBSTACLE),
        SectionUse::live(&TERRAIN),
    ],
    answers: Answers { ground: false, ..Answers::ALL },
    dimension: build::dimension,
    can_be_driven: false,
    estimate: build::estimate,
    build: build::build,
    conformance: ConformanceScenes {
        rest: &[
            RestScene::exact(REST),
            RestScene { scene: POOL, max_shift: POOL_SHIFT, max_energy: 0.005 * POOL_ENERGY },
            RestScene { scene: POOL_IN_SPACE, max_shift: POOL_SHIFT, max_energy: 0.0005 * POOL_ENERGY },
        ],
        lively: &[LIVELY, LIVELY_IN_SPACE, SEALED],
        ledger_tolerance: 1e-12,
    },
    suite: crate::suite!(validation::CASES, bench::BENCHES),
};

const REST: &str = "
[scene]
duration = 5
[[water]]
kind = 'liquid'
size = [0.1, 0.1]
resolution = 16
[[fill]]
kind = 'level'
level = 1
";

/// A pool 5 cm deep in cells of 6.25 mm, in the plane and in space.
const POOL: &str = "
[scene]
duration = 5
[[water]]
kind = 'liquid'
size = [0.1, 0.1]
resolution = 16
[[fill]]
kind = 'level'
level = 0.05
";
const POOL_IN_SPACE: &str = "
[scene]
duration = 5
[[water]]
kind = 'liquid'
size = [0.1, 0.1]
height = 0.1
resolution = 16
[[fill]]
kind = 'level'
level = 0.05
";
/// The level of a pool is resolved to half the distance of its particles, a quarter of a cell.
const POOL_SHIFT: f64 = 0.25 * 0.1 / 16.0;
/// ½ ρ u² with u = 0.01 √(gh), in J/m³: particles are seeded at random, so that the flow is not exactly at rest.
const POOL_ENERGY: f64 = 0.5 * 1000.0 * 1e-4 * 9.81 * 0.05;

const LIVELY: &str = "
[scene]
duration = 5
fps = 30
[[water]]
kind = 'liquid'
size = [1, 0.5]
resolution = 40
east = { kind = 'open' }
[[fill]]
kind = 'rectangle'
size = [0.4, 0.3]
at = [0.2, 0.15]
[[obstacle]]
kind = 'circle'
radius = 0.08
at = [0.6, 0.05]
[[emitter]]
kind = 'circle'
radius = 0.04
at = [0.5, 0.4]
speed = 1
towards = [-1, 0]
";

const LIVELY_IN_SPACE: &str = "
[scene]
duration = 5
fps = 30
[[water]]
kind = 'liquid'
size = [0.6, 0.3]
height = 0.4
resolution = 18
up = { kind = 'open' }
[[fill]]
kind = 'box'
size = [0.3, 0.3, 0.3]
at = [0.15, 0.15, 0.15]
[[obstacle]]
kind = 'sphere'
radius = 0.07
at = [0.45, 0.15, 0.05]
[[emitter]]
kind = 'sphere'
radius = 0.04
at = [0.4, 0.15, 0.3]
speed = 1
[[drain]]
kind = 'box'
size = [0.1, 0.1, 0.1]
at = [0.55, 0.05, 0.05]
rate = 0.001
";

/// A closed tank with more inflow than room.
const SEALED: &str = "
[scene]
duration = 5
fps = 30
[[water]]
kind = 'liquid'
size = [0.5, 0.5]
resolution = 20
west = { kind = 'inflow', speed = 1, level = 0.3 }
[[fill]]
kind = 'level'
level = 0.2
[[emitter]]
kind = 'circle'
radius = 0.06
at = [0.3, 0.15]
speed = 1
";
