//! The velocity of the water on a lattice as a texture, for ripples that drift with the flow.

use undine_frame::Shared;
use wgpu::{Device, Queue, Texture, TextureFormat};

use super::lattice::GpuLattice;
use crate::upload::{texture, write_pyramid};

/// The velocities of one lattice; a picture without ripples on the flow does not upload them.
pub struct VelocityMap {
    /// (u, v, 0, 1).
    pub map: Texture,
    size: [u32; 2],
    revision: Option<u64>,
}

impl VelocityMap {
    /// Creates the texture of a lattice.
    pub fn new(device: &Device, lattice: &GpuLattice) -> VelocityMap {
        let size = lattice.size();
        let map = texture(device, "velocity", TextureFormat::Rgba16Float, size, 1);
        VelocityMap { map, size, revision: None }
    }

    /// Whether the map was made for a lattice of this size.
    pub fn fits(&self, lattice: &GpuLattice) -> bool {
        self.size == lattice.size()
    }

    /// Writes velocities, one for every sample, if they have changed.
    pub fn write(&mut self, queue: &Queue, velocities: &Shared<[f32; 2]>) {
        let revision = Some(velocities.revision());
        if self.revision == revision {
            return;
        }
        let finite = |number: f32| if number.is_finite() { number } else { 0.0 };
        let texels = velocities.iter().map(|&[u, v]| [finite(u), finite(v), 0.0, 1.0]).collect();
        write_pyramid(queue, &self.map, 0, self.size, texels, None);
        self.revision = revision;
    }
}
