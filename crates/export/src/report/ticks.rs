//! Axis ticks at round numbers.

/// An axis from `low` to `high` with marks at round numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ticks {
    pub low: f64,
    pub high: f64,
    /// The ticks: value and label.
    pub marks: Vec<(f64, String)>,
    /// Labels are in units of ten to this power.
    pub exponent: i32,
}

/// Allowed steps, times a power of ten.
const ROUND: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

impl Ticks {
    /// About `wanted` ticks over the range of the finite numbers, or over 0 to 1 when there are none.
    pub fn over(numbers: impl Iterator<Item = f64>, wanted: usize) -> Ticks {
        let (low, high) = range(numbers);
        let step = round_step((high - low) / wanted as f64);
        let exponent = common_exponent(low.abs().max(high.abs()));
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        let decimals = (-(step.log10().floor()) as i32 + exponent).clamp(0, 12) as usize;
        let scale = 10f64.powi(-exponent);
        let label = |value: f64| format!("{:.decimals$}", value * scale).replace('-', "−");
        let marks = (first..=last).map(|index| index as f64 * step).map(|value| (value, label(value)));
        Ticks { low, high, marks: marks.take(4 * wanted).collect(), exponent }
    }

    /// Widens the axis so that it starts and ends with a tick.
    pub fn widened(self, wanted: usize) -> Ticks {
        let step = round_step((self.high - self.low) / wanted as f64);
        // Ends that are ticks up to rounding are not widened
        let (low, high) = ((self.low / step + 1e-9).floor() * step, (self.high / step - 1e-9).ceil() * step);
        Ticks::over([low - 1e-9 * step, high + 1e-9 * step].into_iter(), wanted)
    }

    /// Where a number lies on the axis: 0 at `low`, 1 at `high`.
    pub fn fraction(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    // Beyond these limits the arithmetic of the axis would overflow
    let plottable = |number: &f64| number.abs() < 1e100;
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = numbers.filter(plottable).fold(start, |(low, high), n| (low.min(n), high.max(n)));
    if low > high {
        return (0.0, 1.0);
    }
    // A constant, up to rounding, is centred in a range of its own magnitude
    let size = low.abs().max(high.abs());
    if high - low <= 1e-12 * size || size < 1e-100 {
        let margin = if size < 1e-100 { 1.0 } else { 0.1 * size };
        return (low - margin, high + margin);
    }
    (low, high)
}

fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let factor = ROUND.into_iter().find(|factor| factor * power >= raw * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Numbers from 10⁻³ to 10⁵ are written out; others share a power of ten.
fn common_exponent(largest: f64) -> i32 {
    let readable = largest == 0.0 || (1e-3..1e5).contains(&largest);
    if readable { 0 } else { largest.log10().floor() as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.marks.iter().map(|mark| mark.1.as_str()).collect()
    }

    #[test]
    fn marks_are_round() {
        let ticks = Ticks::over([0.0, 9.7].into_iter(), 5);
        assert_eq!(labels(&ticks), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(&ticks.widened(5)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            labels(&Ticks::over([-0.11, 0.12].into_iter(), 5)),
            ["−0.10", "−0.05", "0.00", "0.05", "0.10"]
        );
    }

    #[test]
    fn small_and_large_numbers_share_a_power_of_ten() {
        let ticks = Ticks::over([0.0, 3e-7].into_iter(), 3);
        assert_eq!((labels(&ticks), ticks.exponent), (vec!["0", "1", "2", "3"], -7));
        assert_eq!(Ticks::over([0.0, 2.5e8].into_iter(), 3).exponent, 8);
    }

    #[test]
    fn odd_ranges_have_marks_too() {
        for numbers in
            [vec![], vec![f64::NAN], vec![0.0], vec![5.0, 5.0 + 1e-15], vec![-1e300, 1e300, f64::INFINITY]]
        {
            let ticks = Ticks::over(numbers.iter().copied(), 5).widened(5);
            assert!(ticks.high > ticks.low && (2..20).contains(&ticks.marks.len()), "{numbers:?} {ticks:?}");
        }
        let flat = Ticks::over([5.0, 5.0].into_iter(), 5);
        assert!((flat.fraction(5.0) - 0.5).abs() < 1e-12);
    }
}
