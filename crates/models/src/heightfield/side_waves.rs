//! Incoming waves at a side of the domain.

use undine_grid::{Grid, Side};
use undine_scene::{Problem, Timed, Values};

/// An incoming wave at one side of the domain, as the elevation η_in(s, t) of its surface above the still level.
///
/// The wave arrives at an angle θ to the side's normal, so a point at the distance s along the side sees it later:
/// η_in(s, t) = η(t − s |sin θ| / c) with the local long-wave speed c = √(g h). Waves that leave the domain through the
/// side are the model's part.
#[derive(Debug, Clone)]
pub struct SideWaves {
    /// The side from which it comes.
    pub side: Side,
    /// η(t) in metres.
    level: Timed,
    /// sin θ, θ between the direction of the wave and the side's normal.
    sin_angle: f64,
    /// Length of the side, and its coordinate of origin.
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
        let tangent = 1 - side.axis();
        SideWaves {
            side,
            level: values.timed("level").clone(),
            sin_angle: values.number("angle").to_radians().sin(),
            length: grid.length()[tangent],
            start: grid.origin()[tangent],
        }
    }

    /// η_in in metres at the coordinate `s` along the side, with the long-wave speed c = `speed` there; zero before the
    /// start.
    pub fn level(&self, s: f64, time: f64, speed: f64) -> Result<f64, Problem> {
        let distance = if self.sin_angle >= 0.0 { s - self.start } else { self.start + self.length - s };
        let retarded = time - distance * self.sin_angle.abs() / speed.max(1e-9);
        if retarded < 0.0 { Ok(0.0) } else { self.level.at(retarded) }
    }
}
