//! `stable-fluids`: a fluid that fills a box, in 2-D or 3-D, with dye, smoke and heat, around obstacles.
//!
//! The incompressible Navier–Stokes equations: ∂u/∂t + (u·∇)u = −∇p/ρ + ν∇²u + f, ∇·u = 0. Operator splitting into
//! four stages, each stable for any Δt [stam1999]: body forces, implicit viscosity, semi-Lagrangian advection, and
//! projection on the divergence-free fields.
//!
//! Two layouts. `staggered` is for accuracy: second order in space with MacCormack, first order in time, divergence
//! below a stated bound, walls and obstacles by cut cells. `collocated` is the solver of the two theses [li2007,
//! demeulenaere2008], with their twenty relaxation sweeps.
//!
//! Stability: unconditional. For accuracy `courant` bounds the cells that the fluid crosses per step, and `steps` the
//! number of steps per frame.
//!
//! Not modelled: a free surface, compressibility, subgrid turbulence, variable density except for buoyancy.

#[cfg(feature = "checks")]
mod bench;
mod build;
mod collocated;
mod confinement;
mod diffusion;
mod dye_sources;
mod emitters;
mod fluid;
mod flux_ledger;
mod forces;
mod hash_rng;
mod initial_velocity;
mod keys;
mod pressure;
mod sides;
mod staggered;
mod step;
mod tracers;
mod transported_scalars;
#[cfg(feature = "checks")]
mod validation;
mod view;

pub use emitters::EMITTER;

use undine_sim::{Answers, ConformanceScenes, ModelEntry, RestScene, SectionUse, Status};

use crate::solids::OBSTACLE;

/// The entry of `stable-fluids`.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "stable-fluids",
    summary: "a fluid that fills a box: ink, smoke, vortices, in 2-D and 3-D",
    folder: "stable_fluids",
    cites: &["stam1999", "demeulenaere2008", "li2007", "fedkiw2001", "selle2008", "batty2007"],
    status: Status::Stable,
    keys: keys::KEYS,
    sections: &[SectionUse::live(&emitters::EMITTER), SectionUse::live(&OBSTACLE)],
    answers: Answers { draw_off: false, rain: false, ground: false, ..Answers::ALL },
    dimension: build::dimension,
    can_be_driven: false,
    estimate: build::estimate,
    build: build::build,
    conformance: ConformanceScenes {
        rest: &[RestScene::exact(REST), RestScene::exact(REST_IN_SPACE)],
        lively: &[LIVELY, LIVELY_IN_SPACE],
        ledger_tolerance: 1e-6,
    },
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

const REST_IN_SPACE: &str = "
[scene]
duration = 5
[[water]]
kind = 'stable-fluids'
height = 1
resolution = 12
gravity = true
viscosity = 1e-3
tracers = 50
[[obstacle]]
kind = 'sphere'
radius = 0.2
at = [0.5, 0.5, 0.5]
";

const LIVELY_IN_SPACE: &str = "
[scene]
duration = 5
fps = 30
[[water]]
kind = 'stable-fluids'
size = [1.2, 0.6]
height = 0.6
resolution = 18
viscosity = 1e-4
confinement = 0.1
tracers = 50
steps = 2
west = { kind = 'inflow', speed = '0.5+0.2*sin(t)' }
east = { kind = 'outflow' }
[[obstacle]]
kind = 'sphere'
radius = 0.12
at = [0.5, 0.3, 0.3]
move_y = '0.05*sin(3*t)'
[[emitter]]
kind = 'jet'
at = [0.15, 0.3, 0.3]
radius = 0.1
speed = 1
smoke = 1
temperature = 20
";
