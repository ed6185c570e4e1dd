//! Context of layers: the frame, its slice, and the compositor.

use glam::Vec2;
use undine_frame::{FieldChoice, Frame, Raster};

use super::compositor::Compositor;
use super::resample::{AxisMapping, FilterKernel, PixelBuffer};
use crate::DrawError;
use crate::plots::slice::Slice;

/// What layers draw with.
pub struct LayerContext<'f> {
    /// The frame.
    pub frame: &'f Frame,
    /// Axis normal to the slice.
    pub across: Option<usize>,
    /// Position of the slice, in metres.
    pub position: Option<f64>,
    /// World axes that run to the right and up.
    pub axes: [usize; 2],
    /// Axis normal to the slice of the first field, and the interval along it in which particles are shown.
    pub layer: (usize, [f64; 2]),
    /// The page.
    pub compositor: Compositor,
}

impl<'f> LayerContext<'f> {
    /// A field and its slice.
    pub fn slice(&self, field: &FieldChoice) -> Result<(&'f Raster, Slice), DrawError> {
        let raster = crate::plots::find(self.frame, Some(field))?;
        Ok((raster, Slice::new(raster, self.across, self.position)))
    }

    /// Resamples a slice to the pixels of the inner rectangle; `number` gives the values of a sample.
    pub fn plane<const N: usize>(
        &self,
        slice: &Slice,
        kernel: FilterKernel,
        number: impl Fn([usize; 2]) -> [f32; N],
    ) -> PixelBuffer<N> {
        let samples: Vec<[f32; N]> = slice.samples().map(number).collect();
        let size = [self.compositor.inner.width, self.compositor.inner.height];
        PixelBuffer::new(&samples, slice.size[0], self.axis_mappings(slice), size, kernel)
    }

    // Pixel centres are at half integers; rows run down, samples run up.
    fn axis_mappings(&self, slice: &Slice) -> [AxisMapping; 2] {
        let density = self.compositor.window.density();
        let first_pixel = self.compositor.window.world_at(Vec2::splat(0.5));
        std::array::from_fn(|axis| {
            let step = 1.0 / (density[axis] * slice.spacing[axis]);
            let first = (first_pixel[axis] - slice.origin[axis]) / slice.spacing[axis];
            AxisMapping { first, step: if axis == 0 { step } else { -step } }
        })
    }

    /// Whether a world point lies in the slab that is shown.
    pub fn holds(&self, at: [f32; 3]) -> bool {
        let (axis, [low, high]) = self.layer;
        (low..=high).contains(&f64::from(at[axis]))
    }

    /// Projects a world point to pixels of the inner rectangle.
    pub fn pixel(&self, position: [f32; 3]) -> Vec2 {
        self.compositor.window.pixel_of(self.axes.map(|axis| f64::from(position[axis])))
    }

    /// Pixels per metre.
    pub fn density(&self) -> f32 {
        let [x, y] = self.compositor.window.density();
        (x.min(y) as f32).min(f32::MAX)
    }

    /// A world velocity in pixels per second, to the right and down.
    pub fn pixel_velocity(&self, velocity: [f32; 3]) -> Vec2 {
        let [x, y] = self.axes.map(|axis| velocity[axis]);
        Vec2::new(x, -y) * self.density()
    }

    /// The scalars of a slice at the pixels of the inner rectangle.
    pub fn values(&self, slice: &Slice, kernel: FilterKernel) -> PixelBuffer<1> {
        self.plane(slice, kernel, |at| [slice.value(at)])
    }

    /// The first three components of a slice at the pixels of the inner rectangle.
    pub fn colours(&self, slice: &Slice, kernel: FilterKernel) -> PixelBuffer<3> {
        let number =
            |at, component| if component < slice.components { slice.number(at, component) } else { 0.0 };
        self.plane(slice, kernel, |at| std::array::from_fn(|component| number(at, component)))
    }
}
