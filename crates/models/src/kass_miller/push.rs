//! A push: a disturbance of the velocity.

use glam::DVec2;
use undine_grid::Real;

use super::height_field::HeightField;

/// u ← u + (1 − r²/R²)(v − u) within the radius R. |v| is limited to one sample per step of `dt`.
pub fn push<T: Real, const W: usize>(
    height_field: &mut HeightField<T, W>,
    at: DVec2,
    radius: f64,
    velocity: DVec2,
    dt: f64,
) -> bool {
    let grid = *height_field.grid();
    let mut has_moved = false;
    for axis in 0..2 {
        let fastest = grid.spacing()[axis] / dt;
        let target = velocity[axis].clamp(-fastest, fastest);
        // Cells within the radius along each axis
        let range = |k: usize| {
            let cells = grid.cells()[k];
            let cell = |x: f64| ((x - grid.origin()[k]) / grid.spacing()[k]).clamp(0.0, cells as f64);
            let low = cell(at[k] - radius).floor() as usize;
            low..((cell(at[k] + radius)).ceil() as usize + 1).min(cells)
        };
        for y in range(1) {
            for x in range(0) {
                let cell = [x, y];
                if cell[axis] == 0 {
                    continue;
                }
                let face = DVec2::from(grid.face(axis, cell.map(|index| index as isize)));
                let weight = (1.0 - face.distance_squared(at) / (radius * radius)).max(0.0);
                if weight > 0.0 {
                    let before = height_field.face_speed(axis, cell);
                    height_field.set_speed(axis, cell, before + weight * (target - before));
                    has_moved = true;
                }
            }
        }
    }
    has_moved
}
