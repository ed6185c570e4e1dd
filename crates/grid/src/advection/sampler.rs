//! Multilinear samples of one field at many points.
//!
//! [`interpolation`](crate::interpolation) takes any interpolant and any point; here points are in cells and known to
//! lie in the grid, which is several times faster.

use crate::field::Field;
use crate::location::Location;
use crate::value::Real;

/// A field, ready to be sampled at points that are measured in cells from the grid's lowest corner.
pub(super) struct Sampler<'a, T, const D: usize> {
    field: &'a Field<T, D>,
    values: &'a [T],
    strides: [usize; D],
    /// Place in memory of the ghost below sample 0 along every axis.
    lowest: usize,
    /// From the lowest corner to that ghost, in cells.
    lead: [f64; D],
    /// Places below this one have all their neighbours above them in memory.
    end: usize,
}

/// A point that is known to lie in the grid, in cells from its lowest corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inside<const D: usize>([f64; D]);

/// What the grid holds: how far points may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent<const D: usize> {
    cells: [f64; D],
    is_periodic: [bool; D],
}

impl<const D: usize> Extent<D> {
    /// The extent of a field's grid, periodic where the field is.
    pub fn of<T: Real>(field: &Field<T, D>) -> Self {
        Extent {
            cells: field.grid().cells().map(|cells| cells as f64),
            is_periodic: std::array::from_fn(|axis| field.boundary.is_periodic(axis)),
        }
    }

    /// The same point taken around periodic axes, or the nearest one of the grid. What is no number goes to zero.
    #[inline(always)]
    pub fn keep(&self, mut point: [f64; D]) -> Inside<D> {
        for axis in 0..D {
            let cells = self.cells[axis];
            if self.is_periodic[axis] && !(point[axis] >= 0.0 && point[axis] <= cells) {
                point[axis] = point[axis].rem_euclid(cells);
            }
            // In this form NaN fails the first comparison
            let above = if point[axis] > 0.0 { point[axis] } else { 0.0 };
            point[axis] = if above < cells { above } else { cells };
        }
        Inside(point)
    }
}

impl<const D: usize> Inside<D> {
    /// The lowest corner.
    pub fn origin() -> Self {
        Inside([0.0; D])
    }

    /// The coordinates.
    #[inline(always)]
    pub fn coordinates(self) -> [f64; D] {
        self.0
    }
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
            field,
            values: field.storage(),
            strides: field.layout().strides(),
            lowest: field.layout().offset([-1; D]),
            lead: std::array::from_fn(|axis| if location.is_on_side(axis) { 1.0 } else { 0.5 }),
            end: field.storage().len().saturating_sub(1 + field.layout().strides()[1..].iter().sum::<usize>()),
        }
    }

    /// The value at a point inside the grid.
    #[inline(always)]
    pub fn value(&self, point: Inside<D>) -> T {
        self.corners(point).value()
    }

    /// The value at a point inside the grid, with the least and greatest of the samples around it.
    #[inline(always)]
    pub fn value_and_range(&self, point: Inside<D>) -> [T; 3] {
        let corners = self.corners(point);
        let [low, high] = corners.range();
        [corners.value(), low, high]
    }

    /// The values at samples of another location, from `at` on along x: means of the samples around each.
    #[inline(always)]
    pub fn means(&self, location: Location, at: [isize; D], out: &mut [T]) {
        let mut first = at;
        let mut steps = [0; D];
        for axis in 0..D {
            let own_is_on_side = self.field.location().is_on_side(axis);
            if own_is_on_side != location.is_on_side(axis) {
                steps[axis] = 1;
                first[axis] -= isize::from(!own_is_on_side);
            }
        }
        let corners = (0..1_usize << D).filter(|corner| (0..D).all(|axis| steps[axis] == 1 || corner >> axis & 1 == 0));
        let mut count = 0;
        out.fill(T::default());
        for corner in corners {
            let from = std::array::from_fn(|axis| first[axis] + (corner >> axis & 1) as isize);
            let run = self.field.run(from, out.len());
            out.iter_mut().zip(run).for_each(|(sum, value)| *sum = *sum + *value);
            count += 1;
        }
        let share = T::from_f64(1.0 / f64::from(count));
        out.iter_mut().for_each(|sum| *sum = share * *sum);
    }

    #[inline(always)]
    fn corners(&self, point: Inside<D>) -> Corners<T, D> {
        let mut between = [T::default(); D];
        let mut place = self.lowest;
        for axis in 0..D {
            let from_lowest = point.0[axis] + self.lead[axis];
            // SAFETY: a point inside the grid is a number between zero and the cells along the axis, which fit an i32.
            let below: i32 = unsafe { from_lowest.to_int_unchecked() };
            between[axis] = T::from_f64(from_lowest - f64::from(below));
            place += below as usize * self.strides[axis];
        }
        assert!(place < self.end, "a point lies outside the grid");
        let mut rows = [[T::default(); 2]; 4];
        for (number, row) in rows.iter_mut().enumerate().take(1 << (D - 1)) {
            let start = place + (1..D).map(|axis| (number >> (axis - 1) & 1) * self.strides[axis]).sum::<usize>();
            // SAFETY: below `end` all corners of the box are in memory.
            *row = unsafe { [*self.values.get_unchecked(start), *self.values.get_unchecked(start + 1)] };
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
