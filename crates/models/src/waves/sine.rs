//! A sum of sine waves: H(x, y, t) = Σ Aᵢ sin(kᵢ Dᵢ·(x, y) − ωᵢ t + φᵢ), §2.2.2 of [li2007].
//!
//! The document writes + ωt, with which waves travel against their direction D; here they travel along it. Speeds are
//! given or follow from ω² = g k tanh(k d). In a ring wave the phase is k r − ω t; it starts at its onset, its front
//! travels at the group speed, and behind the front the amplitude decays with the decay time.
//!
//! Slopes and surface velocity are the exact derivatives of the sum; below the surface the motion is that of linear
//! wave theory [lamb1932]. There is no stability bound. Not modelled: walls, reflection, breaking, mean flow.
//!
//! A plane wave of constant amplitude is a flow: its transport through the sides of the domain is integrated exactly,
//! and the volume ledger closes with it. The volume of rings and of waves that grow or decay is accounted for as
//! prescribed.

mod model;
#[cfg(feature = "checks")]
pub(super) mod validation;
mod wave;

use undine_scene::{Absent, Key};
use undine_sim::{Answers, ConformanceScenes, ModelEntry, RestScene, Status};

pub use model::SineWaves;

static WAVE_KEYS: &[Key] = &[
    Key::choice(
        "shape",
        &[("straight", "crests at right angles to its direction"), ("ring", "circles around its center")],
    )
    .default(Absent::Text("straight"))
    .help("the form of the crests"),
    Key::timed("amplitude").unit("m").within(-1e3, 1e3).help("half the height from trough to crest"),
    Key::number("wavelength").unit("m").positive_to(1e6).help("distance from crest to crest"),
    Key::number("speed")
        .unit("m/s")
        .optional("from the dispersion relation")
        .within(0.0, 1e4)
        .help("speed of the crests"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where a straight wave goes, as a vector of any length"),
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e7, 1e7)
        .help("where a ring starts"),
    Key::number("phase").unit("rad").or(0.0).within(-1e6, 1e6).help("shift of the crests"),
    Key::number("onset")
        .unit("s")
        .optional("it has always been there")
        .within(-1e7, 1e7)
        .help("when it starts: for a ring, when the stone falls"),
    Key::number("rise")
        .unit("s")
        .optional("one period")
        .positive_to(1e6)
        .help("how long it takes to full height"),
    Key::number("decay")
        .unit("s")
        .optional("never")
        .positive_to(1e9)
        .help("after this long since its onset (for a ring: since its front passed) 37 % is left"),
];

/// The model's line in the list.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "sine-waves",
    summary: "plane and ring-shaped sine waves, exact at every point and time",
    folder: "waves",
    cites: &["li2007", "lamb1932"],
    status: Status::Stable,
    keys: super::sheet_keys![Key::tables("wave", WAVE_KEYS).live().help("one wave each")],
    sections: &[],
    answers: Answers { drop: true, ..Answers::NONE },
    dimension: |_| 2,
    can_be_driven: false,
    estimate: |_, values| super::estimate(values),
    build: SineWaves::build,
    conformance: ConformanceScenes {
        rest: &[RestScene::exact(
            r#"
            [scene]
            duration = 10
            [[water]]
            kind = "sine-waves"
            resolution = 32
            wave = [{ amplitude = 0, wavelength = 3 }]
        "#,
        )],
        lively: &[r#"
            [scene]
            duration = 10
            [[water]]
            kind = "sine-waves"
            size = [5, 4]
            resolution = 64
            depth = 1.5
            horizon = 20
            wave = [
                { amplitude = 0.1, wavelength = 2.3, direction = [1, 0.4] },
                { amplitude = 0.05, wavelength = 1.1, direction = [-0.3, 1], speed = 2, phase = 1 },
                { amplitude = "0.04*cos(t)", wavelength = 3, direction = [0, -1] },
                { shape = "ring", amplitude = 0.08, wavelength = 0.7, center = [0.5, 0], onset = 0.2, decay = 2 },
            ]
        "#],
        ledger_tolerance: 1e-6,
    },
    suite: crate::suite!(validation::CASES, super::bench::SINE),
};
