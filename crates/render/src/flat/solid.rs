//! Layer of obstacles: antialiased edge, bevelled rim lit by a point light, and shadow on the fluid beside them.

use super::compositor::{BlendState, PixelRect};
use super::layer_context::LayerContext;
use super::relief::{Gloss, PointLight, normal};
use super::resample::PixelBuffer;
use super::signed_distance;
use crate::DrawError;
use crate::colour::mix;
use crate::plots::canvas::LinearRgb;

/// A layer of obstacles.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidLayer {
    /// Their colour, linear.
    pub colour: LinearRgb,
    /// Whether they are holes that show the background.
    pub is_cut: bool,
    /// Wall thickness of hollow obstacles, such as a cup, in heights of the box; `None` for solid ones.
    pub wall: Option<f32>,
    /// Width of the bevelled rim, in heights of the box.
    pub rim: f32,
    /// The light on the rim.
    pub lamp: PointLight,
    /// Strength of the specular highlights on the rim.
    pub gloss: f32,
    /// Specular exponent.
    pub shininess: f32,
    /// Darkness of the shadow on the fluid, 0 to 1.
    pub shadow: f32,
    /// Width of the shadow, in heights of the box.
    pub shadow_width: f32,
}

impl Default for SolidLayer {
    fn default() -> Self {
        SolidLayer {
            colour: crate::colour::from_hex(0x3a4048),
            is_cut: false,
            wall: None,
            rim: 0.012,
            lamp: PointLight::default(),
            gloss: 0.25,
            shininess: 24.0,
            shadow: 0.35,
            shadow_width: 0.025,
        }
    }
}

impl SolidLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let Some(distance) = signed_distance::obstacle_distance(context)? else {
            return Err(signed_distance::no_obstacle_field(context.frame));
        };
        let region = context.compositor.inner;
        let beneath = std::mem::take(&mut context.compositor.background.pixels);
        let page = context.compositor.page;
        let wall = self.wall.map_or(f32::INFINITY, |wall| wall * region.height as f32);
        context.compositor.paint(region, blend_state, |x, y, below| {
            let away = distance.pixels[y * region.width + x][0];
            let shaded = mix(below, [0.0; 3], self.shade(away, region));
            let background = || beneath[(region.top + y) * page.width + region.left + x];
            let covered = |edge: f32| (0.5 - edge).clamp(0.0, 1.0);
            let mut seen = shaded;
            if covered(away) > 0.0 {
                let base = if self.is_cut { background() } else { self.colour };
                seen = mix(seen, self.lit(base, wall, &distance, region, x, y), covered(away));
            }
            // The hollow inside of a wall shows the background, with the wall's shadow
            if covered(away + wall) > 0.0 {
                let behind = mix(background(), [0.0; 3], self.shade(-away - wall, region));
                seen = mix(seen, behind, covered(away + wall));
            }
            (seen, 1.0)
        });
        context.compositor.background.pixels = beneath;
        Ok(())
    }

    fn shade(&self, away: f32, region: PixelRect) -> f32 {
        let reach = (self.shadow_width * region.height as f32).max(1e-3);
        if away.is_nan() || away >= reach {
            return 0.0;
        }
        self.shadow.clamp(0.0, 1.0) * (1.0 - away.max(0.0) / reach).powi(2)
    }

    // Shading of the bevel: its profile is a quarter circle, steep at the edge; a wall has one on either side.
    fn lit(
        &self,
        base: LinearRgb,
        wall: f32,
        distance: &PixelBuffer<1>,
        region: PixelRect,
        x: usize,
        y: usize,
    ) -> LinearRgb {
        let width = (self.rim * region.height as f32).min(0.5 * wall);
        let inside = -distance.pixels[y * region.width + x][0];
        let from_edge = inside.min(wall - inside);
        if width < 0.5 || from_edge >= width {
            return base;
        }
        let from_top = 1.0 - (from_edge / width).clamp(0.0, 1.0);
        let steep = from_top / (1.0 - from_top * from_top).max(0.05).sqrt();
        let side = if inside < wall - inside { -steep } else { steep };
        let outward = glam::Vec2::from(distance.slope(x, y)).clamp_length_max(1.0);
        let normal = normal((outward * side).to_array());
        let (towards, half_way) = self.lamp.light_vectors(region, x, y);
        let light = (0.35 + 0.65 * normal.dot(towards).max(0.0) / towards.z.max(0.2)).min(2.0);
        // Subtract the highlight of the level top, so that the rim ends without a visible line
        let gloss = Gloss { strength: self.gloss, exponent: self.shininess };
        let shine = (gloss.on(normal, half_way) - gloss.on(glam::Vec3::Z, half_way)).max(0.0);
        std::array::from_fn(|channel| base[channel] * light + shine * self.lamp.colour[channel])
    }
}
