//! Numbers as typed: their type, their range, and the factor of `--scale`.

use crate::phrase;
use crate::problem::Problem;
use crate::schema::{Key, Range};
use crate::tree::{Node, TomlValue};

/// Beyond this, neighbouring integers are not distinct as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A real number in range. `name` is how the message calls it: the key, or one of its components.
pub(crate) fn real(key: &Key, name: &str, node: &Node) -> Result<f64, Problem> {
    let number = match &node.value {
        TomlValue::Integer(integer) => *integer as f64,
        TomlValue::Float(float) => *float,
        _ => return Err(wrong_type(key, name, "a number", node)),
    };
    check(key, name, number).map_err(|(message, remedy)| Problem::at(&node.span(), message, remedy))?;
    Ok(number)
}

/// A whole number in range; `3.0` is one too.
pub(crate) fn whole(key: &Key, name: &str, node: &Node) -> Result<i64, Problem> {
    let integer = match &node.value {
        TomlValue::Integer(integer) => *integer,
        TomlValue::Float(float) if float.fract() == 0.0 && float.abs() <= EXACT => *float as i64,
        _ => return Err(wrong_type(key, name, "a whole number", node)),
    };
    check(key, name, integer as f64)
        .map_err(|(message, remedy)| Problem::at(&node.span(), message, remedy))?;
    Ok(integer)
}

fn wrong_type(key: &Key, name: &str, wanted: &str, node: &Node) -> Problem {
    let message = format!("{name} must be {wanted}, not {}", phrase::found(node));
    let remedy = match &node.value {
        TomlValue::Text(_) if !key.unit.is_empty() => {
            format!("write the bare number, without quotes; its unit is {}", key.unit)
        }
        TomlValue::Text(_) => "write the bare number, without quotes".to_owned(),
        _ => phrase::purpose(key),
    };
    Problem::at(&node.span(), message, remedy)
}

/// What is wrong with a number, as message and remedy.
pub(crate) fn check(key: &Key, name: &str, number: f64) -> Result<(), (String, String)> {
    if number.is_finite() && key.range.contains(number) {
        return Ok(());
    }
    let message =
        format!("{name} must be {}, not {}", phrase::range(&key.range, key.unit), phrase::number(number));
    Err((
        message,
        if number.is_finite() { key.help.to_owned() } else { "write out a finite number".to_owned() },
    ))
}

/// Multiplies a real number by the scale, kept in range.
pub(crate) fn scaled(key: &Key, number: f64, scale: f64) -> f64 {
    if !key.scales || scale == 1.0 {
        return number;
    }
    let product = (number * scale).min(key.range.high).max(key.range.low);
    // The number itself stands where the least value is excluded, or where the product has no end.
    if product.is_finite() && key.range.contains(product) { product } else { number }
}

/// Multiplies a whole number by the scale, rounded and kept in range.
pub(crate) fn scaled_whole(key: &Key, integer: i64, scale: f64) -> i64 {
    if !key.scales || scale == 1.0 {
        return integer;
    }
    let product = (integer as f64 * scale).round();
    let Range { low, high, above_low } = key.range;
    let least = if above_low { low.floor() + 1.0 } else { low.ceil() };
    product.max(least).min(high.floor()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_numbers_stay_in_range() {
        let spacing = Key::number("spacing").positive_to(10.0).scaled();
        assert_eq!([0.5, 100.0].map(|scale| scaled(&spacing, 2.0, scale)), [1.0, 10.0]);
        assert_eq!(scaled(&spacing, 1e-300, 1e-300), 1e-300);
        let free = Key::number("free").scaled();
        assert_eq!([2.0, 1e300].map(|scale| scaled(&free, 1e300, scale)), [2e300, 1e300]);
        assert_eq!(scaled(&Key::number("fixed"), 3.0, 2.0), 3.0);
    }

    #[test]
    fn scaled_whole_numbers_are_rounded_and_stay_in_range() {
        let cells = Key::integer("cells").positive_to(100.0).scaled();
        assert_eq!([0.26, 0.001, 50.0].map(|scale| scaled_whole(&cells, 10, scale)), [3, 1, 100]);
        assert_eq!(scaled_whole(&Key::integer("free").scaled(), i64::MAX, 4.0), i64::MAX);
    }
}
