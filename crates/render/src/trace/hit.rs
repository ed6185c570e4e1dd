//! Ray hits, and the materials of what is hit.

use glam::Vec3;
use undine_frame::CloudRole;

use crate::optics::clamp_to_hemisphere;

/// The optical material of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceMaterial {
    /// The surface of water, or of another liquid.
    Water,
    /// The surface of a glass body.
    Glass,
    /// A thin pane of glass.
    Pane,
    /// The edges of a tank's glass.
    Edge,
    /// The slab under a tank.
    Slab,
    /// A solid body.
    Solid,
    /// Simulated ground.
    Ground,
    /// The earth in the side of a block.
    Earth,
    /// The bed under a sheet of water, and the bank of a pond.
    Bed,
    /// The floor of a studio, or a terrace in the open air.
    Floor,
    /// A diffuse particle: foam, rain, and roles without a material of their own.
    Drop,
    /// A drop of water in the air.
    Spray,
    /// A bubble of air in water.
    Bubble,
    /// A particle of mist, mostly transparent.
    Mist,
    /// A lamp; its radiance is the colour of the hit.
    Emitter,
}

impl TraceMaterial {
    /// Whether it transmits light.
    pub fn is_clear(self) -> bool {
        matches!(
            self,
            TraceMaterial::Water | TraceMaterial::Glass | TraceMaterial::Pane | TraceMaterial::Edge
        )
    }
}

/// The material of a cloud's particles.
pub(super) fn particle_material(role: CloudRole) -> TraceMaterial {
    match role {
        CloudRole::Mist => TraceMaterial::Mist,
        CloudRole::Bubble => TraceMaterial::Bubble,
        CloudRole::Spray => TraceMaterial::Spray,
        CloudRole::Liquid | CloudRole::Foam | CloudRole::Rain | CloudRole::Tracer | CloudRole::Marker => {
            TraceMaterial::Drop
        }
    }
}

/// The closest hit of a ray.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// The point.
    pub point: Vec3,
    /// Distance from the start of the ray.
    pub distance: f32,
    /// Unit shading normal, on the side of the ray's origin.
    pub normal: Vec3,
    /// Unit geometric normal, on the side of the ray's origin.
    pub face: Vec3,
    /// Whether the ray comes from outside a closed surface, or from above a sheet.
    pub is_outside: bool,
    /// Whether it is a liquid's surface in contact with a pane.
    pub is_on_wall: bool,
    /// The material.
    pub material: TraceMaterial,
    /// The colour of the surface, or of the liquid below it, if it has its own.
    pub colour: Option<Vec3>,
    /// Fraction of a water surface that its foam attribute covers.
    pub foam: f32,
    /// Fraction of a body's surface that its clear coat covers.
    pub gloss: f32,
    /// Velocity of the surface in m/s.
    pub velocity: Vec3,
    /// The radius of a particle.
    pub radius: f32,
}

impl Hit {
    /// A reflected direction, moved above the geometric surface if the shading normal sends it below.
    pub fn outwards(&self, direction: Vec3) -> Vec3 {
        clamp_to_hemisphere(direction, self.face, 1e-3)
    }

    /// A transmitted direction, moved below the geometric surface.
    pub fn inwards(&self, direction: Vec3) -> Vec3 {
        -self.outwards(-direction)
    }
}

/// A hit on a solid surface at a distance along a ray.
pub(super) fn solid_hit(from: Vec3, direction: Vec3, distance: f32, normal: Vec3) -> Hit {
    Hit {
        point: from + direction * distance,
        distance,
        normal,
        face: normal,
        is_outside: true,
        is_on_wall: false,
        material: TraceMaterial::Solid,
        colour: None,
        foam: 0.0,
        gloss: 0.0,
        velocity: Vec3::ZERO,
        radius: 0.0,
    }
}

/// Intersection of a ray and a horizontal plane.
pub(super) fn intersect_horizontal(
    from: Vec3,
    direction: Vec3,
    limit: f32,
    height: f32,
    material: TraceMaterial,
) -> Option<Hit> {
    let distance = (height - from.z) / direction.z;
    let is_met = distance > 0.0 && distance < limit;
    is_met.then(|| {
        let is_outside = direction.z < 0.0;
        let normal = if is_outside { Vec3::Z } else { -Vec3::Z };
        let hit = solid_hit(from, direction, distance, normal);
        Hit { point: hit.point.with_z(height), is_outside, material, ..hit }
    })
}

/// A shading normal that faces away from the ray is bent until it is just visible.
pub(super) fn facing_normal(normal: Vec3, face: Vec3, direction: Vec3) -> Vec3 {
    let seen = -normal.dot(direction);
    if !normal.is_finite() || normal.dot(face) <= 0.0 {
        return face;
    }
    if seen >= 0.02 { normal } else { (normal - direction * (0.02 - seen)).normalize_or(face) }
}
