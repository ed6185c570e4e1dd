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
//! are seen behind them again, so that the surface meets walls at a right angle and does not sink there.
//!
//! Only cells near an empty one are looked at. Cells deeper in the liquid are `-DEEP`, those far outside `DEEP`.

use undine_grid::{Field, par};

use super::cells::CellMap;
use super::particles::Particles;
use super::tiles::Tiles;
use super::walls::Walls;

/// The distance of all cells that are not near the surface, in cells.
pub(super) const DEEP: f32 = 2.0;
/// Steps of the table.
const STEPS: usize = 256;
/// Cells from an empty one within which the distance is found.
const NEAR: usize = 2;

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
pub(super) struct SurfaceFinder<const D: usize> {
    /// φ/R over |x − x̄|/R.
    table: [f32; STEPS + 1],
    near: CellMap<D>,
}

impl<const D: usize> SurfaceFinder<D> {
    /// For a box of so many cells.
    pub fn new(cells: [usize; D]) -> Self {
        SurfaceFinder { table: table(), near: CellMap::new(cells) }
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
        let mut weight = 1.0;
        for along in offset {
            weight *= spline(along.abs() * (2.0 / reach(D)));
        }
        self.weight += weight;
        (0..D).for_each(|axis| self.offset[axis] += weight * offset[axis]);
    }
}

/// The cubic B-spline over distances from 0 to 2, up to a factor.
#[inline]
fn spline(distance: f32) -> f32 {
    let (far, near) = ((2.0 - distance).max(0.0), (1.0 - distance).max(0.0));
    far * far * far - 4.0 * (near * near * near)
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
    let has_solid_near = walls.distance(middle) < 2.0 * reach(D);
    let across = 2 * ring(D) + 1;
    for neighbour in 0..across.pow(D as u32) {
        let (mut rest, mut beside, mut turned) = (neighbour, [0; D], [false; D]);
        for axis in 0..D {
            let along = cell[axis] as isize + (rest % across) as isize - ring(D) as isize;
            rest /= across;
            // Beyond a side, the cells at it are seen in the mirror
            let last = walls.cells[axis] as isize - 1;
            turned[axis] = along < 0 || along > last;
            let mirrored = if along < 0 { -1 - along } else { 2 * last + 1 - along };
            beside[axis] = (if turned[axis] { mirrored } else { along }).clamp(0, last) as usize;
        }
        for number in tiles.in_cell(beside) {
            let point = particles.at(number);
            let seen = |point: [f32; D]| {
                std::array::from_fn(|axis| {
                    let high = walls.cells[axis] as f32;
                    let is_low = cell[axis] < ring(D);
                    let mirrored = if is_low { -point[axis] } else { 2.0 * high - point[axis] };
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
    let place = (length * (1.0 / reach(D))).clamp(0.0, 1.0) * STEPS as f32;
    let below = (place as usize).min(STEPS - 1);
    let share = place - below as f32;
    (reach(D) * (table[below] + share * (table[below + 1] - table[below]))).clamp(-DEEP, DEEP)
}

impl<const D: usize> Sums<D> {
    /// Adds the image of a particle behind the solid beside it.
    fn add_image(&mut self, point: [f32; D], walls: &Walls<D>, middle: [f32; D]) {
        let depth = walls.distance(point);
        if depth >= reach(D) {
            return;
        }
        let Some(away) = walls.away(point) else { return };
        self.add(std::array::from_fn(|axis| point[axis] - 2.0 * depth * away[axis] - middle[axis]));
    }
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
