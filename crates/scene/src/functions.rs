//! The constants and functions that expressions of `t` may name.

use crate::interval::Interval;

/// Names of constants, with their values.
pub(crate) const CONSTANTS: [(&str, f64); 2] = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// A function or sign of one operand, on numbers and on intervals.
#[derive(Debug)]
pub(crate) struct Unary {
    pub name: &'static str,
    pub value: fn(f64) -> f64,
    pub interval: fn(Interval) -> Interval,
}

/// A function or operator of two operands, on numbers and on intervals.
#[derive(Debug)]
pub(crate) struct Binary {
    pub name: &'static str,
    pub value: fn(f64, f64) -> f64,
    pub interval: fn(Interval, Interval) -> Interval,
}

const fn unary(name: &'static str, value: fn(f64) -> f64, interval: fn(Interval) -> Interval) -> Unary {
    Unary { name, value, interval }
}

const fn binary(
    name: &'static str,
    value: fn(f64, f64) -> f64,
    interval: fn(Interval, Interval) -> Interval,
) -> Binary {
    Binary { name, value, interval }
}

/// Functions of one value.
pub(crate) static UNARY: [Unary; 17] = [
    unary("sin", f64::sin, Interval::sin),
    unary("cos", f64::cos, Interval::cos),
    unary("tan", f64::tan, Interval::tan),
    unary("asin", f64::asin, Interval::asin),
    unary("acos", f64::acos, Interval::acos),
    unary("atan", f64::atan, Interval::atan),
    unary("tanh", f64::tanh, Interval::tanh),
    unary("exp", f64::exp, Interval::exp),
    unary("log", f64::ln, Interval::ln),
    unary("ln", f64::ln, Interval::ln),
    unary("sqrt", f64::sqrt, Interval::sqrt),
    unary("abs", f64::abs, Interval::abs),
    unary("floor", f64::floor, Interval::floor),
    unary("ceil", f64::ceil, Interval::ceil),
    unary("sign", sign, Interval::sign),
    unary("signum", sign, Interval::sign),
    unary("step", step, Interval::step),
];

/// Functions of two values.
pub(crate) static BINARY: [Binary; 4] = [
    binary("min", f64::min, Interval::min),
    binary("max", f64::max, Interval::max),
    binary("atan2", f64::atan2, Interval::atan2),
    binary("pulse", pulse, Interval::pulse),
];

/// The sign before a value: 0 − x, so that −0 is 0.
pub(crate) static NEGATE: Unary = unary("-", |x| 0.0 - x, Interval::negate);
/// The sign of an exponent.
pub(crate) static MINUS: Unary = unary("-", |x| -x, Interval::negate);

/// The operators, each with its precedence.
pub(crate) static OPERATORS: [(Binary, u8); 5] = [
    (binary("+", |a, b| a + b, Interval::add), 0),
    (binary("-", |a, b| a - b, Interval::subtract), 0),
    (binary("*", |a, b| a * b, Interval::multiply), 1),
    (binary("/", |a, b| a / b, Interval::divide), 1),
    (binary("^", f64::powf, Interval::power), 3),
];

/// The sign of zero is zero, unlike [`f64::signum`].
pub(crate) fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// 0 before zero, 1 from zero on: `step(t - 2)` switches on at 2 s.
pub(crate) fn step(x: f64) -> f64 {
    if x >= 0.0 { 1.0 } else { 0.0 }
}

/// 1 from zero until `width`, else 0: `pulse(t - 2, 0.5)` is on from 2 s to 2.5 s.
fn pulse(x: f64, width: f64) -> f64 {
    if x >= 0.0 && x < width { 1.0 } else { 0.0 }
}

/// The value of the constant with this name.
pub(crate) fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(constant, _)| *constant == name).map(|(_, value)| *value)
}

/// A function that an expression may call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Function {
    One(&'static Unary),
    Two(&'static Binary),
}

impl Function {
    pub fn name(self) -> &'static str {
        match self {
            Function::One(function) => function.name,
            Function::Two(function) => function.name,
        }
    }

    /// How many values it takes.
    pub fn values(self) -> usize {
        match self {
            Function::One(_) => 1,
            Function::Two(_) => 2,
        }
    }
}

/// The function with this name.
pub(crate) fn find(name: &str) -> Option<Function> {
    let of_one = UNARY.iter().find(|known| known.name == name).map(Function::One);
    of_one.or_else(|| BINARY.iter().find(|known| known.name == name).map(Function::Two))
}

/// The operator with this sign, and its precedence.
pub(crate) fn operator(sign: char) -> Option<(&'static Binary, u8)> {
    let is_it = |(known, _): &&(Binary, u8)| known.name.starts_with(sign);
    OPERATORS.iter().find(is_it).map(|(known, precedence)| (known, *precedence))
}

/// All names, for suggestions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let functions = UNARY.iter().map(|known| known.name).chain(BINARY.iter().map(|known| known.name));
    functions.chain(CONSTANTS.iter().map(|(known, _)| *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_and_pulse_switch_where_they_say() {
        assert_eq!([-1e-9, 0.0, 3.0].map(step), [0.0, 1.0, 1.0]);
        assert_eq!([-1e-9, 0.0, 0.4, 0.5].map(|x| pulse(x, 0.5)), [0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn the_sign_of_nothing_is_nothing() {
        assert_eq!([-3.0, -0.0, 0.0, 3.0].map(sign), [-1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn no_name_means_two_things() {
        let mut all: Vec<_> = names().collect();
        all.sort();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
