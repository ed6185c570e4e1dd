//! Surface reconstruction: a signed distance φ at cell centres, in cells, from the particles around each.
//!
//! The particles within R = 1.5 cells (2.5 in 2-D) along every axis of a cell centre x have the weighted mean x̄
//! [zhu2005]. In a half-space evenly full of particles |x − x̄| depends only on the distance from its plane: with q =
//! φ/R and the weight w,
//!
//! ```text
//! |x − x̄| / R = ∫ t w(t) dt / ∫ w(t) dt   from t = q to 1
//! ```
//!
//! A table inverts this, so that φ is the distance itself: a level surface is found where it is, whatever the density
//! of particles, and thin sheets and isolated particles have φ < 0 at their centres.
//!
//! The weights are cubic B-splines. Their Fourier transform is nowhere negative, so that a bump of any wavelength
//! raises the surface; weights that are cut off sooner let the shortest waves lower it, an instability that grows
//! until the water boils.
//!
//! Walls mirror: each particle near one has an image behind it, so that the surface does not sink there. The image
//! lies not straight behind the wall but in the direction of the surface of the step before, so that a level surface
//! stays level beside slanted walls, where a straight mirror would bend it.
//!
//! Only cells near an empty one are evaluated. Cells deeper in the liquid have `-MAX_DISTANCE`, those far outside
//! `MAX_DISTANCE`.

use undine_grid::simd;
use undine_grid::{Condition, Field, FieldError, Grid, Location, par};

use super::cell_map::CellMap;
use super::particles::Particles;
use super::solid_boundary::{FAR, SolidBoundary};
use super::tiles::{ParticleTiles, cell_of};

/// |φ| of all cells that are not near the surface, in cells.
pub(super) const MAX_DISTANCE: f32 = 3.0;
/// Intervals of the table.
const TABLE_STEPS: usize = 256;
/// Cells from an empty one within which φ is evaluated.
const BAND_CELLS: usize = 2;
/// The least squared length of the part of a wall's unit normal that is tangential to the surface.
const MIN_TANGENT_SQUARED: f32 = 0.2;

/// Neighbour cells on either side within the kernel: more in 2-D, where a cell has fewer particles.
const fn kernel_cells(dimension: usize) -> usize {
    if dimension == 2 { 2 } else { 1 }
}

/// R, the support of the kernel in cells: to the far sides of those neighbours.
const fn kernel_radius(dimension: usize) -> f32 {
    kernel_cells(dimension) as f32 + 0.5
}

/// Surface reconstruction from particles; keeps its memory between steps.
#[derive(Debug)]
pub(crate) struct SurfaceReconstruction<const D: usize> {
    /// φ/R over |x − x̄|/R.
    pub(super) table: [f32; TABLE_STEPS + 1],
    /// Cells near an empty one, where φ is evaluated.
    pub(super) near_air: CellMap<D>,
    /// Cells with particles within the kernel.
    pub(super) occupied: CellMap<D>,
    /// Cells whose particles are within the kernel of a cell that is evaluated.
    in_kernel: CellMap<D>,
    /// The wall nearest to each particle, where there are solids.
    pub(super) nearest_walls: Vec<NearestWall<D>>,
    /// φ of the next layer or pass; where there are solids.
    pub(super) scratch: Option<Field<f32, D>>,
}

/// The wall nearest to a particle: its distance in cells, its unit normal, and the offset from the particle to its
/// image behind the wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearestWall<const D: usize> {
    depth: f32,
    normal: [f32; D],
    image: [f32; D],
}

impl<const D: usize> NearestWall<D> {
    const NONE: Self = NearestWall { depth: FAR, normal: [0.0; D], image: [0.0; D] };

