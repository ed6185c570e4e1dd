//! What the pipelines of a picture are made for.
//!
//! Some devices run through every branch of a shader, taken or not; so what a picture leaves out is left out of its
//! pipelines, and pipelines are kept for the choices that were made last.

use undine_render::preview::{BedKind, GroundKind};

use super::tiles::TileContents;
use crate::context::Context;
use crate::{ShadingModel, SpaceView};

/// The choices of a picture; `shaders/lattice.wgsl` says what each is.
#[derive(Debug, Clone, PartialEq)]
pub struct ShaderConstants {
    constants: Vec<(&'static str, f64)>,
    is_near_hazy: bool,
}

/// What a pipeline leaves out of the choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelineScope {
    /// Whether its water has a bed of its own.
    pub has_bed: bool,
    /// What is in its tiles.
    pub contents: TileContents,
    /// Whether it draws what is beyond the lattice.
    pub is_far: bool,
}

impl ShaderConstants {
    /// The choices of a view. `has_haze` tells whether air is seen before what is beyond the lattice, and before the lattice
    /// itself; `has_floor` whether something stands on a floor, and whether that is in a studio.
    pub fn of(
        context: &Context,
        view: &SpaceView,
        has_haze: [bool; 2],
        has_floor: [bool; 2],
    ) -> ShaderConstants {
        let flag = |on: bool| f64::from(u8::from(on));
        let effects = &view.effects;
        let ripples = &view.materials.ripples;
        let mut constants = vec![
            ("REFRACTION", flag(effects.refraction)),
            ("CAUSTICS", flag(effects.caustics)),
            ("WETNESS", flag(effects.wetness)),
            ("FOAM", flag(effects.foam)),
            ("RIPPLES", flag(effects.bumps && ripples.strength > 0.0 && ripples.scale > 0.0)),
            ("GLITTER", flag(effects.glitter)),
            ("LINES", flag(view.shows_grid)),
            ("DRAPED", flag(view.drape.is_some())),
            ("CLASSIC", flag(matches!(view.shading, ShadingModel::Classic(_)))),
            ("HAZE", flag(has_haze[0])),
            ("FLOOR", flag(has_floor[0])),
            ("STUDIO", flag(has_floor[1])),
            ("GROUND", ground_number(view.materials.ground)),
            ("BED", bed_number(view.materials.bed)),
        ];
        constants.extend(context.constants());
        ShaderConstants { constants, is_near_hazy: has_haze[1] }
    }

    /// The numbers for shaders that draw no more than this.
    pub fn for_scope(
        &self,
        PipelineScope { has_bed, contents, is_far }: PipelineScope,
    ) -> Vec<(&'static str, f64)> {
        let flag = |on: bool| f64::from(u8::from(on));
        let mut constants = self.constants.clone();
        let mut leave_out = |name: &str| {
            constants.iter_mut().filter(|(known, _)| *known == name).for_each(|(_, number)| *number = 0.0);
        };
        if !contents.has_foam {
            leave_out("FOAM");
        }
        if !is_far && !self.is_near_hazy {
            leave_out("HAZE");
        }
        constants.push(("HAS_BED", flag(has_bed)));
        constants.push(("FLOODED", flag(contents.has_water)));
        constants.push(("DRY", flag(contents.has_land)));
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
