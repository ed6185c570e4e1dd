//! Surface distance φ in cells that solids cut.
//!
//! The centre of a cut cell may lie in the solid, where there are no particles. There φ is extrapolated linearly from
//! the cells that its open part connects to. Two cases need more:
//!
//! - A film on a wall may lie wholly in cut cells, so that no neighbour has φ < 0: φ is then evaluated at the centre
//!   moved out of the solid.
//! - A cell with next to no open volume rarely holds a particle. As air inside the liquid it would be a Dirichlet cell
//!   of the pressure through which liquid drains, so it takes the mean φ of the cells it opens to.

use undine_grid::{Field, neighbour, par};

use super::particles::Particles;
use super::solid_boundary::SolidBoundary;
use super::surface_distance::{MAX_DISTANCE, SurfaceReconstruction, cell_centre, cell_in_row, evaluate};
use super::tiles::ParticleTiles;

/// Layers of solid cells that φ is extrapolated into.
const SOLID_LAYERS: usize = 3;
/// The open volume fraction from which on a film in a cell is looked for; below it the cell is merged.
const MIN_VOLUME_FRACTION: f32 = 0.1;
/// Particles in a cell, as a fraction of its capacity, above which it is liquid wherever they lie in it.
const OVERFULL: f32 = 1.25;
/// φ of such a cell.
const OVERFULL_DISTANCE: f32 = -0.1;

impl<const D: usize> SurfaceReconstruction<D> {
    /// Extrapolates φ into solids layer by layer, for cells whose centre is in a solid and which have an open part.
    pub(super) fn extrapolate_into_solids(
        &mut self,
        boundary: &SolidBoundary<D>,
        distance: &mut Field<f32, D>,
    ) {
        let Some(scratch) = self.scratch.as_mut() else { return };
        for _ in 0..SOLID_LAYERS {
            let from = &*distance;
            par::rows(scratch, |at, row| {
                for (x, (to, phi)) in row.iter_mut().zip(from.row(at)).enumerate() {
                    let is_known = !phi.is_nan();
                    *to = if is_known {
                        *phi
                    } else {
                        extrapolated(from, neighbour(at, 0, x as isize), boundary)
                    };
                }
            });
            distance.swap(scratch);
        }
        par::rows(distance, |_, row| {
            row.iter_mut().filter(|phi| phi.is_nan()).for_each(|phi| *phi = MAX_DISTANCE)
        });
    }

    /// Marks as liquid the films on walls that lie wholly in cells with their centre in a solid, and cells that hold
    /// more particles than their capacity.
    pub(super) fn detect_wall_films(
        &self,
        particles: &Particles<D>,
        tiles: &ParticleTiles<D>,
        boundary: &SolidBoundary<D>,
        distance: &mut Field<f32, D>,
    ) {
        let (near_air, occupied) = (&self.near_air, &self.occupied);
        let (table, nearest_walls) = (&self.table, &self.nearest_walls[..]);
        par::rows(distance, |at, row| {
            let at = at.map(|i| i as usize);
            let (near_air, occupied) = (near_air.row(at), occupied.row(at));
            for (x, phi) in row.iter_mut().enumerate() {
                let cell = cell_in_row(at, x);
                if *phi < 0.0 || near_air[x] & occupied[x] == 0 {
                    continue;
                }
                // More particles than fit: liquid, wherever in the cell they lie
                let volume = boundary.volume_fraction(cell.map(|i| i as isize));
                let count = tiles.particles_in(cell).len() as f32;
                if volume >= MIN_VOLUME_FRACTION && count > OVERFULL * volume * (1 << D) as f32 {
                    *phi = OVERFULL_DISTANCE;
                }
                if *phi < 0.0 || volume < MIN_VOLUME_FRACTION || !boundary.is_solid(cell) {
                    continue;
                }
                // φ at the nearest point outside the solid
                let centre = boundary.push_outside(cell_centre(cell));
                let found = evaluate(particles, tiles, boundary, nearest_walls, centre, table);
                if found < 0.0 {
                    *phi = found;
                }
            }
        });
    }

    /// Cells with next to no open volume take the mean φ of the cells that they open to, weighted by face fractions.
    pub(super) fn merge_small_cells(&mut self, boundary: &SolidBoundary<D>, distance: &mut Field<f32, D>) {
        let Some(merged) = self.scratch.as_mut() else { return };
        let from = &*distance;
        par::rows(merged, |at, row| {
            for (x, (to, phi)) in row.iter_mut().zip(from.row(at)).enumerate() {
                let cell = neighbour(at, 0, x as isize);
                *to = *phi;
                let may_merge = *phi >= 0.0 && boundary.is_solid(cell.map(|i| i as usize));
                if !may_merge || boundary.volume_fraction(cell) >= MIN_VOLUME_FRACTION {
                    continue;
                }
                let (mut sum, mut count) = (0.0, 0.0);
                for side in 0..2 * D {
                    let fraction = boundary.face_fraction_of(cell, side);
                    if fraction > 0.0 {
                        let adjacent = neighbour(cell, side / 2, 2 * (side as isize % 2) - 1);
                        sum += fraction * from.at(adjacent).clamp(-1.0, 1.0);
                        count += fraction;
                    }
                }
                // Only where there is more liquid than air around
                if sum < 0.0 {
                    *to = sum / count;
                }
            }
        });
        distance.swap(merged);
    }
}

/// φ at a cell by linear extrapolation from neighbours that have one; NaN where none has. A cut cell extrapolates only
/// through its open faces, so that what is behind the wall has no influence.
fn extrapolated<const D: usize>(
    distance: &Field<f32, D>,
    cell: [isize; D],
    boundary: &SolidBoundary<D>,
) -> f32 {
    let known = |at: [isize; D]| {
        let is_inside = (0..D).all(|axis| at[axis] >= 0 && (at[axis] as usize) < boundary.cells[axis]);
        // φ is clamped deep inside: only its sign counts there
        Some(at).filter(|_| is_inside).map(|at| distance.at(at).clamp(-1.0, 1.0)).filter(|phi| !phi.is_nan())
    };
    let is_cut = (0..2 * D).any(|side| boundary.face_fraction_of(cell, side) > 0.0);
    let (mut sum, mut count) = (0.0, 0.0);
    for side in 0..2 * D {
        let (axis, by) = (side / 2, 2 * (side as isize % 2) - 1);
        let fraction = if is_cut { boundary.face_fraction_of(cell, side) } else { 1.0 };
        let adjacent = neighbour(cell, axis, by);
        let Some(phi) = known(adjacent).filter(|_| fraction > 0.0) else { continue };
        let goes_on = !is_cut || boundary.face_fraction_of(adjacent, side) > 0.0;
        let beyond = known(neighbour(cell, axis, 2 * by)).filter(|_| goes_on).unwrap_or(phi);
        sum += fraction * (2.0 * phi - beyond);
        count += fraction;
    }
    if count > 0.0 { sum / count } else { f32::NAN }
}