    /// `surface_gradient` is ∇φ up to a factor.
    fn new(depth: f32, normal: [f32; D], surface_gradient: [f32; D]) -> Self {
        let dot = |a: [f32; D], b: [f32; D]| (0..D).map(|axis| a[axis] * b[axis]).sum::<f32>();
        let squared = dot(surface_gradient, surface_gradient);
        let surface_normal =
            if squared > 1e-6 { surface_gradient.map(|g| g / squared.sqrt()) } else { [0.0; D] };
        // The part of the wall's normal n that is tangential to the surface
        let across = dot(normal, surface_normal);
        let tangent: [f32; D] = std::array::from_fn(|axis| normal[axis] - across * surface_normal[axis]);
        let tangent_squared = dot(tangent, tangent);
        // Where surface and wall are nearly parallel, no line along the surface crosses the wall: mirror straight
        let slant = (tangent_squared / MIN_TANGENT_SQUARED).min(1.0);
        let image = std::array::from_fn(|axis| {
            let along_surface = tangent[axis] / tangent_squared.max(MIN_TANGENT_SQUARED);
            -2.0 * depth * (normal[axis] + slant * (along_surface - normal[axis]))
        });
        NearestWall { depth, normal, image }
    }
}

impl<const D: usize> SurfaceReconstruction<D> {
    /// For a box with or without solids.
    pub fn new(grid: Grid<D>, has_solids: bool) -> Result<Self, FieldError> {
        let cells = grid.cells();
        let scratch = has_solids.then(|| Field::new(grid, Location::Center, Condition::Open, 1));
        Ok(SurfaceReconstruction {
            scratch: scratch.transpose()?,
            table: distance_table(),
            near_air: CellMap::new(cells),
            occupied: CellMap::new(cells),
            in_kernel: CellMap::new(cells),
            nearest_walls: Vec::new(),
        })
    }

    /// Computes φ in cells, negative in the liquid. `is_interior` tells which cells are liquid without particles; on
    /// entry `distance` is the φ of the step before.
    pub fn compute(
        &mut self,
        particles: &Particles<D>,
        tiles: &ParticleTiles<D>,
        boundary: &SolidBoundary<D>,
        is_interior: impl Fn([usize; D]) -> bool + Sync,
        distance: &mut Field<f32, D>,
    ) {
        // Cells near an empty one, and cells with particles within the kernel
        self.occupied.set_rows(|at, row| tiles.mark_occupied(at, row));
        let occupied = &self.occupied;
        self.near_air.set_rows(|at, row| {
            for (x, (near_air, occupied)) in row.iter_mut().zip(occupied.row(at)).enumerate() {
                let cell = cell_in_row(at, x);
                *near_air = u8::from(*occupied == 0 && !is_interior(cell) && !boundary.is_solid(cell));
            }
        });
        self.near_air.dilate(BAND_CELLS);
        self.occupied.dilate(kernel_cells(D));
        self.find_nearest_walls(particles, boundary, distance);
        // φ where it is needed; NaN in solids, to be extrapolated
        let (near_air, occupied) = (&self.near_air, &self.occupied);
        let (table, nearest_walls) = (&self.table, &self.nearest_walls[..]);
        par::rows(distance, |at, row| {
            let at = at.map(|i| i as usize);
            let (near_air, occupied) = (near_air.row(at), occupied.row(at));
            simd::dispatch(
                #[inline(always)]
                || {
                    for (x, phi) in row.iter_mut().enumerate() {
                        let cell = cell_in_row(at, x);
                        *phi = match near_air[x] {
                            _ if boundary.is_solid(cell) => f32::NAN,
                            0 => -MAX_DISTANCE,
                            _ if is_interior(cell) => -0.5 * MAX_DISTANCE,
                            _ if occupied[x] == 0 => MAX_DISTANCE,
                            _ => {
                                evaluate(particles, tiles, boundary, nearest_walls, cell_centre(cell), table)
                            }
                        };
                    }
                },
            );
        });
        if boundary.solids.is_some() {
            self.extrapolate_into_solids(boundary, distance);
            self.detect_wall_films(particles, tiles, boundary, distance);
            self.merge_small_cells(boundary, distance);
        }
    }

