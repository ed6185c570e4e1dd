//! A field in colours, with alpha that can follow the value.

use undine_frame::{FieldChoice, FieldScale};

use super::resample::Kernel;
use super::sheet::Style;
use super::stage::Stage;
use crate::DrawError;
use crate::noise::smoothstep;
use crate::plots::canvas::Ink;
use crate::plots::field::Palette;
use crate::plots::{HslRamp, MapChoice, Scale, fitted_scale};

/// How a layer shows a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldLook {
    /// The field; of a vector field the lengths are shown.
    pub field: FieldChoice,
    /// Its colours.
    pub map: MapChoice,
    /// Ends of the scale; `None` to fit the values.
    pub limits: Option<[f32; 2]>,
    /// Whether the scale is logarithmic.
    pub is_log: bool,
    /// The field is transparent where its value is 0, and opaque from this share of the scale on.
    pub fade: f32,
    /// Whether the ramp of an `hsl` map takes values as shares of the scale, 10 at its end, not as they are.
    pub is_relative: bool,
}

impl FieldLook {
    /// A field in the colours that suit its kind.
    pub fn of(field: impl Into<FieldChoice>) -> Self {
        FieldLook {
            field: field.into(),
            map: MapChoice::Auto,
            limits: None,
            is_log: false,
            fade: 0.0,
            is_relative: false,
        }
    }

    pub(super) fn draw(&self, stage: &mut Stage<'_>, style: Style) -> Result<(), DrawError> {
        let (raster, slice) = stage.slice(&self.field)?;
        let palette = Palette::choose(&self.map, raster.scale());
        let scale = fitted_scale(self.limits, self.is_log, raster.scale(), &slice, &palette);
        let is_signed = raster.scale() == FieldScale::Signed;
        let kernel = if raster.scale() == FieldScale::Kinds { Kernel::Smooth } else { Kernel::Crisp };
        let values = stage.values(&slice, kernel);
        let shades = Shades::new(&palette, &scale, self.is_relative);
        let region = stage.sheet.inner;
        stage.sheet.paint(region, style, |x, y, _| {
            let value = values.pixels[y * region.width + x][0];
            (shades.ink(value), self.cover(value, &scale, is_signed))
        });
        Ok(())
    }

    fn cover(&self, value: f32, scale: &Scale, is_signed: bool) -> f32 {
        if value.is_nan() {
            return 0.0;
        }
        let reach = scale.low.abs().max(scale.high.abs()).max(f32::MIN_POSITIVE);
        let size = if is_signed { value.abs() / reach } else { scale.place(value) };
        if self.fade > 0.0 { smoothstep(0.0, self.fade, size) } else { 1.0 }
    }
}

/// Steps of lightness that are kept of each hue.
const STEPS: usize = 512;

/// What the end of the scale is to the ramp of an `hsl` map when it is relative.
const RELATIVE_END: f32 = 10.0;

/// The colours of values, quickly.
enum Shades<'p> {
    /// By the palette itself.
    Plain(&'p Palette, Scale),
    /// By tables of lightness, one for each sign.
    Hsl { ramp: HslRamp, factor: f32, tables: [Vec<Ink>; 2] },
}

impl<'p> Shades<'p> {
    fn new(palette: &'p Palette, scale: &Scale, is_relative: bool) -> Self {
        let Palette::Hsl(ramp) = palette else { return Shades::Plain(palette, *scale) };
        let limit = ramp.light_limit.clamp(0.0, 1.0);
        let table =
            |hue: f32| (0..=STEPS).map(|step| ramp.shade(hue, limit * step as f32 / STEPS as f32)).collect();
        let reach = scale.low.abs().max(scale.high.abs()).max(f32::MIN_POSITIVE);
        let factor = if is_relative { RELATIVE_END / reach } else { 1.0 };
        Shades::Hsl { ramp: *ramp, factor, tables: [table(ramp.hue_a), table(ramp.hue_b)] }
    }

    fn ink(&self, value: f32) -> Ink {
        match self {
            Shades::Plain(palette, scale) => palette.ink(value, scale),
            Shades::Hsl { ramp, factor, tables } => {
                let lightness = ramp.lightness(value * factor);
                if lightness > ramp.overflow_limit {
                    return [1.0; 3];
                }
                let share = (lightness / ramp.light_limit.max(1e-6)).clamp(0.0, 1.0);
                tables[usize::from(value < 0.0)][(share * STEPS as f32 + 0.5) as usize]
            }
        }
    }
}
