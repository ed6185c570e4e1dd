//! Ray intersection of everything in the scene: surfaces, particles, lamps, and horizontal planes.

use glam::{Vec2, Vec3};
use undine_frame::{Material, Quantity};

use super::geometry::{Geometry, PrimitiveHit};
use super::hit::{Hit, TraceMaterial, facing_normal, intersect_horizontal, particle_material, solid_hit};
use super::sphere_light::SphereLight;
use crate::preview::LandDetail;
use crate::preview::liquid::tank::{LiquidTank, TankKind};
use crate::preview::scene_geometry::{PrimitiveKind, SceneGeometry, WorldMesh};
use crate::preview::slope_map::SlopeMap;

/// A level sea that extends to infinity outside a rectangle.
#[derive(Debug)]
pub struct SeaPlane {
    /// Its height.
    pub level: f32,
    /// Corners of the rectangle, which is covered by a mesh.
    pub drawn: [Vec2; 2],
    /// The slopes of waves over it.
    pub swell: Option<SlopeMap>,
}

/// The horizontal planes of a scene.
#[derive(Debug, Default)]
pub struct HorizontalPlanes {
    /// The sea around a sheet.
    pub sea: Option<SeaPlane>,
    /// Height of the bed under water, which is hit only from within it.
    pub bed: Option<f32>,
    /// Height of the floor on which things stand.
    pub floor: Option<f32>,
}

/// The surfaces of a scene in acceleration structures.
pub struct Intersector<'a> {
    geometry: &'a SceneGeometry<'a>,
    /// Surfaces that transmit light, and opaque ones.
    clear: Geometry,
    solid: Geometry,
    materials: Vec<TraceMaterial>,
    colours: Vec<Option<&'a [[f32; 3]]>>,
    /// The horizontal planes.
    pub planes: HorizontalPlanes,
    /// The tank around a liquid, and the distance within which a liquid touches its walls.
    tank: Option<(LiquidTank, f32)>,
    /// Lamps in the scene.
    pub lamps: Vec<SphereLight>,
    /// All samples of a large water, and the angle that a pixel spans.
    pub detail: Option<(LandDetail, f32)>,
    has_glass: bool,
    size: f32,
}

impl<'a> Intersector<'a> {
    /// The surfaces of a scene about `size` metres wide; bodies whose name contains `glass` are glass. They move during
    /// `shutter` seconds.
    pub fn new(
        geometry: &'a SceneGeometry<'a>,
        glass: &str,
        tank: Option<(LiquidTank, f32)>,
        planes: HorizontalPlanes,
        size: f32,
        shutter: f32,
    ) -> Self {
        let materials: Vec<TraceMaterial> =
            geometry.surfaces.iter().map(|surface| material(surface, glass)).collect();
        let parts = |is_clear: bool| {
            let chosen = geometry.surfaces.iter().zip(&materials);
            let chosen = chosen.filter(|(_, material)| material.is_clear() == is_clear);
            let clouds = if is_clear { &[] } else { geometry.spheres.as_slice() };
            Geometry::new(chosen.map(|(surface, _)| surface), clouds, shutter)
        };
        let (clear, solid) = rayon::join(|| parts(true), || parts(false));
        Intersector {
            geometry,
            clear,
            solid,
            has_glass: materials.contains(&TraceMaterial::Glass),
            materials,
            colours: geometry.surfaces.iter().map(|surface| surface.mesh.colours()).collect(),
            planes,
            tank,
            lamps: Vec::new(),
            detail: None,
            size,
        }
    }

    /// Approximate width of the scene in metres.
    pub fn size(&self) -> f32 {
        self.size
    }

    /// Distance by which the origin of a ray is offset from a surface, against self-intersection.
    pub fn ray_offset(&self, point: Vec3) -> f32 {
        1e-5 * point.abs().max_element() + 2e-6 * self.size
    }

    /// The closest hit along a ray; beds are hit only `in_water`. `time` is in shutter lengths, from −½ to ½.
    pub fn closest_hit(
        &self,
        from: Vec3,
        direction: Vec3,
        limit: f32,
        in_water: bool,
        time: f32,
    ) -> Option<Hit> {
        let lamp = self.intersect_lamp(from, direction, limit);
        let mut nearest = lamp.map_or(limit, |lamp| lamp.distance);
        let opaque = self.solid.closest_hit(from, direction, nearest, time);
        nearest = opaque.map_or(nearest, |opaque| opaque.distance);
        let clear = self.clear.closest_hit(from, direction, nearest, time);
        nearest = clear.map_or(nearest, |clear| clear.distance);
        let plane = self.intersect_plane(from, direction, nearest, in_water);
        nearest = plane.map_or(nearest, |hit| hit.distance);
        let surface = || self.surface_hit(&clear.or(opaque)?, from, direction);
        let Some(pane) = self.intersect_pane(from, direction, nearest) else {
            return plane.or_else(surface).or(lamp);
        };
        // Where a liquid touches a pane both are one boundary, for which the liquid's stands.
        let hit = plane.or_else(surface).or(lamp);
        let gap = self.tank.map_or(0.0, |(_, near)| 2.0 * near / -direction.dot(pane.face).min(-0.05));
        hit.filter(|hit| hit.is_on_wall && hit.distance - pane.distance < gap).or(Some(pane))
    }

