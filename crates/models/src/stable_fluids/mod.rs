//! `stable-fluids`: a fluid that fills a box, in 2-D or 3-D, with dye, smoke and heat, around obstacles.
//!
//! The equations of Navier and Stokes for constant density: ∂u/∂t + (u·∇)u = −∇p/ρ + ν∇²u + f, ∇·u = 0. A step is cut
//! into four, each of which is stable for any Δt [stam1999]: forces are added, the velocity is diffused implicitly,
//! carries itself along, and is projected on the nearest field without divergence.
//!
//! Two layouts: `staggered` is for numbers: second order in space with MacCormack, first order in time, divergence below
//! a stated bound, walls and obstacles where they are. `collocated` is the solver of the two theses
//! [li2007, demeulenaere2008], with their twenty sweeps.
//!
//! Stability: none asked for. Accuracy asks that the fluid crosses about a cell per step, which `courant` says; `steps`
//! bounds how many that may be.
//!
//! Not modelled: a free surface, compression, turbulence below the size of a cell, fluids of several densities but for
//! buoyancy.

#[cfg(feature = "checks")]
mod bench;
mod build;
mod cargo;
mod collocated;
mod confinement;
mod diffusion;
mod draw;
mod emitters;
mod fluid;
mod forces;
mod keys;
mod ledger;
mod pours;
mod pressure;
mod sides;
mod staggered;
mod start;
mod step;
mod tracers;
#[cfg(feature = "checks")]
mod validation;
mod view;

pub use emitters::EMITTER;

use undine_sim::{Answers, ConformanceScenes, ModelEntry, SectionUse, Status};

use crate::solids::OBSTACLE;

/// The entry of `stable-fluids`.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "stable-fluids",
    summary: "a fluid that fills a box: ink, smoke and vortices, in 2-D and 3-D",
    folder: "stable_fluids",
    cites: &["stam1999", "demeulenaere2008", "li2007", "fedkiw2001", "selle2008", "batty2007"],
    status: Status::Stable,
    keys: keys::KEYS,
    sections: &[SectionUse::live(&emitters::EMITTER), SectionUse::live(&OBSTACLE)],
    answers: Answers { draw_off: false, rain: false, ..Answers::ALL },
    dimension: build::dimension,
    can_be_driven: false,
    estimate: build::estimate,
    build: build::build,
    conformance: ConformanceScenes { rest: REST, lively: LIVELY, ledger_tolerance: 1e-6 },
    suite: crate::suite!(validation::CASES, bench::BENCHES),
};

const REST: &str = "
[scene]
duration = 5
[[water]]
kind = 'stable-fluids'
resolution = 32
gravity = true
viscosity = 1e-3
tracers = 50
raised = 1
[[obstacle]]
kind = 'circle'
radius = 0.1
at = [0.5, 0.5]
";

const LIVELY: &str = "
[scene]
duration = 5
fps = 30
[[water]]
kind = 'stable-fluids'
size = [2, 1]
resolution = 48
viscosity = 1e-4
confinement = 0.1
tracers = 100
raised = 1
steps = 2
west = { kind = 'inflow', speed = '0.5+0.2*sin(t)' }
east = { kind = 'outflow' }
[[obstacle]]
kind = 'polygon'
at = [0.6, 0.5]
turn = '2*t'
corner = [{ at = [-0.2, -0.03] }, { at = [0.2, -0.03] }, { at = [0.2, 0.03] }, { at = [0.0, 0.1] }, { at = [-0.2, 0.03] }]
[[emitter]]
kind = 'jet'
at = [0.1, 0.3]
radius = 0.08
speed = 1
colour = '#ff4000'
smoke = 1
temperature = 20
";
