//! Particles of a liquid as little balls, coloured by what they do.

use glam::Vec3;
use undine_frame::Cloud;

use super::room::Room;
use crate::flat::Dots as DotsLook;
use crate::plots::Scale;
use crate::plots::field::Palette;
use crate::preview::stage::{Spheres, sphere_hit};

/// A cloud of balls and its colours.
struct DotCloud<'a> {
    points: &'a Cloud,
    first: u32,
    look: DotsLook,
    palette: Palette,
    scale: Scale,
}

/// The particles that a picture shows as balls.
#[derive(Default)]
pub struct Dots<'a> {
    clouds: Vec<DotCloud<'a>>,
    first: Option<u32>,
}

impl<'a> Dots<'a> {
    /// Some clouds in the looks of the layers that show them.
    pub fn new<'s>(spheres: impl Iterator<Item = &'s Spheres<'a>>, look: Option<&DotsLook>) -> Self
    where
        'a: 's,
    {
        let cloud = |spheres: &Spheres<'a>| {
            let look = look.cloned().unwrap_or_default();
            let palette = Palette::choose(&look.map, undine_frame::FieldScale::Plain);
            let scale = look.scale(std::iter::once(spheres.points));
            DotCloud { points: spheres.points, first: spheres.first, look, palette, scale }
        };
        let clouds: Vec<DotCloud<'a>> = spheres.map(cloud).collect();
        let first = clouds.iter().map(|cloud| cloud.first).min();
        Dots { clouds, first }
    }

    /// Whether a primitive is one of the balls.
    pub fn are(&self, primitive: u32) -> bool {
        primitive != crate::preview::raster::NOTHING && self.first.is_some_and(|first| primitive >= first)
    }

    /// The light of a ball.
    pub fn light(&self, primitive: u32, eye: Vec3, direction: Vec3, room: &Room<'_>) -> Vec3 {
        let Some(cloud) = self.clouds.iter().rev().find(|cloud| cloud.first <= primitive) else {
            return room.beyond(eye, direction, true);
        };
        let index = (primitive - cloud.first) as usize;
        let Some(&centre) = cloud.points.positions.get(index) else { return Vec3::ZERO };
        let hit = sphere_hit(centre.into(), cloud.points.radius, eye, direction);
        let ink = cloud.look.ink(cloud.points, index, &cloud.palette, &cloud.scale);
        room.solid(hit.normal, Vec3::from(ink), Vec3::splat(0.8))
    }
}