    /// Finds the nearest wall, however thin, of every particle within the kernel of an evaluated cell.
    fn find_nearest_walls(
        &mut self,
        particles: &Particles<D>,
        boundary: &SolidBoundary<D>,
        previous: &Field<f32, D>,
    ) {
        let Some(geometry) = &boundary.solids else { return };
        let near_air = &self.near_air;
        self.in_kernel.set_rows(|at, row| row.copy_from_slice(near_air.row(at)));
        self.in_kernel.dilate(kernel_cells(D));
        let in_kernel = &self.in_kernel;
        self.nearest_walls.resize(particles.len(), NearestWall::NONE);
        par::for_each_chunk(&mut self.nearest_walls, 1 << 10, |first, chunk| {
            for (index, wall) in (first..).zip(chunk) {
                let point = particles.position_of(index);
                let cell = cell_of(point, boundary.cells);
                // The interpolated distance from a thin wall is too great by less than a cell
                let is_near = in_kernel.at(cell) != 0 && boundary.distance(point) < kernel_radius(D) + 1.0;
                let found = if is_near { boundary.nearest_wall(geometry, point) } else { None };
                *wall = found.map_or(NearestWall::NONE, |(depth, normal)| {
                    NearestWall::new(depth, normal, surface_gradient(previous, cell, boundary.cells))
                });
            }
        });
    }
}

/// ∇φ around a cell, up to a factor: the first moments of φ, clamped to ±1, over the cells within two of this one. A
/// single difference would be as noisy as the particles.
fn surface_gradient<const D: usize>(
    distance: &Field<f32, D>,
    cell: [usize; D],
    cells: [usize; D],
) -> [f32; D] {
    let mut sum = [0.0; D];
    for offset in 0..5_usize.pow(D as u32) {
        let (mut rest, mut adjacent) = (offset, cell);
        let steps: [isize; D] = std::array::from_fn(|_| {
            let step = (rest % 5) as isize - 2;
            rest /= 5;
            step
        });
        let is_inside = (0..D).all(|axis| {
            let i = cell[axis] as isize + steps[axis];
            adjacent[axis] = i.max(0) as usize;
            i >= 0 && adjacent[axis] < cells[axis]
        });
        if is_inside {
            let value = distance[adjacent].clamp(-1.0, 1.0);
            (0..D).for_each(|axis| sum[axis] += value * steps[axis] as f32);
        }
    }
    sum
}

/// The cell at x in the row that starts at `at`.
#[inline]
pub(super) fn cell_in_row<const D: usize>(mut at: [usize; D], x: usize) -> [usize; D] {
    at[0] += x;
    at
}

/// The centre of a cell, in cells.
#[inline]
pub(super) fn cell_centre<const D: usize>(cell: [usize; D]) -> [f32; D] {
    cell.map(|i| i as f32 + 0.5)
}

/// Particles that are summed in parallel, one per SIMD lane.
const LANES: usize = 8;

/// Σ w and Σ w (x_p − x) over the particles around a centre x, in lanes that are added at the end.
struct WeightedOffsets<const D: usize> {
    weight: [f32; LANES],
    offset: [[f32; LANES]; D],
}

