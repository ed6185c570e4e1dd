//! The height field as a receiver of sources.

use undine_grid::Real;

use super::height_field::HeightField;
use crate::heightfield::Receiver;

/// Adds sources to the depth. [kass1990] adds them to the current and the previous h, so that they bring no momentum;
/// here the velocities stay as they are.
pub struct HeightFieldReceiver<'a, T, const W: usize> {
    pub height_field: &'a mut HeightField<T, W>,
    /// In a step drizzle adds less than the last digit of a deep lake. The rounding error of each addition is carried
    /// to the next cell, so that no volume is lost.
    pub rounding: &'a mut f64,
}

impl<T: Real, const W: usize> Receiver for HeightFieldReceiver<'_, T, W> {
    fn level(&self, cell: [usize; 2]) -> f64 {
        self.height_field.level(cell)
    }

    fn add(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        let before = self.height_field.depth[cell].to_f64();
        let target = (depth + *self.rounding).max(-before);
        let after = T::from_f64(before + target);
        if !after.is_finite() {
            return 0.0;
        }
        self.height_field.depth[cell] = after;
        let added = after.to_f64() - before;
        *self.rounding = target - added;
        added
    }
}
