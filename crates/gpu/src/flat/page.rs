//! Which part of the plane a page shows.

use bytemuck::{Pod, Zeroable};
use glam::{DVec2, Vec2};

use crate::FlatView;

/// The numbers of a page, as shaders have them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PageUniforms {
    centre: [f32; 2],
    half: [f32; 2],
    size: [f32; 2],
    density: f32,
    unused: f32,
}

/// A page of some size, and where it lies in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageViewport {
    centre: DVec2,
    /// Width and height in pixels.
    pub size: Vec2,
    /// Pixels per metre.
    pub density: f64,
}

impl PageViewport {
    /// The page of a view. One that makes no sense shows a metre around the origin.
    pub fn new(view: &FlatView, size: [u32; 2]) -> PageViewport {
        let tall = if view.tall.is_finite() && view.tall > 0.0 { f64::from(view.tall) } else { 1.0 };
        let centre = DVec2::from(view.centre.map(f64::from));
        PageViewport {
            centre: if centre.is_finite() { centre } else { DVec2::ZERO },
            size: Vec2::new(size[0].max(1) as f32, size[1].max(1) as f32),
            density: f64::from(size[1].max(1)) / tall,
        }
    }

    /// The point of the plane at a pixel, counted from the upper left corner.
    pub fn place(&self, pixel: Vec2) -> DVec2 {
        let offset = (pixel - 0.5 * self.size).as_dvec2() / self.density;
        self.centre + DVec2::new(offset.x, -offset.y)
    }

    /// Its numbers for shaders.
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
