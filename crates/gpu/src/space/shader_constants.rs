//! Values of the pipeline-overridable constants of the shaders in space.
//!
//! Some devices execute both sides of every branch. So features that a picture does not use are compiled out of its
//! pipelines, and the pipelines of the most recent sets of constants are cached.

use undine_render::preview::{BedKind, GroundKind};

use super::tiles::TileContents;
use crate::context::Context;
use crate::{ShadingModel, SpaceView};

/// The constants of a picture; `shaders/lattice.wgsl` documents them.
#[derive(Debug, Clone, PartialEq)]
pub struct ShaderConstants {
    constants: Vec<(&'static str, f64)>,
    is_lattice_hazy: bool,
}

/// What one pipeline draws, by which constants are narrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelineScope {
    /// Whether its water has its own bed.
    pub has_bed: bool,
    /// What its tiles contain.
    pub contents: TileContents,
    /// Whether it draws what lies beyond the lattice.
    pub is_far: bool,
}

impl ShaderConstants {
    /// The constants of a view. `has_haze`: whether haze is visible beyond the lattice, and on it. `has_floor`: whether
    /// a block or tank stands on a floor, and whether that is in a studio.
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
            ("FLOW_RIPPLES", flag(has_flow_ripples(view))),
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
        ShaderConstants { constants, is_lattice_hazy: has_haze[1] }
    }

    /// The constants for a pipeline of this scope.
    pub fn for_scope(
        &self,
        PipelineScope { has_bed, contents, is_far }: PipelineScope,
    ) -> Vec<(&'static str, f64)> {
        let flag = |on: bool| f64::from(u8::from(on));
        let mut constants = self.constants.clone();
        let mut disable = |name: &str| {
            constants.iter_mut().filter(|(known, _)| *known == name).for_each(|(_, number)| *number = 0.0);
        };
        if !contents.has_foam {
            disable("FOAM");
        }
        if !is_far && !self.is_lattice_hazy {
            disable("HAZE");
        }
        constants.push(("HAS_BED", flag(has_bed)));
        constants.push(("FLOODED", flag(contents.has_water)));
        constants.push(("DRY", flag(contents.has_land)));
        constants
    }
}

/// Whether a view shows ripples that drift with the flow.
pub fn has_flow_ripples(view: &SpaceView) -> bool {
    let is_water = matches!(view.shading, ShadingModel::Water);
    is_water && view.effects.bumps && view.materials.ripples.flow_strength > 0.0
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

// Beds are numbered after grounds, except sand, which both have.
fn bed_number(kind: BedKind) -> f64 {
    match kind {
        BedKind::Sand => 1.0,
        BedKind::Pebbles => 6.0,
        BedKind::Tiles => 7.0,
        BedKind::Dark => 8.0,
    }
}
