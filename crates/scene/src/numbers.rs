//! Numbers as typed: their type, their range, and the factor of `--scale`.

use crate::phrase;
use crate::problem::Problem;
use crate::schema::{Key, Range};
use crate::tree::{Node, Value};

/// Beyond this a real number no longer tells neighbouring whole numbers apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A real number in range. `name` is how the message calls it: the key, or one of its components.
pub(crate) fn real(key: &Key, name: &str, node: &Node) -> Result<f64, Problem> {
    let number = match &node.value {
        Value::Integer(integer) => *integer as f64,
        Value::Float(float) => *float,
        _ => return Err(wrong_type(key, name, "a number", node)),
    };
    check(key, name, number).map_err(|(message, remedy)| Problem::at(&node.span(), message, remedy))?;
    Ok(number)
}

/// A whole number in range; `3.0` is one too.
pub(crate) fn whole(key: &Key, name: &str, node: &Node) -> Result<i64, Problem> {
    let integer = match &node.value {
        Value::Integer(integer) => *integer,
        Value::Float(float) if float.fract() == 0.0 && float.abs() <= EXACT => *float as i64,
        _ => return Err(wrong_type(key, name, "a whole number", node)),
    };
    check(key, name, integer as f64)
        .map_err(|(message, remedy)| Problem::at(&node.span(), message, remedy))?;
    Ok(integer)
}

fn wrong_type(key: &Key, name: &str, wanted: &str, node: &Node) -> Problem {
    let message = format!("{name} must be {wanted}, not {}", phrase::found(node));
    let remedy = match &node.value {
        Value::Text(_) if !key.unit.is_empty() => {
            format!("write the bare number, without quotes; its unit is {}", key.unit)
        }
        Value::Text(_) => "write the bare number, without quotes".to_owned(),
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
    let product = (number * scale).min(key.range.high);
    // Below the least value there is the least value, or the number itself where the least is excluded.
    match key.range.contains(product) {
        true => product,
        false if key.range.above_low => number,
        false => key.range.low,
    }
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
