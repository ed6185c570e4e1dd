//! Shallow water without advection by Kass and Miller [kass1990]: implicit, stable at any step, and fast.
//!
//! The shallow-water equations without advection, eqs. (3) and (4), on a staggered grid, eqs. (6) and (7):
//!
//! ```text
//!     ∂d/∂t + ∂(d u)/∂x = 0        ∂u/∂t + g ∂h/∂x = 0        h = b + d, bed b, depth d
//! ```
//!
//! **In time** each velocity and each depth sees the other one at p t' + (1 − p) t. `first-order` is p = 1, the step
//! of the paper, eqs. (9) to (16): it damps a mode of q = c k̃ Δt by 1/√(1 + q²) per step, k̃ = 2 sin(k Δx/2)/Δx.
//! `second-order` has p just above ½ (Crank and Nicolson [crank1947]): a step turns a mode by atan(p q) +
//! atan((1 − p) q) and damps it by √((1 + (1 − p)² q²)/(1 + p² q²)), which is close to 1. Velocities lose the fraction
//! τ per step, eq. (17).
//!
//! **In space** alternating directions: a sweep along x and then one along y, eqs. (19) and (20), each a tridiagonal
//! system per line (`adi_sweep`).
//!
//! **Stability**: any step. Each sweep is a product of rotations and contractions in the energy norm.
//!
//! **State**. The paper stores h(n−1) and h(n−2), whose difference is −Δt ∂(d u)/∂x; here u itself is stored, which is
//! equivalent on constant depth (a test compares), has a direction, and cannot drift. Volume is conserved by
//! construction, for every connected component of fluid, to rounding: see `adi_sweep` and `positivity_limiter`.
//!
//! **Shores**: bed above the water closes a face, so steep ground is a reflecting wall; water that rises above the bed
//! of a neighbour floods it (`face_flux`, `wetting_front`). Sides are walls or open (`open_boundary`).
//!
//! Not modelled: advection (so bores have the wrong speed, and there are no eddies), dispersion (all waves are long),
//! friction other than τ, breaking. Waves that turn by more than about one radian per step are too slow.

mod adi_sweep;
#[cfg(feature = "checks")]
mod bench;
mod energy;
mod face_flux;
mod height_field;
mod model;
mod open_boundary;
mod paper;
mod positivity_limiter;
mod push;
mod receiver;
mod state;
#[cfg(feature = "checks")]
mod validation;
mod view;
mod wetting_front;

#[cfg(test)]
mod tests;

use undine_scene::{Absent, Key};
use undine_sim::{Answers, ConformanceScenes, Estimate, ModelEntry, RestScene, Status};

pub use model::KassMiller;

use crate::heightfield::{self, HeightFieldSetup, height_field_keys};

/// p of the second-order step. At ½ nothing is damped, not even what a step cannot resolve; this value leaves 90 % of a
/// wave of 32 samples after 20 periods at a Courant number of 4.
const SECOND_ORDER: f64 = 0.501;

/// The choices of the keys of the sides.
const SIDE: &[(&str, &str)] = &[
    ("wall", "waves are reflected"),
    ("open", "waves leave, and the water outside stands at the still level"),
];

static KEYS: &[Key] = height_field_keys![
    Key::choice(
        "scheme",
        &[
            ("first-order", "the paper's step: every wave is damped, the more the longer the step"),
            ("second-order", "waves live on at large steps"),
            ("paper", "the paper's algorithm to the letter, to compare with: two levels, volume restored piece by piece; walls only"),
        ],
    )
    .default(Absent::Text("second-order"))
    .live().help("the implicit step in time"),
    Key::number("damping").or(0.0).within(0.0, 1.0)
        .live().help("τ: the share of every velocity that an iteration takes away; 0.1 looks viscous"),
    Key::integer("iterations").default(Absent::Integer(1)).within(1.0, 1000.0)
        .live().help("steps per frame; more resolve faster waves"),
    Key::choice(
        "precision",
        &[("single", "32-bit numbers, fast"), ("double", "64-bit numbers, twice the memory")],
    )
    .default(Absent::Text("single"))
    .help("the numbers that it calculates with"),
    Key::number("film").unit("m").or(1e-4).positive_to(1.0)
        .live().help("water thinner than this clings to the ground, which then counts as dry"),
    Key::choice("west", SIDE).default(Absent::Text("wall")).live().help("the side at low x"),
    Key::choice("east", SIDE).default(Absent::Text("wall")).live().help("the side at high x"),
    Key::choice("south", SIDE).default(Absent::Text("wall")).live().help("the side at low y"),
    Key::choice("north", SIDE).default(Absent::Text("wall")).live().help("the side at high y"),
];

/// The model's line in the list.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "kass-miller",
    summary: "waves over land, implicit and fast: flooding, drying, refraction",
    folder: "kass_miller",
    cites: &["kass1990", "crank1947", "thomas1949", "sommerfeld1949"],
    status: Status::Stable,
    keys: KEYS,
    sections: heightfield::SECTIONS,
    answers: Answers::ALL,
    dimension: |_| 2,
    can_be_driven: false,
    estimate: |scene, values| {
        let cells = HeightFieldSetup::cells(scene, values);
        let size = if values.word("precision") == "double" { 8 } else { 4 };
        Estimate {
            // Depth, bed, two velocities, bed change, wetness; the five fields of the start, a frame's mesh and rasters
            bytes: cells.saturating_mul(5 * size + 8 + 4 + 40 + 120),
            seconds_per_frame: cells as f64 * values.integer("iterations") as f64 * 1.2e-8,
            lower: "resolution",
        }
    },
    build: model::build,
    conformance: ConformanceScenes {
        rest: &[RestScene::exact(
            r#"
            [scene]
            duration = 5
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 1
            seed = 3
            [[water]]
            kind = "kass-miller"
            size = [6, 5]
            resolution = 40
            level = 0.1
        "#,
        )],
        lively: &[r#"
            [scene]
            duration = 5
            [[terrain]]
            kind = "noise"
            wavelength = 3
            amplitude = 0.6
            seed = 3
            [[water]]
            kind = "kass-miller"
            size = [6, 5]
            resolution = 70
            level = 0.1
            east = "open"
            damping = 0.001
            iterations = 2
            hump = [{ center = [1, 0], radius = [0.5, 0.5], height = 0.3, velocity = [1, 2] }]
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
        "#],
        ledger_tolerance: 1e-6,
    },
    suite: crate::suite!(validation::CASES, bench::BENCHES),
};
