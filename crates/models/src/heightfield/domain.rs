//! The grid in a checkpoint: a saved state is restored on the same cells only.

use std::io;

use undine_grid::Grid;
use undine_sim::{Reader, Writer};

/// Writes origin, spacing and number of cells.
pub(crate) fn save(grid: &Grid<2>, to: &mut Writer<'_>) -> io::Result<()> {
    to.values("domain", &numbers(grid))
}

/// Refuses a state that was saved on another grid. The grid may have changed with the scene: without `size` it has the
/// extent of the terrain's file.
pub(crate) fn check(grid: &Grid<2>, from: &mut Reader<'_>) -> io::Result<()> {
    if from.array::<f64, 6>("domain")? == numbers(grid) {
        return Ok(());
    }
    let message = "the water's domain would lie elsewhere, or have other cells";
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

fn numbers(grid: &Grid<2>) -> [f64; 6] {
    let ([x, y], [dx, dy]) = (grid.origin(), grid.spacing());
    let [columns, rows] = grid.cells().map(|count| count as f64);
    [x, y, dx, dy, columns, rows]
}
