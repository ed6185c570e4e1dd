//! A push by a hand or a script.

use glam::DVec2;
use undine_grid::Real;

use super::basin::Basin;

/// Gives the water within `radius` of a point this velocity, fully in the middle and less towards the rim. A velocity
/// that passes more than a sample in a step of `dt` is cut to that: the step could not carry it.
pub fn push<T: Real, const W: usize>(
    basin: &mut Basin<T, W>,
    at: DVec2,
    radius: f64,
    velocity: DVec2,
    dt: f64,
) -> bool {
    let grid = *basin.grid();
    let mut has_moved = false;
    for axis in 0..2 {
        let fastest = grid.spacing()[axis] / dt;
        let wanted = velocity[axis].clamp(-fastest, fastest);
        let reach = |along: usize| {
            let cells = grid.cells()[along];
            let cell = |x: f64| ((x - grid.origin()[along]) / grid.spacing()[along]).clamp(0.0, cells as f64);
            let low = cell(at[along] - radius).floor() as usize;
            low..((cell(at[along] + radius)).ceil() as usize + 1).min(cells)
        };
        for y in reach(1) {
            for x in reach(0) {
                let cell = [x, y];
                if cell[axis] == 0 {
                    continue;
                }
                let face = DVec2::from(grid.face(axis, cell.map(|index| index as isize)));
                let weight = (1.0 - face.distance_squared(at) / (radius * radius)).max(0.0);
                if weight > 0.0 {
                    let before = basin.face_speed(axis, cell);
                    basin.set_speed(axis, cell, before + weight * (wanted - before));
                    has_moved = true;
                }
            }
        }
    }
    has_moved
}
