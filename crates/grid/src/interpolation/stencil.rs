//! The samples around a point, in any dimension.

use bytemuck::Zeroable;

use super::interpolant::Interpolant;
use crate::field::Field;
use crate::value::Real;

/// Samples of the largest stencil along one axis.
const MAX_TAPS: usize = 4;

/// The samples an interpolant needs at a point, x fastest, and where between them the point lies.
pub(super) struct Stencil<I: Interpolant, T: Real, const D: usize> {
    samples: I::Samples<T>,
    t: [T; D],
}

impl<I: Interpolant, T: Real, const D: usize> Stencil<I, T, D> {
    #[inline]
    pub fn new(field: &Field<T, D>, point: [f64; D]) -> Self {
        let mut steps = [[0; MAX_TAPS]; D];
        let mut t = [T::zeroed(); D];
        for axis in 0..D {
            let (below, between) = place_on_axis(field, axis, point[axis]);
            let stride = field.layout().strides()[axis] as isize;
            t[axis] = T::from_f64(between);
            for tap in 0..I::TAPS {
                let along = below + tap as isize + 1 - (I::TAPS / 2) as isize;
                steps[axis][tap] = kept_inside(field, axis, along) * stride;
            }
        }
        let mut samples = I::Samples::<T>::zeroed();
        gather(field, &steps, I::TAPS, samples.as_mut());
        Stencil { samples, t }
    }

    #[inline]
    pub fn value(self) -> T {
        self.collapse(D)
    }

    #[inline]
    pub fn gradient(&self, spacing: [f64; D]) -> [T; D] {
        let mut gradient = [T::zeroed(); D];
        for along in 0..D {
            let copy = Stencil::<I, T, D> { samples: self.samples, t: self.t };
            gradient[along] = copy.collapse(along) * T::from_f64(1.0 / spacing[along]);
        }
        gradient
    }

    /// Reduces the samples axis by axis, each group of taps along the axis to one number: to the slope along axis
    /// `derived`, to the value along all others.
    #[inline]
    fn collapse(mut self, derived: usize) -> T {
        let samples = self.samples.as_mut();
        let mut count = I::TAPS.pow(D as u32);
        for axis in 0..D {
            count /= I::TAPS;
            for group in 0..count {
                let taps = &samples[group * I::TAPS..(group + 1) * I::TAPS];
                samples[group] =
                    if axis == derived { I::slope(taps, self.t[axis]) } else { I::value(taps, self.t[axis]) };
            }
        }
        samples[0]
    }
}

/// The sample at or below a coordinate, and how far the point lies towards the next.
#[inline]
fn place_on_axis<T: Real, const D: usize>(field: &Field<T, D>, axis: usize, coordinate: f64) -> (isize, f64) {
    let grid = field.grid();
    let inset = if field.location().is_on_side(axis) { 0.0 } else { 0.5 };
    let exact = (coordinate - grid.origin()[axis]) / grid.spacing()[axis] - inset;
    let exact = if field.boundary.is_periodic(axis) {
        exact.rem_euclid(grid.cells()[axis] as f64)
    } else {
        let ghost = field.layout().ghost() as f64;
        exact.clamp(-ghost, field.size()[axis] as f64 - 1.0 + ghost)
    };
    // The floor, without the call it is on machines before SSE4.1
    let towards_zero = exact as isize;
    let below = towards_zero - isize::from(towards_zero as f64 > exact);
    (below, exact - below as f64)
}

/// A sample number taken around a periodic axis, or to the outermost ghost of any other.
#[inline]
fn kept_inside<T: Real, const D: usize>(field: &Field<T, D>, axis: usize, along: isize) -> isize {
    if field.boundary.is_periodic(axis) {
        along.rem_euclid(field.grid().cells()[axis] as isize)
    } else {
        let ghost = field.layout().ghost() as isize;
        along.clamp(-ghost, field.size()[axis] as isize - 1 + ghost)
    }
}

/// Collects `taps` samples along each axis, given their distances in memory from sample 0.
#[inline]
fn gather<T: Real, const D: usize>(
    field: &Field<T, D>,
    steps: &[[isize; MAX_TAPS]; D],
    taps: usize,
    samples: &mut [T],
) {
    let stored = field.storage();
    let origin = field.layout().index([0; D]) as isize;
    for (row, samples) in samples.chunks_exact_mut(taps).enumerate().take(taps.pow(D as u32 - 1)) {
        let mut rest = row;
        let mut start = origin;
        for axis in 1..D {
            start += steps[axis][rest % taps];
            rest /= taps;
        }
        for tap in 0..taps {
            samples[tap] = stored[(start + steps[0][tap]) as usize];
        }
    }
}
