//! Narrow band: particles near the surface only, the grid alone in the interior [ferstl2016].
//!
//! Cells farther than the width of the band from any empty cell are interior and hold no particles. There the velocity
//! is advected on the grid, semi-Lagrangian with clamped cubic interpolation (`backtrace`). Which cells are interior
//! is advected in the same way; cells between interior and particles that are enclosed by liquid count as liquid.
//! After advection all cells deeper than the band become interior, and cells of the band with too few particles are
//! reseeded with the velocity of the grid.
//!
//! The interior's volume is counted in particles: those that are dropped go to a pool in the ledger, new ones are
//! taken from it, so that the ledger closes exactly. The same pool redistributes particles from overfull to sparse
//! cells.

use undine_grid::simd;
use undine_grid::{Field, par};

use super::backtrace::{Backtrace, sample_cubic};
use super::density_correction::{RestDensity, interior_excess_of};
use super::grid_to_particles::FaceSampler;
use super::ledger::ParticleLedger;
use super::seeding::seed_cell;
use crate::free_surface::cell_map::{CellMap, cell_of_index, for_each_row};
use crate::free_surface::particles::{NewParticle, Particles};
use crate::free_surface::solid_boundary::SolidBoundary;
use crate::free_surface::tiles::{ParticleTiles, cell_of};

/// Without a band: cells around empty ones that are not reseeded.
const SURFACE_CELLS: usize = 1;
/// The most particles of a full cell, in 3-D.
const MAX_PER_CELL: usize = 8;
/// The factor over the particles of a full cell above which a cell is overfull.
const OVERFULL: u32 = 2;

/// The particles, their tiles and their ledger.
pub(super) struct ParticleStore<'a, const D: usize> {
    pub particles: &'a mut Particles<D>,
    pub tiles: &'a mut ParticleTiles<D>,
    pub ledger: &'a mut ParticleLedger,
}

/// The interior of the liquid: cells without particles.
#[derive(Debug)]
pub(super) struct Interior<const D: usize> {
    /// Width of the band in cells; without one there is no interior.
    width: Option<usize>,
    is_interior: CellMap<D>,
    /// The interior before the last change.
    was_interior: CellMap<D>,
    /// Cells within the width of the band from an empty one; during advection, cells with interior within reach.
    in_band: CellMap<D>,
    /// Cells with a cell that is not interior within reach.
    near_exterior: CellMap<D>,
    /// The interior dilated by a cell.
    dilated: CellMap<D>,
    /// Cells that are interior, have particles, or are solid.
    occupied: CellMap<D>,
    /// One in cells whose neighbours are all occupied; two in those to be reseeded.
    enclosed: CellMap<D>,
    /// Displacement of the fluid at cell centres during the step, in cells; set in the dilated interior.
    displacements: Vec<[f32; D]>,
    /// Cells to be reseeded.
    sparse: Vec<[usize; D]>,
    cells: [usize; D],
    seed: u64,
}

impl<const D: usize> Interior<D> {
    /// An empty interior.
    pub fn new(cells: [usize; D], width: Option<usize>, seed: u64) -> Self {
        let map = || CellMap::new(cells);
        Interior {
            width,
            is_interior: map(),
            was_interior: map(),
            in_band: map(),
            near_exterior: map(),
            dilated: map(),
            occupied: map(),
            enclosed: map(),
            displacements: Vec::new(),
            sparse: Vec::new(),
            cells,
            seed,
        }
    }

    /// Whether there is a band, so that there can be an interior.
    pub fn is_enabled(&self) -> bool {
        self.width.is_some()
    }

    /// Whether a cell is interior.
    #[inline]
    pub fn contains(&self, cell: [usize; D]) -> bool {
        self.is_interior.at(cell) != 0
    }

    /// Not zero in the interior and in the cells around it.
    pub fn dilated(&self) -> &CellMap<D> {
        &self.dilated
    }

