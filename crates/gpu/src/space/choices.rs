//! What the pipelines of a picture are made for.
//!
//! Some devices run through every branch of a shader, taken or not; so what a picture leaves out is left out of its
//! pipelines, and pipelines are kept for the choices that were made last.

use undine_render::preview::{BedKind, GroundKind};

use crate::{SpaceView, Style};

/// The choices of a picture; `shaders/lattice.wgsl` says what each is.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices {
    constants: Vec<(&'static str, f64)>,
}

impl Choices {
    /// The choices of a view, in air with or without haze.
    pub fn of(view: &SpaceView, has_haze: bool) -> Choices {
        let flag = |on: bool| f64::from(u8::from(on));
        let effects = &view.effects;
        let ripples = &view.stuff.ripples;
        let constants = vec![
            ("REFRACTION", flag(effects.refraction)),
            ("CAUSTICS", flag(effects.caustics)),
            ("WETNESS", flag(effects.wetness)),
            ("FOAM", flag(effects.foam)),
            ("RIPPLES", flag(effects.bumps && ripples.strength > 0.0 && ripples.scale > 0.0)),
            ("GLITTER", flag(effects.glitter)),
            ("LINES", flag(view.shows_grid)),
            ("DRAPED", flag(view.drape.is_some())),
            ("CLASSIC", flag(matches!(view.style, Style::Classic(_)))),
            ("HAZE", flag(has_haze)),
            ("GROUND", ground_number(view.stuff.ground)),
            ("BED", bed_number(view.stuff.bed)),
        ];
        Choices { constants }
    }

    /// The choices for water with a bed of its own, or without.
    pub fn with_bed(&self, has_bed: bool) -> Vec<(&'static str, f64)> {
        let mut constants = self.constants.clone();
        constants.push(("HAS_BED", f64::from(u8::from(has_bed))));
        constants
    }
}

fn ground_number(kind: GroundKind) -> f64 {
    match kind {
        GroundKind::Auto => 0.0,
        GroundKind::Sand => 1.0,
        GroundKind::Rock => 2.0,
        GroundKind::Grass => 3.0,
        GroundKind::Earth => 4.0,
        GroundKind::Alpine => 5.0,
        GroundKind::Bed(kind) => bed_number(kind),
    }
}

// Beds count on from grounds; sand is sand.
fn bed_number(kind: BedKind) -> f64 {
    match kind {
        BedKind::Sand => 1.0,
        BedKind::Pebbles => 6.0,
        BedKind::Tiles => 7.0,
        BedKind::Dark => 8.0,
    }
}
