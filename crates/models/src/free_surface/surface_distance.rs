//! Where the surface is: a signed distance at the middles of cells, from the particles around each.
//!
//! Around a cell's middle x the particles within R = 1.5 cells (2.5 in 2-D) along every axis have the weighted mean x̄
//! [zhu2005]. In a half-space evenly full of particles |x − x̄| depends on the distance from its plane alone, and the
//! other way round: with q = φ/R and the weight w,
//!
//! ```text
//! |x − x̄| / R = ∫ t w(t) dt / ∫ w(t) dt   from t = q to 1
//! ```
//!
//! The weights are cubic B-splines. Their Fourier transform is nowhere negative, so a bump of any wavelength raises the
//! surface; weights that are cut off sooner let the shortest waves lower it, which feeds them until the water boils.
//!
//! That is turned around by a table, so that φ is the distance itself: a level surface is found where it is, whatever
//! the density of particles, and thin sheets and lone particles have their middles inside. Walls are mirrors: particles
//! are seen behind them again, so that the surface does not sink there. The image of a particle does not lie straight
//! behind the wall but along the surface, as it was in the step before: so a level surface is found level beside slanted
//! walls too, which a straight mirror would bend.
//!
//! Only cells near an empty one are looked at. Cells deeper in the liquid are `-DEEP`, those far outside `DEEP`.

use undine_grid::simd;
use undine_grid::{Condition, Field, FieldError, Grid, Location, par};

use super::cell_map::CellMap;
use super::particles::Particles;
use super::solid_boundary::{FAR, Walls};
use super::tiles::{Tiles, cell_of};

/// The distance of all cells that are not near the surface, in cells.
pub(super) const DEEP: f32 = 3.0;
/// Steps of the table.
const STEPS: usize = 256;
/// Cells from an empty one within which the distance is found.
const NEAR: usize = 2;
/// The least share of the way straight through a wall that a way along the surface has, squared.
const LEAST_SHARE: f32 = 0.2;

/// Neighbours on either side whose particles a cell looks at: more where fewer particles make a cell.
const fn ring(dimension: usize) -> usize {
    if dimension == 2 { 2 } else { 1 }
}

/// How far a cell looks for particles, in cells: just to the far sides of its neighbours.
const fn reach(dimension: usize) -> f32 {
    ring(dimension) as f32 + 0.5
}

/// What finds the surface.
#[derive(Debug)]
pub(crate) struct SurfaceFinder<const D: usize> {
    /// φ/R over |x − x̄|/R.
    pub(super) table: [f32; STEPS + 1],
    pub(super) near: CellMap<D>,
    /// Cells with particles in sight.
    pub(super) full: CellMap<D>,
    /// Cells whose particles are looked at.
    seen: CellMap<D>,
    /// The wall beside each particle, where there are solids.
    pub(super) walls_beside: Vec<WallBeside<D>>,
    /// The distance with another layer of solid cells; where there are solids.
    pub(super) extended: Option<Field<f32, D>>,
}

/// The wall beside a particle: how far off it is, in cells, the unit vector away from it, and the way to the particle's
/// image behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallBeside<const D: usize> {
    depth: f32,
    away: [f32; D],
    image: [f32; D],
}

impl<const D: usize> WallBeside<D> {
    const NONE: Self = WallBeside { depth: FAR, away: [0.0; D], image: [0.0; D] };

    /// `uphill` is the way in which the distance from the surface rises, of any length.
    fn new(depth: f32, away: [f32; D], uphill: [f32; D]) -> Self {
        let dot = |a: [f32; D], b: [f32; D]| (0..D).map(|axis| a[axis] * b[axis]).sum::<f32>();
        let squared = dot(uphill, uphill);
        let normal = if squared > 1e-6 { uphill.map(|along| along / squared.sqrt()) } else { [0.0; D] };
        let across = dot(away, normal);
        let level: [f32; D] = std::array::from_fn(|axis| away[axis] - across * normal[axis]);
        let share = dot(level, level);
        // Where surface and wall are nearly parallel there is no way along the surface through the wall
        let slant = (share / LEAST_SHARE).min(1.0);
        let image = std::array::from_fn(|axis| {
            let along_surface = level[axis] / share.max(LEAST_SHARE);
            -2.0 * depth * (away[axis] + slant * (along_surface - away[axis]))
        });
        WallBeside { depth, away, image }
    }
}

