//! 2-D slice of a raster, with bilinear interpolation.

use undine_frame::Raster;

/// Axis-aligned slice of a raster: two of its axes, at one position of the third.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Samples along both axes.
    pub size: [usize; 2],
    /// Components per sample.
    pub components: usize,
    /// World axes of the slice: 0 for x, 1 for y, 2 for z.
    pub axes: [usize; 2],
    /// Position of the first sample in metres.
    pub origin: [f64; 2],
    /// Spacing of the samples in metres, above zero.
    pub spacing: [f64; 2],
    /// Axis normal to the slice, and the bounds of its layer of cells along that axis.
    pub layer: (usize, [f64; 2]),
    values: Vec<f32>,
}

/// Names of the axes.
pub const AXES: [&str; 3] = ["x", "y", "z"];

impl Slice {
    /// Slices a consistent raster normal to `across` at `position` metres; by default in the middle of its last axis, or of
    /// one with a single sample.
    pub fn new(raster: &Raster, across: Option<usize>, position: Option<f64>) -> Self {
        // A line along y is shown horizontally, like one along x
        let is_column = raster.size[0] <= 1 && raster.size[1] > 1;
        let single = if is_column { Some(0) } else { (0..3).rev().find(|&axis| raster.size[axis] <= 1) };
        let across = across.unwrap_or_else(|| single.unwrap_or(2)).min(2);
        let axes = axes_across(across);
        let layer = layer(raster, across, position);
        let size = axes.map(|axis| raster.size[axis] as usize);
        let components = raster.components as usize;
        let mut values = Vec::with_capacity(size[0] * size[1] * components);
        for second in 0..size[1] {
            for first in 0..size[0] {
                let mut at = [0; 3];
                (at[across], at[axes[0]], at[axes[1]]) = (layer, first, second);
                let sample = (at[2] * raster.size[1] as usize + at[1]) * raster.size[0] as usize + at[0];
                let numbers = raster.values.get(sample * components..(sample + 1) * components);
                values.extend_from_slice(numbers.unwrap_or(&[]));
            }
        }
        let positive = |spacing: f64| if spacing.is_finite() && spacing > 0.0 { spacing } else { 1.0 };
        let finite = |origin: f64| if origin.is_finite() { origin } else { 0.0 };
        let size = if values.len() == size[0] * size[1] * components { size } else { [0, 0] };
        Slice {
            size,
            components,
            axes,
            origin: axes.map(|axis| finite(raster.origin[axis])),
            spacing: axes.map(|axis| positive(raster.spacing[axis])),
            layer: (across, layer_bounds(raster, across, layer)),
            values,
        }
    }

    /// Whether it has no samples.
    pub fn is_empty(&self) -> bool {
        self.size.contains(&0)
    }

    /// Bounds of its cells in metres: (low corner, high corner). Samples are cell centres.
    pub fn bounds(&self) -> ([f64; 2], [f64; 2]) {
        let low = [0, 1].map(|axis| self.origin[axis] - 0.5 * self.spacing[axis]);
        (low, [0, 1].map(|axis| low[axis] + self.spacing[axis] * self.size[axis].max(1) as f64))
    }

    /// Whether a world point lies in the slice's layer of cells.
    pub fn holds(&self, at: [f32; 3]) -> bool {
        let (axis, [low, high]) = self.layer;
        (low..=high).contains(&f64::from(at[axis]))
    }

