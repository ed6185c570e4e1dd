//! Multilinear samples of one field at many points.
//!
//! [`interpolation`](crate::interpolation) takes any interpolant and any point. Here points are in cells, known to lie in
//! the grid, and come in batches: indices and weights are computed in SIMD registers, and only the values around the
//! points are fetched one by one.

use crate::field::Field;
use crate::location::Location;
use crate::value::Real;

/// Points that are sampled together.
pub(super) const BATCH: usize = 32;

/// A number per point of a batch.
pub(super) type PointBatch<T> = [T; BATCH];

/// Points inside a grid, in cells from its lowest corner: their coordinates along each axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Points<const D: usize>([PointBatch<f64>; D]);

/// The domain within which traced points stay.
#[derive(Debug, Clone, Copy)]
pub(super) struct TraceDomain<const D: usize> {
    cells: [f64; D],
    is_periodic: [bool; D],
}

/// A field, ready to be sampled.
pub(super) struct FieldSampler<'a, T, const D: usize> {
    field: &'a Field<T, D>,
    values: &'a [T],
    strides: [u32; D],
    /// Place in memory of the ghost below sample 0 along every axis.
    lowest: u32,
    /// From that ghost to the lowest corner, in cells.
    lead: [f64; D],
    /// Places below this one have all their neighbours above them in memory.
    end: u32,
}

/// The values at the corners of the boxes around points, and where in them the points lie. Bit `a` of a corner's
/// number tells whether it is the upper one along axis `a`. Made once per row: clearing it costs as much as using it.
pub(super) struct CornerValues<T, const D: usize> {
    values: [PointBatch<T>; 8],
    between: [PointBatch<T>; D],
    indices: [u32; BATCH],
}

impl<const D: usize> TraceDomain<D> {
    /// The extent of a field's grid, periodic where the field is.
    pub fn of<T: Real>(field: &Field<T, D>) -> Self {
        TraceDomain {
            cells: field.grid().cells().map(|cells| cells as f64),
            is_periodic: std::array::from_fn(|axis| field.boundary.is_periodic(axis)),
        }
    }
}

impl<const D: usize> Points<D> {
    /// All at the lowest corner.
    pub fn new() -> Self {
        Points([[0.0; BATCH]; D])
    }

    /// Their coordinates along an axis.
    #[inline(always)]
    pub fn along(&self, axis: usize) -> &PointBatch<f64> {
        &self.0[axis]
    }

    /// Like [`Points::along`], to write to; [`Points::keep_inside`] must follow.
    #[inline(always)]
    pub fn along_mut(&mut self, axis: usize) -> &mut PointBatch<f64> {
        &mut self.0[axis]
    }

    /// Wraps each point along a periodic axis or clamps it to the grid. NaN becomes zero.
    #[inline(always)]
    pub fn keep_inside(&mut self, axis: usize, extent: &TraceDomain<D>) {
        let cells = extent.cells[axis];
        if extent.is_periodic[axis] {
            for value in self.0[axis].iter_mut() {
                if !(*value >= 0.0 && *value <= cells) {
                    *value = value.rem_euclid(cells);
                }
            }
        }
        for value in self.0[axis].iter_mut() {
            // In this form NaN fails the first comparison
            let above = if *value > 0.0 { *value } else { 0.0 };
            *value = if above < cells { above } else { cells };
        }
    }
}

/// Writes the first values of a batch to as many places. A whole batch is copied in registers.
#[inline(always)]
pub(super) fn put<T: Copy>(to: &mut [T], batch: &PointBatch<T>) {
    match <&mut PointBatch<T>>::try_from(&mut *to) {
        Ok(full) => *full = *batch,
        Err(_) => to.copy_from_slice(&batch[..to.len()]),
    }
}

/// Reads the first values of a batch.
#[inline(always)]
pub(super) fn take<T: Copy>(batch: &mut PointBatch<T>, from: &[T]) {
    match <&PointBatch<T>>::try_from(from) {
        Ok(full) => *batch = *full,
        Err(_) => batch[..from.len()].copy_from_slice(from),
    }
}

