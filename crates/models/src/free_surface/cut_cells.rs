//! Where the surface is beside solids: in cells that these cut.
//!
//! The middle of a cut cell may lie in the solid, where no particle is. Its distance is continued from the cells that its
//! open part opens to. That leaves out two things. A film on a wall may lie wholly in such cells, so that no other cell
//! knows of it: there the surface is looked for from the wall. And a cell with next to no open part holds no particle
//! most of the time; as air in the middle of liquid it would be a hole through which the liquid drains.

use undine_grid::{Field, neighbour, par};

use super::particles::Particles;
use super::solid_boundary::Walls;
use super::surface_distance::{DEEP, SurfaceFinder, look, middle_of, on_row};
use super::tiles::Tiles;

/// Layers of cells in solids that the distance is continued into.
const INTO_SOLIDS: usize = 3;
/// The open share of a cell from which on a film in it is told from nothing.
const LEAST_OPEN: f32 = 0.1;
/// Particles in a cell, as a share of what fits in it, from which on it is liquid wherever they lie in it.
const CROWDED: f32 = 1.25;
/// The distance that such a cell gets.
const IN_CROWD: f32 = -0.1;

impl<const D: usize> SurfaceFinder<D> {
    /// Continues the distance into solids as it runs beside them, so that cells with their middles in a solid know where
    /// the surface is in their open part.
    pub(super) fn extend_into_solids(&mut self, walls: &Walls<D>, distance: &mut Field<f32, D>) {
        let Some(extended) = self.extended.as_mut() else { return };
        for _ in 0..INTO_SOLIDS {
            let from = &*distance;
            par::rows(extended, |at, row| {
                for (x, (to, phi)) in row.iter_mut().zip(from.row(at)).enumerate() {
                    let is_known = !phi.is_nan();
                    *to = if is_known { *phi } else { continued(from, neighbour(at, 0, x as isize), walls) };
                }
            });
            distance.swap(extended);
        }
        par::rows(distance, |_, row| row.iter_mut().filter(|phi| phi.is_nan()).for_each(|phi| *phi = DEEP));
    }

    /// Finds the films on walls that lie wholly in cells with their middles in a solid, which no other cell knows of, and
    /// cells that hold more particles than fit, wherever these lie.
    pub(super) fn find_films(
        &self,
        particles: &Particles<D>,
        tiles: &Tiles<D>,
        walls: &Walls<D>,
        distance: &mut Field<f32, D>,
    ) {
        let (near, full) = (&self.near, &self.full);
        let (table, walls_beside) = (&self.table, &self.walls_beside[..]);
        par::rows(distance, |at, row| {
            let at = at.map(|along| along as usize);
            let (near, full) = (near.row(at), full.row(at));
            for (x, phi) in row.iter_mut().enumerate() {
                let cell = on_row(at, x);
                if *phi < 0.0 || near[x] & full[x] == 0 {
                    continue;
                }
                let room = walls.open_volume(cell.map(|along| along as isize));
                let count = tiles.in_cell(cell).len() as f32;
                if room >= LEAST_OPEN && count > CROWDED * room * (1 << D) as f32 {
                    *phi = IN_CROWD;
                }
                if *phi < 0.0 || room < LEAST_OPEN || !walls.is_solid(cell) {
                    continue;
                }
                let middle = walls.way_out(middle_of(cell));
                let found = look(particles, tiles, walls, walls_beside, middle, table);
                if found < 0.0 {
                    *phi = found;
                }
            }
        });
    }

    /// Cells with next to no open part are as the cells that they open to: alone they would be holes in the liquid.
    pub(super) fn join_slivers(&mut self, walls: &Walls<D>, distance: &mut Field<f32, D>) {
        let Some(joined) = self.extended.as_mut() else { return };
        let from = &*distance;
        par::rows(joined, |at, row| {
            for (x, (to, phi)) in row.iter_mut().zip(from.row(at)).enumerate() {
                let cell = neighbour(at, 0, x as isize);
                *to = *phi;
                let may_join = *phi >= 0.0 && walls.is_solid(cell.map(|along| along as usize));
                if !may_join || walls.open_volume(cell) >= LEAST_OPEN {
                    continue;
                }
                let (mut sum, mut count) = (0.0, 0.0);
                for side in 0..2 * D {
                    let share = walls.open_between(cell, side);
                    if share > 0.0 {
                        let beside = neighbour(cell, side / 2, 2 * (side as isize % 2) - 1);
                        sum += share * from.at(beside).clamp(-1.0, 1.0);
                        count += share;
                    }
                }
                // A hole only where there is more liquid than air around
                if sum < 0.0 {
                    *to = sum / count;
                }
            }
        });
        distance.swap(joined);
    }
}

/// The distance at a cell as it runs on from neighbours that have one; not a number where none has. A cell with an open
/// part takes it from where that part is open to: what is behind the wall does not matter.
fn continued<const D: usize>(distance: &Field<f32, D>, cell: [isize; D], walls: &Walls<D>) -> f32 {
    let known = |at: [isize; D]| {
        let is_inside = (0..D).all(|axis| at[axis] >= 0 && (at[axis] as usize) < walls.cells[axis]);
        // What is deep is all alike
        Some(at).filter(|_| is_inside).map(|at| distance.at(at).clamp(-1.0, 1.0)).filter(|phi| !phi.is_nan())
    };
    let is_cut = (0..2 * D).any(|side| walls.open_between(cell, side) > 0.0);
    let (mut sum, mut count) = (0.0, 0.0);
    for side in 0..2 * D {
        let (axis, by) = (side / 2, 2 * (side as isize % 2) - 1);
        let share = if is_cut { walls.open_between(cell, side) } else { 1.0 };
        let beside = neighbour(cell, axis, by);
        let Some(phi) = known(beside).filter(|_| share > 0.0) else { continue };
        let goes_on = !is_cut || walls.open_between(beside, side) > 0.0;
        let beyond = known(neighbour(cell, axis, 2 * by)).filter(|_| goes_on).unwrap_or(phi);
        sum += share * (2.0 * phi - beyond);
        count += share;
    }
    if count > 0.0 { sum / count } else { f32::NAN }
}
