//! Who paints.

use undine_frame::Frame;
use wgpu::{CommandEncoder, Device, Queue, TextureFormat, TextureView};

use crate::Shot;
use crate::context::Context;
use crate::flat::Flat;
use crate::fluid::Fluid;
use crate::heights::HeightMap;
use crate::space::Space;

/// Why a picture could not be painted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PaintError {
    /// The device lacks something that cannot be done without.
    #[error("this graphics device cannot {0}")]
    Lacking(&'static str),
}

/// Paints frames with one device.
pub struct Painter {
    context: Context,
    space: Space,
    fluid: Fluid,
    flat: Flat,
}

impl Painter {
    /// A painter whose pictures have this format.
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat) -> Result<Painter, PaintError> {
        let limits = device.limits();
        if limits.max_bind_groups < 4 {
            return Err(PaintError::Lacking("bind four groups of resources"));
        }
        if limits.max_uniform_buffer_binding_size < 1024 {
            return Err(PaintError::Lacking("hold a kilobyte of settings"));
        }
        let context = Context::new(device, format);
        let space = Space::new(&context, device, queue);
        let fluid = Fluid::new(device);
        let flat = Flat::new();
        Ok(Painter { context, space, fluid, flat })
    }

    /// Brings a frame to the device. Called when the frame has changed, not for every picture; what is the same as before
    /// is not brought again.
    pub fn show(&mut self, device: &Device, queue: &Queue, frame: &Frame) {
        let heights = HeightMap::of_frame(frame);
        self.space.show(&self.context, device, queue, frame, &heights);
        self.fluid.show(&self.context, device, queue, frame);
        self.flat.show(device, queue, frame, &heights);
    }

    /// What could not be shown of the last frame, if anything: a mesh too large for the device is left out.
    pub fn complaint(&self) -> Option<&str> {
        self.space.complaint()
    }

    /// Paints a shot of what was last shown into a texture of this size.
    pub fn paint(
        &mut self,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        target: &TextureView,
        size: [u32; 2],
        shot: &Shot,
    ) {
        if size.contains(&0) {
            return;
        }
        match shot {
            Shot::Space(view) => {
                self.space.paint(&self.context, &mut self.fluid, device, queue, encoder, target, size, view);
            }
            Shot::Flat(view) => self.flat.paint(&self.context, device, queue, encoder, target, size, view),
        }
    }
}
