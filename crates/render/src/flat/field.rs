//! Layer of a field by a colour map, with opacity that can follow the value.

use undine_frame::{FieldChoice, FieldScale};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::resample::FilterKernel;
use crate::DrawError;
use crate::noise::smoothstep;
use crate::plots::canvas::LinearRgb;
use crate::plots::field::FieldPalette;
use crate::plots::{HslRamp, MapChoice, Scale, fitted_scale};

/// A layer of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldLayer {
    /// The field; of a vector field its magnitude is shown.
    pub field: FieldChoice,
    /// Its colour map.
    pub map: MapChoice,
    /// Ends of the scale; `None` to fit the values.
    pub limits: Option<[f32; 2]>,
    /// Whether the scale is logarithmic.
    pub is_log: bool,
    /// Fraction of the scale over which opacity rises from 0 at value 0 to 1; 0 for opaque everywhere.
    pub fade: f32,
    /// Whether the ramp of an `hsl` map takes values relative to the scale (10 at its end) rather than absolute.
    pub is_relative: bool,
}

impl FieldLayer {
    /// A field with the default colour map of its quantity.
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
        let palette = FieldPalette::of_raster(&self.map, raster);
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

/// Entries of the lightness table of each hue.
const STEPS: usize = 512;

/// Input of a relative `hsl` ramp at the end of the scale.
const RELATIVE_END: f32 = 10.0;

/// Colours of values, tabulated where the palette is slow.
enum ColourTable<'p> {
    /// By the palette.
    Plain(&'p FieldPalette, Scale),
    /// By tables of lightness, one per sign.
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
