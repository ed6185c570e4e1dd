//! Shortest round-trip decimal text of floating-point numbers.

use std::fmt;

/// Formats a number with the fewest digits that parse back to the same bits; very small and very large ones with an
/// exponent.
pub(crate) struct Shortest<T>(pub T);

impl<T: fmt::Display + fmt::LowerExp + Into<f64> + Copy> fmt::Display for Shortest<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.into().abs();
        let plain = magnitude == 0.0 || (1e-5..1e16).contains(&magnitude) || !magnitude.is_finite();
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_they_were() {
        for value in
            [0.0, -0.0, 1.0, 0.1, 1e-30, -2.5e-6, 1.0 / 3.0, 1e15, 1e300, f64::MAX, f64::MIN_POSITIVE]
        {
            let text = Shortest(value).to_string();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
            assert!(text.len() < 26, "{text}");
        }
        assert_eq!(Shortest(0.1f32).to_string(), "0.1");
        assert_eq!(Shortest(1e-30f32).to_string(), "1e-30");
    }
}
