//! The constants and functions that expressions of `t` may name.

/// Names of constants, with their values.
pub(crate) const CONSTANTS: [(&str, f64); 2] = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// A function of one number.
pub(crate) type Unary = fn(f64) -> f64;
/// A function of two numbers.
pub(crate) type Binary = fn(f64, f64) -> f64;

/// Functions of one value.
pub(crate) const UNARY: [(&str, Unary); 17] = [
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("tanh", f64::tanh),
    ("exp", f64::exp),
    ("log", f64::ln),
    ("ln", f64::ln),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
    ("sign", sign),
    ("signum", sign),
    ("step", step),
];

/// Functions of two values.
pub(crate) const BINARY: [(&str, Binary); 4] =
    [("min", f64::min), ("max", f64::max), ("atan2", f64::atan2), ("pulse", pulse)];

/// The sign of zero is zero, unlike [`f64::signum`].
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// 0 before zero, 1 from zero on: `step(t - 2)` switches on at 2 s.
fn step(x: f64) -> f64 {
    if x >= 0.0 { 1.0 } else { 0.0 }
}

/// 1 from zero until `width`, else 0: `pulse(t - 2, 0.5)` is on from 2 s to 2.5 s.
fn pulse(x: f64, width: f64) -> f64 {
    if x >= 0.0 && x < width { 1.0 } else { 0.0 }
}

/// Whether a name is that of a constant.
pub(crate) fn is_constant(name: &str) -> bool {
    CONSTANTS.iter().any(|(constant, _)| *constant == name)
}

/// The function with this name, and how many values it takes.
pub(crate) fn find(name: &str) -> Option<(&'static str, usize)> {
    let unary = UNARY.iter().map(|(known, _)| (*known, 1));
    let binary = BINARY.iter().map(|(known, _)| (*known, 2));
    unary.chain(binary).find(|(known, _)| *known == name)
}

/// All names, for suggestions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let unary = UNARY.iter().map(|(known, _)| *known);
    let binary = BINARY.iter().map(|(known, _)| *known);
    unary.chain(binary).chain(CONSTANTS.iter().map(|(known, _)| *known))
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
