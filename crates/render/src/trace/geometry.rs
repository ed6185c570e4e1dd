//! Triangles and spheres, at rest or moving during the exposure, and their ray intersections.

use glam::{Vec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::leaf_collapser::collapse;
use obvhs::bvh2::reinsertion::ReinsertionOptimizer;
use obvhs::ploc::PlocBuilder;
use obvhs::ray::{Ray, RayHit};

use super::height_field::HeightFieldQuadtree;
use crate::preview::liquid::bvh::Bvh;
use crate::preview::scene_geometry::{Spheres, WorldMesh};

/// The intersection of a ray and a primitive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrimitiveHit {
    /// Distance along the ray.
    pub distance: f32,
    /// Number of the primitive in the scene geometry.
    pub primitive: u32,
    /// Barycentric coordinates of the second and third corner of a triangle.
    pub barycentric: [f32; 2],
    /// The centre of a sphere; none for a triangle.
    pub centre: Option<Vec3>,
}

/// A moving triangle or a sphere.
struct MovingPrimitive {
    primitive: u32,
    shape: MovingShape,
}

enum MovingShape {
    /// Corners, and displacement of each while the shutter is open.
    Triangle([Vec3; 3], [Vec3; 3]),
    /// Centre, its displacement, and radius.
    Sphere(Vec3, Vec3, f32),
}

/// Surfaces and clouds of spheres, each in an acceleration structure that suits it.
pub struct Geometry {
    bvh: Bvh,
    height_fields: Vec<HeightFieldQuadtree>,
    moving: Vec<MovingPrimitive>,
    moving_bvh: Option<Bvh2>,
}

impl Geometry {
    /// The primitives of some surfaces and clouds, which move during `shutter` seconds.
    pub fn new<'s, 'a: 's>(
        surfaces: impl Iterator<Item = &'s WorldMesh<'a>>,
        clouds: &[Spheres<'a>],
        shutter: f32,
    ) -> Self {
        let (mut triangles, mut height_fields, mut moving) = (Vec::new(), Vec::new(), Vec::new());
        for surface in surfaces {
            if shutter > 0.0 && !surface.mesh.velocities.is_empty() {
                moving.extend(
                    (0..surface.mesh.triangle_count())
                        .map(|number| moving_triangle(surface, number, shutter)),
                );
            } else if let Some(sheet) = HeightFieldQuadtree::new(&surface.mesh, surface.first) {
                height_fields.push(sheet);
            } else {
                let all = 0..surface.mesh.triangle_count();
                triangles.extend(all.map(|number| (surface.first + number as u32, surface.corners(number))));
            }
        }
        moving.extend(clouds.iter().flat_map(|cloud| moving_spheres(cloud, shutter)));
        moving.retain(|primitive| primitive.swept_bounds().valid());
        let moving_bvh = (!moving.is_empty()).then(|| {
            let swept_bounds: Vec<Aabb> = moving.iter().map(MovingPrimitive::swept_bounds).collect();
            build_bvh(&swept_bounds)
        });
        Geometry { bvh: Bvh::new(triangles.into_iter()), height_fields, moving, moving_bvh }
    }

