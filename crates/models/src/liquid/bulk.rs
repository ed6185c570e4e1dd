//! The bulk: liquid deep inside that has no particles [ferstl2016].
//!
//! Particles are only needed near the surface, where they know more than the grid. Cells farther than the width of the
//! band from any empty cell are bulk. There the velocity carries itself along on the grid: faces look back along the
//! flow and take what was there, by cubic interpolation kept within the values around. Which cells are bulk is carried
//! in the same way; cells in between that have liquid on all sides are liquid too. Then everything deeper than the band
//! becomes bulk, and cells of the band that have too few particles get new ones with the velocity of the grid.
//!
//! What the bulk holds is counted: particles dropped go to a pool from which new ones are taken, so that the ledger
//! closes to the last particle. The same pool evens out crowded and thin cells.

use undine_grid::simd;
use undine_grid::{Field, par};

use super::density::{Density, excess_of_bulk};
use super::follow::Component;
use super::ledger::Ledger;
use super::look_back::{LookBack, cubic};
use super::seed::seed_cell;
use crate::free_surface::cell_map::{CellMap, cell_at, for_each_row};
use crate::free_surface::particles::{Newborn, Particles};
use crate::free_surface::solid_boundary::Walls;
use crate::free_surface::tiles::{Tiles, cell_of};

/// Cells around empty ones that are let be where there is no band.
const UNTOUCHED: usize = 1;
/// Particles of a full cell, at most.
const MOST_SEEDS: usize = 8;
/// Times as many particles as a full cell has, from which on it is crowded.
const CROWDED: u32 = 2;

/// Particles, where they are, and what is held of them.
pub(super) struct Store<'a, const D: usize> {
    pub particles: &'a mut Particles<D>,
    pub tiles: &'a mut Tiles<D>,
    pub ledger: &'a mut Ledger,
}

/// Which cells are bulk, and how that changes.
#[derive(Debug)]
pub(super) struct Bulk<const D: usize> {
    /// Cells of particles around the surface; nothing is bulk where absent.
    width: Option<usize>,
    is_bulk: CellMap<D>,
    /// What was bulk.
    was_bulk: CellMap<D>,
    /// Cells within the band from an empty one.
    near: CellMap<D>,
    /// Cells with something other than bulk within reach.
    far: CellMap<D>,
    /// Bulk and the cells around it.
    surroundings: CellMap<D>,
    /// Cells that are bulk, have particles, or are solid.
    full: CellMap<D>,
    /// One in cells with full ones on all sides, as far as there are any; two in those that get new particles.
    enclosed: CellMap<D>,
    /// How far what is in the middle of a cell has come, in cells; set around the bulk.
    ways: Vec<[f32; D]>,
    /// Cells that get new particles.
    thin: Vec<[usize; D]>,
    cells: [usize; D],
    seed: u64,
}

impl<const D: usize> Bulk<D> {
    /// No bulk yet.
    pub fn new(cells: [usize; D], width: Option<usize>, seed: u64) -> Self {
        let map = || CellMap::new(cells);
        Bulk {
            width,
            is_bulk: map(),
            was_bulk: map(),
            near: map(),
            far: map(),
            surroundings: map(),
            full: map(),
            enclosed: map(),
            ways: Vec::new(),
            thin: Vec::new(),
            cells,
            seed,
        }
    }

    /// Whether there is a band, so that there can be bulk.
    pub fn is_in_use(&self) -> bool {
        self.width.is_some()
    }

    /// Whether a cell is bulk.
    #[inline]
    pub fn has(&self, cell: [usize; D]) -> bool {
        self.is_bulk.at(cell) != 0
    }

    /// Not zero in bulk and in the cells around it.
    pub fn surroundings(&self) -> &CellMap<D> {
        &self.surroundings
    }

    /// Finds what is around the bulk.
    pub fn look_around(&mut self) {
        let is_bulk = &self.is_bulk;
        self.surroundings.set_rows(|at, row| row.copy_from_slice(is_bulk.row(at)));
        self.surroundings.spread(1);
    }

    /// The map, to be saved.
    pub fn map(&self) -> &CellMap<D> {
        &self.is_bulk
    }

    /// The map, to be restored.
    pub fn map_mut(&mut self) -> &mut CellMap<D> {
        &mut self.is_bulk
    }

