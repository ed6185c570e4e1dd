//! Default values of absent keys.

use crate::colour;
use crate::numbers::{scaled, scaled_whole};
use crate::schema::{Absent, Key, Kind};
use crate::timed::Timed;
use crate::values::CheckedValue;

/// The default of a key, scaled like a typed value.
///
/// A schema whose default does not fit its own type is a slip of the programmer, and panics.
pub(crate) fn held(key: &Key, scale: f64) -> CheckedValue {
    match (key.kind, key.default) {
        // Numbers grow and shrink with the resolution where the key says so
        (Kind::Number, Absent::Number(number)) => CheckedValue::Number(scaled(key, number, scale)),
        (Kind::Number, Absent::Integer(integer)) => CheckedValue::Number(scaled(key, integer as f64, scale)),
        (Kind::Integer, Absent::Integer(integer)) => CheckedValue::Integer(scaled_whole(key, integer, scale)),
        (Kind::Integer, Absent::Number(number)) if number.fract() == 0.0 => {
            CheckedValue::Integer(scaled_whole(key, number as i64, scale))
        }
        // Words and flags stand as they are
        (Kind::Flag, Absent::Flag(flag)) => CheckedValue::Flag(flag),
        (Kind::Text | Kind::Choice(_), Absent::Text(text)) => CheckedValue::Text(text.to_owned()),
        (Kind::Choices(_), Absent::Words(words)) => {
            CheckedValue::Words(words.iter().map(ToString::to_string).collect())
        }
        // Lists must have as many numbers as their kind
        (Kind::Vector(count), Absent::Vector(numbers)) if numbers.len() == count => {
            CheckedValue::Vector(numbers.iter().map(|number| scaled(key, *number, scale)).collect())
        }
        (Kind::Integers(count), Absent::Integers(numbers)) if numbers.len() == count => {
            CheckedValue::Integers(numbers.iter().map(|number| scaled_whole(key, *number, scale)).collect())
        }
        // Colours as numbers or as #rrggbb, and what may change with time
        (Kind::Colour, Absent::Vector([red, green, blue])) => {
            CheckedValue::Colour([*red as f32, *green as f32, *blue as f32])
        }
        (Kind::Colour, Absent::Text(hex)) => {
            CheckedValue::Colour(colour::from_hex(hex).unwrap_or_else(|| unfit(key)))
        }
        (Kind::Timed, Absent::Number(number)) => CheckedValue::Timed(Timed::constant(number)),
        (Kind::Timed, Absent::Text(text)) => {
            CheckedValue::Timed(Timed::expression(text, key, None).unwrap_or_else(|_| unfit(key)))
        }
        _ => unfit(key),
    }
}

fn unfit<T>(key: &Key) -> T {
    panic!("the schema's default {:?} of {:?} does not fit {:?}", key.default, key.name, key.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_scaled_like_typed_values() {
        let cells = Key::integer("cells").default(Absent::Integer(100)).within(16.0, 128.0).scaled();
        assert!(matches!(held(&cells, 0.5), CheckedValue::Integer(50)));
        assert!(matches!(held(&cells, 0.01), CheckedValue::Integer(16)));
        assert!(matches!(held(&cells, 3.0), CheckedValue::Integer(128)));
    }

    #[test]
    fn a_colour_may_default_to_either_form() {
        let white = Key::colour("tint").default(Absent::Text("#fff"));
        assert!(matches!(held(&white, 1.0), CheckedValue::Colour([1.0, 1.0, 1.0])));
        let dim = Key::colour("tint").default(Absent::Vector(&[0.5, 0.25, 0.0]));
        assert!(matches!(held(&dim, 1.0), CheckedValue::Colour([0.5, 0.25, 0.0])));
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_default_of_the_wrong_type_is_refused() {
        held(&Key::flag("wet").default(Absent::Number(1.0)), 1.0);
    }
}
