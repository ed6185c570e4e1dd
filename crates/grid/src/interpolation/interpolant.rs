//! Interpolants on one axis.

use bytemuck::Zeroable;

use crate::value::Real;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Linear {}
    impl Sealed for super::Cubic {}
    impl Sealed for super::MonotoneCubic {}
}

/// A curve through equally spaced samples: [`Linear`], [`Cubic`] or [`MonotoneCubic`].
///
/// The point lies between the two middle samples, `t` of their distance after the first.
pub trait Interpolant: Copy + Send + Sync + sealed::Sealed {
    /// Number of samples, half of them on each side of the point.
    const TAPS: usize;

    /// Array for the samples in three dimensions.
    type Samples<T: Real>: Copy + Zeroable + AsMut<[T]>;

    /// The curve at `t`.
    fn value<T: Real>(taps: &[T], t: T) -> T;

    /// Its derivative at `t`, per distance of samples.
    fn slope<T: Real>(taps: &[T], t: T) -> T;
}

/// Straight lines between samples: second order, exact for linear functions, never leaves the range of the samples.
#[derive(Debug, Clone, Copy)]
pub struct Linear;

/// Catmull-Rom splines: third order, exact for quadratics, smooth, but overshoots at jumps.
#[derive(Debug, Clone, Copy)]
pub struct Cubic;

/// Catmull-Rom splines with limited slopes: third order where the samples rise or fall steadily, and never outside the
/// range of the two samples around the point.
#[derive(Debug, Clone, Copy)]
pub struct MonotoneCubic;

impl Interpolant for Linear {
    const TAPS: usize = 2;
    type Samples<T: Real> = [T; 8];

    #[inline]
    fn value<T: Real>(taps: &[T], t: T) -> T {
        taps[0] + t * (taps[1] - taps[0])
    }

    #[inline]
    fn slope<T: Real>(taps: &[T], _t: T) -> T {
        taps[1] - taps[0]
    }
}

impl Interpolant for Cubic {
    const TAPS: usize = 4;
    type Samples<T: Real> = [T; 64];

    #[inline]
    fn value<T: Real>(taps: &[T], t: T) -> T {
        Hermite::through(taps).value(t)
    }

    #[inline]
    fn slope<T: Real>(taps: &[T], t: T) -> T {
        Hermite::through(taps).slope(t)
    }
}

impl Interpolant for MonotoneCubic {
    const TAPS: usize = 4;
    type Samples<T: Real> = [T; 64];

    #[inline]
    fn value<T: Real>(taps: &[T], t: T) -> T {
        let value = Hermite::through(taps).limited().value(t);
        // Rounding may carry the last bits past a sample
        let (low, high) = if taps[1] < taps[2] { (taps[1], taps[2]) } else { (taps[2], taps[1]) };
        if value < low {
            low
        } else if value > high {
            high
        } else {
            value
        }
    }

    #[inline]
    fn slope<T: Real>(taps: &[T], t: T) -> T {
        Hermite::through(taps).limited().slope(t)
    }
}

/// A cubic by its value at 0, its rise to 1, and its slopes at 0 and 1.
struct Hermite<T> {
    start: T,
    rise: T,
    slopes: [T; 2],
}

impl<T: Real> Hermite<T> {
    #[inline]
    fn through(taps: &[T]) -> Self {
        let half = T::from_f64(0.5);
        let slopes = [half * (taps[2] - taps[0]), half * (taps[3] - taps[1])];
        Hermite { start: taps[1], rise: taps[2] - taps[1], slopes }
    }

    /// Slopes between none and three times the rise make the cubic monotone [fritsch1980].
    #[inline]
    fn limited(mut self) -> Self {
        let zero = T::zeroed();
        let steepest = T::from_f64(3.0) * self.rise;
        let (low, high) = if steepest < zero { (steepest, zero) } else { (zero, steepest) };
        for slope in &mut self.slopes {
            if *slope < low {
                *slope = low;
            } else if *slope > high {
                *slope = high;
            }
        }
        self
    }

    /// Coefficients of t, t² and t³.
    #[inline]
    fn coefficients(&self) -> [T; 3] {
        let [first, last] = self.slopes;
        let quadratic = T::from_f64(3.0) * self.rise - (first + first) - last;
        let cubic = first + last - (self.rise + self.rise);
        [first, quadratic, cubic]
    }

    #[inline]
    fn value(&self, t: T) -> T {
        let [linear, quadratic, cubic] = self.coefficients();
        self.start + t * (linear + t * (quadratic + t * cubic))
    }

    #[inline]
    fn slope(&self, t: T) -> T {
        let [linear, quadratic, cubic] = self.coefficients();
        linear + t * ((quadratic + quadratic) + T::from_f64(3.0) * t * cubic)
    }
}
