//! What a pane shows, and how: remembered from one day to the next.

use serde::{Deserialize, Serialize};
use undine::frame::FieldScale;
use undine::render::plots::HslRamp;
use undine_gpu::{ColourMapping, Effects};

/// How one pane shows its water.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneView {
    /// What it shows.
    pub show: Show,
    /// Arrows of this vector field on top; none when empty.
    pub vectors: String,
    /// Pixels between arrows.
    pub vector_spacing: f32,
    /// Whether the lines of the grid are drawn.
    pub shows_grid: bool,
    /// Whether particles are drawn on top.
    pub shows_particles: bool,
    /// Whether the surface is coloured by the formulae of 2007.
    pub is_classic: bool,
    /// What is drawn beyond the bare surface.
    #[serde(skip)]
    pub effects: Effects,
    /// Colours of fields.
    pub colours: ColourChoice,
}

/// What a pane shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum Show {
    /// What suits the scene: water in space, or ink on a page.
    #[default]
    Best,
    /// The surface in space.
    Surface,
    /// Particles in space, or on the page.
    Particles,
    /// A field in colours, on a page.
    Field(String),
    /// A field in colours, laid over the surface in space.
    Draped(String),
}

/// How values become colours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColourChoice {
    /// Name of a colour map, or `hsl` for two hues as in 2008; empty to suit the field.
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
    /// Lightness is held at this limit.
    pub light_limit: f32,
    /// Values whose lightness would exceed this are drawn white.
    pub overflow_limit: f32,
    /// Whether the limits follow the values.
    pub is_automatic: bool,
    /// Limits of the colour map where they do not.
    pub limits: [f32; 2],
    /// Whether equal ratios are equally far apart.
    pub is_log: bool,
    /// Whether values are interpolated between samples.
    pub is_smooth: bool,
}

impl Default for PaneView {
    fn default() -> Self {
        PaneView {
            show: Show::Best,
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
    /// The colours of a field whose values are of a `kind` and run over `range`.
    pub fn colours(&self, kind: FieldScale, range: [f32; 2]) -> ColourMapping {
        let is_signed = kind == FieldScale::Signed;
        let reach = range[0].abs().max(range[1].abs()).max(f32::MIN_POSITIVE);
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
            // Half of the largest value counts as one, which the usual ramp shows at half its light
            let unit =
                if self.is_automatic { 0.5 * reach } else { self.limits[1].abs().max(f32::MIN_POSITIVE) };
            return ColourMapping::Hsl { ramp, unit };
        }
        let limits = match (self.is_automatic, is_signed) {
            (false, _) => self.limits,
            (true, true) => [-reach, reach],
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
