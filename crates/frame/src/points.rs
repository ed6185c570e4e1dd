//! Particles and rigid shapes.

use crate::{Attribute, Mesh};

/// A cloud of particles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    /// Name of the cloud: that of the water it belongs to, or spray, foam, rain, …
    pub name: String,
    /// Positions in metres.
    pub positions: Vec<[f32; 3]>,
    /// Velocities in metres per second, one per particle, or empty.
    pub velocities: Vec<[f32; 3]>,
    /// Radius of every particle in metres.
    pub radius: f32,
    /// Further numbers per particle.
    pub attributes: Vec<Attribute>,
}

/// A rigid shape and its pose: the shape is stored in its own coordinates and moved when drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Posed {
    /// The shape in its own coordinates.
    pub shape: Mesh,
    /// Where its origin is now, in metres.
    pub position: [f32; 3],
    /// How it is turned now: a unit quaternion (x, y, z, w).
    pub rotation: [f32; 4],
}