    /// Indices of all samples, in storage order.
    pub fn samples(&self) -> impl Iterator<Item = [usize; 2]> {
        let [columns, rows] = self.size;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]))
    }

    /// One component of a sample; NaN outside.
    pub fn number(&self, at: [usize; 2], component: usize) -> f32 {
        let sample = at[1] * self.size[0] + at[0];
        self.values.get(sample * self.components + component).copied().unwrap_or(f32::NAN)
    }

    /// The scalar at a sample: the value, or the magnitude of a vector.
    pub fn value(&self, at: [usize; 2]) -> f32 {
        match self.components {
            1 => self.number(at, 0),
            count => (0..count).map(|component| self.number(at, component).powi(2)).sum::<f32>().sqrt(),
        }
    }

    /// The components along the slice's own axes.
    pub fn vector(&self, at: [usize; 2]) -> [f32; 2] {
        self.axes.map(|axis| if axis < self.components { self.number(at, axis) } else { 0.0 })
    }

    /// The sample whose cell contains a point; `None` outside.
    pub fn cell(&self, position: [f64; 2]) -> Option<[usize; 2]> {
        let index = |axis: usize| {
            let at = ((position[axis] - self.origin[axis]) / self.spacing[axis] + 0.5).floor();
            (at >= 0.0 && at < self.size[axis] as f64).then_some(at as usize)
        };
        Some([index(0)?, index(1)?])
    }

    /// The scalar at a point, bilinear between samples and clamped beyond the outermost ones.
    pub fn interpolate(&self, position: [f64; 2]) -> f32 {
        self.bilinear(position, |at| self.value(at))
    }

    /// One component at a point, bilinear between samples.
    pub fn interpolate_component(&self, position: [f64; 2], component: usize) -> f32 {
        self.bilinear(position, |at| self.number(at, component))
    }

    /// The components along the slice's own axes at a point, bilinear between samples.
    pub fn interpolate_vector(&self, position: [f64; 2]) -> [f32; 2] {
        [0, 1].map(|axis| self.bilinear(position, |at| self.vector(at)[axis]))
    }

    // Bilinear interpolation of a number of the four samples around a point.
    fn bilinear(&self, position: [f64; 2], number: impl Fn([usize; 2]) -> f32) -> f32 {
        if self.is_empty() {
            return f32::NAN;
        }
        let split = |axis: usize| {
            let last = (self.size[axis] - 1) as f64;
            let at = ((position[axis] - self.origin[axis]) / self.spacing[axis]).clamp(0.0, last);
            let low = (at as usize).min(self.size[axis].saturating_sub(2));
            (low, (low + 1).min(self.size[axis] - 1), (at - low as f64) as f32)
        };
        let ((west, east, u), (south, north, v)) = (split(0), split(1));
        let mix = |from: f32, to: f32, fraction: f32| {
            if fraction <= 0.0 { from } else { from + (to - from) * fraction }
        };
        let lower = mix(number([west, south]), number([east, south]), u);
        if v <= 0.0 {
            return lower;
        }
        mix(lower, mix(number([west, north]), number([east, north]), u), v)
    }

    /// The least and greatest finite value.
    pub fn range(&self) -> Option<(f32, f32)> {
        let values = self.samples().map(|at| self.value(at));
        values.filter(|value| value.is_finite()).fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        })
    }
}

/// The two axes of a slice normal to another.
pub fn axes_across(across: usize) -> [usize; 2] {
    match across {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    }
}

// Bounds of a layer of cells along an axis; unbounded for a raster of one layer.
fn layer_bounds(raster: &Raster, across: usize, layer: usize) -> [f64; 2] {
    if raster.size[across] <= 1 {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let middle = raster.origin[across] + raster.spacing[across] * layer as f64;
    [-0.5, 0.5].map(|half| middle + half * raster.spacing[across])
}

fn layer(raster: &Raster, across: usize, position: Option<f64>) -> usize {
    let count = raster.size[across] as usize;
    let middle = count / 2;
    let layer = position.map_or(middle as f64, |metres| {
        ((metres - raster.origin[across]) / raster.spacing[across].max(f64::MIN_POSITIVE)).round()
    });
    (layer.max(0.0) as usize).min(count.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Raster {
        Raster {
            size: [4, 3, 2],
            components: 1,
            spacing: [0.5; 3],
            values: (0..24).map(|value| value as f32).collect(),
            ..Raster::default()
        }
    }

    #[test]
    fn slices_take_the_right_samples() {
        let level = Slice::new(&cube(), None, Some(0.5));
        assert_eq!((level.size, level.value([1, 2])), ([4, 3], 21.0));
        let upright = Slice::new(&cube(), Some(0), Some(1.0));
        assert_eq!((upright.size, upright.axes, upright.value([1, 1])), ([3, 2], [1, 2], 18.0));
        assert_eq!(Slice::new(&cube(), Some(1), Some(99.0)).value([0, 0]), 8.0);
    }

    #[test]
    fn a_slice_holds_the_points_of_its_layer() {
        let slice = Slice::new(&cube(), Some(2), Some(0.5));
        assert!(slice.holds([9.0, 9.0, 0.6]) && !slice.holds([0.0, 0.0, 0.1]));
        let flat = Raster { size: [24, 1, 1], ..cube() };
        assert!(Slice::new(&flat, None, None).holds([0.0, 0.0, 77.0]));
    }

    #[test]
    fn lines_are_seen_from_their_side() {
        for size in [[12, 1, 1], [1, 12, 1], [1, 1, 12]] {
            let line = Raster { size, values: vec![0.0; 12].into(), ..cube() };
            assert_eq!(Slice::new(&line, None, None).size, if size[2] == 12 { [1, 12] } else { [12, 1] });
        }
    }

    #[test]
    fn between_samples_it_is_linear() {
        let slice = Slice::new(&cube(), Some(2), Some(0.0));
        assert!((slice.interpolate([0.25, 0.0]) - 0.5).abs() < 1e-6);
        assert!((slice.interpolate([0.25, 0.75]) - 6.5).abs() < 1e-6);
        assert_eq!(slice.interpolate([-9.0, -9.0]), 0.0);
        assert_eq!(slice.cell([0.2, 0.3]), Some([0, 1]));
        assert_eq!(slice.cell([-0.3, 0.0]), None);
    }

    #[test]
    fn a_slice_of_an_empty_raster_is_empty() {
        let slice = Slice::new(&Raster { components: 1, ..Raster::default() }, None, None);
        assert!(slice.is_empty() && slice.range().is_none() && slice.interpolate([0.0; 2]).is_nan());
    }
}
