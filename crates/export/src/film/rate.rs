//! Frame rate as a fraction, as MP4 stores it.

/// A frame lasts `ticks / timescale` seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rate {
    pub timescale: u32,
    pub ticks: u32,
}

/// Nominal rates that NTSC divides by 1.001.
const NTSC_RATES: [u32; 5] = [24, 30, 48, 60, 120];

impl Rate {
    /// The fraction closest to a decimal rate: 29.97 is 30000/1001. `None` outside 0.01 to 1000.
    pub fn from_fps(fps: f64) -> Option<Rate> {
        if !(0.01..=1000.0).contains(&fps) {
            return None;
        }
        let ntsc = NTSC_RATES.into_iter().find(|&nominal| (fps * 1.001 - f64::from(nominal)).abs() < 0.006);
        Some(match ntsc {
            Some(nominal) => Rate { timescale: nominal * 1000, ticks: 1001 },
            None => Rate { timescale: (fps * 1000.0).round() as u32, ticks: 1000 },
        })
    }

    /// Seconds that this many frames last.
    pub fn seconds(self, frames: u32) -> f64 {
        f64::from(frames) * f64::from(self.ticks) / f64::from(self.timescale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn television_rates_are_exact_fractions() {
        for (fps, timescale, ticks) in [
            (29.97, 30_000, 1001),
            (23.976, 24_000, 1001),
            (59.94, 60_000, 1001),
            (30.0, 30_000, 1000),
            (24.0, 24_000, 1000),
            (12.5, 12_500, 1000),
            (0.5, 500, 1000),
        ] {
            assert_eq!(Rate::from_fps(fps), Some(Rate { timescale, ticks }), "{fps}");
        }
        for fps in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert_eq!(Rate::from_fps(fps), None);
        }
    }
}
