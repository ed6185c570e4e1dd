//! Interval arithmetic: the values that an expression takes while `t` runs through an interval.
//!
//! An interval [a, b] of an operand gives an interval that holds every value of the result. It also records whether the
//! result may jump or be undefined inside: `step`, `pulse`, `floor`, `ceil` and `sign` jump, a division by zero or a root
//! of a negative number is undefined. So the quadrature knows where to break a step.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Bounds of a value, and whether it may jump or be undefined between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
    pub has_break: bool,
}

impl Interval {
    /// Any value, also an undefined one.
    pub const UNKNOWN: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, has_break: true };

    /// One value.
    pub fn point(value: f64) -> Interval {
        Interval::between(value, value, false)
    }

    /// The values between two bounds; unknown where a bound is not a number.
    pub fn between(low: f64, high: f64, has_break: bool) -> Interval {
        if low.is_nan() || high.is_nan() { Interval::UNKNOWN } else { Interval { low, high, has_break } }
    }

    /// Whether it holds one value only.
    pub fn is_point(&self) -> bool {
        self.low == self.high
    }

    fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The hull of the values at the four corners, for a function that is monotonic in each operand.
    fn corners(self, other: Interval, function: impl Fn(f64, f64) -> f64) -> Interval {
        let values = [
            function(self.low, other.low),
            function(self.low, other.high),
            function(self.high, other.low),
            function(self.high, other.high),
        ];
        if values.iter().any(|value| value.is_nan()) {
            return Interval::UNKNOWN;
        }
        let low = values.into_iter().fold(f64::INFINITY, f64::min);
        let high = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Interval { low, high, has_break: self.has_break || other.has_break }
    }

    fn rising(self, function: impl Fn(f64) -> f64) -> Interval {
        Interval::between(function(self.low), function(self.high), self.has_break)
    }

    fn falling(self, function: impl Fn(f64) -> f64) -> Interval {
        Interval::between(function(self.high), function(self.low), self.has_break)
    }

    /// A monotonic step function: constant where both ends agree, else it jumps.
    fn jumping(self, function: impl Fn(f64) -> f64) -> Interval {
        let (low, high) = (function(self.low), function(self.high));
        if low == high { Interval::point(low) } else { Interval::between(low, high, true) }
    }

    pub fn add(self, other: Interval) -> Interval {
        let has_break = self.has_break || other.has_break;
        Interval::between(self.low + other.low, self.high + other.high, has_break)
    }

    pub fn subtract(self, other: Interval) -> Interval {
        let has_break = self.has_break || other.has_break;
        Interval::between(self.low - other.high, self.high - other.low, has_break)
    }

    pub fn multiply(self, other: Interval) -> Interval {
        let product = self.corners(other, |a, b| a * b);
        // What is switched off has no breaks
        if product.is_point() { Interval { has_break: false, ..product } } else { product }
    }

    pub fn divide(self, other: Interval) -> Interval {
        if other.contains(0.0) { Interval::UNKNOWN } else { self.corners(other, |a, b| a / b) }
    }

    pub fn power(self, other: Interval) -> Interval {
        let exponent = other.low;
        let is_whole = other.is_point() && exponent.fract() == 0.0 && exponent.abs() < 1e9;
        if self.low >= 0.0 && (self.low > 0.0 || other.low > 0.0) {
            return self.corners(other, f64::powf);
        }
        if !is_whole || (exponent < 0.0 && self.contains(0.0)) {
            return Interval::UNKNOWN;
        }
        let ends = self.corners(other, f64::powf);
        // An even power has its minimum at zero
        let is_even = exponent % 2.0 == 0.0;
        if is_even && self.contains(0.0) { Interval { low: 0.0_f64.powf(exponent), ..ends } } else { ends }
    }

    /// 0 − x, the sign of an expression.
    pub fn negate(self) -> Interval {
        self.falling(|x| 0.0 - x)
    }

    pub fn sin(self) -> Interval {
        self.wave(f64::sin, FRAC_PI_2)
    }

    pub fn cos(self) -> Interval {
        self.wave(f64::cos, 0.0)
    }

    /// A sine wave with a maximum at `crest` and period 2π.
    fn wave(self, function: impl Fn(f64) -> f64, crest: f64) -> Interval {
        if !(self.low.is_finite() && self.high.is_finite()) {
            return Interval::UNKNOWN;
        }
        let passes = |at: f64| ((self.high - at) / TAU).floor() >= ((self.low - at) / TAU).ceil();
        let (first, last) = (function(self.low), function(self.high));
        let high = if passes(crest) { 1.0 } else { first.max(last) };
        let low = if passes(crest + PI) { -1.0 } else { first.min(last) };
        Interval::between(low, high, self.has_break)
    }

    pub fn tan(self) -> Interval {
        let pole = |x: f64| ((x - FRAC_PI_2) / PI).floor();
        if pole(self.low) == pole(self.high) { self.rising(f64::tan) } else { Interval::UNKNOWN }
    }

    pub fn asin(self) -> Interval {
        self.rising(f64::asin)
    }

    pub fn acos(self) -> Interval {
        self.falling(f64::acos)
    }

    pub fn atan(self) -> Interval {
        self.rising(f64::atan)
    }

    pub fn tanh(self) -> Interval {
        self.rising(f64::tanh)
    }

    pub fn exp(self) -> Interval {
        self.rising(f64::exp)
    }

    pub fn ln(self) -> Interval {
        if self.low > 0.0 { self.rising(f64::ln) } else { Interval::UNKNOWN }
    }

    pub fn sqrt(self) -> Interval {
        self.rising(f64::sqrt)
    }

    pub fn abs(self) -> Interval {
        match self {
            Interval { low, .. } if low >= 0.0 => self,
            Interval { high, .. } if high <= 0.0 => self.falling(f64::abs),
            Interval { low, high, has_break } => Interval::between(0.0, high.max(-low), has_break),
        }
    }

    pub fn floor(self) -> Interval {
        self.jumping(f64::floor)
    }

    pub fn ceil(self) -> Interval {
        self.jumping(f64::ceil)
    }

    pub fn sign(self) -> Interval {
        self.jumping(crate::functions::sign)
    }

    pub fn step(self) -> Interval {
        self.jumping(crate::functions::step)
    }

    pub fn min(self, other: Interval) -> Interval {
        self.chosen(other, f64::min)
    }

    pub fn max(self, other: Interval) -> Interval {
        self.chosen(other, f64::max)
    }

    /// The one of two operands that `choose` takes. One that is never taken does not matter, unless it is undefined.
    fn chosen(self, other: Interval, choose: fn(f64, f64) -> f64) -> Interval {
        let (low, high) = (choose(self.low, other.low), choose(self.high, other.high));
        let may_cross = self.high > other.low && other.high > self.low;
        let is_self = self.low == low && self.high == high;
        let is_undefined = |one: Interval| one.has_break && one.low == f64::NEG_INFINITY;
        let matters =
            |one: Interval, is_taken: bool| one.has_break && (may_cross || is_taken || is_undefined(one));
        Interval::between(low, high, matters(self, is_self) || matters(other, !is_self))
    }

    /// atan2(self, x): the angle of the point (x, self), with a jump where it crosses the negative x axis.
    pub fn atan2(self, x: Interval) -> Interval {
        if x.low <= 0.0 && self.contains(0.0) {
            return Interval { low: -PI, high: PI, has_break: true };
        }
        self.corners(x, f64::atan2)
    }

    pub fn pulse(self, width: Interval) -> Interval {
        if self.high < 0.0 || self.low >= width.high {
            return Interval::point(0.0);
        }
        if self.low >= 0.0 && self.high < width.low {
            return Interval::point(1.0);
        }
        Interval { low: 0.0, high: 1.0, has_break: true }
    }

    /// 1 where positive, else 0: whether a switch is on.
    pub fn is_positive(self) -> Interval {
        self.jumping(|x| f64::from(u8::from(x > 0.0)))
    }
}
