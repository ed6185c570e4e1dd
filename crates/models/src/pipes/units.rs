//! The unit of level and volume: δ = 2⁻ᵐ m, so that beds, levels and depths are whole numbers.
//!
//! A depth of n units over a cell holds n units of volume, each δ times the area of a cell. Sums of volume are then
//! exact, in any order and on any number of threads.

use std::fmt;

/// The finest unit is 2⁻²⁰ m.
const FINEST: i32 = 20;

/// The coarsest unit is 2⁻¹⁰ m.
const COARSEST: i32 = 10;

/// The initial relief, ground and water, takes up at most this many units; the rest up to [`CEILING`] is headroom.
const RELIEF: f64 = (1 << 29) as f64;

/// No level rises above this, and the ground beyond the sides stands this high, so that sums of two levels fit an `i32`.
pub(super) const CEILING: i32 = 1 << 30;

/// No ground is dug below this.
pub(super) const FLOOR: i32 = -CEILING / 2;

/// The unit δ and the datum: level z in metres is datum + n δ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Units {
    exponent: i32,
    datum: f64,
}

/// The relief does not fit even the coarsest unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ReliefTooGreat {
    relief: f64,
}

impl fmt::Display for ReliefTooGreat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let greatest = RELIEF / f64::from(1 << COARSEST);
        write!(f, "the relief of {:.0} m is too great for whole units: at most {greatest:.0} m", self.relief)
    }
}

impl Units {
    /// The finest unit in which all levels from `lowest` to `highest` fit.
    pub fn for_relief(lowest: f64, highest: f64) -> Result<Units, ReliefTooGreat> {
        let relief = highest - lowest;
        let fits = |exponent: &i32| (relief + 2.0) * f64::from(*exponent).exp2() <= RELIEF;
        let exponent = (COARSEST..=FINEST).rev().find(fits).ok_or(ReliefTooGreat { relief })?;
        Units::of(exponent, lowest).ok_or(ReliefTooGreat { relief })
    }

    /// δ = 2⁻ᵐ above the whole number of units at or below `lowest`; `None` where numbers of that size have no such digit.
    fn of(exponent: i32, lowest: f64) -> Option<Units> {
        let per_metre = f64::from(exponent).exp2();
        let is_exact = (lowest * per_metre).abs() < (1u64 << 52) as f64;
        is_exact.then(|| Units { exponent, datum: (lowest * per_metre).floor() / per_metre })
    }

    /// δ in metres.
    pub fn unit(&self) -> f64 {
        f64::from(-self.exponent).exp2()
    }

    /// The level nearest to z in metres, within the range of levels. Halves, which still levels may well be, round up
    /// even after a rounding error.
    pub fn level(&self, z: f64) -> i32 {
        self.nearest(z).clamp(0.0, f64::from(CEILING)) as i32
    }

    fn nearest(&self, z: f64) -> f64 {
        const BIAS: f64 = 0.5 + 1.0 / 1024.0;
        ((z - self.datum) * f64::from(self.exponent).exp2() + BIAS).floor()
    }

    /// The level nearest to z in metres of ground that may have been dug below the datum.
    pub fn ground(&self, z: f64) -> i32 {
        self.nearest(z).clamp(f64::from(FLOOR), f64::from(CEILING)) as i32
    }

    /// A depth in whole units, rounded up.
    pub fn depth(&self, metres: f64) -> i32 {
        (metres / self.unit()).ceil().clamp(0.0, f64::from(CEILING)) as i32
    }

    /// A level in metres.
    pub fn metres(&self, level: i32) -> f64 {
        self.datum + f64::from(level) * self.unit()
    }

    /// Exponent and datum, for a checkpoint.
    pub fn parts(&self) -> [f64; 2] {
        [f64::from(self.exponent), self.datum]
    }

    /// The units with these parts; `None` when they are no units.
    pub fn from_parts([exponent, datum]: [f64; 2]) -> Option<Units> {
        let is_exponent = (f64::from(COARSEST)..=f64::from(FINEST)).contains(&exponent);
        (is_exponent && datum.is_finite()).then_some(Units { exponent: exponent as i32, datum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_finest_that_fits_the_relief() {
        let exponent = |relief: f64| Units::for_relief(100.0, 100.0 + relief).map(|units| units.exponent);
        assert_eq!(exponent(0.0), Ok(20));
        assert_eq!(exponent(500.0), Ok(20));
        assert_eq!(exponent(1000.0), Ok(19));
        assert_eq!(exponent(8848.0), Ok(15));
        let message = Units::for_relief(0.0, 1e6).unwrap_err().to_string();
        assert!(message.contains("1000000 m is too great"), "{message}");
        assert!(Units::for_relief(1e12, 1e12 + 1.0).is_err());
    }

    #[test]
    fn levels_round_trip_and_halves_round_the_same_way() {
        let units = Units::for_relief(-3.7, 900.0).unwrap();
        for level in [0, 1, 77_777, 1 << 29] {
            assert_eq!(units.level(units.metres(level)), level);
        }
        let half = units.metres(1000) + 0.5 * units.unit();
        assert_eq!([half, half.next_down(), half.next_up()].map(|z| units.level(z)), [1001; 3]);
        assert_eq!(Units::from_parts(units.parts()), Some(units));
        assert_eq!((units.level(-1e9), units.level(1e9)), (0, CEILING));
        assert_eq!(
            [-77_777, 0, 1 << 29].map(|level| units.ground(units.metres(level))),
            [-77_777, 0, 1 << 29]
        );
        assert_eq!((units.ground(-1e9), units.ground(1e9)), (FLOOR, CEILING));
    }
}
