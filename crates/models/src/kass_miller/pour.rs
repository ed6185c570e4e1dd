//! Water that is poured on.

use undine_grid::Real;

use super::basin::Basin;
use crate::heightfield::Receiver;

/// The basin under a source. [kass1990] adds what flows in to the current and the last h, so that it brings no motion:
/// here it is added to the depth and the velocities stay.
pub struct Poured<'a, T, const W: usize> {
    pub basin: &'a mut Basin<T, W>,
    /// A drizzle adds less in a step than the last digit of a deep lake. What rounding keeps back from one cell is given
    /// to the next, so that none of it is lost.
    pub kept_back: &'a mut f64,
}

impl<T: Real, const W: usize> Receiver for Poured<'_, T, W> {
    fn level(&self, cell: [usize; 2]) -> f64 {
        self.basin.level(cell)
    }

    fn add(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        let before = self.basin.depth[cell].to_f64();
        let wanted = (depth + *self.kept_back).max(-before);
        let after = T::from_f64(before + wanted);
        if !after.is_finite() {
            return 0.0;
        }
        self.basin.depth[cell] = after;
        let added = after.to_f64() - before;
        *self.kept_back = wanted - added;
        added
    }
}
