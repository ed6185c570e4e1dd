//! Shadow map of solid bodies, with percentage-closer filtering.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::pinhole_camera::PinholeCamera;
use super::rasteriser::Rasteriser;
use super::scene_geometry::SceneGeometry;

/// Pixels along the side of the map.
const SIDE: usize = 512;
/// Distance of the map's camera in radii of the bodies: far enough for nearly parallel rays.
const DISTANCE: f32 = 150.0;
/// Radius of the shadow filter in texels.
const FILTER_RADIUS: i32 = 3;
/// Depth bias, as a fraction of the radius of the bodies.
const DEPTH_BIAS: f32 = 0.02;

/// Depth of the solid bodies as seen from the sun.
#[derive(Debug)]
pub struct ShadowMap {
    eye: PinholeCamera,
    bias: f32,
    /// 1/z per texel, 0 where there is no body; rows from the top.
    inverse_depth: Vec<f32>,
}

impl ShadowMap {
    /// Renders the map for a sun in this direction; `None` when there is no solid body.
    pub fn new(geometry: &SceneGeometry<'_>, sun: Vec3) -> Option<ShadowMap> {
        let solids = || geometry.surfaces.iter().filter(|surface| surface.mesh.material.is_body());
        let points = || solids().flat_map(|surface| &surface.mesh.positions).map(|&point| Vec3::from(point));
        let (low, high) = points()
            .filter(|point| point.is_finite())
            .fold((Vec3::MAX, Vec3::MIN), |(low, high), point| (low.min(point), high.max(point)));
        let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
        if !(radius > 0.0 && radius.is_finite()) {
            return None;
        }
        let field = 2.0 * (1.05 / DISTANCE).atan();
        let eye = PinholeCamera::new(middle + sun * (DISTANCE * radius), middle, field, SIDE, SIDE);
        let raster = Rasteriser::new(&eye, geometry, [SIDE; 2], 1, SIDE / 16, |surface| {
            surface.mesh.material.is_body()
        });
        let mut inverse_depth = vec![0.0; SIDE * SIDE];
        inverse_depth.par_chunks_mut(SIDE / 16 * SIDE).enumerate().for_each(|(index, rows)| {
            let band = raster.rasterise_band(index);
            for (index, inverse_depth) in rows.iter_mut().enumerate() {
                *inverse_depth = band.inverse_depth(index % SIDE, index / SIDE);
            }
        });
        drop(raster);
        Some(ShadowMap { eye, bias: DEPTH_BIAS * radius, inverse_depth })
    }

    /// Visibility of the sun at a point, 0 to 1.
    pub fn sun_visibility(&self, point: Vec3) -> f32 {
        let view_point = self.eye.to_view_space(point);
        if view_point.z <= 0.0 {
            return 1.0;
        }
        let at = self.eye.project(view_point) - 0.5;
        let is_lit = |x: i32, y: i32| {
            let is_inside = (0..SIDE as i32).contains(&x) && (0..SIDE as i32).contains(&y);
            let inverse_depth =
                if is_inside { self.inverse_depth[y as usize * SIDE + x as usize] } else { 0.0 };
            inverse_depth * (view_point.z - self.bias) <= 1.0
        };
        // Box filter at subtexel position, so that the shadow's edge has no steps
        let (base, fraction_in_texel) = (at.floor(), at - at.floor());
        let weight = |offset: i32, fraction_in_texel: f32| match offset {
            _ if offset == -FILTER_RADIUS => 1.0 - fraction_in_texel,
            _ if offset == FILTER_RADIUS + 1 => fraction_in_texel,
            _ => 1.0,
        };
        let mut sum = 0.0;
        for (y, x) in (-FILTER_RADIUS..=FILTER_RADIUS + 1)
            .flat_map(|y| (-FILTER_RADIUS..=FILTER_RADIUS + 1).map(move |x| (y, x)))
        {
            let fraction = Vec2::new(weight(x, fraction_in_texel.x), weight(y, fraction_in_texel.y));
            sum += if is_lit(base.x as i32 + x, base.y as i32 + y) { fraction.x * fraction.y } else { 0.0 };
        }
        sum / ((2 * FILTER_RADIUS + 1) as f32).powi(2)
    }
}