    /// Dilates the interior by a cell.
    pub fn update_dilated(&mut self) {
        let is_interior = &self.is_interior;
        self.dilated.set_rows(|at, row| row.copy_from_slice(is_interior.row(at)));
        self.dilated.dilate(1);
    }

    /// The flags of the cells, to be saved.
    pub fn map(&self) -> &CellMap<D> {
        &self.is_interior
    }

    /// The flags of the cells, to be restored.
    pub fn map_mut(&mut self) -> &mut CellMap<D> {
        &mut self.is_interior
    }

    /// Seeds all interior cells with particles from the pool, with the velocity of the grid, and empties the interior.
    /// What finds no room stays in the pool.
    pub fn convert_to_particles(
        &mut self,
        particles: &mut Particles<D>,
        ledger: &mut ParticleLedger,
        velocity: &[Field<f32, D>; D],
        boundary: &SolidBoundary<D>,
    ) {
        let components = velocity.each_ref().map(FaceSampler::new);
        let seed = self.seed ^ u64::from(particles.next_id()) << 20;
        self.is_interior.for_each(|cell, is_interior| {
            let is_full = is_interior != 0 && !boundary.is_solid(cell);
            seed_cell(cell, seed, |position| {
                if is_full && ledger.in_interior() > 0 && boundary.is_free(position) {
                    let velocity = std::array::from_fn(|axis| components[axis].sample(axis, position));
                    particles.push(NewParticle { position, velocity, colour: [f32::NAN; 3] });
                    ledger.pool(-1);
                }
            });
        });
        ledger.release_interior();
        self.is_interior.values_mut().fill(0);
        self.update_dilated();
    }

    /// Removes cells in solids from the interior. Their particles stay in the pool: the rest is too dense until the
    /// density correction has expanded it.
    pub fn remove_from_solids(&mut self, boundary: &SolidBoundary<D>) {
        let open: Vec<u8> = (0..self.is_interior.values().len())
            .map(|index| u8::from(!boundary.is_solid(cell_of_index(index, self.cells))))
            .collect();
        self.is_interior
            .values_mut()
            .iter_mut()
            .zip(open)
            .for_each(|(is_interior, open)| *is_interior &= open);
        self.update_dilated();
    }

    /// Advects the interior for `dt` seconds. Nothing moves more than `reach` cells in that time.
    pub fn advect(
        &mut self,
        velocity: &[Field<f32, D>; D],
        boundary: &SolidBoundary<D>,
        dt: f32,
        reach: usize,
    ) {
        if self.width.is_none() {
            return;
        }
        std::mem::swap(&mut self.is_interior, &mut self.was_interior);
        let was_interior = &self.was_interior;
        // Only cells with both interior and other cells within reach need a backtrace
        self.in_band.set_rows(|at, row| row.copy_from_slice(was_interior.row(at)));
        self.in_band.dilate(reach);
        self.near_exterior.set_rows(|at, row| {
            row.iter_mut().zip(was_interior.row(at)).for_each(|(to, interior)| *to = 1 - interior);
        });
        self.near_exterior.dilate(reach);
        let (near_interior, near_exterior) = (&self.in_band, &self.near_exterior);
        let backtrace = Backtrace::new(velocity, boundary.cells, dt);
        self.is_interior.set_rows(|at, row| {
            let (near_interior, near_exterior) = (near_interior.row(at), near_exterior.row(at));
            for (x, is_interior) in row.iter_mut().enumerate() {
                let mut cell = at;
                cell[0] += x;
                *is_interior = match [near_interior[x] != 0, near_exterior[x] != 0] {
                    [false, _] => 0,
                    _ if boundary.is_solid(cell) => 0,
                    [true, false] => 1,
                    [true, true] => {
                        let centre = cell.map(|i| i as f32 + 0.5);
                        was_interior.at(cell_of(backtrace.departure_point(centre), boundary.cells))
                    }
                };
            }
        });
    }

