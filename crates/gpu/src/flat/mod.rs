//! Flat pages: fields, arrows, particles and sections that are looked at straight on.

use wgpu::{CommandEncoder, Device, Queue, TextureView};

use crate::context::Context;
use crate::{FlatView, Subject};

/// Paints flat pages.
pub struct Flat {}

impl Flat {
    /// Makes what does not depend on a subject.
    pub fn new(_context: &Context, _device: &Device, _queue: &Queue) -> Flat {
        Flat {}
    }

    /// Brings a subject to the device.
    pub fn show(&mut self, _context: &Context, _device: &Device, _queue: &Queue, _subject: &Subject) {}

    /// Paints a page, every pixel of it, into a texture of this size.
    pub fn paint(
        &mut self,
        _context: &Context,
        _device: &Device,
        _queue: &Queue,
        _encoder: &mut CommandEncoder,
        _target: &TextureView,
        _size: [u32; 2],
        _view: &FlatView,
    ) {
    }
}
