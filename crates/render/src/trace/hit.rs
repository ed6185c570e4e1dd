//! Where a ray meets something, and what that is.

use glam::Vec3;
use undine_frame::CloudRole;

use crate::optics::clamp_to_hemisphere;

/// What a surface is made of, as light sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceMaterial {
    /// The surface of water, or of another liquid.
    Water,
    /// The surface of something of glass.
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
    /// A particle that scatters light: foam, rain, all that has no other name.
    Drop,
    /// A drop of water in the air.
    Spray,
    /// A bubble of air in water.
    Bubble,
    /// A particle of mist, which light mostly passes.
    Mist,
    /// A lamp, whose light is the colour of the touch.
    Emitter,
}

impl TraceMaterial {
    /// Whether light goes on behind it.
    pub fn is_clear(self) -> bool {
        matches!(
            self,
            TraceMaterial::Water | TraceMaterial::Glass | TraceMaterial::Pane | TraceMaterial::Edge
        )
    }
}

/// What the particles of a cloud are to light.
pub(super) fn particles(role: CloudRole) -> TraceMaterial {
    match role {
        CloudRole::Mist => TraceMaterial::Mist,
        CloudRole::Bubble => TraceMaterial::Bubble,
        CloudRole::Spray => TraceMaterial::Spray,
        CloudRole::Liquid | CloudRole::Foam | CloudRole::Rain | CloudRole::Tracer | CloudRole::Marker => {
            TraceMaterial::Drop
        }
    }
}

/// Where a ray meets something.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// The point.
    pub point: Vec3,
    /// Distance from the start of the ray.
    pub distance: f32,
    /// Unit normal against the ray, smooth.
    pub normal: Vec3,
    /// Unit normal of the face itself, against the ray.
    pub face: Vec3,
    /// Whether the ray comes from the outside of a closed surface, or from above a sheet.
    pub is_outside: bool,
    /// Whether it is a liquid's surface that lies on a pane.
    pub is_on_wall: bool,
    /// What is met.
    pub material: TraceMaterial,
    /// The colour of the surface there, or of the liquid below it, if it has its own.
    pub colour: Option<Vec3>,
    /// Share of a water's surface that foam covers, as the water tells.
    pub foam: f32,
    /// How fast it moves, in metres per second.
    pub velocity: Vec3,
    /// The radius of a particle.
    pub radius: f32,
}

impl Hit {
    /// A direction back from the surface: smooth normals may send rays to the wrong side.
    pub fn outwards(&self, direction: Vec3) -> Vec3 {
        clamp_to_hemisphere(direction, self.face, 1e-3)
    }

    /// A direction on through the surface.
    pub fn inwards(&self, direction: Vec3) -> Vec3 {
        -self.outwards(-direction)
    }
}

/// A touch of something plain at a distance along a ray.
pub(super) fn plain(from: Vec3, direction: Vec3, distance: f32, normal: Vec3) -> Hit {
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
        velocity: Vec3::ZERO,
        radius: 0.0,
    }
}

/// Where a ray meets a level plane.
pub(super) fn level(
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
        let hit = plain(from, direction, distance, normal);
        Hit { point: hit.point.with_z(height), is_outside, material, ..hit }
    })
}

/// A smooth normal that the ray would see from behind is bent until it is just seen.
pub(super) fn facing_normal(normal: Vec3, face: Vec3, direction: Vec3) -> Vec3 {
    let seen = -normal.dot(direction);
    if !normal.is_finite() || normal.dot(face) <= 0.0 {
        return face;
    }
    if seen >= 0.02 { normal } else { (normal - direction * (0.02 - seen)).normalize_or(face) }
}
