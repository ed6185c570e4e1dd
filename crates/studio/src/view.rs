//! Display settings of a pane, kept in the preferences.

use serde::{Deserialize, Serialize};
use undine::frame::FieldScale;
use undine::render::plots::HslRamp;
use undine_gpu::{ColourMapping, Effects};

/// Display settings of one pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneView {
    /// Its content.
    pub show: PaneContent,
    /// The vector field drawn as arrows on top; none when empty.
    pub vectors: String,
    /// Pixels between arrows.
    pub vector_spacing: f32,
    /// Whether the grid lines are drawn.
    pub shows_grid: bool,
    /// Whether particles are drawn on top.
    pub shows_particles: bool,
    /// Whether the surface is shaded by the classic formulae of 2007.
    pub is_classic: bool,
    /// Optional shading effects of the surface.
    #[serde(skip)]
    pub effects: Effects,
    /// ColourMapping of fields.
    pub colours: ColourChoice,
}

/// Content of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum PaneContent {
    /// The default of the scene: a surface in space, or layers of a 2-D page.
    #[default]
    Best,
    /// The surface in space.
    Surface,
    /// The vertical section of a water that is a single row of cells; the default of the scene for any other.
    Section,
    /// Particles in space, or on a 2-D page.
    Particles,
    /// A field in false colours, on a 2-D page.
    Field(String),
    /// A field in false colours, draped over the surface in space.
    Draped(String),
}

/// The colour mapping of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColourChoice {
    /// Name of a colour map, or `hsl` for the two-hue ramp of 2008; empty for the default of the field.
    pub map: String,
    /// Hue of values above zero, in degrees.
    pub hue_a: f32,
    /// Hue of values below zero, in degrees.
    pub hue_b: f32,
    /// Saturation of both.
    pub saturation: f32,
    /// Lightness per unit of the value.
    pub linear: f32,
    /// Lightness per unit of its logarithm.
    pub log: f32,
    /// Upper limit of the lightness.
    pub light_limit: f32,
    /// Values whose lightness would exceed this are drawn white.
    pub overflow_limit: f32,
    /// Whether the limits follow the range of the values.
    pub is_automatic: bool,
    /// Fixed limits of the colour map.
    pub limits: [f32; 2],
    /// Whether the colour map is logarithmic.
    pub is_log: bool,
    /// Whether values are interpolated between samples.
    pub is_smooth: bool,
}

impl Default for PaneView {
    fn default() -> Self {
        PaneView {
            show: PaneContent::Best,
            vectors: String::new(),
            vector_spacing: 24.0,
            shows_grid: false,
            shows_particles: true,
            is_classic: false,
            effects: Effects::ALL,
            colours: ColourChoice::default(),
        }
    }
}

impl Default for ColourChoice {
    fn default() -> Self {
        let ramp = HslRamp::default();
        ColourChoice {
            map: String::new(),
            hue_a: ramp.hue_a,
            hue_b: ramp.hue_b,
            saturation: ramp.saturation,
            linear: ramp.linear,
            log: ramp.log,
            light_limit: ramp.light_limit,
            overflow_limit: ramp.overflow_limit,
            is_automatic: true,
            limits: [0.0, 1.0],
            is_log: false,
            is_smooth: true,
        }
    }
}

impl ColourChoice {
    /// The colour mapping of a field with this scale and range of values.
    pub fn colours(&self, kind: FieldScale, range: [f32; 2]) -> ColourMapping {
        let is_signed = kind == FieldScale::Signed;
        let max_abs = range[0].abs().max(range[1].abs()).max(f32::MIN_POSITIVE);
        if self.map == "hsl" {
            let ramp = HslRamp {
                hue_a: self.hue_a,
                hue_b: self.hue_b,
                saturation: self.saturation,
                linear: self.linear,
                log: self.log,
                light_limit: self.light_limit,
                overflow_limit: self.overflow_limit,
            };
            // The default ramp reaches half of its lightness at one unit: half of the largest value
            let unit =
                if self.is_automatic { 0.5 * max_abs } else { self.limits[1].abs().max(f32::MIN_POSITIVE) };
            return ColourMapping::Hsl { ramp, unit };
        }
        let limits = match (self.is_automatic, is_signed) {
            (false, _) => self.limits,
            (true, true) => [-max_abs, max_abs],
            (true, false) => range,
        };
        let map = match (self.map.as_str(), is_signed) {
            ("", true) => String::from("balance"),
            ("", false) => String::from("lagoon"),
            (map, _) => map.to_owned(),
        };
        ColourMapping::Map { map, limits, is_log: self.is_log }
    }
}