impl<'a, T: Real, const D: usize> FieldSampler<'a, T, D> {
    /// # Panics
    /// When the field has more than four billion samples: places are counted in 32 bits.
    pub fn new(field: &'a Field<T, D>) -> Self {
        let (location, layout) = (field.location(), field.layout());
        let narrow = |index: usize| u32::try_from(index).expect("a field has at most four billion samples");
        let reach = 1 + layout.strides()[1..].iter().sum::<usize>();
        FieldSampler {
            field,
            values: field.storage(),
            strides: layout.strides().map(narrow),
            lowest: narrow(layout.offset([-1; D])),
            lead: std::array::from_fn(|axis| if location.is_on_side(axis) { 1.0 } else { 0.5 }),
            end: narrow(field.storage().len().saturating_sub(reach)),
        }
    }

    /// The values at points.
    #[inline(always)]
    pub fn values<'c>(&self, points: &Points<D>, corners: &'c mut CornerValues<T, D>) -> &'c PointBatch<T> {
        self.find(points, corners);
        corners.blend()
    }

    /// The values at samples of another location, from `at` on along x: means of the samples around each.
    #[inline(always)]
    pub fn means(&self, location: Location, at: [isize; D], out: &mut [T]) {
        let (mut first, mut reach) = (at, [0; D]);
        for axis in 0..D {
            let own_is_on_side = self.field.location().is_on_side(axis);
            if own_is_on_side != location.is_on_side(axis) {
                reach[axis] = 1;
                first[axis] -= isize::from(!own_is_on_side);
            }
        }
        out.fill(T::default());
        let mut count = 0;
        for corner in 0..1_usize << D {
            if (0..D).any(|axis| corner >> axis & 1 > reach[axis]) {
                continue;
            }
            let from = std::array::from_fn(|axis| first[axis] + (corner >> axis & 1) as isize);
            let run = self.field.run(from, out.len());
            for (sum, value) in out.iter_mut().zip(run) {
                *sum = *sum + *value;
            }
            count += 1;
        }
        let weight = T::from_f64(1.0 / f64::from(count));
        for sum in out {
            *sum = weight * *sum;
        }
    }

    /// Fetches the values around points.
    #[inline(always)]
    pub fn find(&self, points: &Points<D>, corners: &mut CornerValues<T, D>) {
        let CornerValues { values, between, indices } = corners;
        *indices = [self.lowest; BATCH];
        for axis in 0..D {
            for point in 0..BATCH {
                let from_lowest = points.0[axis][point] + self.lead[axis];
                // SAFETY: `Points` holds numbers between zero and the cells along the axis, which fit an i32.
                let below: i32 = unsafe { from_lowest.to_int_unchecked() };
                between[axis][point] = T::from_f64(from_lowest - f64::from(below));
                indices[point] = indices[point].wrapping_add((below as u32).wrapping_mul(self.strides[axis]));
            }
        }
        let mut farthest = 0;
        for index in indices.iter() {
            farthest = if *index > farthest { *index } else { farthest };
        }
        assert!(farthest < self.end, "a point lies outside the grid");
        let mut steps = [0; 8];
        for (corner, step) in steps.iter_mut().enumerate() {
            for axis in 0..D {
                *step += (corner >> axis & 1) * self.strides[axis] as usize;
            }
        }
        for point in 0..BATCH {
            let index = indices[point] as usize;
            for corner in 0..1 << D {
                let step = steps[corner];
                // SAFETY: below `end` all corners of the box are in memory.
                values[corner][point] = unsafe { *self.values.get_unchecked(index + step) };
            }
        }
    }
}

impl<T: Real, const D: usize> CornerValues<T, D> {
    /// Of no points yet.
    pub fn new() -> Self {
        CornerValues {
            values: [[T::default(); BATCH]; 8],
            between: [[T::default(); BATCH]; D],
            indices: [0; BATCH],
        }
    }

    /// The values at the points. Spends the corners.
    #[inline(always)]
    pub fn blend(&mut self) -> &PointBatch<T> {
        let mut count = 1 << D;
        for axis in 0..D {
            count /= 2;
            for pair in 0..count {
                for point in 0..BATCH {
                    let (low, high) = (self.values[2 * pair][point], self.values[2 * pair + 1][point]);
                    self.values[pair][point] = low + self.between[axis][point] * (high - low);
                }
            }
        }
        &self.values[0]
    }

    /// The least and greatest of the corners of each point.
    #[inline(always)]
    pub fn ranges(&self) -> [PointBatch<T>; 2] {
        let [mut low, mut high] = [self.values[0]; 2];
        for values in &self.values[1..1 << D] {
            for point in 0..BATCH {
                let value = values[point];
                low[point] = if value < low[point] { value } else { low[point] };
                high[point] = if value > high[point] { value } else { high[point] };
            }
        }
        [low, high]
    }
}
