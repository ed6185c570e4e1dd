//! Waves that are sent in from a side.

use undine_grid::{Grid, Side};
use undine_scene::{Timed, Values};

/// An incoming wave at one side of the domain: how far its surface stands above the still level there.
///
/// The wave arrives at an angle to the side's normal, so that a point farther along the side sees it later, by the time
/// that a wave of the local long-wave speed needs. Water that comes back from the domain leaves through the side; that
/// is the model's part.
#[derive(Debug, Clone)]
pub struct SideWaves {
    /// The side it comes from.
    pub side: Side,
    level: Timed,
    /// Sine of the angle between the wave's way and the side's normal.
    slant: f64,
    /// Length of the side and where it begins.
    length: f64,
    start: f64,
}

impl SideWaves {
    pub(super) fn read(values: &Values, grid: &Grid<2>) -> SideWaves {
        let side = match values.word("side") {
            "east" => Side::East,
            "south" => Side::South,
            "north" => Side::North,
            _ => Side::West,
        };
        let along = 1 - side.axis();
        SideWaves {
            side,
            level: values.timed("level").clone(),
            slant: values.number("angle").to_radians().sin(),
            length: grid.length()[along],
            start: grid.origin()[along],
        }
    }

    /// The incoming elevation in metres at the coordinate `along` the side, when long waves there run at `speed`.
    /// Nothing has come in before the start.
    pub fn level(&self, along: f64, time: f64, speed: f64) -> f64 {
        let travelled = if self.slant >= 0.0 { along - self.start } else { self.start + self.length - along };
        let then = time - travelled * self.slant.abs() / speed.max(1e-9);
        let level = if then < 0.0 { 0.0 } else { self.level.at(then) };
        if level.is_finite() { level } else { 0.0 }
    }
}