impl<const D: usize> SurfaceFinder<D> {
    /// For a box with or without solids.
    pub fn new(grid: Grid<D>, has_solids: bool) -> Result<Self, FieldError> {
        let cells = grid.cells();
        let extended = has_solids.then(|| Field::new(grid, Location::Center, Condition::Open, 1));
        Ok(SurfaceFinder {
            extended: extended.transpose()?,
            table: table(),
            near: CellMap::new(cells),
            full: CellMap::new(cells),
            seen: CellMap::new(cells),
            walls_beside: Vec::new(),
        })
    }

    /// Sets the distance in cells, negative in the liquid. `is_bulk` says which cells are liquid without particles.
    pub fn find(
        &mut self,
        particles: &Particles<D>,
        tiles: &Tiles<D>,
        walls: &Walls<D>,
        is_bulk: impl Fn([usize; D]) -> bool + Sync,
        distance: &mut Field<f32, D>,
    ) {
        self.full.set_rows(|at, row| tiles.mark_full(at, row));
        let full = &self.full;
        self.near.set_rows(|at, row| {
            for (x, (near, full)) in row.iter_mut().zip(full.row(at)).enumerate() {
                let cell = on_row(at, x);
                *near = u8::from(*full == 0 && !is_bulk(cell) && !walls.is_solid(cell));
            }
        });
        self.near.spread(NEAR);
        self.full.spread(ring(D));
        self.find_walls(particles, walls, distance);
        let (near, full) = (&self.near, &self.full);
        let (table, walls_beside) = (&self.table, &self.walls_beside[..]);
        par::rows(distance, |at, row| {
            let at = at.map(|along| along as usize);
            let (near, full) = (near.row(at), full.row(at));
            simd::dispatch(
                #[inline(always)]
                || {
                    for (x, phi) in row.iter_mut().enumerate() {
                        let cell = on_row(at, x);
                        *phi = match near[x] {
                            _ if walls.is_solid(cell) => f32::NAN,
                            0 => -DEEP,
                            _ if is_bulk(cell) => -0.5 * DEEP,
                            _ if full[x] == 0 => DEEP,
                            _ => look(particles, tiles, walls, walls_beside, middle_of(cell), table),
                        };
                    }
                },
            );
        });
        if walls.solids.is_some() {
            self.extend_into_solids(walls, distance);
            self.find_films(particles, tiles, walls, distance);
            self.join_slivers(walls, distance);
        }
    }

    /// Finds the wall beside every particle that is seen and near a solid, however thin that is.
    fn find_walls(&mut self, particles: &Particles<D>, walls: &Walls<D>, before: &Field<f32, D>) {
        let Some(standing) = &walls.solids else { return };
        let near = &self.near;
        self.seen.set_rows(|at, row| row.copy_from_slice(near.row(at)));
        self.seen.spread(ring(D));
        let seen = &self.seen;
        self.walls_beside.resize(particles.len(), WallBeside::NONE);
        par::for_each_chunk(&mut self.walls_beside, 1 << 10, |first, chunk| {
            for (number, beside) in (first..).zip(chunk) {
                let point = particles.at(number);
                let cell = cell_of(point, walls.cells);
                // Between nodes the distance from a thin wall is too great by less than a cell
                let is_near = seen.at(cell) != 0 && walls.distance(point) < reach(D) + 1.0;
                let found = if is_near { walls.wall_beside(standing, point) } else { None };
                *beside = found.map_or(WallBeside::NONE, |(depth, away)| {
                    WallBeside::new(depth, away, uphill(before, cell, walls.cells))
                });
            }
        });
    }
}

/// How the distance from the surface rises around a cell, up to a factor: its first moments over the cells within two of
/// this one, because a single difference is as rough as the particles lie. What is deep is all alike.
fn uphill<const D: usize>(distance: &Field<f32, D>, cell: [usize; D], cells: [usize; D]) -> [f32; D] {
    let mut sum = [0.0; D];
    for place in 0..5_usize.pow(D as u32) {
        let (mut rest, mut beside) = (place, cell);
        let steps: [isize; D] = std::array::from_fn(|_| {
            let step = (rest % 5) as isize - 2;
            rest /= 5;
            step
        });
        let is_inside = (0..D).all(|axis| {
            let along = cell[axis] as isize + steps[axis];
            beside[axis] = along.max(0) as usize;
            along >= 0 && beside[axis] < cells[axis]
        });
        if is_inside {
            let value = distance[beside].clamp(-1.0, 1.0);
            (0..D).for_each(|axis| sum[axis] += value * steps[axis] as f32);
        }
    }
    sum
}

#[inline]
pub(super) fn on_row<const D: usize>(mut at: [usize; D], x: usize) -> [usize; D] {
    at[0] += x;
    at
}

#[inline]
pub(super) fn middle_of<const D: usize>(cell: [usize; D]) -> [f32; D] {
    cell.map(|along| along as f32 + 0.5)
}