    /// The closest primitive along a ray, nearer than `limit`; `time` is in shutter lengths, from −½ to ½.
    pub fn closest_hit(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<PrimitiveHit> {
        if !(from.is_finite() && direction.is_finite()) {
            return None;
        }
        let hit = self.bvh.closest_hit(from, direction, limit);
        let mut found = hit.map(|hit| PrimitiveHit {
            distance: hit.distance,
            primitive: hit.triangle,
            barycentric: hit.barycentric,
            centre: None,
        });
        let nearest = |found: &Option<PrimitiveHit>| found.map_or(limit, |hit| hit.distance);
        for sheet in &self.height_fields {
            found = sheet.closest_hit(from, direction, nearest(&found)).or(found);
        }
        self.closest_moving_hit(from, direction, nearest(&found), time).or(found)
    }

    fn closest_moving_hit(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<PrimitiveHit> {
        let moving_bvh = self.moving_bvh.as_ref()?;
        let primitive_at = |id: usize| {
            moving_bvh.primitive_indices.get(id).and_then(|&index| self.moving.get(index as usize))
        };
        let mut hit = RayHit::none();
        let ray = Ray::new(from.into(), direction.into(), 0.0, limit.min(1e30));
        moving_bvh.ray_traverse(ray, &mut hit, |ray, id| {
            let hit =
                primitive_at(id).and_then(|primitive| primitive.intersect(from, direction, ray.tmax, time));
            hit.map_or(f32::INFINITY, |hit| hit.distance)
        });
        let nearest = primitive_at(hit.primitive_id as usize)?;
        nearest.intersect(from, direction, limit, time)
    }
}

/// Builds a BVH by the steps of the crate's own builder. That one reads a clock, which a web page does not have.
fn build_bvh(swept_bounds: &[Aabb]) -> Bvh2 {
    let params = BvhBuildParams::fast_build();
    let numbers = (0..swept_bounds.len() as u32).collect();
    let mut builder = PlocBuilder::with_capacity(swept_bounds.len());
    let (reach, depth) = (params.ploc_search_distance, params.search_depth_threshold);
    let mut moving_bvh = builder.build(reach, swept_bounds, numbers, params.sort_precision, depth);
    let mut optimiser = ReinsertionOptimizer::default();
    optimiser.run(&mut moving_bvh, params.reinsertion_batch_ratio, None);
    collapse(&mut moving_bvh, params.max_prims_per_leaf.clamp(1, 255), params.collapse_traversal_cost);
    let again = params.reinsertion_batch_ratio * params.post_collapse_reinsertion_batch_ratio_multiplier;
    optimiser.run(&mut moving_bvh, again, None);
    moving_bvh
}

fn moving_triangle(surface: &WorldMesh<'_>, number: usize, shutter: f32) -> MovingPrimitive {
    let velocity = |vertex: u32| {
        let velocity = surface.mesh.velocities.get(vertex as usize).copied().unwrap_or_default();
        let displacement = Vec3::from(velocity) * shutter;
        if displacement.is_finite() { displacement } else { Vec3::ZERO }
    };
    let displacements = surface.mesh.triangle(number).map(velocity);
    MovingPrimitive {
        primitive: surface.first + number as u32,
        shape: MovingShape::Triangle(surface.corners(number), displacements),
    }
}

fn moving_spheres<'s>(cloud: &'s Spheres<'_>, shutter: f32) -> impl Iterator<Item = MovingPrimitive> + 's {
    let points = cloud.points;
    points.positions.iter().enumerate().map(move |(number, &at)| {
        let displacement =
            points.velocities.get(number).map_or(Vec3::ZERO, |&velocity| Vec3::from(velocity) * shutter);
        let displacement = if displacement.is_finite() { displacement } else { Vec3::ZERO };
        MovingPrimitive {
            primitive: cloud.first + number as u32,
            shape: MovingShape::Sphere(at.into(), displacement, points.radius),
        }
    })
}

impl MovingPrimitive {
    // Bounds of all positions while the shutter is open; not valid where coordinates are not finite.
    fn swept_bounds(&self) -> Aabb {
        let mut swept_bounds = Aabb::empty();
        let mut is_sound = true;
        let mut add = |at: Vec3, displacement: Vec3, radius: f32| {
            for end in [at - 0.5 * displacement, at + 0.5 * displacement] {
                swept_bounds.extend(Vec3A::from(end - radius));
                swept_bounds.extend(Vec3A::from(end + radius));
                is_sound &= end.is_finite() && radius.is_finite();
            }
        };
        match &self.shape {
            MovingShape::Triangle(corners, displacements) => {
                corners
                    .iter()
                    .zip(displacements)
                    .for_each(|(&corner, &displacement)| add(corner, displacement, 0.0));
            }
            MovingShape::Sphere(centre, displacement, radius) => add(*centre, *displacement, *radius),
        }
        if is_sound { swept_bounds } else { Aabb::empty() }
    }

    fn intersect(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<PrimitiveHit> {
        match &self.shape {
            MovingShape::Triangle(corners, displacements) => {
                let moved = [0, 1, 2].map(|corner| corners[corner] + displacements[corner] * time);
                let (distance, barycentric) = intersect_triangle(from, direction, &moved, limit)?;
                Some(PrimitiveHit { distance, primitive: self.primitive, barycentric, centre: None })
            }
            MovingShape::Sphere(centre, displacement, radius) => {
                let centre = *centre + *displacement * time;
                let distance = intersect_sphere(from, direction, centre, *radius, limit)?;
                Some(PrimitiveHit {
                    distance,
                    primitive: self.primitive,
                    barycentric: [0.0; 2],
                    centre: Some(centre),
                })
            }
        }
    }
}

/// Relative overlap of neighbouring triangles, so that no ray passes between them.
const OVERLAP: f32 = 2e-5;

/// Ray–triangle intersection nearer than `limit`: distance, and barycentric coordinates of the second and third corner
/// [moller1997].
#[inline]
pub fn intersect_triangle(
    from: Vec3,
    direction: Vec3,
    [a, b, c]: &[Vec3; 3],
    limit: f32,
) -> Option<(f32, [f32; 2])> {
    let (edge1, edge2, offset) = (*b - *a, *c - *a, from - *a);
    let p = direction.cross(edge2);
    let inverse = 1.0 / edge1.dot(p);
    let second = offset.dot(p) * inverse;
    let q = offset.cross(edge1);
    let third = direction.dot(q) * inverse;
    let distance = edge2.dot(q) * inverse;
    let inside = second >= -OVERLAP && third >= -OVERLAP && second + third <= 1.0 + OVERLAP;
    (inside && distance > 0.0 && distance < limit).then_some((distance, [second, third]))
}

// Where a ray enters a sphere from outside.
fn intersect_sphere(from: Vec3, direction: Vec3, centre: Vec3, radius: f32, limit: f32) -> Option<f32> {
    let middle = (centre - from).dot(direction);
    let aside = (from + direction * middle - centre).length_squared();
    let half = radius * radius - aside;
    let distance = middle - half.max(0.0).sqrt();
    (half > 0.0 && distance > 0.0 && distance < limit).then_some(distance)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use undine_frame::{Cloud, Mesh};

    use super::*;
    use crate::preview::scene_geometry::PrimitiveKind;

    #[test]
    fn moving_primitives_are_hit_where_they_are_at_the_time() {
        let mut sheet = Mesh::flat_sheet("sheet", [1.0, 1.0], [3, 3]);
        sheet.velocities = vec![[0.0, 0.0, 2.0]; 9];
        let surface = WorldMesh { mesh: Cow::Owned(sheet), kind: PrimitiveKind::Mesh, first: 0 };
        let drop = Cloud {
            positions: vec![[5.0, 0.0, 0.0], [f32::NAN, 0.0, 0.0]],
            velocities: vec![[0.0, 0.0, -4.0]; 2],
            radius: 0.1,
            ..Cloud::default()
        };
        let clouds = [Spheres { points: &drop, first: 8, may_streak: false }];
        let geometry = Geometry::new(std::iter::once(&surface), &clouds, 0.5);
        let sheet = |time: f32| geometry.closest_hit(Vec3::new(0.3, 0.4, 9.0), -Vec3::Z, 99.0, time);
        let ball = |time: f32| geometry.closest_hit(Vec3::new(5.0, 0.0, 9.0), -Vec3::Z, 99.0, time);
        for time in [-0.5, 0.0, 0.5] {
            assert!((sheet(time).unwrap().distance - (9.0 - time)).abs() < 1e-5);
            let hit = ball(time).unwrap();
            assert!((hit.distance - (8.9 + 2.0 * time)).abs() < 1e-5);
            assert_eq!(hit.primitive, 8);
        }
        assert_eq!(geometry.closest_hit(Vec3::NAN, Vec3::Z, 9.0, 0.0), None);
        assert_eq!(geometry.closest_hit(Vec3::new(3.0, 3.0, 3.0), Vec3::Z, 9.0, 0.0), None);
    }
}
