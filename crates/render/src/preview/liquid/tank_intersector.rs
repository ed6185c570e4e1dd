//! Ray intersection of the surfaces in and around a tank.

use glam::Vec3;
use undine_frame::Material;

use super::bvh::{Bvh, TriangleHit};
use super::tank::{LiquidTank, TankKind};
use crate::optics::clamp_to_hemisphere;
use crate::preview::scene_geometry::{PrimitiveKind, SceneGeometry, WorldMesh};

/// The optical material of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TankMaterial {
    /// The surface of a liquid.
    Water,
    /// The surface of a glass body.
    Glass,
    /// An opaque body.
    Solid,
    /// The slab under the tank.
    Slab,
    /// The edges of the tank's glass.
    Edge,
}

impl TankMaterial {
    /// Whether it transmits light.
    pub fn is_clear(self) -> bool {
        matches!(self, TankMaterial::Water | TankMaterial::Glass | TankMaterial::Edge)
    }
}

/// The closest hit of a ray.
#[derive(Debug, Clone, Copy)]
pub struct TankHit {
    /// The point.
    pub point: Vec3,
    /// Distance from the start of the ray.
    pub distance: f32,
    /// Unit shading normal on the side of the ray's origin: interpolated, but flat on the walls of the tank.
    pub normal: Vec3,
    /// Unit geometric normal on the side of the ray's origin.
    pub face: Vec3,
    /// Whether the ray comes from outside a closed surface.
    pub is_outside: bool,
    /// Whether it is a liquid's surface in contact with a pane of the tank.
    pub is_on_wall: bool,
    /// The material.
    pub material: TankMaterial,
    /// The colour of the surface, or of the liquid below it, if it has its own.
    pub colour: Option<Vec3>,
}

impl TankHit {
    /// A reflected direction, moved above the geometric surface if the shading normal sends it below.
    pub fn outwards(&self, direction: Vec3) -> Vec3 {
        clamp_to_hemisphere(direction, self.face, 1e-3)
    }

    /// A transmitted direction, moved below the geometric surface.
    pub fn inwards(&self, direction: Vec3) -> Vec3 {
        -self.outwards(-direction)
    }
}

/// The surfaces of a scene in bounding volume hierarchies.
pub struct TankIntersector<'a> {
    geometry: &'a SceneGeometry<'a>,
    /// Surfaces that transmit light, and opaque ones.
    clear: Bvh,
    solid: Bvh,
    materials: Vec<TankMaterial>,
    colours: Vec<Option<&'a [[f32; 3]]>>,
    has_glass: bool,
    tank: LiquidTank,
    near: f32,
}

impl<'a> TankIntersector<'a> {
    /// The surfaces of a scene around a tank with cells of the size `cell`. Bodies whose name contains `glass` are
    /// glass.
    pub fn new(geometry: &'a SceneGeometry<'a>, tank: LiquidTank, cell: f32, glass: &str) -> Self {
        let materials: Vec<TankMaterial> =
            geometry.surfaces.iter().map(|surface| material(surface, glass)).collect();
        let bvh = |is_clear: bool| {
            let chosen = geometry.surfaces.iter().zip(&materials);
            let chosen = chosen.filter(|(_, material)| material.is_clear() == is_clear);
            Bvh::new(chosen.flat_map(|(surface, _)| {
                (0..surface.mesh.triangle_count())
                    .map(|triangle| (surface.first + triangle as u32, surface.corners(triangle)))
            }))
        };
        TankIntersector {
            geometry,
            clear: bvh(true),
            solid: bvh(false),
            has_glass: materials.contains(&TankMaterial::Glass),
            materials,
            colours: geometry.surfaces.iter().map(|surface| surface.mesh.colours()).collect(),
            tank,
            near: 0.2 * cell,
        }
    }

