//! The period of an oscillation, from its zero crossings.

/// Samples of a quantity that oscillates about zero.
#[derive(Debug, Default)]
pub struct Oscillation {
    last: Option<(f64, f64)>,
    crossings: Vec<f64>,
}

impl Oscillation {
    /// Records a value at a time.
    pub fn record(&mut self, time: f64, value: f64) {
        if let Some((before, earlier)) = self.last
            && (earlier < 0.0) != (value < 0.0)
        {
            self.crossings.push(before + (time - before) * earlier / (earlier - value));
        }
        self.last = Some((time, value));
    }

    /// The period, by linear regression over all zero crossings.
    pub fn period(&self) -> anyhow::Result<f64> {
        let count = self.crossings.len() as f64;
        anyhow::ensure!(count >= 4.0, "it does not oscillate");
        let middle = 0.5 * (count - 1.0);
        let (mut product, mut squares) = (0.0, 0.0);
        for (number, time) in self.crossings.iter().enumerate() {
            let off = number as f64 - middle;
            product += off * time;
            squares += off * off;
        }
        Ok(crate::measured(2.0 * product / squares))
    }
}

#[cfg(test)]
mod tests {
    use super::Oscillation;

    #[test]
    fn the_period_of_a_cosine_is_found() {
        let mut oscillation = Oscillation::default();
        assert!(oscillation.period().is_err());
        (0..400)
            .map(|step| f64::from(step) * 0.01)
            .for_each(|time| oscillation.record(time, (7.0 * time).cos()));
        assert!((oscillation.period().unwrap() * 7.0 / std::f64::consts::TAU - 1.0).abs() < 1e-3);
    }
}