    /// The relative excess density of the interior when it holds so many particles.
    pub fn excess(&self, particles: i64, density: &RestDensity<D>) -> f32 {
        if self.width.is_none() {
            return 0.0;
        }
        let (is_interior, cells) = (&self.is_interior, self.cells);
        let row_sum = |row: usize| {
            let cell = cell_of_index(row * cells[0], cells);
            let volumes = density.volume_fractions(cell).iter().zip(is_interior.row(cell));
            volumes
                .filter(|(_, is_interior)| **is_interior != 0)
                .map(|(volume, _)| f64::from(*volume))
                .sum::<f64>()
        };
        let rows = cells[1..].iter().product();
        let volume = par::fold(rows, 16, |range| range.map(row_sum).sum::<f64>(), |a, b| a + b);
        interior_excess_of(particles as f64, volume.unwrap_or(0.0), f64::from(1 << D))
    }

    /// Advects the velocity of the faces of interior cells by `transport`, into `advected`.
    pub fn advect_velocity(
        &mut self,
        [velocity, transport]: [&[Field<f32, D>; D]; 2],
        advected: &mut [Field<f32, D>; D],
        dt: f32,
    ) {
        if self.width.is_none() {
            return;
        }
        self.backtrace_centres(transport, dt);
        let (cells, displacements) = (self.cells, &self.displacements[..]);
        for axis in 0..D {
            let size = velocity[axis].size();
            // The displacement of a face is the mean of those of its two cells
            let step = cells[..axis].iter().product::<usize>();
            par::rows(&mut advected[axis], |at, row| {
                let is_beside = self.faces_beside(axis, at);
                let first = (0..D).rev().fold(0, |index, other| index * cells[other] + at[other] as usize);
                let [is_first, is_last] = [0, cells[axis]].map(|side| at[axis] as usize == side);
                simd::dispatch(
                    #[inline(always)]
                    || {
                        for (x, u) in row.iter_mut().enumerate().filter(|(x, _)| is_beside(*x)) {
                            let index = first + x;
                            let (is_first, is_last) =
                                if axis == 0 { (x == 0, x == cells[0]) } else { (is_first, is_last) };
                            let low = displacements[if is_first { index } else { index - step }];
                            let high = displacements[if is_last { index - step } else { index }];
                            let mut from = at.map(|i| i as f32 + 0.5);
                            from[0] += x as f32;
                            from[axis] -= 0.5;
                            for other in 0..D {
                                from[other] -= 0.5 * (low[other] + high[other]);
                            }
                            *u = sample_cubic(&velocity[axis], size, axis, from);
                        }
                    },
                );
            });
        }
    }

    /// Displacements of the cell centres of the dilated interior, by a backtrace.
    fn backtrace_centres(&mut self, transport: &[Field<f32, D>; D], dt: f32) {
        let (cells, dilated) = (self.cells, &self.dilated);
        self.displacements.resize(cells.iter().product(), [0.0; D]);
        let backtrace = Backtrace::new(transport, cells, dt);
        for_each_row(&mut self.displacements, cells, |first, row| {
            let at = cell_of_index(first, cells);
            let is_around = dilated.row(at);
            simd::dispatch(
                #[inline(always)]
                || {
                    for (x, displacement) in row.iter_mut().enumerate().filter(|(x, _)| is_around[*x] != 0) {
                        let mut centre = at.map(|i| i as f32 + 0.5);
                        centre[0] += x as f32;
                        let from = backtrace.departure_point(centre);
                        *displacement = std::array::from_fn(|axis| centre[axis] - from[axis]);
                    }
                },
            );
        });
    }

