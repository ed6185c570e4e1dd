//! Triangles and spheres that rays can meet, at rest or on the move.

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

/// Where a ray meets a primitive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrimitiveHit {
    /// Distance along the ray.
    pub distance: f32,
    /// Number of the primitive among all of the stage.
    pub primitive: u32,
    /// Of a triangle: shares of its second and third corner.
    pub barycentric: [f32; 2],
    /// The centre of a sphere; none for a triangle.
    pub centre: Option<Vec3>,
}

/// A triangle or a sphere that may move.
struct MovingPrimitive {
    primitive: u32,
    shape: MovingShape,
}

enum MovingShape {
    /// Corners, and how far each moves while the shutter is open.
    Triangle([Vec3; 3], [Vec3; 3]),
    /// Centre, how far it moves, and radius.
    Sphere(Vec3, Vec3, f32),
}

/// Surfaces and clouds of spheres.
pub struct Geometry {
    tree: Bvh,
    sheets: Vec<HeightFieldQuadtree>,
    movers: Vec<MovingPrimitive>,
    boxes: Option<Bvh2>,
}

impl Geometry {
    /// The primitives of some surfaces and clouds, which move for `shutter` seconds.
    pub fn new<'s, 'a: 's>(
        surfaces: impl Iterator<Item = &'s WorldMesh<'a>>,
        clouds: &[Spheres<'a>],
        shutter: f32,
    ) -> Self {
        let (mut triangles, mut sheets, mut movers) = (Vec::new(), Vec::new(), Vec::new());
        for surface in surfaces {
            if shutter > 0.0 && !surface.mesh.velocities.is_empty() {
                movers.extend(
                    (0..surface.mesh.triangle_count()).map(|number| moving(surface, number, shutter)),
                );
            } else if let Some(sheet) = HeightFieldQuadtree::new(&surface.mesh, surface.first) {
                sheets.push(sheet);
            } else {
                let all = 0..surface.mesh.triangle_count();
                triangles.extend(all.map(|number| (surface.first + number as u32, surface.corners(number))));
            }
        }
        movers.extend(clouds.iter().flat_map(|cloud| spheres(cloud, shutter)));
        movers.retain(|mover| mover.swept().valid());
        let boxes = (!movers.is_empty()).then(|| {
            let swept: Vec<Aabb> = movers.iter().map(MovingPrimitive::swept).collect();
            boxes_around(&swept)
        });
        Geometry { tree: Bvh::new(triangles.into_iter()), sheets, movers, boxes }
    }

