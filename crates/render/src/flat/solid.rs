//! Obstacles: a crisp edge, a rounded rim in the light of a lamp, and the shadow they cast on the fluid beside them.

use super::obstacles;
use super::relief::{Gloss, Lamp, normal};
use super::resample::Plane;
use super::sheet::{Region, Style};
use super::stage::Stage;
use crate::DrawError;
use crate::colour::mix;
use crate::plots::canvas::Ink;

/// How a layer shows obstacles.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidLook {
    /// Their colour, linear.
    pub colour: Ink,
    /// Whether they are holes through which the background is seen.
    pub is_cut: bool,
    /// Width of their rounded rim, in heights of the box.
    pub rim: f32,
    /// The lamp that lights the rim.
    pub lamp: Lamp,
    /// Strength of the highlights on the rim.
    pub gloss: f32,
    /// How narrow the highlights are.
    pub shininess: f32,
    /// How dark the fluid is beside them, 0 to 1.
    pub shadow: f32,
    /// How far the shadow reaches, in heights of the box.
    pub shadow_width: f32,
}

impl Default for SolidLook {
    fn default() -> Self {
        SolidLook {
            colour: crate::colour::from_hex(0x3a4048),
            is_cut: false,
            rim: 0.012,
            lamp: Lamp::default(),
            gloss: 0.25,
            shininess: 24.0,
            shadow: 0.35,
            shadow_width: 0.025,
        }
    }
}

impl SolidLook {
    pub(super) fn draw(&self, stage: &mut Stage<'_>, style: Style) -> Result<(), DrawError> {
        let Some(distance) = obstacles::distance(stage)? else { return Err(obstacles::missing(stage.frame)) };
        let region = stage.sheet.inner;
        let beneath = std::mem::take(&mut stage.sheet.background.pixels);
        let page = stage.sheet.page;
        stage.sheet.paint(region, style, |x, y, below| {
            let away = distance.pixels[y * region.width + x][0];
            let cover = (0.5 - away).clamp(0.0, 1.0);
            let shaded = mix(below, [0.0; 3], self.shade(away, region));
            if cover <= 0.0 {
                return (shaded, 1.0);
            }
            let base = match self.is_cut {
                true => beneath[(region.top + y) * page.width + region.left + x],
                false => self.colour,
            };
            (mix(shaded, self.lit(base, &distance, region, x, y), cover), 1.0)
        });
        stage.sheet.background.pixels = beneath;
        Ok(())
    }

    fn shade(&self, away: f32, region: Region) -> f32 {
        let reach = self.shadow_width * region.height as f32;
        if !(away < reach) {
            return 0.0;
        }
        self.shadow.clamp(0.0, 1.0) * (1.0 - away.max(0.0) / reach).powi(2)
    }

    // The rim is a quarter of a circle: steep at the edge, level where it ends.
    fn lit(&self, base: Ink, distance: &Plane<1>, region: Region, x: usize, y: usize) -> Ink {
        let width = self.rim * region.height as f32;
        let inside = -distance.pixels[y * region.width + x][0];
        if width < 0.5 || inside >= width {
            return base;
        }
        let from_top = 1.0 - (inside / width).clamp(0.0, 1.0);
        let steep = from_top / (1.0 - from_top * from_top).max(0.05).sqrt();
        let outward = glam::Vec2::from(distance.slope(x, y)).normalize_or_zero();
        let normal = normal((outward * -steep).to_array());
        let (towards, half_way) = self.lamp.seen_from(region, x, y);
        let light = (0.35 + 0.65 * normal.dot(towards).max(0.0) / towards.z.max(0.2)).min(2.0);
        // A level top has no highlight of its own, so that the rim ends without a line.
        let gloss = Gloss { strength: self.gloss, exponent: self.shininess };
        let shine = (gloss.on(normal, half_way) - gloss.on(glam::Vec3::Z, half_way)).max(0.0);
        std::array::from_fn(|channel| base[channel] * light + shine * self.lamp.colour[channel])
    }
}
