//! Particles of a liquid as coloured spheres.

use glam::Vec3;
use undine_frame::Cloud;

use super::environment::TankEnvironment;
use crate::flat::ParticleLayer;
use crate::plots::Scale;
use crate::plots::field::FieldPalette;
use crate::preview::scene_geometry::{Spheres, sphere_hit};

/// A cloud of spheres and its colours.
struct SphereCloud<'a> {
    points: &'a Cloud,
    first: u32,
    look: ParticleLayer,
    palette: FieldPalette,
    scale: Scale,
}

/// The particles that a picture shows as spheres.
#[derive(Default)]
pub struct ParticleSpheres<'a> {
    clouds: Vec<SphereCloud<'a>>,
    first: Option<u32>,
}

impl<'a> ParticleSpheres<'a> {
    /// Some clouds with the look of their layer.
    pub fn new<'s>(spheres: impl Iterator<Item = &'s Spheres<'a>>, look: Option<&ParticleLayer>) -> Self
    where
        'a: 's,
    {
        let cloud = |spheres: &Spheres<'a>| {
            let look = look.cloned().unwrap_or_default();
            let palette = FieldPalette::choose(&look.map, undine_frame::FieldScale::Plain);
            let scale = look.scale(std::iter::once(spheres.points));
            SphereCloud { points: spheres.points, first: spheres.first, look, palette, scale }
        };
        let clouds: Vec<SphereCloud<'a>> = spheres.map(cloud).collect();
        let first = clouds.iter().map(|cloud| cloud.first).min();
        ParticleSpheres { clouds, first }
    }

    /// Whether a primitive is one of the spheres.
    pub fn contains(&self, primitive: u32) -> bool {
        primitive != crate::preview::rasteriser::NO_PRIMITIVE
            && self.first.is_some_and(|first| primitive >= first)
    }

    /// Radiance of a sphere.
    pub fn radiance(
        &self,
        primitive: u32,
        eye: Vec3,
        direction: Vec3,
        environment: &TankEnvironment<'_>,
    ) -> Vec3 {
        let Some(cloud) = self.clouds.iter().rev().find(|cloud| cloud.first <= primitive) else {
            return environment.background(eye, direction, true);
        };
        let index = (primitive - cloud.first) as usize;
        let Some(&centre) = cloud.points.positions.get(index) else { return Vec3::ZERO };
        let hit = sphere_hit(centre.into(), cloud.points.radius, eye, direction);
        let ink = cloud.look.colour(cloud.points, index, &cloud.palette, &cloud.scale);
        environment.solid(hit.normal, Vec3::from(ink), Vec3::splat(0.8))
    }
}