/// Particles that are looked at together.
const LANES: usize = 8;

/// Weights and weighted offsets of the particles around a middle, in lanes that are added at the end.
struct Sums<const D: usize> {
    weight: [f32; LANES],
    offset: [[f32; LANES]; D],
}

impl<const D: usize> Sums<D> {
    /// Adds a lane full of particles at these offsets; those beyond the reach weigh nothing.
    #[inline(always)]
    fn add(&mut self, offset: &[[f32; LANES]; D]) {
        let mut weight = [1.0; LANES];
        for along in offset {
            for lane in 0..LANES {
                weight[lane] *= spline(along[lane].abs() * (2.0 / reach(D)));
            }
        }
        for lane in 0..LANES {
            self.weight[lane] += weight[lane];
        }
        for axis in 0..D {
            for lane in 0..LANES {
                self.offset[axis][lane] += weight[lane] * offset[axis][lane];
            }
        }
    }

    /// The distance of the middle from the mean of the particles; `None` without any.
    #[inline(always)]
    fn distance(&self) -> Option<f32> {
        let weight = total(&self.weight);
        let mut squared = 0.0;
        for axis in 0..D {
            squared += total(&self.offset[axis]).powi(2);
        }
        (weight > 0.0).then(|| squared.sqrt() / weight)
    }
}

#[inline(always)]
fn total(lanes: &[f32; LANES]) -> f32 {
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// The cubic B-spline over distances from 0 to 2, up to a factor.
#[inline(always)]
fn spline(distance: f32) -> f32 {
    let (far, near) = ((2.0 - distance).max(0.0), (1.0 - distance).max(0.0));
    far * far * far - 4.0 * (near * near * near)
}

/// How a coordinate is seen from a middle: as it is, or in the mirror of a side.
#[derive(Clone, Copy)]
struct Sight {
    sign: f32,
    shift: f32,
}

/// A middle that looks at particles.
struct Looking<'a, const D: usize> {
    particles: &'a Particles<D>,
    tiles: &'a Tiles<D>,
    walls_beside: &'a [WallBeside<D>],
    middle: [f32; D],
    has_solid_near: bool,
}

impl<const D: usize> Looking<'_, D> {
    /// Adds the particles of so many cells along x.
    #[inline(always)]
    fn add(&self, sums: &mut Sums<D>, cell: [usize; D], count: usize, sight: &[Sight; D]) {
        self.tiles.for_each_piece(cell, count, |range| {
            if !self.has_solid_near {
                add_all(sums, self.particles, range, sight);
                return;
            }
            for number in range {
                let (point, wall) = (self.particles.at(number), &self.walls_beside[number]);
                add_beside_wall(sums, point, wall, sight, self.middle);
            }
        });
    }
}

/// The distance at the middle of a cell, from the particles in it and its neighbours.
#[inline(always)]
pub(super) fn look<const D: usize>(
    particles: &Particles<D>,
    tiles: &Tiles<D>,
    walls: &Walls<D>,
    walls_beside: &[WallBeside<D>],
    middle: [f32; D],
    table: &[f32; STEPS + 1],
) -> f32 {
    let cell = cell_of(middle, walls.cells);
    let mut sums = Sums { weight: [0.0; LANES], offset: [[0.0; LANES]; D] };
    let has_solid_near = walls.solids.is_some() && walls.distance(middle) < 2.0 * reach(D);
    let looking = Looking { particles, tiles, walls_beside, middle, has_solid_near };
    let across = 2 * ring(D) + 1;
    // Rows of cells along x around this one; beyond a side, the cells at it are seen in the mirror
    for line in 0..across.pow(D as u32 - 1) {
        let (mut rest, mut beside) = (line, cell);
        let mut sight = [Sight { sign: 1.0, shift: 0.0 }; D];
        for axis in 0..D {
            sight[axis].shift = -middle[axis];
        }
        for axis in 1..D {
            let along = cell[axis] as isize + (rest % across) as isize - ring(D) as isize;
            rest /= across;
            (beside[axis], sight[axis]) = seen(along, walls.cells[axis], middle[axis]);
        }
        let (low, high) = (cell[0] as isize - ring(D) as isize, cell[0] + ring(D));
        let (first, last) = (low.max(0) as usize, high.min(walls.cells[0] - 1));
        beside[0] = first;
        looking.add(&mut sums, beside, last + 1 - first, &sight);
        for along in (low..0).chain(walls.cells[0] as isize..high as isize + 1) {
            (beside[0], sight[0]) = seen(along, walls.cells[0], middle[0]);
            looking.add(&mut sums, beside, 1, &sight);
        }
    }
    let Some(length) = sums.distance() else { return DEEP };
    let place = (length * (1.0 / reach(D))).clamp(0.0, 1.0) * STEPS as f32;
    let below = (place as usize).min(STEPS - 1);
    let share = place - below as f32;
    (reach(D) * (table[below] + share * (table[below + 1] - table[below]))).clamp(-DEEP, DEEP)
}