    /// Gives every cell of bulk the particles that it stood for, with the velocity of the grid: there is no bulk any more.
    /// What finds no room stays in the pool.
    pub fn dissolve(
        &mut self,
        particles: &mut Particles<D>,
        ledger: &mut Ledger,
        velocity: &[Field<f32, D>; D],
        walls: &Walls<D>,
    ) {
        let components = velocity.each_ref().map(Component::new);
        let seed = self.seed ^ u64::from(particles.next_id()) << 20;
        self.is_bulk.for_each(|cell, is_bulk| {
            let is_full = is_bulk != 0 && !walls.is_solid(cell);
            seed_cell(cell, seed, |position| {
                if is_full && ledger.in_bulk() > 0 && walls.is_free(position) {
                    let velocity = std::array::from_fn(|axis| components[axis].sample(axis, position));
                    particles.push(Newborn { position, velocity, colour: [f32::NAN; 3] });
                    ledger.pool(-1);
                }
            });
        });
        ledger.give_up_bulk();
        self.is_bulk.values_mut().fill(0);
        self.look_around();
    }

    /// Solids have no bulk. What it stood for there makes the rest of it denser, until that has spread.
    pub fn leave_solids(&mut self, walls: &Walls<D>) {
        let open: Vec<u8> = (0..self.is_bulk.values().len())
            .map(|place| u8::from(!walls.is_solid(cell_at(place, self.cells))))
            .collect();
        self.is_bulk.values_mut().iter_mut().zip(open).for_each(|(is_bulk, open)| *is_bulk &= open);
        self.look_around();
    }

    /// Carries the bulk along a velocity for `dt` seconds.
    /// Nothing is faster than `reach` cells in that time.
    pub fn carry(&mut self, velocity: &[Field<f32, D>; D], walls: &Walls<D>, dt: f32, reach: usize) {
        if self.width.is_none() {
            return;
        }
        std::mem::swap(&mut self.is_bulk, &mut self.was_bulk);
        let was_bulk = &self.was_bulk;
        // Cells with bulk or with anything else within reach: only those with both need to look back
        self.near.set_rows(|at, row| row.copy_from_slice(was_bulk.row(at)));
        self.near.spread(reach);
        self.far.set_rows(|at, row| {
            row.iter_mut().zip(was_bulk.row(at)).for_each(|(to, bulk)| *to = 1 - bulk);
        });
        self.far.spread(reach);
        let (near, far) = (&self.near, &self.far);
        let look_back = LookBack::new(velocity, walls.cells, dt);
        self.is_bulk.set_rows(|at, row| {
            let (near, far) = (near.row(at), far.row(at));
            for (x, is_bulk) in row.iter_mut().enumerate() {
                let mut cell = at;
                cell[0] += x;
                *is_bulk = match [near[x] != 0, far[x] != 0] {
                    [false, _] => 0,
                    _ if walls.is_solid(cell) => 0,
                    [true, false] => 1,
                    [true, true] => {
                        let middle = cell.map(|along| along as f32 + 0.5);
                        was_bulk.at(cell_of(look_back.from(middle), walls.cells))
                    }
                };
            }
        });
    }

    /// How much too dense the bulk is that stands for so many particles, as a share.
    pub fn excess(&self, particles: i64, density: &Density<D>) -> f32 {
        if self.width.is_none() {
            return 0.0;
        }
        let (is_bulk, cells) = (&self.is_bulk, self.cells);
        let row_sum = |row: usize| {
            let cell = cell_at(row * cells[0], cells);
            let volumes = density.volumes(cell).iter().zip(is_bulk.row(cell));
            volumes.filter(|(_, is_bulk)| **is_bulk != 0).map(|(volume, _)| f64::from(*volume)).sum::<f64>()
        };
        let rows = cells[1..].iter().product();
        let full = par::fold(rows, 16, |range| range.map(row_sum).sum::<f64>(), |a, b| a + b);
        excess_of_bulk(particles as f64, full.unwrap_or(0.0), f64::from(1 << D))
    }

    /// Carries the velocity of the faces around bulk along the motion, into `carried`.
    pub fn carry_velocity(
        &mut self,
        [velocity, motion]: [&[Field<f32, D>; D]; 2],
        carried: &mut [Field<f32, D>; D],
        dt: f32,
    ) {
        if self.width.is_none() {
            return;
        }
        self.find_ways(motion, dt);
        let (cells, ways) = (self.cells, &self.ways[..]);
        for axis in 0..D {
            let size = velocity[axis].size();
            // A face has come as far as the cells beside it have on average
            let step = cells[..axis].iter().product::<usize>();
            par::rows(&mut carried[axis], |at, row| {
                let is_beside = self.beside(axis, at);
                let first = (0..D).rev().fold(0, |place, along| place * cells[along] + at[along] as usize);
                let [is_first, is_last] = [0, cells[axis]].map(|side| at[axis] as usize == side);
                simd::dispatch(
                    #[inline(always)]
                    || {
                        for (x, u) in row.iter_mut().enumerate().filter(|(x, _)| is_beside(*x)) {
                            let place = first + x;
                            let (is_first, is_last) =
                                if axis == 0 { (x == 0, x == cells[0]) } else { (is_first, is_last) };
                            let low = ways[if is_first { place } else { place - step }];
                            let high = ways[if is_last { place - step } else { place }];
                            let mut from = at.map(|along| along as f32 + 0.5);
                            from[0] += x as f32;
                            from[axis] -= 0.5;
                            for along in 0..D {
                                from[along] -= 0.5 * (low[along] + high[along]);
                            }
                            *u = cubic(&velocity[axis], size, axis, from);
                        }
                    },
                );
            });
        }
    }

