//! Element types of fields.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use bytemuck::Pod;

use crate::fft::Planned;
use crate::poisson::SolverNumber;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for u8 {}
}

/// Element type of a field: `f32`, `f64`, or `u8` for labels such as the kind of a cell.
pub trait Value: Pod + PartialOrd + Debug + Default + Send + Sync + sealed::Sealed {
    /// Whether values are names rather than amounts, so that differences of them mean nothing.
    const IS_LABEL: bool;

    /// Whether the value is a finite number; a label always is.
    fn is_finite(self) -> bool;

    /// The image of the value in `about`: `2 about - self`. A label has no image, so it is `about` itself.
    fn reflected(self, about: Self) -> Self;

    /// The value raised by `amount`; a label stays as it is.
    fn raised(self, amount: f64) -> Self;

    /// The value as a double.
    fn to_f64(self) -> f64;
}

/// A value one can calculate with: `f32` or `f64`.
pub trait Real:
    Value
    + Planned
    + SolverNumber
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The nearest value to a double.
    fn from_f64(number: f64) -> Self;

    /// The value without its sign.
    fn abs(self) -> Self;

    /// The square root; NaN below zero.
    fn sqrt(self) -> Self;
}

macro_rules! real {
    ($real:ty) => {
        impl Value for $real {
            const IS_LABEL: bool = false;

            fn is_finite(self) -> bool {
                self.is_finite()
            }

            #[inline]
            fn reflected(self, about: Self) -> Self {
                about + about - self
            }

            #[inline]
            fn raised(self, amount: f64) -> Self {
                self + amount as $real
            }

            #[inline]
            fn to_f64(self) -> f64 {
                self.into()
            }
        }

        impl Real for $real {
            #[inline]
            fn from_f64(number: f64) -> Self {
                number as $real
            }

            #[inline]
            fn abs(self) -> Self {
                self.abs()
            }

            #[inline]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
        }
    };
}

real!(f32);
real!(f64);

impl Value for u8 {
    const IS_LABEL: bool = true;

    fn is_finite(self) -> bool {
        true
    }

    fn reflected(self, about: Self) -> Self {
        about
    }

    fn raised(self, _amount: f64) -> Self {
        self
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}
