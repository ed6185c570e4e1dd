//! The samples around a point, in as many dimensions as there are.

use std::marker::PhantomData;

use super::interpolant::Interpolant;
use crate::field::Field;
use crate::value::Real;

/// Samples of the largest stencil: four along each of three axes.
const MAX_SAMPLES: usize = 64;

/// Samples of the largest stencil along one axis.
const MAX_TAPS: usize = 4;

/// The samples an interpolant needs at a point, x fastest, and where between them the point lies.
pub(super) struct Stencil<I, T, const D: usize> {
    samples: [T; MAX_SAMPLES],
    t: [T; D],
    interpolant: PhantomData<I>,
}

impl<I: Interpolant, T: Real, const D: usize> Stencil<I, T, D> {
    #[inline]
    pub fn new(field: &Field<T, D>, point: [f64; D]) -> Self {
        let mut steps = [[0; MAX_TAPS]; D];
        let mut t = [T::zeroed(); D];
        for axis in 0..D {
            let (first, between) = place_on_axis(field, axis, point[axis]);
            let stride = field.layout().strides()[axis] as isize;
            t[axis] = T::from_f64(between);
            for (tap, step) in steps[axis][..I::TAPS].iter_mut().enumerate() {
                let along = first + tap as isize + 1 - (I::TAPS / 2) as isize;
                *step = kept_inside(field, axis, along) * stride;
            }
        }
        Stencil { samples: gather(field, &steps, I::TAPS), t, interpolant: PhantomData }
    }

    #[inline]
    pub fn value(&self) -> T {
        self.collapse(|_| I::value)
    }

    #[inline]
    pub fn gradient(&self, spacing: [f64; D]) -> [T; D] {
        std::array::from_fn(|along| {
            let slope = self.collapse(|axis| if axis == along { I::slope } else { I::value });
            slope * T::from_f64(1.0 / spacing[along])
        })
    }

    /// Reduces the samples axis by axis: each group of taps along the axis to one number.
    #[inline]
    fn collapse(&self, reduction: impl Fn(usize) -> fn(&[T], T) -> T) -> T {
        let mut samples = self.samples;
        let mut count = I::TAPS.pow(D as u32);
        for axis in 0..D {
            count /= I::TAPS;
            for group in 0..count {
                let taps = &samples[group * I::TAPS..(group + 1) * I::TAPS];
                samples[group] = reduction(axis)(taps, self.t[axis]);
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
    let below = exact.floor();
    (below as isize, exact - below)
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
) -> [T; MAX_SAMPLES] {
    let stored = field.storage();
    let origin = field.layout().place([0; D]) as isize;
    let mut samples = [T::zeroed(); MAX_SAMPLES];
    for (row, samples) in samples.chunks_exact_mut(taps).enumerate().take(taps.pow(D as u32 - 1)) {
        let mut rest = row;
        let mut start = origin;
        for across in &steps[1..] {
            start += across[rest % taps];
            rest /= taps;
        }
        for (sample, step) in samples.iter_mut().zip(&steps[0]) {
            *sample = stored[(start + step) as usize];
        }
    }
    samples
}
