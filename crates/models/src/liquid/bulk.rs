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

use undine_grid::kernels::fastest;
use undine_grid::{Field, par};

use super::cells::{CellMap, cell_at};
use super::density::{Density, excess_of_bulk};
use super::follow::{Component, along, inside, sample_all};
use super::ledger::Ledger;
use super::particles::{Newborn, Particles};
use super::seed::seed_cell;
use super::tiles::{Tiles, cell_of};
use super::walls::Walls;

/// Cells around empty ones that are let be where there is no band.
const UNTOUCHED: usize = 1;
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
        &self,
        [velocity, motion]: [&[Field<f32, D>; D]; 2],
        carried: &mut [Field<f32, D>; D],
        walls: &Walls<D>,
        dt: f32,
    ) {
        if self.width.is_none() {
            return;
        }
        let look_back = LookBack::new(motion, walls.cells, dt);
        for axis in 0..D {
            let size = velocity[axis].size();
            par::rows(&mut carried[axis], |at, row| {
                fastest(
                    #[inline(always)]
                    || {
                        for (x, u) in row.iter_mut().enumerate() {
                            let mut face = at;
                            face[0] += x as isize;
                            if self.is_beside(axis, face, walls.cells) {
                                let mut middle = face.map(|along| along as f32 + 0.5);
                                middle[axis] -= 0.5;
                                *u = cubic(&velocity[axis], size, axis, look_back.from(middle));
                            }
                        }
                    },
                );
            });
        }
    }

    /// Whether a face lies beside a cell of bulk.
    #[inline]
    pub fn is_beside(&self, axis: usize, face: [isize; D], cells: [usize; D]) -> bool {
        let has = |by: isize| {
            let mut cell = face;
            cell[axis] += by;
            cell[axis] >= 0
                && (cell[axis] as usize) < cells[axis]
                && self.has(cell.map(|along| along as usize))
        };
        has(0) || has(-1)
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
        let is_bulk = &self.is_bulk;
        let cells = walls.cells;
        let is_full =
            |cell: [usize; D]| is_bulk.at(cell) != 0 || tiles.counted(cell) > 0 || walls.is_solid(cell);
        self.near.set_rows(|at, row| {
            for (x, near) in row.iter_mut().enumerate() {
                let mut cell = at;
                cell[0] += x;
                *near = u8::from(is_kept(cell) || !is_full(cell) && !is_enclosed(cell, cells, is_full));
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
            for (x, is_bulk) in row.iter_mut().enumerate() {
                let mut cell = at;
                cell[0] += x;
                *is_bulk = u8::from(near.at(cell) == 0 && !walls.is_solid(cell));
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

    /// Cells that have too few particles: those that were bulk and are in the band now, and those that have liquid on all
    /// sides and are no bulk.
    fn find_thin(&mut self, tiles: &Tiles<D>, walls: &Walls<D>) {
        self.thin.clear();
        let (near, thin, is_bulk) = (&self.near, &mut self.thin, &self.is_bulk);
        let cells = walls.cells;
        let is_full =
            |cell: [usize; D]| is_bulk.at(cell) != 0 || tiles.counted(cell) > 0 || walls.is_solid(cell);
        let has_band = self.width.is_some();
        near.for_each(|cell, near| {
            let count = tiles.counted(cell);
            // With a band, what is deeper becomes bulk
            if has_band && near == 0 || walls.is_solid(cell) {
                return;
            }
            let is_thin = match is_bulk.at(cell) {
                0 => count <= (1 << D) / 2 && is_enclosed(cell, cells, is_full),
                _ => count < 1 << D,
            };
            if is_thin {
                thin.push(cell);
            }
        });
    }

    fn fill_thin(&self, store: &mut Store<'_, D>, velocity: &[Field<f32, D>; D], walls: &Walls<D>) {
        let Store { particles, tiles, ledger } = store;
        let components = velocity.each_ref().map(Component::new);
        for &cell in &self.thin {
            let mut lacking = (1 << D) - tiles.counted(cell) as i64;
            // The bulk is full up to its border, so cells there get what is lacking; others what others had too many of
            let is_beside_bulk = self.surroundings.at(cell) != 0;
            if !is_beside_bulk {
                lacking = lacking.min(ledger.spare());
            }
            // Other places at other times
            let seed = self.seed ^ u64::from(particles.next_id()) << 20;
            seed_cell(cell, seed, |position| {
                if lacking <= 0 || !walls.is_free(position) {
                    return;
                }
                lacking -= 1;
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
            });
        }
    }
}

/// Whether all neighbours of a cell, as far as there are any, are full.
fn is_enclosed<const D: usize>(
    cell: [usize; D],
    cells: [usize; D],
    is_full: impl Fn([usize; D]) -> bool,
) -> bool {
    (0..2 * D).all(|side| {
        let (axis, mut beside) = (side / 2, cell);
        match side % 2 {
            0 if cell[axis] > 0 => beside[axis] -= 1,
            1 if cell[axis] + 1 < cells[axis] => beside[axis] += 1,
            _ => return true,
        }
        is_full(beside)
    })
}

/// Looks back along a flow.
struct LookBack<'a, const D: usize> {
    components: [Component<'a, D>; D],
    high: [f32; D],
    stride: f32,
}

impl<'a, const D: usize> LookBack<'a, D> {
    fn new(velocity: &'a [Field<f32, D>; D], cells: [usize; D], dt: f32) -> Self {
        let per_cell = 1.0 / velocity[0].grid().spacing()[0] as f32;
        LookBack {
            components: velocity.each_ref().map(Component::new),
            high: cells.map(|count| count as f32),
            stride: dt * per_cell,
        }
    }

    /// Where what is at a point now was: two stages.
    #[inline(always)]
    fn from(&self, point: [f32; D]) -> [f32; D] {
        let middle = inside(along(point, sample_all(&self.components, point), -0.5 * self.stride), self.high);
        inside(along(point, sample_all(&self.components, middle), -self.stride), self.high)
    }
}

/// A component at a point by cubic interpolation, kept within the values of the faces around the point.
#[inline(always)]
fn cubic<const D: usize>(field: &Field<f32, D>, size: [usize; D], axis: usize, point: [f32; D]) -> f32 {
    let layout = field.layout();
    let (strides, values) = (layout.strides(), field.storage());
    let origin = layout.offset([0; D]);
    let (mut places, mut weights) = ([[0; 4]; D], [[0.0; 4]; D]);
    for along in 0..D {
        let local = (point[along] - if along == axis { 0.0 } else { 0.5 }).max(0.0);
        let last = size[along] - 1;
        let below = (local as usize).min(last.saturating_sub(1));
        let t = (local - below as f32).min(1.0);
        for tap in 0..4 {
            places[along][tap] = (below + tap).saturating_sub(1).min(last) * strides[along];
        }
        let (squared, cubed) = (t * t, t * t * t);
        weights[along] = [
            0.5 * (2.0 * squared - cubed - t),
            0.5 * (2.0 - 5.0 * squared + 3.0 * cubed),
            0.5 * (4.0 * squared - 3.0 * cubed + t),
            0.5 * (cubed - squared),
        ];
    }
    let (mut sum, mut least, mut most) = (0.0, f32::INFINITY, f32::NEG_INFINITY);
    let planes = if D > 2 { 4 } else { 1 };
    for z in 0..planes {
        for y in 0..4 {
            let (mut weight, mut start, mut is_inner) =
                (weights[1][y], origin + places[1][y], y == 1 || y == 2);
            if D > 2 {
                weight *= weights[D - 1][z];
                start += places[D - 1][z];
                is_inner &= z == 1 || z == 2;
            }
            let taps = places[0].map(|place| values[start + place]);
            let mut line = 0.0;
            for x in 0..4 {
                line += weights[0][x] * taps[x];
            }
            sum += weight * line;
            if is_inner {
                least = least.min(taps[1]).min(taps[2]);
                most = most.max(taps[1]).max(taps[2]);
            }
        }
    }
    sum.clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_grid::{Condition, Grid, MacVelocity};

    #[test]
    fn cubics_are_exact_for_parabolas_and_make_no_new_extremes() {
        let grid = Grid::new([12, 9, 10], [1.0; 3], [0.0; 3]).unwrap();
        let mut velocity = MacVelocity::<f32, 3>::new(grid, Condition::Open, 1).unwrap();
        velocity[1].set_by_position(|[x, y, z]| 0.1 * x * x + y * z);
        let point = [5.3, 4.2, 6.9];
        let found = cubic(&velocity[1], velocity[1].size(), 1, point);
        let wanted = 0.1 * 5.3 * 5.3 + 4.2 * 6.9;
        assert!((found - wanted).abs() < 1e-3, "{found} for {wanted}");
        velocity[1].set_by_position(|[x, _, _]| if x > 6.0 { 1.0 } else { 0.0 });
        for step in 0..120 {
            let found = cubic(&velocity[1], velocity[1].size(), 1, [0.1 * step as f32, 0.0, 10.0]);
            assert!((0.0..=1.0).contains(&found));
        }
    }
}