    /// The closest surface along a ray, nearer than `limit`.
    pub fn closest_hit(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<TankHit> {
        let opaque = self.solid.closest_hit(from, direction, limit);
        let nearer = opaque.map_or(limit, |opaque| opaque.distance);
        let triangle_hit = self.clear.closest_hit(from, direction, nearer).or(opaque)?;
        self.surface_hit(&triangle_hit, from, direction)
    }

    /// The closest surface of glass or liquid along a ray, nearer than `limit`, if there is any glass.
    pub fn closest_hit_near_glass(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<TankHit> {
        let triangle_hit = self.has_glass.then(|| self.clear.closest_hit(from, direction, limit))?;
        self.surface_hit(&triangle_hit?, from, direction)
    }

    /// The closest opaque surface along a ray, nearer than `limit`.
    pub fn closest_opaque_hit(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<TankHit> {
        self.surface_hit(&self.solid.closest_hit(from, direction, limit)?, from, direction)
    }

    /// The hit of a camera ray on the primitive that the rasteriser found.
    pub fn camera_hit(&self, primitive: u32, from: Vec3, direction: Vec3) -> Option<TankHit> {
        let surface = self.surface_of(primitive)?;
        let [a, b, c] = surface.corners((primitive - surface.first) as usize);
        let (along, up) = (b - a, c - a);
        let across = direction.cross(up);
        let volume = along.dot(across);
        let offset = from - a;
        let turned = offset.cross(along);
        let weight = |number: f32| (number / volume).clamp(0.0, 1.0);
        let triangle_hit = TriangleHit {
            distance: up.dot(turned) / volume,
            triangle: primitive,
            barycentric: [weight(offset.dot(across)), weight(direction.dot(turned))],
        };
        triangle_hit.distance.is_finite().then(|| self.surface_hit(&triangle_hit, from, direction))?
    }

    /// Whether two primitives belong to one surface.
    pub fn is_same_surface(&self, one: u32, other: u32) -> bool {
        let index =
            |primitive: u32| self.geometry.surfaces.iter().rposition(|surface| surface.first <= primitive);
        index(one) == index(other)
    }

    /// The material of a primitive.
    pub fn material(&self, primitive: u32) -> Option<TankMaterial> {
        let index = self.geometry.surfaces.iter().rposition(|surface| surface.first <= primitive)?;
        self.materials.get(index).copied()
    }

    fn surface_of(&self, primitive: u32) -> Option<&WorldMesh<'a>> {
        self.geometry.surfaces.iter().rev().find(|surface| surface.first <= primitive)
    }

    fn surface_hit(&self, triangle_hit: &TriangleHit, from: Vec3, direction: Vec3) -> Option<TankHit> {
        // The triangle, its geometric normal and the barycentric coordinates of the hit.
        let index =
            self.geometry.surfaces.iter().rposition(|surface| surface.first <= triangle_hit.triangle)?;
        let surface = &self.geometry.surfaces[index];
        let triangle = (triangle_hit.triangle - surface.first) as usize;
        let vertices = surface.mesh.triangle(triangle).map(|vertex| vertex as usize);
        let [a, b, c] = surface.corners(triangle);
        let face = (b - a).cross(c - a).normalize_or(-direction);
        let [second, third] = triangle_hit.barycentric;
        let barycentric = [1.0 - second - third, second, third];
        let point = from + direction * triangle_hit.distance;
        let material = self.materials[index];
        // Shading normal: flat on walls of the tank, otherwise interpolated.
        let wall =
            (material == TankMaterial::Water).then(|| self.tank.wall_at(point, face, self.near)).flatten();
        let smooth = || -> Vec3 {
            let normals = vertices.map(|vertex| Vec3::from(surface.mesh.normals[vertex]));
            normals.iter().zip(barycentric).map(|(normal, weight)| *normal * weight).sum()
        };
        let normal = match wall {
            Some(wall) => wall,
            None if surface.mesh.normals.is_empty() => face,
            None => smooth().normalize_or(face),
        };
        // Both normals turn to the side of the ray's origin.
        let is_outside = face.dot(direction) <= 0.0;
        let (normal, face) = if is_outside { (normal, face) } else { (-normal, -face) };
        let colour = self.colours[index].map(|colours| -> Vec3 {
            vertices
                .iter()
                .zip(barycentric)
                .map(|(&vertex, weight)| Vec3::from(colours[vertex]) * weight)
                .sum()
        });
        Some(TankHit {
            point,
            distance: triangle_hit.distance,
            normal: facing_normal(normal, face, direction),
            face,
            is_outside,
            is_on_wall: wall.is_some() && self.tank.kind == TankKind::Glass,
            material,
            colour,
        })
    }
}

// A shading normal that faces away from the ray is bent until it is just visible.
fn facing_normal(normal: Vec3, face: Vec3, direction: Vec3) -> Vec3 {
    let seen = -normal.dot(direction);
    if !normal.is_finite() || normal.dot(face) <= 0.0 {
        return face;
    }
    if seen >= 0.02 { normal } else { (normal - direction * (0.02 - seen)).normalize_or(face) }
}

fn material(surface: &WorldMesh<'_>, glass: &str) -> TankMaterial {
    let is_called_glass = !glass.is_empty() && surface.mesh.name.contains(glass);
    match surface.mesh.material {
        Material::Water => TankMaterial::Water,
        Material::Ground if surface.kind == PrimitiveKind::Tank => TankMaterial::Slab,
        _ if surface.kind == PrimitiveKind::Tank => TankMaterial::Edge,
        Material::Glass => TankMaterial::Glass,
        Material::Ground | Material::Solid if is_called_glass => TankMaterial::Glass,
        Material::Ground | Material::Solid => TankMaterial::Solid,
    }
}
