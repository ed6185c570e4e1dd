//! A field in colours, with alpha that can follow the value.

use undine_frame::{FieldChoice, FieldScale};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::resample::FilterKernel;
use crate::DrawError;
use crate::noise::smoothstep;
use crate::plots::canvas::LinearRgb;
use crate::plots::field::FieldPalette;
use crate::plots::{HslRamp, MapChoice, Scale, fitted_scale};

/// How a layer shows a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldLayer {
    /// The field; of a vector field the lengths are shown.
    pub field: FieldChoice,
    /// Its colours.
    pub map: MapChoice,
    /// Ends of the scale; `None` to fit the values.
    pub limits: Option<[f32; 2]>,
    /// Whether the scale is logarithmic.
    pub is_log: bool,
    /// The field is transparent where its value is 0, and opaque from this fraction of the scale on.
    pub fade: f32,
    /// Whether the ramp of an `hsl` map takes values as fractions of the scale, 10 at its end, not as they are.
    pub is_relative: bool,
}

impl FieldLayer {
    /// A field in the colours that suit its kind.
    pub fn of(field: impl Into<FieldChoice>) -> Self {
        FieldLayer {
            field: field.into(),
            map: MapChoice::Auto,
            limits: None,
            is_log: false,
            fade: 0.0,
            is_relative: false,
        }
    }

    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let (raster, slice) = context.slice(&self.field)?;
        let palette = FieldPalette::choose(&self.map, raster.scale());
        let scale = fitted_scale(self.limits, self.is_log, raster.scale(), &slice, &palette);
        let is_signed = raster.scale() == FieldScale::Signed;
        let kernel =
            if raster.scale() == FieldScale::Kinds { FilterKernel::Smooth } else { FilterKernel::Crisp };
        let values = context.values(&slice, kernel);
        let shades = ColourTable::new(&palette, &scale, self.is_relative);
        let region = context.compositor.inner;
        context.compositor.paint(region, blend_state, |x, y, _| {
            let value = values.pixels[y * region.width + x][0];
            (shades.colour(value), self.cover(value, &scale, is_signed))
        });
        Ok(())
    }

    fn cover(&self, value: f32, scale: &Scale, is_signed: bool) -> f32 {
        if value.is_nan() {
            return 0.0;
        }
        let reach = scale.low.abs().max(scale.high.abs()).max(f32::MIN_POSITIVE);
        let size = if is_signed { value.abs() / reach } else { scale.fraction(value) };
        if self.fade > 0.0 { smoothstep(0.0, self.fade, size) } else { 1.0 }
    }
}

/// Steps of lightness that are kept of each hue.
const STEPS: usize = 512;

/// What the end of the scale is to the ramp of an `hsl` map when it is relative.
const RELATIVE_END: f32 = 10.0;

/// The colours of values, quickly.
enum ColourTable<'p> {
    /// By the palette itself.
    Plain(&'p FieldPalette, Scale),
    /// By tables of lightness, one for each sign.
    Hsl { ramp: HslRamp, factor: f32, tables: [Vec<LinearRgb>; 2] },
}

impl<'p> ColourTable<'p> {
    fn new(palette: &'p FieldPalette, scale: &Scale, is_relative: bool) -> Self {
        let FieldPalette::Hsl(ramp) = palette else { return ColourTable::Plain(palette, *scale) };
        let limit = ramp.light_limit.clamp(0.0, 1.0);
        let table =
            |hue: f32| (0..=STEPS).map(|step| ramp.shade(hue, limit * step as f32 / STEPS as f32)).collect();
        let reach = scale.low.abs().max(scale.high.abs()).max(f32::MIN_POSITIVE);
        let factor = if is_relative { RELATIVE_END / reach } else { 1.0 };
        ColourTable::Hsl { ramp: *ramp, factor, tables: [table(ramp.hue_a), table(ramp.hue_b)] }
    }

    fn colour(&self, value: f32) -> LinearRgb {
        match self {
            ColourTable::Plain(palette, scale) => palette.colour(value, scale),
            ColourTable::Hsl { ramp, factor, tables } => {
                let lightness = ramp.lightness(value * factor);
                if lightness > ramp.overflow_limit {
                    return [1.0; 3];
                }
                let fraction = (lightness / ramp.light_limit.max(1e-6)).clamp(0.0, 1.0);
                tables[usize::from(value < 0.0)][(fraction * STEPS as f32 + 0.5) as usize]
            }
        }
    }
}
