//! Gerstner (trochoidal) waves: every point of the surface moves on a circle, §2.3.2 of [li2007] after [gerstner1809].
//!
//! With θᵢ = kᵢ Dᵢ·x₀ − ωᵢ t + φᵢ the point that rests at x₀ is displaced to
//!
//! x = x₀ − Σ Qᵢ Aᵢ Dᵢ sin θᵢ,  z = Σ Aᵢ cos θᵢ.
//!
//! The document has + Q A sin together with cos, which would sharpen the troughs; crests are sharp with the minus. It
//! also bounds Q A by 1, which lacks the wave number: the surface folds over itself when Σ Q k A > 1.
//!
//! One wave with Q = 1 in deep water is an exact solution of Euler's equations (rotational, without drift).
//! SheetIntegrals of several are not. Normals and velocities are exact derivatives of the formula. The level at a
//! position is found by inverting the displacement. There is no stability bound. Not modelled: walls, reflection,
//! breaking.

mod model;
mod train;
#[cfg(feature = "checks")]
mod validation;

use undine_scene::{Absent, Key};
use undine_sim::{Answers, ConformanceScenes, ModelEntry, RestScene, Status};

pub use model::Gerstner;

static WAVE_KEYS: &[Key] = &[
    Key::timed("amplitude").unit("m").within(-1e3, 1e3).help("half the height from trough to crest"),
    Key::number("wavelength").unit("m").positive_to(1e6).help("distance from crest to crest"),
    Key::number("steepness")
        .or(1.0)
        .within(0.0, 1e3)
        .help("Q: 0 is a sine wave, 1 moves points on circles; more sharpens further"),
    Key::number("speed")
        .unit("m/s")
        .optional("from the dispersion relation")
        .within(0.0, 1e4)
        .help("speed of the crests"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where the wave goes, as a vector of any length"),
    Key::number("phase").unit("rad").or(0.0).within(-1e6, 1e6).help("shift of the crests"),
];

/// The model's line in the list.
pub static ENTRY: ModelEntry = ModelEntry {
    name: "gerstner",
    summary: "trochoidal waves with sharp crests, exact at any point and time",
    folder: "waves",
    cites: &["li2007", "gerstner1809", "lamb1932"],
    status: Status::Stable,
    keys: super::sheet_keys![
        Key::choice(
            "loops",
            &[
                ("refuse", "crests that fold over themselves are an error"),
                ("allow", "they are drawn, with a warning")
            ]
        )
        .default(Absent::Text("refuse"))
        .live()
        .help("what to do when the sum of Q k A exceeds 1"),
        Key::tables("wave", WAVE_KEYS).live().help("one train of waves each"),
    ],
    sections: &[],
    answers: Answers::NONE,
    dimension: |_| 2,
    can_be_driven: false,
    estimate: |_, values| super::estimate(values),
    build: Gerstner::build,
    conformance: ConformanceScenes {
        rest: &[RestScene::exact(
            r#"
            [scene]
            duration = 10
            [[water]]
            kind = "gerstner"
            resolution = 32
            wave = [{ amplitude = 0, wavelength = 3 }]
        "#,
        )],
        lively: &[r#"
            [scene]
            duration = 10
            [[water]]
            kind = "gerstner"
            size = [40, 30]
            resolution = 64
            horizon = 100
            wave = [
                { amplitude = 0.5, wavelength = 11, direction = [1, 0.4] },
                { amplitude = "0.2+0.1*sin(t)", wavelength = 6, direction = [-0.3, 1], steepness = 0.7, phase = 1 },
                { amplitude = 0.1, wavelength = 3, direction = [0, -1], speed = 2 },
            ]
        "#],
        ledger_tolerance: 1e-9,
    },
    suite: crate::suite!(validation::CASES, super::bench::GERSTNER),
};
