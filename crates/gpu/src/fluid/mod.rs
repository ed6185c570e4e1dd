//! Particles in space: as balls, or as the surface of a liquid that is smoothed on the screen.

use wgpu::{CommandEncoder, Device, Queue, RenderPass};

use crate::context::Context;
use crate::stage::Stage;
use crate::{SpaceView, Subject};

/// Paints particles in space.
pub struct Fluid {}

impl Fluid {
    /// Makes what does not depend on a subject.
    pub fn new(_context: &Context, _device: &Device, _queue: &Queue) -> Fluid {
        Fluid {}
    }

    /// Brings the particles of a subject to the device.
    pub fn show(&mut self, _context: &Context, _device: &Device, _queue: &Queue, _subject: &Subject) {}

    /// Before a picture: takes note of its size and view.
    pub fn begin(
        &mut self,
        _context: &Context,
        _device: &Device,
        _queue: &Queue,
        _stage: &Stage,
        _view: &SpaceView,
    ) {
    }

    /// Draws what is opaque (balls) into the picture of light; group 0 is the world.
    pub fn draw_opaque(&self, _pass: &mut RenderPass<'_>) {}

    /// Passes of its own, after the opaque part was drawn: depth, thickness, smoothing. `world` is group 0.
    pub fn gather(&mut self, _encoder: &mut CommandEncoder, _stage: &Stage, _world: &wgpu::BindGroup) {}

    /// Draws the surface over the opaque part, into the finished picture; groups 0 and 1 are the world and what is
    /// behind.
    pub fn draw(&self, _pass: &mut RenderPass<'_>) {}
}