impl<const D: usize> WeightedOffsets<D> {
    /// Adds as many particles as there are lanes, by their offsets; beyond R the weight is zero.
    #[inline(always)]
    fn add(&mut self, offset: &[[f32; LANES]; D]) {
        let mut weight = [1.0; LANES];
        for x in offset {
            for lane in 0..LANES {
                weight[lane] *= cubic_spline(x[lane].abs() * (2.0 / kernel_radius(D)));
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

    /// |x − x̄|; `None` without particles.
    #[inline(always)]
    fn distance(&self) -> Option<f32> {
        let weight = sum_lanes(&self.weight);
        let mut squared = 0.0;
        for axis in 0..D {
            squared += sum_lanes(&self.offset[axis]).powi(2);
        }
        (weight > 0.0).then(|| squared.sqrt() / weight)
    }
}

#[inline(always)]
fn sum_lanes(lanes: &[f32; LANES]) -> f32 {
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// The cubic B-spline over distances from 0 to 2, up to a factor.
#[inline(always)]
fn cubic_spline(distance: f32) -> f32 {
    let (far, near) = ((2.0 - distance).max(0.0), (1.0 - distance).max(0.0));
    far * far * far - 4.0 * (near * near * near)
}

/// A coordinate relative to a centre: direct, or reflected in a side of the box.
#[derive(Clone, Copy)]
struct Reflection {
    sign: f32,
    shift: f32,
}

/// The particles around a centre.
struct Neighbourhood<'a, const D: usize> {
    particles: &'a Particles<D>,
    tiles: &'a ParticleTiles<D>,
    nearest_walls: &'a [NearestWall<D>],
    centre: [f32; D],
    is_near_solid: bool,
}

impl<const D: usize> Neighbourhood<'_, D> {
    /// Adds the particles of `count` cells along x.
    #[inline(always)]
    fn add(
        &self,
        sums: &mut WeightedOffsets<D>,
        cell: [usize; D],
        count: usize,
        reflection: &[Reflection; D],
    ) {
        self.tiles.for_each_range(cell, count, |range| {
            if !self.is_near_solid {
                add_range(sums, self.particles, range, reflection);
                return;
            }
            for index in range {
                let (point, wall) = (self.particles.position_of(index), &self.nearest_walls[index]);
                add_with_image(sums, point, wall, reflection, self.centre);
            }
        });
    }
}

/// φ at a cell centre, from the particles in the cell and its neighbours.
#[inline(always)]
pub(super) fn evaluate<const D: usize>(
    particles: &Particles<D>,
    tiles: &ParticleTiles<D>,
    boundary: &SolidBoundary<D>,
    nearest_walls: &[NearestWall<D>],
    centre: [f32; D],
    table: &[f32; TABLE_STEPS + 1],
) -> f32 {
    let cell = cell_of(centre, boundary.cells);
    let mut sums = WeightedOffsets { weight: [0.0; LANES], offset: [[0.0; LANES]; D] };
    let is_near_solid = boundary.solids.is_some() && boundary.distance(centre) < 2.0 * kernel_radius(D);
    let neighbourhood = Neighbourhood { particles, tiles, nearest_walls, centre, is_near_solid };
    let width = 2 * kernel_cells(D) + 1;
    // Rows of cells along x around this one; beyond a side, the cells inside it reflected
    for row in 0..width.pow(D as u32 - 1) {
        let (mut rest, mut adjacent) = (row, cell);
        let mut reflection = [Reflection { sign: 1.0, shift: 0.0 }; D];
        for axis in 0..D {
            reflection[axis].shift = -centre[axis];
        }
        for axis in 1..D {
            let i = cell[axis] as isize + (rest % width) as isize - kernel_cells(D) as isize;
            rest /= width;
            (adjacent[axis], reflection[axis]) = reflect(i, boundary.cells[axis], centre[axis]);
        }
        let (low, high) = (cell[0] as isize - kernel_cells(D) as isize, cell[0] + kernel_cells(D));
        let (first, last) = (low.max(0) as usize, high.min(boundary.cells[0] - 1));
        adjacent[0] = first;
        neighbourhood.add(&mut sums, adjacent, last + 1 - first, &reflection);
        for i in (low..0).chain(boundary.cells[0] as isize..high as isize + 1) {
            (adjacent[0], reflection[0]) = reflect(i, boundary.cells[0], centre[0]);
            neighbourhood.add(&mut sums, adjacent, 1, &reflection);
        }
    }
    // φ from |x − x̄| by the table, linearly interpolated
    let Some(length) = sums.distance() else { return MAX_DISTANCE };
    let s = (length * (1.0 / kernel_radius(D))).clamp(0.0, 1.0) * TABLE_STEPS as f32;
    let below = (s as usize).min(TABLE_STEPS - 1);
    let fraction = s - below as f32;
    (kernel_radius(D) * (table[below] + fraction * (table[below + 1] - table[below])))
        .clamp(-MAX_DISTANCE, MAX_DISTANCE)
}

/// The cell at a coordinate, or its mirror image inside the box, and the reflection that goes with it.
#[inline(always)]
fn reflect(i: isize, cells: usize, centre: f32) -> (usize, Reflection) {
    let last = cells as isize - 1;
    match i {
        _ if i < 0 => ((-1 - i).min(last) as usize, Reflection { sign: -1.0, shift: -centre }),
        _ if i > last => (
            (2 * last + 1 - i).max(0) as usize,
            Reflection { sign: -1.0, shift: 2.0 * cells as f32 - centre },
        ),
        _ => (i as usize, Reflection { sign: 1.0, shift: -centre }),
    }
}

/// Adds a range of particles, as many at a time as there are lanes.
#[inline(always)]
fn add_range<const D: usize>(
    sums: &mut WeightedOffsets<D>,
    particles: &Particles<D>,
    range: std::ops::Range<usize>,
    reflection: &[Reflection; D],
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
                        offset[axis][lane] = reflection[axis].sign * chunk[lane] + reflection[axis].shift;
                    }
                }
                None => {
                    for (to, x) in offset[axis].iter_mut().zip(&columns[axis][first..]) {
                        *to = reflection[axis].sign * x + reflection[axis].shift;
                    }
                }
            }
        }
        // Lanes without a particle get an offset beyond R, of zero weight
        if first + LANES > count {
            for lane in count - first..LANES {
                for x in &mut offset {
                    x[lane] = 2.0 * kernel_radius(D);
                }
            }
        }
        sums.add(&offset);
        first += LANES;
    }
}

