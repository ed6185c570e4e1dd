//! Render passes: auxiliary channels of a traced picture, for a multi-channel file.

use glam::{Vec2, Vec3};
use undine_frame::Raster;

use super::film::{Film, Pixel};
use crate::preview::pinhole_camera::PinholeCamera;

/// A render pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderPass {
    /// Linear radiance in kcd/m².
    Light,
    /// Distance of the first surface in metres; 0 where there is none.
    Depth,
    /// Unit normal of the first surface.
    Normal,
    /// Albedo of the first diffuse surface, seen through water too.
    Albedo,
    /// Motion of the first surface in the picture, in pixels per second to the right and up.
    Motion,
    /// Radiance due to sunlight that came through water.
    Caustics,
}

/// All passes: name and help.
pub const PASSES: &[(&str, &str, RenderPass)] = &[
    ("light", "linear radiance, in thousands of candela per square metre", RenderPass::Light),
    ("depth", "distance of the first surface, in metres", RenderPass::Depth),
    ("normal", "normal of the first surface", RenderPass::Normal),
    ("albedo", "diffuse reflectance of what is seen, through water too", RenderPass::Albedo),
    ("motion", "motion of the first surface, in pixels per second to the right and up", RenderPass::Motion),
    ("caustics", "radiance due to sunlight that came through water", RenderPass::Caustics),
];

impl RenderPass {
    /// The pass of this name.
    pub fn named(name: &str) -> Option<RenderPass> {
        PASSES.iter().find(|(known, ..)| *known == name).map(|(.., pass)| *pass)
    }

    /// The raster of a pass, with its first row at the bottom as all rasters have it.
    pub fn raster(self, film: &Film, eye: &PinholeCamera) -> Raster {
        let (components, unit) = match self {
            RenderPass::Depth => (1, "m"),
            RenderPass::Motion => (2, "px/s"),
            RenderPass::Light | RenderPass::Caustics => (3, "kcd/m²"),
            RenderPass::Normal | RenderPass::Albedo => (3, ""),
        };
        let width = film.width.max(1);
        let rows = film.pixels.chunks(width).enumerate().rev();
        let values = rows.flat_map(|(y, row)| {
            row.iter().enumerate().flat_map(move |(x, pixel)| {
                let at = Vec2::new(x as f32, y as f32) + 0.5;
                self.value(pixel, at, eye).to_array().into_iter().take(components)
            })
        });
        let name = PASSES.iter().find(|(.., pass)| *pass == self).map_or("", |(name, ..)| name);
        Raster {
            name: name.to_owned(),
            unit: unit.to_owned(),
            size: [film.width as u32, film.height as u32, 1],
            components: components as u32,
            origin: [0.0; 3],
            spacing: [1.0; 3],
            values: values.collect(),
            ..Raster::default()
        }
    }

    fn value(self, pixel: &Pixel, at: Vec2, eye: &PinholeCamera) -> Vec3 {
        let features = &pixel.features;
        match self {
            RenderPass::Light => pixel.light,
            RenderPass::Depth => Vec3::splat(features.depth),
            RenderPass::Normal => features.normal.normalize_or_zero(),
            RenderPass::Albedo => features.albedo,
            RenderPass::Caustics => features.caustics,
            RenderPass::Motion if features.depth > 0.0 => {
                let point = eye.position + eye.ray_direction(at) * features.depth;
                // Forward difference over a small step, so that the projection is nearly linear.
                let step = 1e-3 * features.depth / features.velocity.length().max(1e-6);
                let moved = eye.to_view_space(point + features.velocity * step);
                if moved.z <= 0.0 {
                    return Vec3::ZERO;
                }
                let motion = (eye.project(moved) - eye.project(eye.to_view_space(point))) / step;
                Vec3::new(motion.x, -motion.y, 0.0)
            }
            RenderPass::Motion => Vec3::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::aux_features::AuxFeatures;

    #[test]
    fn motion_is_in_pixels_and_rows_start_at_the_bottom() {
        let eye = PinholeCamera::new(Vec3::ZERO, Vec3::Y, 1.0, 2, 2);
        let features =
            AuxFeatures { depth: 10.0, velocity: Vec3::new(1.0, 0.0, 2.0), ..AuxFeatures::default() };
        let pixel = Pixel { light: Vec3::ZERO, variance: 0.0, features };
        let mut film = Film { width: 2, height: 2, pixels: vec![pixel; 4] };
        film.pixels[0].features.depth = 0.0;
        let motion = RenderPass::Motion.raster(&film, &eye);
        assert_eq!(motion.inconsistency(), None);
        // The first pixel of the picture, at the top, is the first of the last row.
        assert_eq!(motion.values[4..6], [0.0, 0.0]);
        let [right, up] = [motion.values[2], motion.values[3]];
        assert!(right > 0.0 && up > 1.5 * right, "{right} {up}");
        assert_eq!(RenderPass::Depth.raster(&film, &eye).values, [10.0, 10.0, 0.0, 10.0]);
        assert!(PASSES.iter().all(|(name, _, pass)| RenderPass::named(name) == Some(*pass)));
    }
}