    /// Which faces across an axis, by their x in the row that starts at `at`, belong to an interior cell.
    #[inline]
    pub fn faces_beside(&self, axis: usize, at: [isize; D]) -> impl Fn(usize) -> bool {
        let row = |by: isize| {
            let mut cell = at;
            cell[axis] += by;
            let is_inside = cell[axis] >= 0 && (cell[axis] as usize) < self.cells[axis];
            if is_inside { self.is_interior.row(cell.map(|i| i as usize)) } else { &[] }
        };
        let (low, high) = if axis == 0 { (row(0), row(0)) } else { (row(-1), row(0)) };
        let has = |row: &[u8], x: usize| row.get(x).is_some_and(|is_interior| *is_interior != 0);
        // Across x a face lies between cells x − 1 and x; before the first the index wraps to beyond the last
        move |x| has(high, x) || has(low, x.wrapping_sub(usize::from(axis == 0)))
    }

    /// Between the halves of a sort: finds the new interior, drops its particles, and reseeds sparse cells. Cells for
    /// which `is_kept` is true never become interior.
    pub fn update(
        &mut self,
        mut store: ParticleStore<'_, D>,
        velocity: &[Field<f32, D>; D],
        boundary: &SolidBoundary<D>,
        is_kept: impl Fn([usize; D]) -> bool + Sync,
    ) {
        // Without a band there is no interior; near the surface sparse cells are left as they are
        let width = self.width.unwrap_or(SURFACE_CELLS);
        let tiles = &*store.tiles;
        self.find_occupied(tiles, boundary);
        let (occupied, enclosed) = (&self.occupied, &self.enclosed);
        self.in_band.set_rows(|at, row| {
            let (occupied, enclosed) = (occupied.row(at), enclosed.row(at));
            for (x, in_band) in row.iter_mut().enumerate() {
                let mut cell = at;
                cell[0] += x;
                *in_band = u8::from(occupied[x] | enclosed[x] == 0 || is_kept(cell));
            }
        });
        self.in_band.dilate(width);
        // Sparse cells, by the interior as it was advected
        self.find_sparse(tiles, boundary);
        self.update_dilated();
        if self.width.is_none() {
            self.redistribute(&mut store, velocity, boundary);
            return;
        }
        // All cells deeper than the band are the new interior
        let in_band = &self.in_band;
        self.was_interior.set_rows(|at, row| {
            for (x, (is_interior, in_band)) in row.iter_mut().zip(in_band.row(at)).enumerate() {
                let mut cell = at;
                cell[0] += x;
                *is_interior = u8::from(*in_band == 0 && !boundary.is_solid(cell));
            }
        });
        std::mem::swap(&mut self.is_interior, &mut self.was_interior);
        let is_interior = &self.is_interior;
        let dropped = store.tiles.drop_cells(|cell| is_interior.at(cell) != 0);
        store.ledger.pool(dropped as i64);
        self.redistribute(&mut store, velocity, boundary);
        self.update_dilated();
    }

    /// Moves particles of overfull cells to the pool, and reseeds sparse cells from it.
    fn redistribute(
        &mut self,
        store: &mut ParticleStore<'_, D>,
        velocity: &[Field<f32, D>; D],
        boundary: &SolidBoundary<D>,
    ) {
        let dropped = store.tiles.limit_per_cell(OVERFULL << D);
        store.ledger.pool_spare(dropped as i64);
        self.reseed_sparse(store, velocity, boundary);
    }

    /// Finds which cells are occupied, and which have only occupied neighbours.
    fn find_occupied(&mut self, tiles: &ParticleTiles<D>, boundary: &SolidBoundary<D>) {
        let is_interior = &self.is_interior;
        self.occupied.set_rows(|at, row| {
            tiles.mark_counted(at, row);
            for (x, (occupied, is_interior)) in row.iter_mut().zip(is_interior.row(at)).enumerate() {
                let mut cell = at;
                cell[0] += x;
                *occupied |= is_interior | u8::from(boundary.is_solid(cell));
            }
        });
        let (occupied, cells) = (&self.occupied, self.cells);
        self.enclosed.set_rows(|at, row| {
            let here = occupied.row(at);
            let last = row.len() - 1;
            for x in 0..row.len() {
                row[x] = (x == 0 || here[x - 1] != 0) as u8 & (x == last || here[x + 1] != 0) as u8;
            }
            for axis in 1..D {
                let (mut below, mut above) = (at, at);
                below[axis] = at[axis].saturating_sub(1);
                above[axis] = (at[axis] + 1).min(cells[axis] - 1);
                // At a side there is no neighbour
                for adjacent in [below, above].into_iter().filter(|adjacent| *adjacent != at) {
                    row.iter_mut().zip(occupied.row(adjacent)).for_each(|(all, occupied)| *all &= occupied);
                }
            }
        });
    }

