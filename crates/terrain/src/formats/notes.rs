//! Metadata of Undine in images: positions of the samples, and the heights of black and white.
//!
//! The notes are those of the exported fields: `origin` is the middle of the sample in the south-west, `spacing` the
//! distance of samples, each as three numbers in metres.

use super::SampleLattice;
use crate::height_map::HeightMap;
use crate::units::Unit;

/// Notes that were found in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Notes {
    pub low: Option<f64>,
    pub high: Option<f64>,
    origin: Option<[f64; 2]>,
    spacing: Option<[f64; 2]>,
}

impl Notes {
    /// Reads an entry; unknown ones are ignored.
    pub fn take(&mut self, key: &str, text: &str) {
        match key {
            "low" => self.low = number(text),
            "high" => self.high = number(text),
            "origin" => self.origin = pair(text),
            "spacing" => self.spacing = pair(text),
            _ => {}
        }
    }

    /// Positions of the samples of `rows` rows, the first row in the north.
    pub fn lattice(&self, rows: usize) -> Option<SampleLattice> {
        let ([x, y], [dx, dy]) = (self.origin?, self.spacing?);
        let north = y + rows.saturating_sub(1) as f64 * dy;
        Some(SampleLattice { first: [x, north], step: [dx, -dy], unit: Some(Unit::METRE) })
    }
}

/// The notes of a height map, as keys and texts.
pub(crate) fn of(map: &HeightMap) -> [(&'static str, String); 3] {
    let [x, y] = map.position(0, 0);
    let [dx, dy] = map.spacing();
    [("unit", "m".to_owned()), ("origin", format!("{x} {y} 0")), ("spacing", format!("{dx} {dy} 1"))]
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

fn pair(text: &str) -> Option<[f64; 2]> {
    let mut numbers = text.split_whitespace().map(number);
    Some([numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_place_the_samples() {
        let mut notes = Notes::default();
        assert_eq!(notes.lattice(3), None);
        notes.take("origin", "0.5 10 0");
        notes.take("spacing", "1 2 1");
        notes.take("low", "-3");
        notes.take("high", "inf");
        notes.take("unit", "m");
        let lattice = notes.lattice(3).unwrap();
        assert_eq!((lattice.first, lattice.step), ([0.5, 14.0], [1.0, -2.0]));
        assert_eq!((notes.low, notes.high), (Some(-3.0), None));
    }
}
