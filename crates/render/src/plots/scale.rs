//! Linear and logarithmic scales, and their ticks.

/// A linear or logarithmic scale between two limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The value at 0.
    pub low: f32,
    /// The value at 1.
    pub high: f32,
    /// Whether the scale is logarithmic.
    pub is_log: bool,
}

/// A tick of a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// Its label.
    pub label: String,
}

impl Scale {
    /// A scale between two limits; coinciding limits are moved apart.
    ///
    /// A logarithmic scale needs positive limits: otherwise it spans the six decades below the upper one.
    pub fn new(low: f32, high: f32, is_log: bool) -> Self {
        let (low, high) =
            if low.is_finite() && high.is_finite() { (low.min(high), low.max(high)) } else { (0.0, 1.0) };
        if is_log {
            let high = if high > 0.0 { high.max(1e-30) } else { 1.0 };
            let low = if low > 0.0 && low < 0.999 * high { low.max(f32::MIN_POSITIVE) } else { high * 1e-6 };
            return Scale { low, high, is_log };
        }
        let room = 1e-5 * low.abs().max(high.abs());
        if high - low > room {
            return Scale { low, high, is_log };
        }
        let half = (0.05 * low.abs()).max(if low == 0.0 { 1.0 } else { 0.0 });
        Scale { low: low - half, high: high + half, is_log }
    }

    /// The scale with limits symmetric about zero.
    pub fn symmetric(self) -> Self {
        let reach = self.low.abs().max(self.high.abs());
        Scale { low: -reach, high: reach, ..self }
    }

    /// Fraction of a value: 0 at the low limit, 1 at the high one; not clamped; NaN for NaN.
    pub fn fraction(&self, value: f32) -> f32 {
        if self.is_log {
            return (value / self.low).max(f32::MIN_POSITIVE).ln() / (self.high / self.low).ln();
        }
        (value - self.low) / (self.high - self.low)
    }

    /// The value at a fraction.
    pub fn value(&self, fraction: f32) -> f32 {
        if self.is_log {
            return self.low * (self.high / self.low).powf(fraction);
        }
        self.low + (self.high - self.low) * fraction
    }

    /// About `count` round values between the limits, from low to high.
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        let ticks = if self.is_log { log_ticks(low, high, count) } else { Vec::new() };
        if ticks.len() >= 2 { ticks } else { even_ticks(low, high, count) }
    }
}

fn even_ticks(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let rough = (high - low) / count.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|&step| step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    if !step.is_finite() || step <= 0.0 {
        return Vec::new();
    }
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    let steps = (last - first).clamp(-1.0, 100.0) as i64;
    (0..=steps).map(|index| tick((first + index as f64) * step, step)).collect()
}

fn log_ticks(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let (first, last) = ((low.log10() - 1e-6).ceil() as i32, (high.log10() + 1e-6).floor() as i32);
    let stride = ((last - first + 1) as usize).div_ceil(count.max(1)).max(1);
    (first..=last).step_by(stride).map(|decade| 10_f64.powi(decade)).map(|value| tick(value, value)).collect()
}

// A tick labelled with as many decimals as its step needs.
fn tick(value: f64, step: f64) -> Tick {
    let value = if value.abs() < 1e-9 * step.abs() { 0.0 } else { value };
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let label = match value.abs() {
        size if size != 0.0 && (size >= 1e6 || decimals > 4) => format!("{value:.1e}").replace(".0e", "e"),
        _ => format!("{value:.decimals$}"),
    };
    Tick { value, label: label.replace('-', "\u{2212}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, count: usize) -> Vec<String> {
        scale.ticks(count).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn limits_are_zero_and_one() {
        for scale in [Scale::new(-3.0, 5.0, false), Scale::new(0.01, 100.0, true)] {
            assert!(scale.fraction(scale.low).abs() < 1e-6);
            assert!((scale.fraction(scale.high) - 1.0).abs() < 1e-6);
            assert!((scale.value(scale.fraction(1.7)) - 1.7).abs() < 1e-4);
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(Scale::new(0.0, 1.0, false), 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Scale::new(-12.0, 31.0, false), 4), ["0", "20"]);
        assert_eq!(labels(Scale::new(0.01, 100.0, true), 5), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(
            labels(Scale::new(-1e-7, 1e-7, false), 2),
            ["\u{2212}1e\u{2212}7", "0.0000000", "1e\u{2212}7"]
        );
    }

    #[test]
    fn any_limits_make_a_scale() {
        let strange = [f32::NAN, f32::INFINITY, -f32::MAX, -1.0, 0.0, 1e-40, 7.0, f32::MAX];
        for low in strange {
            for high in strange {
                for is_log in [false, true] {
                    let scale = Scale::new(low, high, is_log);
                    assert!(scale.high > scale.low, "{low} {high} {is_log}: {scale:?}");
                    assert!(scale.ticks(5).len() <= 101);
                    scale.symmetric().ticks(4);
                }
            }
        }
    }
}
