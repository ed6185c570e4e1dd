//! Where the surface is: a signed distance at the middles of cells, from the particles around each.
//!
//! Around a cell's middle x the particles within R = 1.5 cells have the weighted mean x̄, with weights (1 − d²/R²)³ as
//! in [zhu2005]. In a half-space evenly full of particles |x − x̄| depends on the distance from its plane alone, and
//! the other way round: with q = φ/R and m = 3 + (D − 1)/2,
//!
//! ```text
//! |x − x̄| / R = (1 − q²)^(m+1) / (2 (m+1)) / ∫ (1 − t²)^m dt   from t = q to 1
//! ```
//!
//! That is turned around by a table, so that φ is the distance itself: a level surface is found where it is, whatever
//! the density of particles, and thin sheets and lone particles have their middles inside. Walls are mirrors: particles
//! are seen behind them again, so that the surface meets walls at a right angle and does not sink there.
//!
//! Only cells near an empty one are looked at. Cells deeper in the liquid are `-DEEP`, those far outside `DEEP`.

use undine_grid::{Field, par};

use super::cells::CellMap;
use super::particles::Particles;
use super::tiles::Tiles;
use super::walls::Walls;

/// How far a cell looks for particles, in cells: no farther than to the far sides of its neighbours.
const REACH: f32 = 1.5;
/// The distance of all cells that are not near the surface, in cells.
pub(super) const DEEP: f32 = REACH;
/// Steps of the table.
const STEPS: usize = 256;
/// Cells from an empty one within which the distance is found.
const NEAR: usize = 2;

/// What finds the surface.
#[derive(Debug)]
pub(super) struct SurfaceFinder<const D: usize> {
    /// φ/R over |x − x̄|/R.
    table: [f32; STEPS + 1],
    near: CellMap<D>,
}

impl<const D: usize> SurfaceFinder<D> {
    /// For a box of so many cells.
    pub fn new(cells: [usize; D]) -> Self {
        SurfaceFinder { table: table(D), near: CellMap::new(cells) }
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
        let is_full = |cell: [usize; D]| !tiles.in_cell(cell).is_empty() || is_bulk(cell);
        self.near.set_rows(|at, row| {
            for (x, near) in row.iter_mut().enumerate() {
                let cell = on_row(at, x);
                *near = u8::from(!is_full(cell) && !walls.is_solid(cell));
            }
        });
        self.near.spread(NEAR);
        let (near, table) = (&self.near, &self.table);
        par::rows(distance, |at, row| {
            let at = at.map(|along| along as usize);
            let near = near.row(at);
            for (x, phi) in row.iter_mut().enumerate() {
                let cell = on_row(at, x);
                *phi = match near[x] {
                    0 => -DEEP,
                    _ if is_bulk(cell) => -0.5 * DEEP,
                    _ => look(particles, tiles, walls, cell, table),
                };
            }
        });
    }
}

#[inline]
fn on_row<const D: usize>(mut at: [usize; D], x: usize) -> [usize; D] {
    at[0] += x;
    at
}

/// Weights and weighted offsets of the particles around a middle.
struct Sums<const D: usize> {
    weight: f32,
    offset: [f32; D],
}

impl<const D: usize> Sums<D> {
    #[inline]
    fn add(&mut self, offset: [f32; D]) {
        let squared: f32 = offset.iter().map(|along| along * along).sum();
        let left = (1.0 - squared * (1.0 / (REACH * REACH))).max(0.0);
        let weight = left * left * left;
        self.weight += weight;
        (0..D).for_each(|axis| self.offset[axis] += weight * offset[axis]);
    }
}

/// The distance at the middle of a cell, from the particles in it and its neighbours.
fn look<const D: usize>(
    particles: &Particles<D>,
    tiles: &Tiles<D>,
    walls: &Walls<D>,
    cell: [usize; D],
    table: &[f32; STEPS + 1],
) -> f32 {
    let middle: [f32; D] = cell.map(|along| along as f32 + 0.5);
    let mut sums = Sums { weight: 0.0, offset: [0.0; D] };
    let has_solid_near = walls.distance(middle) < 2.0 * REACH;
    for neighbour in 0..3_usize.pow(D as u32) {
        let (mut rest, mut beside, mut turned) = (neighbour, [0; D], [false; D]);
        for axis in 0..D {
            let along = cell[axis] as isize + (rest % 3) as isize - 1;
            rest /= 3;
            // Beyond a side, the cell at it is seen in the mirror
            let last = walls.cells[axis] as isize - 1;
            turned[axis] = along < 0 || along > last;
            beside[axis] = along.clamp(0, last) as usize;
        }
        for number in tiles.in_cell(beside) {
            let point = particles.at(number);
            let seen = |point: [f32; D]| {
                std::array::from_fn(|axis| {
                    let high = walls.cells[axis] as f32;
                    let mirrored = if beside[axis] == 0 { -point[axis] } else { 2.0 * high - point[axis] };
                    (if turned[axis] { mirrored } else { point[axis] }) - middle[axis]
                })
            };
            sums.add(seen(point));
            if has_solid_near {
                sums.add_image(point, walls, middle);
            }
        }
    }
    if sums.weight <= 0.0 {
        return DEEP;
    }
    let length = sums.offset.iter().map(|along| along * along).sum::<f32>().sqrt() / sums.weight;
    let place = (length * (1.0 / REACH)).clamp(0.0, 1.0) * STEPS as f32;
    let below = (place as usize).min(STEPS - 1);
    let share = place - below as f32;
    REACH * (table[below] + share * (table[below + 1] - table[below]))
}

impl<const D: usize> Sums<D> {
    /// Adds the image of a particle behind the solid beside it.
    fn add_image(&mut self, point: [f32; D], walls: &Walls<D>, middle: [f32; D]) {
        let depth = walls.distance(point);
        if depth >= REACH {
            return;
        }
        let Some(away) = walls.away(point) else { return };
        self.add(std::array::from_fn(|axis| point[axis] - 2.0 * depth * away[axis] - middle[axis]));
    }
}

/// φ/R over |x − x̄|/R in `dimension` axes.
fn table(dimension: usize) -> [f32; STEPS + 1] {
    let power = 3.0 + 0.5 * (dimension as f64 - 1.0);
    let marginal = |t: f64| (1.0 - t * t).max(0.0).powf(power);
    // The integral from q to 1 by the rule of midpoints, for q from 1 down to -1
    const PIECES: usize = 1 << 14;
    let width = 2.0 / PIECES as f64;
    let (mut integral, mut pairs) = (0.0, vec![(1.0, 1.0)]);
    for piece in 0..PIECES {
        integral += width * marginal(1.0 - (piece as f64 + 0.5) * width);
        let q = 1.0 - (piece as f64 + 1.0) * width;
        let mean = (1.0 - q * q).max(0.0).powf(power + 1.0) / (2.0 * (power + 1.0)) / integral;
        pairs.push((mean, q));
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
        for dimension in [2, 3] {
            let table = table(dimension);
            assert!((table[0] + 1.0).abs() < 1e-3 && (table[STEPS] - 1.0).abs() < 1e-3);
            assert!(table.windows(2).all(|pair| pair[0] <= pair[1]));
            let on_surface = table.iter().position(|q| *q >= 0.0).unwrap() as f64 / STEPS as f64;
            // 1/10 over 128/315 in 3-D
            assert!((on_surface - if dimension == 3 { 0.246 } else { 0.2627 }).abs() < 0.01, "{on_surface}");
        }
    }
}
