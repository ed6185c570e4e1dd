//! How a frame is rendered: camera, shading, layers and colours.

use glam::Vec3;
use undine_render::classic::{BumpSpec, CubeMapShading};
use undine_render::plots::HslRamp;
use undine_render::preview::{
    BackdropKind, BedKind, Beyond, GroundKind, PinholeCamera, RippleSpec, WaterLook,
};
use undine_render::sky::SkySpec;

/// How one picture of a frame is rendered.
#[derive(Debug, Clone)]
pub enum RenderSettings {
    /// In perspective.
    Space(Box<SpaceView>),
    /// Orthographically, as layers of a page: 2-D fluids, maps of fields, sections.
    Flat(FlatView),
}

/// A perspective view of water in space.
#[derive(Debug, Clone)]
pub struct SpaceView {
    /// The camera.
    pub camera: PinholeCamera,
    /// Sky and sun.
    pub sky: SkySpec,
    /// How water is shaded.
    pub shading: ShadingModel,
    /// Materials of water, ground and bodies, and the surroundings.
    pub materials: SceneryMaterials,
    /// Optional effects.
    pub effects: Effects,
    /// How particles are drawn.
    pub particles: ParticleStyle,
    /// A field draped over the surface: the name of a raster of the frame, and its colours.
    pub drape: Option<(String, ColourMapping)>,
    /// Whether grid lines are drawn on the surface.
    pub shows_grid: bool,
    /// Factor on radiance before tone mapping; 1 suits daylight.
    pub exposure: f32,
}

/// How water is shaded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ShadingModel {
    /// Physically: Fresnel reflection, refraction, absorption by depth.
    #[default]
    Water,
    /// By the formulae of [li2007] §2.2, as in [`undine_render::classic`].
    Classic(CubeMapShading),
}

/// The bump map of the classic shading that corresponds to these ripples: the same strength, and a length scaled as
/// theirs.
pub fn classic_bumps(ripples: &RippleSpec) -> BumpSpec {
    let (usual, wanted) = (RippleSpec::default().scale, BumpSpec::default());
    let length = wanted.length * (ripples.scale / usual).clamp(1e-3, 1e6);
    BumpSpec { strength: ripples.strength.max(0.0), length, ..wanted }
}

/// Materials of water, ground and bodies, and the surroundings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneryMaterials {
    /// Absorption and scattering of the water.
    pub look: WaterLook,
    /// Ripples smaller than the grid, as a normal map on the simulated waves.
    pub ripples: RippleSpec,
    /// Material of the bed below water that has none of its own.
    pub bed: BedKind,
    /// Depth of that bed below the level at rest, in metres.
    pub depth: f32,
    /// Material of land.
    pub ground: GroundKind,
    /// What lies beyond a height field with a bed of its own: extended terrain, or nothing, so that it is a cut block.
    /// Open water always extends to the horizon.
    pub beyond: Beyond,
    /// Backdrop of a block or a tank: a studio or the sky.
    pub backdrop: BackdropKind,
    /// Linear colour of solid bodies.
    pub solid: Vec3,
}

/// Optional effects; each costs rendering time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects {
    /// Refraction: the background is looked up along the refracted ray and absorbed along the path in water.
    pub refraction: bool,
    /// Caustics on the bed.
    pub caustics: bool,
    /// Wet ground is darker and glossy.
    pub wetness: bool,
    /// Foam on fast and folding water.
    pub foam: bool,
    /// Ripples by normal mapping.
    pub bumps: bool,
    /// Specular reflection of the sun by facets smaller than a pixel.
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

/// How particles in space are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParticleStyle {
    /// Not at all.
    Hidden,
    /// As shaded spheres, coloured by their colour attribute or by speed.
    Balls,
    /// As a liquid surface by screen-space filtering.
    #[default]
    Surface,
}

/// An orthographic view of a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatView {
    /// The point in the middle of the picture, in metres.
    pub centre: [f32; 2],
    /// Height of the picture in metres.
    pub height: f32,
    /// Linear colour of the background.
    pub background: [f32; 3],
    /// Layers, from back to front.
    pub layers: Vec<FlatLayer>,
}

/// A layer of a page. Fields are named by rasters of the frame; a layer whose field is missing is not drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum FlatLayer {
    /// A field in colours; a vector by its magnitude.
    Field {
        /// Its name.
        field: String,
        /// From values to colours.
        colours: ColourMapping,
        /// Whether values are interpolated between samples.
        is_smooth: bool,
        /// Opacity from 0 to 1.
        opacity: f32,
    },
    /// Dye of three components, emissive on black or absorbing on paper.
    Dye {
        /// The name of a field with three components.
        field: String,
        /// Factor on the concentration.
        strength: f32,
        /// Whether it absorbs the light of white paper, by Beer–Lambert, rather than emits.
        is_ink: bool,
    },
    /// Cell kinds, each in its own colour.
    Cells {
        /// The name of a field of cell kinds.
        field: String,
    },
    /// Arrows of a vector field.
    Vectors {
        /// The name of a vector field.
        field: String,
        /// Pixels between arrows.
        spacing: f32,
        /// Linear colour.
        colour: [f32; 3],
    },
    /// Lines between the cells of a field.
    Grid {
        /// The name of a field.
        field: String,
        /// Linear colour and opacity.
        colour: [f32; 4],
    },
    /// Particles as dots, coloured by their colour attribute or by speed.
    Particles {
        /// Factor on their radius.
        size: f32,
    },
    /// A filled liquid with a bright line along its surface.
    Liquid {
        /// The name of a signed distance field, negative in the liquid.
        field: String,
    },
    /// The outlines of 2-D liquids as lines.
    Outline {
        /// Linear colour.
        colour: [f32; 3],
    },
    /// Filled obstacles.
    Solids {
        /// The name of a signed distance field, negative inside.
        field: String,
        /// Their linear colour.
        colour: [f32; 3],
    },
    /// Filled solid bodies.
    Bodies {
        /// Their linear colour.
        colour: [f32; 3],
    },
    /// The height field of the frame as a vertical section of water over ground, for fields one row wide.
    Profile,
}

/// From values to colours.
#[derive(Debug, Clone, PartialEq)]
pub enum ColourMapping {
    /// Two hues whose lightness grows with |value| / `unit` [demeulenaere2008].
    Hsl {
        /// The ramp.
        ramp: HslRamp,
        /// The value that is mapped to 1.
        unit: f32,
    },
    /// A colour map of [`undine_render::plots`] between two limits.
    Map {
        /// Its name in [`undine_render::plots::MAPS`].
        map: String,
        /// The values at its two ends.
        limits: [f32; 2],
        /// Whether the scale is logarithmic.
        is_log: bool,
    },
}
