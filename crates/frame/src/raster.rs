//! Fields on regular lattices, without their ghost cells.

use crate::{FieldScale, Quantity, Shared};

/// Values on a lattice of one, two or three axes.
///
/// ```
/// use undine_frame::Raster;
/// let levels = Raster { size: [3, 1, 1], components: 1, values: vec![0.1, -0.2, 0.3].into(), ..Raster::default() };
/// assert_eq!((levels.value([2, 0, 0]), levels.range()), (0.3, Some((-0.2, 0.3))));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Raster {
    /// Name of the field, such as `height` or `speed`.
    pub name: String,
    /// Which of the frame's waters it belongs to.
    pub water: usize,
    /// Its unit, empty for a pure number.
    pub unit: String,
    /// What its values measure.
    pub quantity: Quantity,
    /// Samples along x, y and z; 1 along an axis that does not exist.
    pub size: [u32; 3],
    /// Numbers per sample, 1 for a scalar.
    pub components: u32,
    /// Position of the first sample in metres.
    pub origin: [f64; 3],
    /// Distance of neighbouring samples in metres.
    pub spacing: [f64; 3],
    /// The values, components fastest, then x, then y, then z.
    pub values: Shared<f32>,
}

impl Raster {
    /// Scale of its values.
    pub fn scale(&self) -> FieldScale {
        self.quantity.scale(self.components)
    }

    /// The scalar value at a sample: the value itself, or the magnitude of a vector.
    pub fn value(&self, at: [u32; 3]) -> f32 {
        let sample = (at[2] as usize * self.size[1] as usize + at[1] as usize) * self.size[0] as usize;
        let first = (sample + at[0] as usize) * self.components as usize;
        length(&self.values[first..first + self.components as usize])
    }

    /// The least and greatest finite value; `None` when there is none.
    pub fn range(&self) -> Option<(f32, f32)> {
        let lengths = self.values.chunks(self.components.max(1) as usize).map(length);
        lengths.filter(|value| value.is_finite()).fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        })
    }

    /// What is inconsistent about this raster, if anything.
    pub fn inconsistency(&self) -> Option<String> {
        let samples = self.size.iter().map(|&samples| u128::from(samples)).product::<u128>();
        let wanted = samples * u128::from(self.components);
        (self.components == 0 || wanted != self.values.len() as u128).then(|| {
            format!("{} values for {:?} samples of {}", self.values.len(), self.size, self.components)
        })
    }
}

/// A scalar itself, or the magnitude of a vector.
fn length(sample: &[f32]) -> f32 {
    match sample {
        [value] => *value,
        vector => vector.iter().map(|component| component * component).sum::<f32>().sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_measured_by_their_length() {
        let raster = Raster {
            size: [2, 1, 1],
            components: 2,
            values: vec![3.0, 4.0, 0.0, f32::NAN].into(),
            ..Raster::default()
        };
        assert_eq!(raster.value([0, 0, 0]), 5.0);
        assert_eq!(raster.range(), Some((5.0, 5.0)));
        assert_eq!(raster.inconsistency(), None);
    }
}
