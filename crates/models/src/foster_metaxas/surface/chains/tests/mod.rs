//! Chains in flows of a known form, and what they say of the cells.

mod labelling;
mod motion;
mod topology;
mod walls;

use undine_grid::{Condition, MacVelocity};

use undine_frame::CellKind;

use super::super::sliding::cell_of;
use super::*;

/// A grid of n × m cells of this length, all of one kind.
fn cells_of(size: [usize; 2], spacing: f64, kind: CellKind) -> Cells<2> {
    let mut cells = Cells::new(Grid::new(size, [spacing; 2], [0.0; 2]).unwrap());
    (0..size[0] * size[1]).for_each(|index| cells.set(index, kind));
    cells
}

fn velocity_of(cells: &Cells<2>, u: impl Fn([f64; 2]) -> [f64; 2] + Sync) -> MacVelocity<f64, 2> {
    let mut velocity = MacVelocity::new(*cells.grid(), Condition::FreeSlip, 1).unwrap();
    (0..2).for_each(|axis| velocity[axis].set_by_position(|[x, y]| u([x, y])[axis]));
    velocity
}

/// The velocity of a stream function: divergence-free in every cell.
fn velocity_of_stream(cells: &Cells<2>, psi: impl Fn(f64, f64) -> f64 + Sync) -> MacVelocity<f64, 2> {
    let [dx, dy] = cells.grid().spacing();
    let mut velocity = MacVelocity::new(*cells.grid(), Condition::FreeSlip, 1).unwrap();
    velocity[0].set_by_position(|[x, y]| (psi(x, y + 0.5 * dy) - psi(x, y - 0.5 * dy)) / dy);
    velocity[1].set_by_position(|[x, y]| -(psi(x + 0.5 * dx, y) - psi(x - 0.5 * dx, y)) / dx);
    velocity
}

fn chains_on(cells: &Cells<2>) -> Chains<2> {
    let edge = cells.grid().spacing()[0];
    Chains::new(*cells.grid(), ChainSettings::of_cell(edge, Contents::Winding)).unwrap()
}

fn disc(centre: [f64; 2], radius: f64) -> impl Fn([f64; 2]) -> bool {
    move |[x, y]| (x - centre[0]).hypot(y - centre[1]) < radius
}

fn still(cells: &Cells<2>) -> MacVelocity<f64, 2> {
    velocity_of(cells, |_| [0.0; 2])
}

/// Adds a chain through these corners, on cells of 1 m.
fn add_polygon(chains: &mut Chains<2>, corners: &[[f64; 2]]) {
    let points = spacing::space_evenly(corners, [1.0; 2], 0.25, None);
    chains.add_loop(&points);
}
