//! Conversion between TOML values as typed in a scene file and the values of widgets.

use std::fmt::Write as _;
use std::str::Chars;

/// The number of a TOML value.
pub fn number(typed: &str) -> Option<f64> {
    let plain: String = typed.trim().chars().filter(|letter| *letter != '_').collect();
    plain.parse().ok()
}

/// The numbers of a TOML array.
pub fn numbers(typed: &str) -> Option<Vec<f64>> {
    elements(typed)?.into_iter().map(number).collect()
}

/// The strings of a TOML array.
pub fn words(typed: &str) -> Option<Vec<String>> {
    Some(elements(typed)?.into_iter().map(text).collect())
}

/// The elements of a TOML array, each as typed.
fn elements(typed: &str) -> Option<Vec<&str>> {
    let inner = typed.trim().strip_prefix('[')?.strip_suffix(']')?;
    let parts = inner.split(',').map(str::trim);
    Some(parts.filter(|part| !part.is_empty()).collect())
}

/// The text of a TOML string; any other value unchanged.
pub fn text(typed: &str) -> String {
    let typed = typed.trim();
    if let Some(literal) = typed.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return literal.to_owned();
    }
    let Some(inner) = typed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return typed.to_owned();
    };
    let mut text = String::with_capacity(inner.len());
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            text.extend(escaped(&mut letters));
        } else {
            text.push(letter);
        }
    }
    text
}

/// The character of an escape sequence, after the backslash.
fn escaped(letters: &mut Chars<'_>) -> Option<char> {
    match letters.next()? {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'e' => Some('\u{1b}'),
        'x' => coded(letters, 2),
        'u' => coded(letters, 4),
        'U' => coded(letters, 8),
        plain => Some(plain),
    }
}

fn coded(letters: &mut Chars<'_>, count: usize) -> Option<char> {
    let digits: String = letters.by_ref().take(count).collect();
    u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
}

/// A number in TOML that is read back to the same bits.
pub fn from_number(number: f64) -> String {
    if number.is_finite() { format!("{number:?}") } else { String::from("0.0") }
}

/// Numbers as a TOML array.
pub fn from_numbers(numbers: &[f64], are_integers: bool) -> String {
    let typed = |number: &f64| if are_integers { format!("{number:.0}") } else { from_number(*number) };
    format!("[{}]", numbers.iter().map(typed).collect::<Vec<_>>().join(", "))
}

/// A text as a TOML string.
pub fn from_text(text: &str) -> String {
    let mut typed = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => typed.extend(['\\', letter]),
            '\n' => typed.push_str("\\n"),
            control if control.is_control() => {
                // Writing to a string cannot fail
                let _ = write!(typed, "\\u{:04x}", u32::from(control));
            }
            plain => typed.push(plain),
        }
    }
    typed.push('"');
    typed
}

/// Words as a TOML array.
pub fn from_words<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    format!("[{}]", words.into_iter().map(from_text).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_a_round_trip() {
        for sample in ["plain", "with \"quotes\"", "back\\slash", "two\nlines", "bell\u{7}", "näh — Ω"] {
            assert_eq!(text(&from_text(sample)), sample);
        }
        for sample in [0.1, -3.0, 1e-7, 6.02e23] {
            assert_eq!(number(&from_number(sample)), Some(sample));
        }
        assert_eq!(numbers("[4, 3.5, -1e-3]"), Some(vec![4.0, 3.5, -1e-3]));
        assert_eq!(words("[\"a\", 'b']"), Some(vec![String::from("a"), String::from("b")]));
        assert_eq!(numbers("4"), None);
    }
}
