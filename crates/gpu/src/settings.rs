//! How a moment is shown.

use glam::Vec3;
use undine_render::classic::{BumpSpec, CubeMapShading};
use undine_render::plots::HslRamp;
use undine_render::preview::{
    BackdropKind, BedKind, Beyond, GroundKind, PinholeCamera, RippleSpec, WaterLook,
};
use undine_render::sky::SkySpec;

/// One picture of a subject.
#[derive(Debug, Clone)]
pub enum RenderSettings {
    /// Water in space.
    Space(Box<SpaceView>),
    /// A fluid that fills the page, or a map of a field.
    Flat(FlatView),
}

/// Water in space, as an eye sees it.
#[derive(Debug, Clone)]
pub struct SpaceView {
    /// From where.
    pub eye: PinholeCamera,
    /// In what light.
    pub sky: SkySpec,
    /// By which formulae water is coloured.
    pub shading: ShadingModel,
    /// What the scenery is made of.
    pub materials: SceneryMaterials,
    /// What is drawn beyond the bare surface.
    pub effects: Effects,
    /// How particles are shown.
    pub particles: ParticleStyle,
    /// A field laid over the surface, by the name of a raster of the subject, and its colours.
    pub drape: Option<(String, ColourMapping)>,
    /// Whether the lines of the lattice are drawn.
    pub shows_grid: bool,
    /// Multiplies the light; 1 suits daylight.
    pub exposure: f32,
}

/// By which formulae water is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ShadingModel {
    /// Fresnel, refraction, depth.
    #[default]
    Water,
    /// Those of [li2007] §2.2, as [`undine_render::classic`] has them.
    Classic(CubeMapShading),
}

/// The bumps of the classic formulae that stand for these ripples: as steep, and as long as theirs are by default.
pub fn classic_bumps(ripples: &RippleSpec) -> BumpSpec {
    let (usual, wanted) = (RippleSpec::default().scale, BumpSpec::default());
    let length = wanted.length * (ripples.scale / usual).clamp(1e-3, 1e6);
    BumpSpec { strength: ripples.strength.max(0.0), length, ..wanted }
}

/// What the scenery is made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneryMaterials {
    /// The inner look of the water.
    pub look: WaterLook,
    /// Small ripples on top of the simulated waves.
    pub ripples: RippleSpec,
    /// What is below water that has no ground of its own.
    pub bed: BedKind,
    /// How deep that is below the level at rest, in metres.
    pub depth: f32,
    /// What land is covered with.
    pub ground: GroundKind,
    /// What lies beyond a height field with a bed of its own: more of the same, or nothing, when it is a cut block.
    /// Open water goes on to the horizon whatever this says.
    pub beyond: Beyond,
    /// What is around a block or a tank: a studio, unless it is the sky.
    pub backdrop: BackdropKind,
    /// Linear colour of solid bodies.
    pub solid: Vec3,
}

/// What is drawn beyond the bare surface; each costs time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects {
    /// What is below is seen through the surface, bent, and tinted by the way through the water.
    pub refraction: bool,
    /// Sunlight gathered by waves on the bed.
    pub caustics: bool,
    /// Ground that was under water is darker.
    pub wetness: bool,
    /// White on fast and folding water, and at shores.
    pub foam: bool,
    /// Ripples that only bend normals.
    pub bumps: bool,
    /// The sun on waves smaller than a pixel.
    pub glitter: bool,
}

impl Effects {
    /// All of them.
    pub const ALL: Effects =
        Effects { refraction: true, caustics: true, wetness: true, foam: true, bumps: true, glitter: true };
    /// None of them.
    pub const NONE: Effects = Effects {
        refraction: false,
        caustics: false,
        wetness: false,
        foam: false,
        bumps: false,
        glitter: false,
    };
}

impl Default for Effects {
    fn default() -> Self {
        Effects::ALL
    }
}

/// How particles in space are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParticleStyle {
    /// Not at all.
    Hidden,
    /// As little balls, coloured by their speed or by the colours that they carry.
    Balls,
    /// As the surface of a liquid, smoothed on the screen.
    #[default]
    Surface,
}

/// A page that is looked at straight on.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatView {
    /// The point in the middle of the picture, in metres.
    pub centre: [f32; 2],
    /// Metres from the upper to the lower edge of the picture.
    pub tall: f32,
    /// Linear colour of what nothing covers.
    pub background: [f32; 3],
    /// What is drawn, from the lowest to the uppermost.
    pub layers: Vec<FlatLayer>,
}

/// A layer of a page. Fields are named by rasters of the subject; one that is not there is left out.
#[derive(Debug, Clone, PartialEq)]
pub enum FlatLayer {
    /// A field in colours; of a vector its length.
    Field {
        /// Its name.
        field: String,
        /// Its colours.
        colours: ColourMapping,
        /// Whether it is interpolated between samples.
        is_smooth: bool,
        /// From 0 (not seen) to 1.
        opacity: f32,
    },
    /// Dye of three colours, as light on black or as ink on paper.
    Dye {
        /// The name of a field with three components.
        field: String,
        /// Multiplies it.
        strength: f32,
        /// Whether it is ink on white paper rather than light.
        is_ink: bool,
    },
    /// Kinds of cells, each in a colour of its own.
    Cells {
        /// The name of a field of kinds.
        field: String,
    },
    /// Arrows.
    Vectors {
        /// The name of a vector field.
        field: String,
        /// Pixels between arrows.
        spacing: f32,
        /// Their linear colour.
        colour: [f32; 3],
    },
    /// The lines between cells of a field.
    Grid {
        /// The name of a field.
        field: String,
        /// Their linear colour and opacity.
        colour: [f32; 4],
    },
    /// Particles, in their own colours or by speed.
    Particles {
        /// Multiplies their radius.
        size: f32,
    },
    /// A liquid, filled, with a bright line along its surface.
    Liquid {
        /// The name of a field of distances from the surface, negative in the liquid.
        field: String,
    },
    /// Obstacles, filled.
    Solids {
        /// The name of a field of distances from them, negative inside.
        field: String,
        /// Their linear colour.
        colour: [f32; 3],
    },
    /// Solid bodies, filled.
    Bodies {
        /// Their linear colour.
        colour: [f32; 3],
    },
    /// The height field of the subject as a section: water over ground, for fields one row wide.
    Profile,
}

/// From values to colours.
#[derive(Debug, Clone, PartialEq)]
pub enum ColourMapping {
    /// Two hues whose lightness grows with the value, as in [demeulenaere2008]. Values are first divided by `unit`, so
    /// that one setting suits fields of any size.
    Hsl {
        /// The ramp.
        ramp: HslRamp,
        /// The value that counts as one.
        unit: f32,
    },
    /// A colour map of [`undine_render::plots`] between two limits.
    Map {
        /// Its name in [`undine_render::plots::MAPS`].
        map: String,
        /// The values at its ends.
        limits: [f32; 2],
        /// Whether equal ratios are equally far apart.
        is_log: bool,
    },
}
