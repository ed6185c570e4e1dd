//! The GPU renderer: uploads frames and renders them into textures.

use undine_frame::Frame;
use wgpu::{CommandEncoder, Device, Queue, TextureFormat, TextureView};

use crate::RenderSettings;
use crate::context::Context;
use crate::flat::Flat;
use crate::fluid::ScreenSpaceFluid;
use crate::height_field::HeightFieldData;
use crate::space::Space;

/// Why a device cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// A limit of the device is too low.
    #[error("this graphics device cannot {0}")]
    Unsupported(&'static str),
}

/// Renders frames with one device.
pub struct Renderer {
    context: Context,
    space: Space,
    fluid: ScreenSpaceFluid,
    flat: Flat,
}

impl Renderer {
    /// A renderer for render targets of this format.
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat) -> Result<Renderer, RenderError> {
        let limits = device.limits();
        if limits.max_bind_groups < 4 {
            return Err(RenderError::Unsupported("use four bind groups"));
        }
        if limits.max_uniform_buffer_binding_size < 1024 {
            return Err(RenderError::Unsupported("bind a uniform buffer of one kilobyte"));
        }
        let context = Context::new(device, format);
        let space = Space::new(&context, device, queue);
        let fluid = ScreenSpaceFluid::new(device);
        let flat = Flat::new();
        Ok(Renderer { context, space, fluid, flat })
    }

    /// Uploads a frame to the device. Called when the frame has changed, not for every picture; arrays of an unchanged
    /// revision are not uploaded again, and of arrays in tiles only the rectangles that have changed.
    pub fn upload(&mut self, device: &Device, queue: &Queue, frame: &Frame) {
        let heights = HeightFieldData::of_frame(frame);
        self.space.upload(&self.context, device, queue, frame, &heights);
        self.fluid.upload(&self.context, device, queue, frame);
        self.flat.upload(device, queue, frame, &heights);
    }

    /// Bytes of the maps of height fields that were uploaded so far: none for water in which nothing moves, and of water
    /// that knows its tiles only what depends on those that have changed.
    pub fn height_bytes_uploaded(&self) -> u64 {
        self.space.bytes_uploaded()
    }

    /// Which part of the last frame could not be uploaded, if any: a mesh larger than a buffer is left out.
    pub fn warning(&self) -> Option<&str> {
        self.space.warning()
    }

    /// Renders the frame that was uploaded last into a texture of this size.
    pub fn render(
        &mut self,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        target: &TextureView,
        size: [u32; 2],
        settings: &RenderSettings,
    ) {
        if size.contains(&0) {
            return;
        }
        match settings {
            RenderSettings::Space(view) => {
                self.space.render(&self.context, &mut self.fluid, device, queue, encoder, target, size, view);
            }
            RenderSettings::Flat(view) => {
                self.flat.render(&self.context, device, queue, encoder, target, size, view)
            }
        }
    }
}