    /// The closest opaque surface along a ray.
    pub fn closest_opaque_hit(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<Hit> {
        self.surface_hit(&self.solid.closest_hit(from, direction, limit, time)?, from, direction)
    }

    /// Whether an opaque surface lies on a ray.
    pub fn is_occluded(&self, from: Vec3, direction: Vec3, time: f32) -> bool {
        self.solid.closest_hit(from, direction, f32::INFINITY, time).is_some()
    }

    /// Whether the closest clear surface on a ray is water.
    pub fn is_behind_water(&self, from: Vec3, direction: Vec3, time: f32) -> bool {
        let hit = self.closest_clear_hit(from, direction, f32::INFINITY, time);
        hit.is_some_and(|hit| hit.material == TraceMaterial::Water)
    }

    /// The closest surface of water or glass along a ray.
    pub fn closest_clear_hit(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<Hit> {
        let clear = self.clear.closest_hit(from, direction, limit, time);
        let nearest = clear.map_or(limit, |clear| clear.distance);
        let sea = self.intersect_sea(from, direction, nearest);
        sea.or_else(|| self.surface_hit(&clear?, from, direction))
    }

    /// The same, if the scene has any glass.
    pub fn closest_hit_near_glass(&self, from: Vec3, direction: Vec3, limit: f32, time: f32) -> Option<Hit> {
        if self.has_glass { self.closest_clear_hit(from, direction, limit, time) } else { None }
    }

    /// Whether a point is under water: the next water surface above it is seen from below.
    pub fn is_in_water(&self, point: Vec3, time: f32) -> bool {
        let mut from = point;
        // Glass and the edges of a tank may lie in between.
        for _ in 0..8 {
            match self.closest_clear_hit(from, Vec3::Z, f32::INFINITY, time) {
                Some(hit) if hit.material == TraceMaterial::Water => return !hit.is_outside,
                Some(hit) => from = hit.point + Vec3::Z * self.ray_offset(hit.point),
                None => return false,
            }
        }
        false
    }

    // The closest of the horizontal planes.
    fn intersect_plane(&self, from: Vec3, direction: Vec3, limit: f32, in_water: bool) -> Option<Hit> {
        let bed = self.planes.bed.filter(|_| in_water);
        let bed = bed.and_then(|bed| intersect_horizontal(from, direction, limit, bed, TraceMaterial::Bed));
        let floor = self.planes.floor.filter(|_| !in_water);
        let floor =
            floor.and_then(|floor| intersect_horizontal(from, direction, limit, floor, TraceMaterial::Floor));
        let ground = bed.or(floor);
        let limit = ground.map_or(limit, |hit| hit.distance);
        self.intersect_sea(from, direction, limit).or(ground)
    }

    fn intersect_lamp(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<Hit> {
        let mut nearest: Option<Hit> = None;
        for lamp in &self.lamps {
            let limit = nearest.map_or(limit, |hit| hit.distance);
            if let Some(distance) = lamp.intersect(from, direction, limit) {
                let hit = solid_hit(from, direction, distance, -direction);
                nearest = Some(Hit { material: TraceMaterial::Emitter, colour: Some(lamp.light), ..hit });
            }
        }
        nearest
    }

    fn intersect_sea(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<Hit> {
        let sea = self.planes.sea.as_ref()?;
        let hit = intersect_horizontal(from, direction, limit, sea.level, TraceMaterial::Water)?;
        let at = hit.point.truncate();
        let is_drawn = at.cmpge(sea.drawn[0]).all() && at.cmple(sea.drawn[1]).all();
        (!is_drawn).then_some(hit)
    }

    fn intersect_pane(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<Hit> {
        let (tank, _) = self.tank.filter(|(tank, _)| tank.kind == TankKind::Glass)?;
        let (mut nearest, mut outward) = (limit, None);
        let near = self.tank.map_or(0.0, |(_, near)| near);
        for (axis, is_high) in [(0, false), (0, true), (1, false), (1, true)] {
            let wall = if is_high { tank.high[axis] } else { tank.low[axis] };
            let distance = (wall - from[axis]) / direction[axis];
            let at = from + direction * distance;
            let other = 1 - axis;
            // A ray that starts this near to a pane has just passed it, or the liquid in contact with it.
            let is_hit = (wall - from[axis]).abs() > near
                && distance > 0.0
                && distance < nearest
                && at[other] >= tank.low[other]
                && at[other] <= tank.high[other]
                && at.z >= tank.low.z
                && at.z <= tank.high.z;
            if is_hit {
                let mut normal = Vec3::ZERO;
                normal[axis] = -direction[axis].signum();
                (nearest, outward) = (distance, Some(normal));
            }
        }
        outward.map(|normal| Hit {
            material: TraceMaterial::Pane,
            ..solid_hit(from, direction, nearest, normal)
        })
    }

    fn surface_hit(&self, primitive_hit: &PrimitiveHit, from: Vec3, direction: Vec3) -> Option<Hit> {
        // A particle: the normal of its sphere, and the material of its role.
        let PrimitiveHit { distance, primitive, barycentric, centre } = *primitive_hit;
        if let Some(centre) = centre {
            let normal = (from + direction * distance - centre).normalize_or(-direction);
            let cloud = self.geometry.spheres.iter().rev().find(|cloud| cloud.first <= primitive);
            let points = cloud.map(|cloud| cloud.points);
            return Some(Hit {
                material: points.map_or(TraceMaterial::Drop, |points| particle_material(points.role)),
                radius: points.map_or(0.0, |points| points.radius),
                ..solid_hit(from, direction, distance, normal)
            });
        }
        // A triangle: interpolate vertex attributes by barycentric coordinates.
        let index =
            self.geometry.surfaces.partition_point(|surface| surface.first <= primitive).checked_sub(1)?;
        let surface = self.geometry.surfaces.get(index)?;
        let material = *self.materials.get(index)?;
        let triangle = (primitive - surface.first) as usize;
        let vertices = surface.mesh.triangle(triangle).map(|vertex| vertex as usize);
        let [a, b, c] = surface.corners(triangle);
        let face = (b - a).cross(c - a).normalize_or(-direction);
        let [second, third] = barycentric;
        let barycentric = [1.0 - second - third, second, third];
        let interpolated = |values: &[[f32; 3]]| -> Vec3 {
            vertices
                .iter()
                .zip(barycentric)
                .map(|(&vertex, weight)| Vec3::from(values[vertex]) * weight)
                .sum()
        };
        let point = from + direction * distance;
        // A liquid in contact with a wall of the tank takes the wall's normal.
        let wall = match self.tank {
            Some((tank, near)) if material == TraceMaterial::Water => {
                tank.wall_at(point, face, near).map(|wall| (wall, tank.kind == TankKind::Glass))
            }
            _ => None,
        };
        let normal = match wall {
            Some((wall, _)) => wall,
            None => {
                let detailed = self.detailed_normal(surface, point, distance);
                let interpolated = || interpolated(&surface.mesh.normals).normalize_or(face);
                let is_flat = surface.mesh.normals.is_empty();
                detailed.unwrap_or_else(|| if is_flat { face } else { interpolated() })
            }
        };
        // Turn both normals to the side of the ray's origin.
        let is_outside = face.dot(direction) <= 0.0;
        let (normal, face) = if is_outside { (normal, face) } else { (-normal, -face) };
        let colour = self.colours.get(index).copied().flatten().map(interpolated);
        let scalar = |quantity: Quantity, of: TraceMaterial| {
            let attribute = surface.mesh.attribute(quantity).filter(|_| material == of);
            attribute.map_or(0.0, |one| {
                vertices.iter().zip(barycentric).map(|(&vertex, weight)| one.values[vertex] * weight).sum()
            })
        };
        let velocity = if surface.mesh.velocities.is_empty() {
            Vec3::ZERO
        } else {
            interpolated(&surface.mesh.velocities)
        };
        Some(Hit {
            normal: facing_normal(normal, face, direction),
            face,
            is_outside,
            is_on_wall: wall.is_some_and(|(_, is_glass)| is_glass),
            material,
            colour,
            foam: scalar(Quantity::Foam, TraceMaterial::Water),
            gloss: scalar(Quantity::Wetness, TraceMaterial::Solid),
            velocity,
            ..solid_hit(from, direction, distance, face)
        })
    }
}

impl Intersector<'_> {
    // The normal of a large water or its ground, over the width of a pixel, whatever the size of the triangle.
    fn detailed_normal(&self, surface: &WorldMesh<'_>, point: Vec3, distance: f32) -> Option<Vec3> {
        let (detail, pixel_angle) = self.detail.as_ref()?;
        let (at, footprint) = (point.truncate(), pixel_angle * distance);
        match surface.mesh.material {
            _ if surface.kind != PrimitiveKind::Mesh || !detail.holds(at) => None,
            Material::Water => detail.water_normal(at, footprint),
            Material::Ground => Some(detail.ground_normal(at, footprint)),
            Material::Solid | Material::Glass => None,
        }
    }
}

fn material(surface: &WorldMesh<'_>, glass: &str) -> TraceMaterial {
    let is_called_glass = !glass.is_empty() && surface.mesh.name.contains(glass);
    match (surface.mesh.material, surface.kind) {
        (Material::Water, _) => TraceMaterial::Water,
        (Material::Ground, PrimitiveKind::Tank) => TraceMaterial::Slab,
        (Material::Ground, PrimitiveKind::Cut) => TraceMaterial::Earth,
        (Material::Ground, PrimitiveKind::Skirt) => TraceMaterial::Bed,
        (Material::Ground, _) => TraceMaterial::Ground,
        (Material::Solid | Material::Glass, PrimitiveKind::Tank) => TraceMaterial::Edge,
        (Material::Glass, _) => TraceMaterial::Glass,
        (Material::Solid, _) if is_called_glass => TraceMaterial::Glass,
        (Material::Solid, _) => TraceMaterial::Solid,
    }
}
