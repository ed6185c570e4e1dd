//! Where a saved water lay: its state is taken up on the same cells and nowhere else.

use std::io;

use undine_grid::Grid;
use undine_sim::{Reader, Writer};

/// Writes where the cells are.
pub(crate) fn save(grid: &Grid<2>, to: &mut Writer<'_>) -> io::Result<()> {
    to.values("domain", &numbers(grid))
}

/// Refuses what was saved on other cells: a terrain's file may bring its own extent.
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
