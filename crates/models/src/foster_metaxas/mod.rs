//! `foster-metaxas`: liquids with a free surface on coarse cells, in 2-D and 3-D [foster1996].
//!
//! Navier–Stokes, incompressible: ∂u/∂t + ∇·(uu) = −∇p/ρ + g + ν∇²u, ∇·u = 0, on cells that are Solid, Full, Surface or
//! Empty, Inflow or Outflow (`cells`). Explicit finite differences on a staggered grid [harlow1965], pressure and velocity by
//! relaxation [nichols1973]. A step (`step`), as in §6:
//!
//! 1. obstacles and fluid of the start (`build`, `voxels`); 2. velocity and pressure of the start (`simulation`);
//! 3. the contents of the cells, by what tracks the surface (`surface`);
//! 4. boundary conditions of obstacles, ports (`ports`) and the free surface (`surface_cells`, `surface_pressure`,
//!    `applied_pressure`);
//! 5. the tentative velocity ũ, eq. (2), on every face between two cells of fluid (`momentum`);
//! 6. the pressure iteration, eqs. (5)–(9), on Full cells (`relaxation`; `projection` by key), until |D| < ε in all of them;
//! 7. the velocity of Surface cells again, and beyond them for cells that fill next (`extension`);
//! 8. the position of the surface: marker particles, chains of particles, or a height field (`surface`);
//! 9. again from 3.
//!
//! First order in time and, by donor cells, in space (`upwind` = 0: second, and unstable for a small ν). Stability: see
//! `step_limits`. The pressure of Surface cells holds at the tracked surface; at the centre of the cell, as in the paper, waves
//! lower than a cell do not move. `paper` has everything as the paper has it.
//!
//! Not modelled: surface tension, air, shear by wind, moving obstacles, what floating bodies do to the water, spray and foam.

mod applied_pressure;
#[cfg(feature = "checks")]
mod bench;
mod build;
mod cells;
mod column_levels;
mod extension;
mod flow;
mod keys;
mod ledger;
mod momentum;
mod port_keys;
mod ports;
mod pressure;
mod projection;
mod relaxation;
mod sealed;
mod simulation;
mod state;
mod step;
mod step_limits;
mod surface;
mod surface_cells;
mod surface_pressure;
#[cfg(test)]
mod tests;
#[cfg(feature = "checks")]
mod validation;
mod view;
mod voxels;

use undine_sim::{Answers, ConformanceScenes, ModelEntry, RestScene, SectionUse, Status};
use undine_terrain::TERRAIN;

use crate::liquid::sources::FILL;
use crate::solids::OBSTACLE;

/// The entry of `foster-metaxas`.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "foster-metaxas",
    summary: "liquids on coarse cells with a tracked surface, in 2-D and 3-D",
    folder: "foster_metaxas",
    cites: &["foster1996", "harlow1965", "nichols1973", "hirt1975"],
    status: Status::Experimental,
    keys: keys::KEYS,
    sections: &[
        SectionUse::at_start(&FILL),
        SectionUse::live(&port_keys::PORT),
        SectionUse::at_start(&OBSTACLE),
        SectionUse::at_start(&voxels::VOXELS),
        SectionUse::at_start(&TERRAIN),
    ],
    answers: Answers { push: true, ..Answers::NONE },
    dimension: build::dimension,
    can_be_driven: false,
    estimate: build::estimate,
    build: build::build,
    conformance: ConformanceScenes {
        rest: &[
            RestScene { scene: REST, max_shift: 1e-6, max_energy: 1e-9 },
            RestScene { scene: REST_IN_SPACE, max_shift: 1e-6, max_energy: 1e-9 },
        ],
        lively: &[LIVELY, LIVELY_IN_SPACE],
        ledger_tolerance: 1e-12,
    },
    suite: crate::suite!(validation::CASES, bench::BENCHES),
};

const REST: &str = "
[scene]
duration = 5
[[water]]
kind = 'foster-metaxas'
size = [1, 1]
resolution = 16
[[fill]]
kind = 'level'
level = 0.5
";

const REST_IN_SPACE: &str = "
[scene]
duration = 5
[[water]]
kind = 'foster-metaxas'
size = [1, 0.5]
height = 0.5
resolution = 10
[[fill]]
kind = 'level'
level = 0.25
";

/// A dam breaks over a block; a jet and an outlet at the sides.
const LIVELY: &str = "
[scene]
duration = 5
fps = 30
[[water]]
kind = 'foster-metaxas'
size = [1, 0.6]
resolution = 30
markers_per_cell = 4
[[fill]]
kind = 'rectangle'
size = [0.4, 0.4]
at = [0.3, 0.2]
[[obstacle]]
kind = 'rectangle'
size = [0.1, 0.1]
at = [0.7, 0.05]
[[port]]
kind = 'rectangle'
size = [0.04, 0.1]
at = [0.01, 0.5]
speed = '0.8*step(1 - t)'
[[port]]
kind = 'rectangle'
flow = 'out'
size = [0.04, 0.2]
at = [0.99, 0.1]
";

const LIVELY_IN_SPACE: &str = "
[scene]
duration = 5
fps = 30
[[water]]
kind = 'foster-metaxas'
size = [0.6, 0.3]
height = 0.4
resolution = 12
markers_per_cell = 8
no_slip = ['down', 'obstacles']
[[fill]]
kind = 'box'
size = [0.3, 0.3, 0.3]
at = [0.15, 0.15, 0.15]
[[obstacle]]
kind = 'sphere'
radius = 0.07
at = [0.45, 0.15, 0.05]
";
