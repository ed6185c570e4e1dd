//! Interpolation between the cells of a height field.

use glam::DVec2;
use undine_grid::Grid;

/// Bilinear interpolation between cell centres, constant from the outermost centres to the side; `None` outside the grid.
pub(crate) fn between(grid: &Grid<2>, xy: DVec2, value: impl Fn([usize; 2]) -> f64) -> Option<f64> {
    let (low, high) = (DVec2::from(grid.origin()), DVec2::from(grid.far_corner()));
    if !(xy.cmpge(low).all() && xy.cmple(high).all()) {
        return None;
    }
    let stencil = |axis: usize| {
        let last = grid.cells()[axis] - 1;
        let at = ((xy[axis] - low[axis]) / grid.spacing()[axis] - 0.5).clamp(0.0, last as f64);
        let cell = (at as usize).min(last.saturating_sub(1));
        (cell, (cell + 1).min(last), at - cell as f64)
    };
    let ((west, east, x), (south, north, y)) = (stencil(0), stencil(1));
    let in_row = |row: usize| value([west, row]) * (1.0 - x) + value([east, row]) * x;
    Some(in_row(south) * (1.0 - y) + in_row(north) * y)
}