    /// Lists cells with too few particles: those that were interior and are in the band now, and those enclosed by
    /// liquid that are not interior.
    fn find_sparse(&mut self, tiles: &ParticleTiles<D>, boundary: &SolidBoundary<D>) {
        let (in_band, is_interior) = (&self.in_band, &self.is_interior);
        let has_band = self.width.is_some();
        let update = |at: [usize; D], row: &mut [u8]| {
            let (in_band, is_interior) = (in_band.row(at), is_interior.row(at));
            for (x, enclosed) in row.iter_mut().enumerate() {
                // With a band, deeper cells become interior
                if has_band && in_band[x] == 0 || *enclosed | is_interior[x] == 0 {
                    continue;
                }
                let mut cell = at;
                cell[0] += x;
                let max = if is_interior[x] == 0 { (1 << D) / 2 } else { (1 << D) - 1 };
                if tiles.counted(cell) <= max && !boundary.is_solid(cell) {
                    *enclosed = 2;
                }
            }
        };
        self.enclosed.set_rows(update);
        self.sparse.clear();
        let (sparse, cells) = (&mut self.sparse, self.cells);
        let found = self.enclosed.values().iter().enumerate().filter(|(_, enclosed)| **enclosed == 2);
        sparse.extend(found.map(|(index, _)| cell_of_index(index, cells)));
    }

    /// Seeds the sparse cells up to full, with the velocity and gradient of the grid.
    fn reseed_sparse(
        &self,
        store: &mut ParticleStore<'_, D>,
        velocity: &[Field<f32, D>; D],
        boundary: &SolidBoundary<D>,
    ) {
        let ParticleStore { particles, tiles, ledger } = store;
        let components = velocity.each_ref().map(FaceSampler::new);
        for &cell in &self.sparse {
            // Other positions at other times
            let seed = self.seed ^ u64::from(particles.next_id()) << 20;
            let (mut positions, mut available) = ([[0.0; D]; MAX_PER_CELL], 0);
            seed_cell(cell, seed, |position| {
                if boundary.is_free(position) {
                    positions[available] = position;
                    available += 1;
                }
            });
            // Beside walls there is room for fewer particles
            let count = tiles.counted(cell) as usize;
            let was_interior = self.width.is_some() && self.was_interior.at(cell) != 0;
            if !was_interior && 2 * count > available {
                continue;
            }
            let mut missing = available.saturating_sub(count) as i64;
            // The interior is full up to its border, so cells there get all that is missing, from its part of the
            // pool. Others, and those at walls, from which particles keep off, only get what overfull cells gave
            let is_unobstructed = was_interior || available == 1 << D;
            let is_near_interior = is_unobstructed && self.dilated.at(cell) != 0;
            if !is_near_interior {
                missing = missing.min(ledger.spare());
            }
            for &position in positions.iter().take(missing.max(0) as usize) {
                let here = std::array::from_fn(|axis| components[axis].sample_with_gradient(axis, position));
                let particle = NewParticle {
                    position,
                    velocity: here.map(|(value, _): (f32, [f32; D])| value),
                    // Taken from its neighbours once these are sorted
                    colour: [f32::NAN; 3],
                };
                particles.push_affine(particle, here.map(|(_, gradient)| gradient));
                tiles.add_count(cell);
                match is_near_interior {
                    true => ledger.pool(-1),
                    false => ledger.pool_spare(-1),
                }
            }
        }
    }
}
