//! Layer of a field as a bump-mapped surface lit by a point light.
//!
//! The slopes of the field perturb the normals [blinn1978], which modulates the colours below; a level surface leaves them
//! unchanged. Specular highlights by the half vector [blinn1977].

use glam::{Vec2, Vec3};

use undine_frame::{FieldChoice, Quantity};

use super::compositor::{BlendState, PixelRect};
use super::layer_context::LayerContext;
use super::resample::FilterKernel;
use crate::DrawError;
use crate::plots::canvas::LinearRgb;

/// A point light over the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointLight {
    /// Position: across and up the box, 0 to 1, and in front of it in heights of the box.
    pub position: [f32; 3],
    /// Its colour, linear.
    pub colour: LinearRgb,
}

impl Default for PointLight {
    fn default() -> Self {
        PointLight { position: [0.25, 0.9, 0.7], colour: [1.0; 3] }
    }
}

impl PointLight {
    /// Unit light vector at a pixel, and half vector towards the viewer; x right, y up, z to the viewer.
    pub fn light_vectors(&self, region: PixelRect, x: usize, y: usize) -> (Vec3, Vec3) {
        let height = region.height.max(1) as f32;
        let position = Vec3::from(self.position) * Vec3::new(region.width as f32, height, height);
        let here = Vec3::new(x as f32 + 0.5, height - y as f32 - 0.5, 0.0);
        let towards = (position - here).try_normalize().unwrap_or(Vec3::Z);
        (towards, (towards + Vec3::Z).try_normalize().unwrap_or(Vec3::Z))
    }
}

/// Blinn–Phong specular parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gloss {
    /// Strength of the highlights.
    pub strength: f32,
    /// Specular exponent.
    pub exponent: f32,
}

impl Gloss {
    /// Specular term s (N·H)ⁿ.
    pub fn on(&self, normal: Vec3, half_way: Vec3) -> f32 {
        self.strength * normal.dot(half_way).max(0.0).powf(self.exponent.max(1.0))
    }
}

/// Unit normal of a surface with these slopes to the right and down.
pub fn normal([right, down]: [f32; 2]) -> Vec3 {
    Vec3::new(-right, down, 1.0).try_normalize().unwrap_or(Vec3::Z)
}

/// A layer of a field as a bump-mapped surface.
#[derive(Debug, Clone, PartialEq)]
pub struct ReliefLayer {
    /// The height field.
    pub field: FieldChoice,
    /// Value of height `depth`; `None` for the greatest one.
    pub limit: Option<f32>,
    /// Height scale, in heights of the box.
    pub depth: f32,
    /// The light.
    pub lamp: PointLight,
    /// Strength of the diffuse shading, 0 to 1.
    pub shading: f32,
    /// Strength of the specular highlights.
    pub gloss: f32,
    /// Specular exponent.
    pub shininess: f32,
}

impl Default for ReliefLayer {
    fn default() -> Self {
        ReliefLayer {
            field: FieldChoice::Of(Quantity::Vorticity),
            limit: None,
            depth: 0.03,
            lamp: PointLight::default(),
            shading: 1.0,
            gloss: 0.35,
            shininess: 40.0,
        }
    }
}

impl ReliefLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let (_, slice) = context.slice(&self.field)?;
        let greatest = || slice.range().map(|(low, high)| low.abs().max(high.abs()));
        let limit = self.limit.or_else(greatest).filter(|limit| limit.is_finite() && *limit > 0.0);
        let Some(limit) = limit else { return Ok(()) };
        let heights = context.values(&slice, FilterKernel::Smooth);
        let region = context.compositor.inner;
        let rise = self.depth * region.height as f32 / limit;
        let gloss = Gloss { strength: self.gloss, exponent: self.shininess };
        context.compositor.paint(region, blend_state, |x, y, below| {
            let slope = Vec2::from(heights.slope(x, y)) * rise;
            if !slope.is_finite() {
                return (below, 0.0);
            }
            let normal = normal(slope.to_array());
            let (towards, half_way) = self.lamp.light_vectors(region, x, y);
            let level = towards.z.max(0.05);
            let light = 1.0 + self.shading * (normal.dot(towards).max(0.0) / level - 1.0);
            let shine = gloss.on(normal, half_way);
            let lit = |channel: usize| below[channel] * light + shine * self.lamp.colour[channel];
            (std::array::from_fn(lit), 1.0)
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_turn_the_normal_away_from_the_rise() {
        let east = normal([1.0, 0.0]);
        assert!(east.x < 0.0 && east.y == 0.0, "a surface that rises to the right looks to the left");
        let south = normal([0.0, 1.0]);
        assert!(south.y > 0.0, "one that rises downwards looks up the page");
    }

    #[test]
    fn the_lamp_is_where_it_was_put() {
        let region = PixelRect { left: 0, top: 0, width: 200, height: 100 };
        let lamp = PointLight { position: [0.5, 0.5, 1.0], ..PointLight::default() };
        let (towards, _) = lamp.light_vectors(region, 100, 50);
        assert!(towards.z > 0.999);
        let (towards, _) = lamp.light_vectors(region, 0, 99);
        assert!(towards.x > 0.0 && towards.y > 0.0);
    }
}
