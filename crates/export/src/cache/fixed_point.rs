//! Lossless fixed-point representation of arrays whose numbers are all multiples of one power of two.
//!
//! Positions and distances of a liquid are quantised when they are captured. As integers, neighbours differ by small
//! numbers, which compress well; as floating-point numbers they do not. Arrays that are not multiples of a common step, or
//! whose multiples are too large, are stored as floats.

/// Largest multiple of the step.
const MOST: f64 = (1 << 26) as f64;

/// Exponent of the largest power of two of which all numbers are integer multiples; `None` if there is none or the
/// multiples are too large.
pub(super) fn common_exponent(numbers: &[f32]) -> Option<i32> {
    let (mut exponent, mut greatest) = (i32::MAX, 0.0f32);
    for &number in numbers {
        // Negative zero has no integer representation
        if !number.is_finite() || number.to_bits() == (-0.0f32).to_bits() {
            return None;
        }
        exponent = exponent.min(last_place(number));
        greatest = greatest.max(number.abs());
    }
    let exponent = if exponent == i32::MAX { 0 } else { exponent };
    (f64::from(greatest) / step(exponent) < MOST).then_some(exponent)
}

/// Exponent of the least significant set bit of a number.
fn last_place(number: f32) -> i32 {
    let (biased, fraction) = ((number.to_bits() >> 23 & 0xff) as i32, number.to_bits() & 0x7f_ffff);
    match biased {
        0 if fraction == 0 => i32::MAX,
        0 => fraction.trailing_zeros() as i32 - 149,
        _ => (fraction | 0x80_0000).trailing_zeros() as i32 + biased - 150,
    }
}

fn step(exponent: i32) -> f64 {
    f64::from(exponent.clamp(-1000, 1000)).exp2()
}

/// The number as an integer multiple of 2^`exponent`.
pub(super) fn to_steps(number: f32, exponent: i32) -> i32 {
    (f64::from(number) / step(exponent)) as i32
}

/// The inverse of [`to_steps`].
pub(super) fn from_steps(count: i32, exponent: i32) -> f32 {
    (f64::from(count) * step(exponent)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_as_large_as_they_can_be() {
        assert_eq!(common_exponent(&[0.5, -0.75, 3.0]), Some(-2));
        assert_eq!(common_exponent(&[0.0, 96.0]), Some(5));
        assert_eq!(common_exponent(&[]), Some(0));
        assert_eq!(common_exponent(&[1.0, 1e-9]), None);
        assert_eq!(common_exponent(&[f32::MIN_POSITIVE / 4.0]), Some(-128));
        for odd in [f32::NAN, f32::INFINITY, -0.0] {
            assert_eq!(common_exponent(&[1.0, odd]), None);
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(bits in prop::collection::vec(any::<u32>(), 1..4)) {
            let numbers: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
            if let Some(exponent) = common_exponent(&numbers) {
                for number in numbers {
                    prop_assert_eq!(from_steps(to_steps(number, exponent), exponent).to_bits(), number.to_bits());
                }
            }
        }
    }
}