    /// The first primitive along a ray, nearer than `limit`; `time` is in shutters, from −½ to ½.
    pub fn closest_hit(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<PrimitiveHit> {
        if !(from.is_finite() && direction.is_finite()) {
            return None;
        }
        let met = self.tree.closest_hit(from, direction, limit);
        let mut found = met.map(|met| PrimitiveHit {
            distance: met.distance,
            primitive: met.triangle,
            barycentric: met.barycentric,
            centre: None,
        });
        let nearest = |found: &Option<PrimitiveHit>| found.map_or(limit, |met| met.distance);
        for sheet in &self.sheets {
            found = sheet.closest_hit(from, direction, nearest(&found)).or(found);
        }
        self.closest_moving_hit(from, direction, nearest(&found), time).or(found)
    }

    fn closest_moving_hit(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<PrimitiveHit> {
        let boxes = self.boxes.as_ref()?;
        let mover =
            |id: usize| boxes.primitive_indices.get(id).and_then(|&place| self.movers.get(place as usize));
        let mut hit = RayHit::none();
        let ray = Ray::new(from.into(), direction.into(), 0.0, limit.min(1e30));
        boxes.ray_traverse(ray, &mut hit, |ray, id| {
            let met = mover(id).and_then(|mover| mover.intersect(from, direction, ray.tmax, time));
            met.map_or(f32::INFINITY, |met| met.distance)
        });
        let nearest = mover(hit.primitive_id as usize)?;
        nearest.intersect(from, direction, limit, time)
    }
}

/// A tree of boxes, made step by step as the crate's own builder makes it. That one looks at a clock, and a web page has none
/// that it could look at.
fn boxes_around(swept: &[Aabb]) -> Bvh2 {
    let with = BvhBuildParams::fast_build();
    let numbers = (0..swept.len() as u32).collect();
    let mut builder = PlocBuilder::with_capacity(swept.len());
    let (reach, depth) = (with.ploc_search_distance, with.search_depth_threshold);
    let mut boxes = builder.build(reach, swept, numbers, with.sort_precision, depth);
    let mut optimiser = ReinsertionOptimizer::default();
    optimiser.run(&mut boxes, with.reinsertion_batch_ratio, None);
    collapse(&mut boxes, with.max_prims_per_leaf.clamp(1, 255), with.collapse_traversal_cost);
    let again = with.reinsertion_batch_ratio * with.post_collapse_reinsertion_batch_ratio_multiplier;
    optimiser.run(&mut boxes, again, None);
    boxes
}

fn moving(surface: &WorldMesh<'_>, number: usize, shutter: f32) -> MovingPrimitive {
    let velocity = |vertex: u32| {
        let velocity = surface.mesh.velocities.get(vertex as usize).copied().unwrap_or_default();
        let way = Vec3::from(velocity) * shutter;
        if way.is_finite() { way } else { Vec3::ZERO }
    };
    let ways = surface.mesh.triangle(number).map(velocity);
    MovingPrimitive {
        primitive: surface.first + number as u32,
        shape: MovingShape::Triangle(surface.corners(number), ways),
    }
}

fn spheres<'s>(cloud: &'s Spheres<'_>, shutter: f32) -> impl Iterator<Item = MovingPrimitive> + 's {
    let points = cloud.points;
    points.positions.iter().enumerate().map(move |(number, &at)| {
        let way =
            points.velocities.get(number).map_or(Vec3::ZERO, |&velocity| Vec3::from(velocity) * shutter);
        let way = if way.is_finite() { way } else { Vec3::ZERO };
        MovingPrimitive {
            primitive: cloud.first + number as u32,
            shape: MovingShape::Sphere(at.into(), way, points.radius),
        }
    })
}

impl MovingPrimitive {
    // The box of all places where it is while the shutter is open; one that is not valid for no numbers.
    fn swept(&self) -> Aabb {
        let mut swept = Aabb::empty();
        let mut is_sound = true;
        let mut add = |at: Vec3, way: Vec3, radius: f32| {
            for end in [at - 0.5 * way, at + 0.5 * way] {
                swept.extend(Vec3A::from(end - radius));
                swept.extend(Vec3A::from(end + radius));
                is_sound &= end.is_finite() && radius.is_finite();
            }
        };
        match &self.shape {
            MovingShape::Triangle(corners, ways) => {
                corners.iter().zip(ways).for_each(|(&corner, &way)| add(corner, way, 0.0));
            }
            MovingShape::Sphere(centre, way, radius) => add(*centre, *way, *radius),
        }
        if is_sound { swept } else { Aabb::empty() }
    }

    fn intersect(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<PrimitiveHit> {
        match &self.shape {
            MovingShape::Triangle(corners, ways) => {
                let moved = [0, 1, 2].map(|corner| corners[corner] + ways[corner] * time);
                let (distance, barycentric) = intersect_triangle(from, direction, &moved, limit)?;
                Some(PrimitiveHit { distance, primitive: self.primitive, barycentric, centre: None })
            }
            MovingShape::Sphere(centre, way, radius) => {
                let centre = *centre + *way * time;
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

/// Triangles are wider than they are by this share, so that no ray slips through between two of them.
const OVERLAP: f32 = 2e-5;

/// Where a ray meets a triangle, nearer than `limit`: the distance, and the shares of the second and third corner
/// [moller1997].
#[inline]
pub fn intersect_triangle(
    from: Vec3,
    direction: Vec3,
    [a, b, c]: &[Vec3; 3],
    limit: f32,
) -> Option<(f32, [f32; 2])> {
    let (along, up, offset) = (*b - *a, *c - *a, from - *a);
    let across = direction.cross(up);
    let inverse = 1.0 / along.dot(across);
    let second = offset.dot(across) * inverse;
    let turned = offset.cross(along);
    let third = direction.dot(turned) * inverse;
    let distance = up.dot(turned) * inverse;
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
    fn things_are_met_where_they_are_at_the_time() {
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
            let met = ball(time).unwrap();
            assert!((met.distance - (8.9 + 2.0 * time)).abs() < 1e-5);
            assert_eq!(met.primitive, 8);
        }
        assert_eq!(geometry.closest_hit(Vec3::NAN, Vec3::Z, 9.0, 0.0), None);
        assert_eq!(geometry.closest_hit(Vec3::new(3.0, 3.0, 3.0), Vec3::Z, 9.0, 0.0), None);
    }
}
