//! Multilinear samples of one field at many points.
//!
//! [`interpolation`](crate::interpolation) takes any interpolant and any point. Here points are in cells, known to lie in
//! the grid, and come in batches: where they lie and what they are worth is then computed in whole registers, and only
//! the values around them are fetched one by one.

use crate::field::Field;
use crate::location::Location;
use crate::value::Real;

/// Points that are sampled together.
pub(super) const BATCH: usize = 32;

/// A number per point of a batch.
pub(super) type Batch<T> = [T; BATCH];

/// Points inside a grid, in cells from its lowest corner: their coordinates along each axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Points<const D: usize>([Batch<f64>; D]);

/// How far points may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent<const D: usize> {
    cells: [f64; D],
    is_periodic: [bool; D],
}

/// A field, ready to be sampled.
pub(super) struct Sampler<'a, T, const D: usize> {
    field: &'a Field<T, D>,
    values: &'a [T],
    strides: [usize; D],
    /// Place in memory of the ghost below sample 0 along every axis.
    lowest: usize,
    /// From that ghost to the lowest corner, in cells.
    lead: [f64; D],
    /// Places below this one have all their neighbours above them in memory.
    end: usize,
}

/// The values at the corners of the boxes around points, and where in them the points lie. Bit `a` of a corner's
/// number tells whether it is the upper one along axis `a`.
struct Corners<T, const D: usize> {
    values: [Batch<T>; 8],
    between: [Batch<T>; D],
}

impl<const D: usize> Extent<D> {
    /// The extent of a field's grid, periodic where the field is.
    pub fn of<T: Real>(field: &Field<T, D>) -> Self {
        Extent {
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
    pub fn along(&self, axis: usize) -> &Batch<f64> {
        &self.0[axis]
    }

    /// Takes points along one axis, each around a periodic axis or to the nearest place of the grid. What is no number
    /// goes to zero.
    #[inline(always)]
    pub fn set(&mut self, axis: usize, extent: &Extent<D>, mut along: Batch<f64>) {
        let cells = extent.cells[axis];
        if extent.is_periodic[axis] {
            for value in along.iter_mut().filter(|value| !(**value >= 0.0 && **value <= cells)) {
                *value = value.rem_euclid(cells);
            }
        }
        for (kept, value) in self.0[axis].iter_mut().zip(along) {
            // In this form NaN fails the first comparison
            let above = if value > 0.0 { value } else { 0.0 };
            *kept = if above < cells { above } else { cells };
        }
    }
}

impl<'a, T: Real, const D: usize> Sampler<'a, T, D> {
    pub fn new(field: &'a Field<T, D>) -> Self {
        let (location, layout) = (field.location(), field.layout());
        Sampler {
            field,
            values: field.storage(),
            strides: layout.strides(),
            lowest: layout.offset([-1; D]),
            lead: std::array::from_fn(|axis| if location.is_on_side(axis) { 1.0 } else { 0.5 }),
            end: field.storage().len().saturating_sub(1 + layout.strides()[1..].iter().sum::<usize>()),
        }
    }

    /// The values at points.
    #[inline(always)]
    pub fn values(&self, points: &Points<D>) -> Batch<T> {
        self.corners(points).values()
    }

    /// The values at points, with the least and greatest of the samples around each.
    #[inline(always)]
    pub fn values_and_ranges(&self, points: &Points<D>) -> [Batch<T>; 3] {
        let corners = self.corners(points);
        let [low, high] = corners.ranges();
        [corners.values(), low, high]
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
            out.iter_mut().zip(run).for_each(|(sum, value)| *sum = *sum + *value);
            count += 1;
        }
        let share = T::from_f64(1.0 / f64::from(count));
        out.iter_mut().for_each(|sum| *sum = share * *sum);
    }

    #[inline(always)]
    fn corners(&self, points: &Points<D>) -> Corners<T, D> {
        let mut between = [[T::default(); BATCH]; D];
        let mut below = [[0_i32; BATCH]; D];
        for axis in 0..D {
            for point in 0..BATCH {
                let from_lowest = points.0[axis][point] + self.lead[axis];
                // SAFETY: `Points` holds numbers between zero and the cells along the axis, which fit an i32.
                below[axis][point] = unsafe { from_lowest.to_int_unchecked() };
                between[axis][point] = T::from_f64(from_lowest - f64::from(below[axis][point]));
            }
        }
        let mut values = [[T::default(); BATCH]; 8];
        for point in 0..BATCH {
            let place = (0..D).map(|axis| below[axis][point] as usize * self.strides[axis]).sum::<usize>()
                + self.lowest;
            assert!(place < self.end, "a point lies outside the grid");
            for corner in 0..1 << D {
                let step = (0..D).map(|axis| (corner >> axis & 1) * self.strides[axis]).sum::<usize>();
                // SAFETY: below `end` all corners of the box are in memory.
                values[corner][point] = unsafe { *self.values.get_unchecked(place + step) };
            }
        }
        Corners { values, between }
    }
}

impl<T: Real, const D: usize> Corners<T, D> {
    #[inline(always)]
    fn values(&self) -> Batch<T> {
        let mut values = self.values;
        let mut count = 1 << D;
        for axis in 0..D {
            count /= 2;
            for pair in 0..count {
                for point in 0..BATCH {
                    let (low, high) = (values[2 * pair][point], values[2 * pair + 1][point]);
                    values[pair][point] = low + self.between[axis][point] * (high - low);
                }
            }
        }
        values[0]
    }

    #[inline(always)]
    fn ranges(&self) -> [Batch<T>; 2] {
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