/// The cell that is seen at a coordinate, inside the box or in the mirror of a side, and how its particles are seen.
#[inline(always)]
fn seen(along: isize, cells: usize, middle: f32) -> (usize, Sight) {
    let last = cells as isize - 1;
    match along {
        _ if along < 0 => ((-1 - along).min(last) as usize, Sight { sign: -1.0, shift: -middle }),
        _ if along > last => {
            ((2 * last + 1 - along).max(0) as usize, Sight { sign: -1.0, shift: 2.0 * cells as f32 - middle })
        }
        _ => (along as usize, Sight { sign: 1.0, shift: -middle }),
    }
}

#[inline(always)]
fn add_all<const D: usize>(
    sums: &mut Sums<D>,
    particles: &Particles<D>,
    range: std::ops::Range<usize>,
    sight: &[Sight; D],
) {
    let columns: [&[f32]; D] = particles.position.each_ref().map(|column| &column[range.clone()]);
    let count = range.len();
    let mut first = 0;
    while first < count {
        let mut offset = [[0.0; LANES]; D];
        for axis in 0..D {
            match columns[axis][first..].first_chunk::<LANES>() {
                Some(chunk) => {
                    for lane in 0..LANES {
                        offset[axis][lane] = sight[axis].sign * chunk[lane] + sight[axis].shift;
                    }
                }
                None => {
                    for (to, along) in offset[axis].iter_mut().zip(&columns[axis][first..]) {
                        *to = sight[axis].sign * along + sight[axis].shift;
                    }
                }
            }
        }
        // Lanes without a particle look far away, where nothing weighs
        if first + LANES > count {
            for lane in count - first..LANES {
                for along in &mut offset {
                    along[lane] = 2.0 * reach(D);
                }
            }
        }
        sums.add(&offset);
        first += LANES;
    }
}

/// Adds a particle that may have a wall beside it, and its image behind that. No cell looks through the wall.
#[inline(always)]
fn add_beside_wall<const D: usize>(
    sums: &mut Sums<D>,
    point: [f32; D],
    wall: &WallBeside<D>,
    sight: &[Sight; D],
    middle: [f32; D],
) {
    let mut offset = [[2.0 * reach(D); LANES]; D];
    let mut off_wall = wall.depth;
    for axis in 0..D {
        offset[axis][0] = sight[axis].sign * point[axis] + sight[axis].shift;
        off_wall += (middle[axis] - point[axis]) * wall.away[axis];
    }
    if off_wall < 0.0 {
        return;
    }
    if wall.depth < reach(D) {
        for axis in 0..D {
            offset[axis][1] = offset[axis][0] + wall.image[axis] * sight[axis].sign;
        }
    }
    sums.add(&offset);
}

/// φ/R over |x − x̄|/R.
fn table() -> [f32; STEPS + 1] {
    const PIECES: usize = 1 << 12;
    let width = 2.0 / PIECES as f64;
    // Sums of weights and of weighted distances over t from q to 1, by the rule of midpoints, for q from 1 down to -1
    let (mut weights, mut moments, mut pairs) = (0.0, 0.0, vec![(1.0, 1.0)]);
    for piece in 0..PIECES {
        let t = 1.0 - (piece as f64 + 0.5) * width;
        let weight = f64::from(spline(2.0 * t.abs() as f32));
        weights += weight;
        moments += weight * t;
        if weights > 0.0 {
            pairs.push((moments / weights, 1.0 - (piece as f64 + 1.0) * width));
        }
    }
    let mut next = pairs.len() - 1;
    std::array::from_fn(|step| {
        let wanted = step as f64 / STEPS as f64;
        while next > 0 && pairs[next].0 < wanted {
            next -= 1;
        }
        pairs[next].1 as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_rises_from_deep_inside_to_the_reach() {
        let table = table();
        assert!((table[0] + 1.0).abs() < 0.02 && (table[STEPS] - 1.0).abs() < 1e-3, "{table:?}");
        assert!(table.windows(2).all(|pair| pair[0] <= pair[1]));
        let on_surface = table.iter().position(|q| *q >= 0.0).unwrap() as f64 / STEPS as f64;
        // The first moment of half the spline, 7/30 of its unit, which is half the reach
        assert!((on_surface - 7.0 / 30.0).abs() < 0.01, "{on_surface}");
    }
}
