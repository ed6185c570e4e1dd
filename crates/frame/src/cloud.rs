//! Particles and rigid bodies.

use std::sync::Arc;

use crate::{Attribute, CloudRole, Material, Mesh, Quantity};

/// A cloud of particles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cloud {
    /// Name of the cloud: that of the water it belongs to.
    pub name: String,
    /// Which of the frame's waters it belongs to.
    pub water: usize,
    /// What its particles are.
    pub role: CloudRole,
    /// Positions in metres.
    pub positions: Vec<[f32; 3]>,
    /// Velocities in metres per second, one per particle, or empty.
    pub velocities: Vec<[f32; 3]>,
    /// Radius of every particle in metres.
    pub radius: f32,
    /// Attributes per particle.
    pub attributes: Vec<Attribute>,
}

impl Cloud {
    /// The attribute that holds a quantity, if the cloud carries it for every particle.
    pub fn attribute(&self, quantity: Quantity) -> Option<&Attribute> {
        Attribute::find(&self.attributes, quantity, self.positions.len())
    }

    /// Linear red, green and blue of every particle, if the cloud carries colours.
    pub fn colours(&self) -> Option<&[[f32; 3]]> {
        self.attribute(Quantity::Colour).and_then(Attribute::triples)
    }

    /// What is inconsistent about this cloud, if anything: columns of the wrong length.
    pub fn inconsistency(&self) -> Option<String> {
        let particles = self.positions.len();
        let misfit = |name: &str, length: usize| format!("{length} {name} for {particles} particles");
        let velocities = self.velocities.len();
        let uneven = (velocities != 0 && velocities != particles).then(|| misfit("velocities", velocities));
        let attributes = || self.attributes.iter().find_map(|one| one.inconsistency(particles, "particles"));
        uneven.or_else(attributes)
    }
}

/// A rigid body and its pose: its mesh is in local coordinates and transformed when drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Identity of the body, the same in every frame.
    pub id: u32,
    /// Its mesh in local coordinates, with its name and material.
    pub mesh: Arc<Mesh>,
    /// Position of its origin in metres.
    pub position: [f32; 3],
    /// Rotation: a unit quaternion (x, y, z, w).
    pub rotation: [f32; 4],
}

impl Body {
    /// A body in the identity pose.
    pub fn standing(id: u32, mesh: Mesh) -> Body {
        Body { id, mesh: Arc::new(mesh), position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.mesh.name
    }

    /// Its material.
    pub fn material(&self) -> Material {
        self.mesh.material
    }
}
