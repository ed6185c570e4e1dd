//! Water in space, as an eye sees it.

use wgpu::{CommandEncoder, Device, Queue, TextureView};

use crate::context::Context;
use crate::fluid::Fluid;
use crate::stage::Stage;
use crate::{SpaceView, Subject};

/// Paints everything in space.
pub struct Space {
    stage: Option<Stage>,
}

impl Space {
    /// Makes what does not depend on a subject.
    pub fn new(_context: &Context, _device: &Device, _queue: &Queue) -> Space {
        Space { stage: None }
    }

    /// Brings a subject to the device.
    pub fn show(&mut self, _context: &Context, _device: &Device, _queue: &Queue, _subject: &Subject) {}

    /// Paints a picture.
    pub fn paint(
        &mut self,
        context: &Context,
        fluid: &mut Fluid,
        device: &Device,
        queue: &Queue,
        _encoder: &mut CommandEncoder,
        _target: &TextureView,
        size: [u32; 2],
        view: &SpaceView,
    ) {
        let fits = self.stage.as_ref().is_some_and(|stage| stage.size == size);
        if !fits {
            self.stage = Some(Stage::new(context, device, size));
        }
        if let Some(stage) = &self.stage {
            fluid.begin(context, device, queue, stage, view);
        }
    }
}