    fn find_ways(&mut self, motion: &[Field<f32, D>; D], dt: f32) {
        let (cells, surroundings) = (self.cells, &self.surroundings);
        self.ways.resize(cells.iter().product(), [0.0; D]);
        let look_back = LookBack::new(motion, cells, dt);
        for_each_row(&mut self.ways, cells, |first, row| {
            let at = cell_at(first, cells);
            let is_around = surroundings.row(at);
            simd::dispatch(
                #[inline(always)]
                || {
                    for (x, way) in row.iter_mut().enumerate().filter(|(x, _)| is_around[*x] != 0) {
                        let mut middle = at.map(|along| along as f32 + 0.5);
                        middle[0] += x as f32;
                        let from = look_back.from(middle);
                        *way = std::array::from_fn(|axis| middle[axis] - from[axis]);
                    }
                },
            );
        });
    }

    /// Which faces across an axis lie beside a cell of bulk, by their place in the row that starts at `at`.
    #[inline]
    pub fn beside(&self, axis: usize, at: [isize; D]) -> impl Fn(usize) -> bool {
        let row = |by: isize| {
            let mut cell = at;
            cell[axis] += by;
            let is_inside = cell[axis] >= 0 && (cell[axis] as usize) < self.cells[axis];
            if is_inside { self.is_bulk.row(cell.map(|along| along as usize)) } else { &[] }
        };
        let (low, high) = if axis == 0 { (row(0), row(0)) } else { (row(-1), row(0)) };
        let has = |row: &[u8], x: usize| row.get(x).is_some_and(|is_bulk| *is_bulk != 0);
        // Across x a face lies between the cell before and its own; before the first, places wrap to beyond the last
        move |x| has(high, x) || has(low, x.wrapping_sub(usize::from(axis == 0)))
    }

    /// Between the halves of a sort: settles which cells are bulk, drops their particles, and gives thin cells new ones.
    /// Cells for which `is_kept` is true have particles in any case.
    pub fn settle(
        &mut self,
        mut store: Store<'_, D>,
        velocity: &[Field<f32, D>; D],
        walls: &Walls<D>,
        is_kept: impl Fn([usize; D]) -> bool + Sync,
    ) {
        // Without a band there is no bulk, and what is near the surface is only not filled up
        let width = self.width.unwrap_or(UNTOUCHED);
        let tiles = &*store.tiles;
        self.find_full(tiles, walls);
        let (full, enclosed) = (&self.full, &self.enclosed);
        self.near.set_rows(|at, row| {
            let (full, enclosed) = (full.row(at), enclosed.row(at));
            for (x, near) in row.iter_mut().enumerate() {
                let mut cell = at;
                cell[0] += x;
                *near = u8::from(full[x] | enclosed[x] == 0 || is_kept(cell));
            }
        });
        self.near.spread(width);
        self.find_thin(tiles, walls);
        self.look_around();
        if self.width.is_none() {
            self.even_out(&mut store, velocity, walls);
            return;
        }
        let near = &self.near;
        self.was_bulk.set_rows(|at, row| {
            for (x, (is_bulk, near)) in row.iter_mut().zip(near.row(at)).enumerate() {
                let mut cell = at;
                cell[0] += x;
                *is_bulk = u8::from(*near == 0 && !walls.is_solid(cell));
            }
        });
        std::mem::swap(&mut self.is_bulk, &mut self.was_bulk);
        let is_bulk = &self.is_bulk;
        let dropped = store.tiles.drop_in(|cell| is_bulk.at(cell) != 0);
        store.ledger.pool(dropped as i64);
        self.even_out(&mut store, velocity, walls);
        self.look_around();
    }

    /// Takes particles out of crowded cells into the pool, and gives thin cells new ones from it.
    fn even_out(&mut self, store: &mut Store<'_, D>, velocity: &[Field<f32, D>; D], walls: &Walls<D>) {
        let dropped = store.tiles.thin_out(CROWDED << D);
        store.ledger.pool_spare(dropped as i64);
        self.fill_thin(store, velocity, walls);
    }

