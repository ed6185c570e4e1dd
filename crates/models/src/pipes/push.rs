//! A push: a disturbance of the velocity.

use glam::DVec2;

use super::water::Pipes;

/// u ← u + (1 − r²/R²)(v·e − u) in the pipes within the radius R, e the direction of a pipe. Refused where v² exceeds 2 g
/// times the length of the domain, for which shallow-water theory has no meaning, and where no water is pushed.
pub(super) fn push(water: &mut Pipes, at: DVec2, radius: f64, velocity: DVec2) -> bool {
    let (grid, gravity) = (water.grid, water.settings.gravity);
    let longest = grid.length().into_iter().fold(0.0, f64::max);
    if velocity.length_squared() > 2.0 * gravity * longest || radius <= 0.0 {
        return false;
    }
    let (cells, spacing) = (grid.cells(), DVec2::from(grid.spacing()));
    let is_curve = cells[1] == 1;
    // The columns within the radius, and one more to the high side for its pipes
    let range = |axis: usize| {
        if axis == 1 && is_curve {
            return 0..1;
        }
        let cell = |x: f64| ((x - grid.origin()[axis]) / spacing[axis]).clamp(0.0, cells[axis] as f64);
        let low = cell(at[axis] - radius) as usize;
        low..(cell(at[axis] + radius) as usize + 2).min(cells[axis])
    };
    let tiles: Vec<usize> = water.columns.tiling.tiles_in(range(0), range(1)).collect();
    water.managed(|water, manager| tiles.iter().for_each(|&tile| manager.wake(water, tile)));
    let mut has_moved = false;
    for set in 0..water.sets.len() {
        let direction = water.sets[set].direction;
        for cell in range(1).flat_map(|y| range(0).map(move |x| [x, y])) {
            if water.pipe_depth(set, cell) == 0.0 {
                continue;
            }
            let half = 0.5 * DVec2::new(direction.offset[0] as f64, direction.offset[1] as f64) * spacing;
            let offset = DVec2::from(grid.centre(cell.map(|index| index as isize))) + half - at;
            let distance = if is_curve { offset.x.abs() } else { offset.length() };
            let weight = 1.0 - (distance / radius).powi(2);
            if weight > 0.0 {
                let before = water.pipe_velocity(set, cell);
                let target = velocity.dot(DVec2::from(direction.along));
                water.set_velocity(set, cell, before + weight * (target - before));
                has_moved = true;
            }
        }
    }
    has_moved
}