/// Adds a particle and its image behind the nearest wall, unless that wall is between the particle and the centre.
#[inline(always)]
fn add_with_image<const D: usize>(
    sums: &mut WeightedOffsets<D>,
    point: [f32; D],
    wall: &NearestWall<D>,
    reflection: &[Reflection; D],
    centre: [f32; D],
) {
    let mut offset = [[2.0 * kernel_radius(D); LANES]; D];
    let mut off_wall = wall.depth;
    for axis in 0..D {
        offset[axis][0] = reflection[axis].sign * point[axis] + reflection[axis].shift;
        off_wall += (centre[axis] - point[axis]) * wall.normal[axis];
    }
    if off_wall < 0.0 {
        return;
    }
    if wall.depth < kernel_radius(D) {
        for axis in 0..D {
            offset[axis][1] = offset[axis][0] + wall.image[axis] * reflection[axis].sign;
        }
    }
    sums.add(&offset);
}

/// The table of φ/R over |x − x̄|/R.
fn distance_table() -> [f32; TABLE_STEPS + 1] {
    const PIECES: usize = 1 << 12;
    let width = 2.0 / PIECES as f64;
    // ∫ w dt and ∫ t w dt from q to 1 by the midpoint rule, for q from 1 down to −1
    let (mut weights, mut moments, mut pairs) = (0.0, 0.0, vec![(1.0, 1.0)]);
    for piece in 0..PIECES {
        let t = 1.0 - (piece as f64 + 0.5) * width;
        let weight = f64::from(cubic_spline(2.0 * t.abs() as f32));
        weights += weight;
        moments += weight * t;
        if weights > 0.0 {
            pairs.push((moments / weights, 1.0 - (piece as f64 + 1.0) * width));
        }
    }
    let mut next = pairs.len() - 1;
    std::array::from_fn(|step| {
        let target = step as f64 / TABLE_STEPS as f64;
        while next > 0 && pairs[next].0 < target {
            next -= 1;
        }
        pairs[next].1 as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_rises_from_minus_one_to_one() {
        let table = distance_table();
        assert!((table[0] + 1.0).abs() < 0.02 && (table[TABLE_STEPS] - 1.0).abs() < 1e-3, "{table:?}");
        assert!(table.windows(2).all(|pair| pair[0] <= pair[1]));
        let on_surface = table.iter().position(|q| *q >= 0.0).unwrap() as f64 / TABLE_STEPS as f64;
        // The first moment of half the spline, 7/30 of its unit, which is half the reach
        assert!((on_surface - 7.0 / 30.0).abs() < 0.01, "{on_surface}");
    }
}
