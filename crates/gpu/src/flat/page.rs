//! The part of the plane that a page shows, and its transformation to pixels.

use bytemuck::{Pod, Zeroable};
use glam::{DVec2, Vec2};

use crate::FlatView;

/// Uniforms of a page, as `page.wgsl` declares them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PageUniforms {
    centre: [f32; 2],
    half: [f32; 2],
    size: [f32; 2],
    density: f32,
    unused: f32,
}

/// An orthographic viewport on the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageViewport {
    centre: DVec2,
    /// Width and height in pixels.
    pub size: Vec2,
    /// Pixels per metre.
    pub density: f64,
}

impl PageViewport {
    /// The viewport of a view. Invalid values are replaced: a height of one metre, centred at the origin.
    pub fn new(view: &FlatView, size: [u32; 2]) -> PageViewport {
        let height = if view.height.is_finite() && view.height > 0.0 { f64::from(view.height) } else { 1.0 };
        let centre = DVec2::from(view.centre.map(f64::from));
        PageViewport {
            centre: if centre.is_finite() { centre } else { DVec2::ZERO },
            size: Vec2::new(size[0].max(1) as f32, size[1].max(1) as f32),
            density: f64::from(size[1].max(1)) / height,
        }
    }

    /// The point of the plane at a pixel position, measured from the upper left corner.
    pub fn position(&self, pixel: Vec2) -> DVec2 {
        let offset = (pixel - 0.5 * self.size).as_dvec2() / self.density;
        self.centre + DVec2::new(offset.x, -offset.y)
    }

    /// The uniforms for shaders.
    pub fn uniforms(&self) -> PageUniforms {
        PageUniforms {
            centre: self.centre.as_vec2().to_array(),
            half: (0.5 * self.size.as_dvec2() / self.density).as_vec2().to_array(),
            size: self.size.to_array(),
            density: self.density as f32,
            unused: 0.0,
        }
    }
}