    /// Finds which cells are full, and which have full ones on all sides.
    fn find_full(&mut self, tiles: &Tiles<D>, walls: &Walls<D>) {
        let is_bulk = &self.is_bulk;
        self.full.set_rows(|at, row| {
            tiles.mark_counted(at, row);
            for (x, (full, is_bulk)) in row.iter_mut().zip(is_bulk.row(at)).enumerate() {
                let mut cell = at;
                cell[0] += x;
                *full |= is_bulk | u8::from(walls.is_solid(cell));
            }
        });
        let (full, cells) = (&self.full, self.cells);
        self.enclosed.set_rows(|at, row| {
            let here = full.row(at);
            let last = row.len() - 1;
            for x in 0..row.len() {
                row[x] = (x == 0 || here[x - 1] != 0) as u8 & (x == last || here[x + 1] != 0) as u8;
            }
            for axis in 1..D {
                let (mut below, mut above) = (at, at);
                below[axis] = at[axis].saturating_sub(1);
                above[axis] = (at[axis] + 1).min(cells[axis] - 1);
                // At a side there is no neighbour
                for beside in [below, above].into_iter().filter(|beside| *beside != at) {
                    row.iter_mut().zip(full.row(beside)).for_each(|(all, full)| *all &= full);
                }
            }
        });
    }

    /// Cells that have too few particles: those that were bulk and are in the band now, and those that have liquid on all
    /// sides and are no bulk.
    fn find_thin(&mut self, tiles: &Tiles<D>, walls: &Walls<D>) {
        let (near, is_bulk) = (&self.near, &self.is_bulk);
        let has_band = self.width.is_some();
        let update = |at: [usize; D], row: &mut [u8]| {
            let (near, is_bulk) = (near.row(at), is_bulk.row(at));
            for (x, enclosed) in row.iter_mut().enumerate() {
                // With a band, what is deeper becomes bulk
                if has_band && near[x] == 0 || *enclosed | is_bulk[x] == 0 {
                    continue;
                }
                let mut cell = at;
                cell[0] += x;
                let most = if is_bulk[x] == 0 { (1 << D) / 2 } else { (1 << D) - 1 };
                if tiles.counted(cell) <= most && !walls.is_solid(cell) {
                    *enclosed = 2;
                }
            }
        };
        self.enclosed.set_rows(update);
        self.thin.clear();
        let (thin, cells) = (&mut self.thin, self.cells);
        let found = self.enclosed.values().iter().enumerate().filter(|(_, enclosed)| **enclosed == 2);
        thin.extend(found.map(|(place, _)| cell_at(place, cells)));
    }

    fn fill_thin(&self, store: &mut Store<'_, D>, velocity: &[Field<f32, D>; D], walls: &Walls<D>) {
        let Store { particles, tiles, ledger } = store;
        let components = velocity.each_ref().map(Component::new);
        for &cell in &self.thin {
            // Other places at other times
            let seed = self.seed ^ u64::from(particles.next_id()) << 20;
            let (mut places, mut room) = ([[0.0; D]; MOST_SEEDS], 0);
            seed_cell(cell, seed, |place| {
                if walls.is_free(place) {
                    places[room] = place;
                    room += 1;
                }
            });
            // Beside walls there is room for fewer
            let count = tiles.counted(cell) as usize;
            let was_bulk = self.width.is_some() && self.was_bulk.at(cell) != 0;
            if !was_bulk && 2 * count > room {
                continue;
            }
            let mut lacking = room.saturating_sub(count) as i64;
            // The bulk is full up to its border, so cells there get what is lacking; others, and those at
            // walls, from which particles keep off, get what others had too many of
            let is_whole = was_bulk || room == 1 << D;
            let is_beside_bulk = is_whole && self.surroundings.at(cell) != 0;
            if !is_beside_bulk {
                lacking = lacking.min(ledger.spare());
            }
            for &position in places.iter().take(lacking.max(0) as usize) {
                let here = std::array::from_fn(|axis| components[axis].sample_with_slopes(axis, position));
                let newborn = Newborn {
                    position,
                    velocity: here.map(|(value, _): (f32, [f32; D])| value),
                    // That of its neighbours, once these are in order
                    colour: [f32::NAN; 3],
                };
                particles.push_with_slopes(newborn, here.map(|(_, slopes)| slopes));
                tiles.count_in(cell);
                match is_beside_bulk {
                    true => ledger.pool(-1),
                    false => ledger.pool_spare(-1),
                }
            }
        }
    }
}
