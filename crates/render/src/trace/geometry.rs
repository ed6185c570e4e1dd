//! Triangles and spheres that rays can meet.

use glam::Vec3;

use crate::preview::liquid::tree::Tree;
use crate::preview::stage::{Spheres, Surface};

/// Where a ray meets a primitive.
#[derive(Debug, Clone, Copy)]
pub struct Meeting {
    /// Distance along the ray.
    pub distance: f32,
    /// Number of the triangle among all primitives of the stage.
    pub primitive: u32,
    /// Shares of its second and third corner.
    pub shares: [f32; 2],
    /// The centre of a sphere; none for a triangle.
    pub centre: Option<Vec3>,
}

/// Surfaces and clouds of spheres.
pub struct Geometry {
    tree: Tree,
}

impl Geometry {
    /// The primitives of some surfaces and clouds.
    pub fn new<'s, 'a: 's>(
        surfaces: impl Iterator<Item = &'s Surface<'a>>,
        _clouds: &[Spheres<'a>],
        _shutter: f32,
    ) -> Self {
        let triangles: Vec<(u32, [Vec3; 3])> = surfaces
            .flat_map(|surface| {
                (0..surface.mesh.triangle_count())
                    .map(|triangle| (surface.first + triangle as u32, surface.corners(triangle)))
            })
            .collect();
        Geometry { tree: Tree::new(triangles.into_iter()) }
    }

    /// The first primitive along a ray, nearer than `limit`.
    pub fn first(&self, from: Vec3, direction: Vec3, limit: f32, _time: f32) -> Option<Meeting> {
        let met = self.tree.first(from, direction, limit)?;
        Some(Meeting { distance: met.distance, primitive: met.triangle, shares: met.shares, centre: None })
    }
}
