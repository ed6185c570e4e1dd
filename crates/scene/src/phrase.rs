//! Wording of messages: what was found, which numbers are accepted.

use crate::schema::{Key, Range};
use crate::tree::{Node, TomlValue};

/// Longest piece of the user's text that a message repeats, in characters.
const QUOTED: usize = 60;

/// The user's text in quotes, shortened.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

/// A number as a person would write it.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() || (1e-5..1e15).contains(&size) {
        return value.to_string().replace("NaN", "nan");
    }
    format!("{value:e}")
}

/// A number with its unit.
fn measure(value: f64, unit: &str) -> String {
    let blank = if unit.is_empty() { "" } else { " " };
    format!("{}{blank}{unit}", number(value))
}

/// The accepted numbers: `above 0 m and at most 12000 m`.
pub(crate) fn range(range: &Range, unit: &str) -> String {
    let low = match (range.low == f64::NEG_INFINITY, range.above_low) {
        (true, _) => None,
        (false, true) => Some(format!("above {}", measure(range.low, unit))),
        (false, false) => Some(format!("at least {}", measure(range.low, unit))),
    };
    let high = (range.high < f64::INFINITY).then(|| format!("at most {}", measure(range.high, unit)));
    match (low, high) {
        (Some(low), Some(high)) => format!("{low} and {high}"),
        (Some(bound), None) | (None, Some(bound)) => bound,
        (None, None) => "a finite number".to_owned(),
    }
}

/// What stands there instead of what should.
pub(crate) fn found(node: &Node) -> String {
    match &node.value {
        TomlValue::Text(text) => format!("the text {}", quoted(text)),
        TomlValue::Integer(integer) => format!("the number {integer}"),
        TomlValue::Float(float) => format!("the number {}", number(*float)),
        TomlValue::Flag(flag) => flag.to_string(),
        TomlValue::Date(date) => format!("the date {date}"),
        TomlValue::Array(elements) => match elements.len() {
            0 => "an empty list".to_owned(),
            1 => "a list of 1".to_owned(),
            count => format!("a list of {count}"),
        },
        TomlValue::Table(_) => "a table".to_owned(),
    }
}

/// A computed number, short enough to read, unless that would move it across a bound.
pub(crate) fn rounded(value: f64, range: &Range) -> f64 {
    let short: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    if range.contains(short) == range.contains(value) { short } else { value }
}

/// How to add a key that is missing.
pub(crate) fn addition(key: &Key) -> String {
    let purpose = purpose(key);
    let colon = if purpose.is_empty() { "" } else { ": " };
    format!("add {} = …{colon}{purpose}", key.name)
}

/// The header of a table, as it is typed: lists are not numbered there.
pub(crate) fn header(label: &str, key: &Key) -> String {
    let typed = label.split('.').filter(|step| step.parse::<usize>().is_err());
    typed.chain([key.name]).collect::<Vec<_>>().join(".")
}

/// What a key does, and its unit.
pub(crate) fn purpose(key: &Key) -> String {
    match (key.help, key.unit) {
        ("", "") => String::new(),
        ("", unit) => format!("in {unit}"),
        (help, "") => help.to_owned(),
        (help, unit) => format!("{help} (in {unit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_said_with_its_unit() {
        let key = Key::number("depth").unit("m").positive_to(12000.0);
        assert_eq!(range(&key.range, key.unit), "above 0 m and at most 12000 m");
        assert_eq!(range(&Key::number("a").within(-1.0, f64::INFINITY).range, ""), "at least -1");
        assert_eq!(range(&Key::number("a").range, "m"), "a finite number");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(3.0), "3");
        assert_eq!(number(1e300), "1e300");
        assert_eq!(number(-2.5e-9), "-2.5e-9");
        assert_eq!(number(f64::NAN), "nan");
    }

    #[test]
    fn long_text_is_shortened() {
        assert_eq!(quoted("short"), "\"short\"");
        assert!(quoted(&"ä".repeat(1000)).chars().count() < 70);
    }
}
