//! Multilinear samples of one field at many points.
//!
//! [`interpolation`](crate::interpolation) takes any interpolant and any point; here points are in cells and known to
//! lie in the grid, which is several times faster.

use crate::field::Field;
use crate::value::Real;

/// A field, ready to be sampled at points that are measured in cells from the grid's lowest corner.
pub(super) struct Sampler<'a, T, const D: usize> {
    values: &'a [T],
    strides: [usize; D],
    /// Place in memory of the ghost below sample 0 along every axis.
    lowest: usize,
    /// From the lowest corner to that ghost, in cells.
    lead: [f64; D],
}

/// The values at the corners of the box around a point, in rows along x, and where in it the point lies.
struct Corners<T, const D: usize> {
    rows: [[T; 2]; 4],
    between: [T; D],
}

impl<'a, T: Real, const D: usize> Sampler<'a, T, D> {
    pub fn new(field: &'a Field<T, D>) -> Self {
        let location = field.location();
        Sampler {
            values: field.storage(),
            strides: field.layout().strides(),
            lowest: field.layout().offset([-1; D]),
            lead: std::array::from_fn(|axis| if location.is_on_side(axis) { 1.0 } else { 0.5 }),
        }
    }

    /// The value at a point inside the grid.
    #[inline(always)]
    pub fn value(&self, point: [f64; D]) -> T {
        self.corners(point).value()
    }

    /// The value at a point inside the grid, with the least and greatest of the samples around it.
    #[inline(always)]
    pub fn value_and_range(&self, point: [f64; D]) -> [T; 3] {
        let corners = self.corners(point);
        let [low, high] = corners.range();
        [corners.value(), low, high]
    }

    #[inline(always)]
    fn corners(&self, point: [f64; D]) -> Corners<T, D> {
        let mut between = [T::default(); D];
        let mut place = self.lowest;
        for axis in 0..D {
            let from_lowest = point[axis] + self.lead[axis];
            // Never negative, so the cast is the floor; NaN becomes zero
            let below = from_lowest as usize;
            between[axis] = T::from_f64(from_lowest - below as f64);
            place += below * self.strides[axis];
        }
        let mut rows = [[T::default(); 2]; 4];
        for (number, row) in rows.iter_mut().enumerate().take(1 << (D - 1)) {
            let start = place + (1..D).map(|axis| (number >> (axis - 1) & 1) * self.strides[axis]).sum::<usize>();
            let pair = &self.values[start..start + 2];
            *row = [pair[0], pair[1]];
        }
        Corners { rows, between }
    }
}

impl<T: Real, const D: usize> Corners<T, D> {
    #[inline(always)]
    fn value(&self) -> T {
        let mut values = self.rows.map(|[low, high]| low + self.between[0] * (high - low));
        let mut count = 1 << (D - 1);
        for axis in 1..D {
            count /= 2;
            for pair in 0..count {
                let (low, high) = (values[2 * pair], values[2 * pair + 1]);
                values[pair] = low + self.between[axis] * (high - low);
            }
        }
        values[0]
    }

    #[inline(always)]
    fn range(&self) -> [T; 2] {
        let [mut low, mut high] = [self.rows[0][0]; 2];
        for value in self.rows.iter().take(1 << (D - 1)).flatten() {
            low = if *value < low { *value } else { low };
            high = if *value > high { *value } else { high };
        }
        [low, high]
    }
}
