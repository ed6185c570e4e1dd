//! Density correction: a divergence that spreads particles where they have accumulated [kugelstadt2019].
//!
//! The flow is free of divergence, but over many steps particles accumulate here and thin out there. Σ w of the faces
//! of a cell, from the transfer to the grid, measures the density n; the rest density n₀ of a full liquid follows from
//! the open volume around the cell and from φ. The relative excess n/n₀ − 1 is the divergence that the projection's
//! second solve prescribes. It changes positions alone, not velocities, so that still water is not stirred. In the
//! interior without particles the density follows from the pool in the ledger.

use undine_grid::{Condition, Field, FieldError, Grid, Location, neighbour, par};

use crate::free_surface::cell_map::CellMap;
use crate::free_surface::solid_boundary::SolidBoundary;

/// The capacity, relative to that far from walls, below which the density is unknown and not corrected.
const MIN_CAPACITY: f32 = 0.1;
/// Bounds of the relative excess.
const EXCESS_LIMITS: [f32; 2] = [-0.5, 1.0];
/// Near the surface: the deficit up to which liquid is contracted, and that from which on it is spray, not corrected.
const SPRAY_DEFICITS: [f32; 2] = [-0.15, -0.4];
/// The relative excess that randomly placed particles have.
const NOISE_LEVEL: f32 = 0.2;
/// The bound of the interior's relative excess.
const MAX_INTERIOR_EXCESS: f64 = 0.12;

/// The rest density of a liquid full of particles, as far as the walls determine it.
#[derive(Debug)]
pub(super) struct RestDensity<const D: usize> {
    /// Open volume fraction of each cell.
    volume: Field<f32, D>,
    /// Σ w of the faces of a full cell, relative to that far from walls.
    capacity: Field<f32, D>,
    /// Not zero in cells near walls.
    near_wall: CellMap<D>,
}

/// The density of particles, compared with the rest density.
pub(super) struct DensityCorrection<'a, const D: usize> {
    pub density: &'a RestDensity<D>,
    /// Σ w of each face.
    pub weight: &'a [Field<f32, D>; D],
    /// φ in cells.
    pub distance: &'a Field<f32, D>,
    /// Not zero in the interior and the cells around it.
    pub near_interior: &'a CellMap<D>,
    /// The relative excess there.
    pub interior_excess: f32,
}

impl<const D: usize> RestDensity<D> {
    /// For a box with this boundary.
    pub fn new(grid: Grid<D>, boundary: &SolidBoundary<D>) -> Result<Self, FieldError> {
        let centre = || Field::new(grid, Location::Center, Condition::Open, 1);
        let mut density =
            RestDensity { volume: centre()?, capacity: centre()?, near_wall: CellMap::new(grid.cells()) };
        density.update(boundary);
        Ok(density)
    }

    /// Open volume fractions of the row that starts at a cell.
    pub fn volume_fractions(&self, cell: [usize; D]) -> &[f32] {
        self.volume.row(cell.map(|i| i as isize))
    }

    /// Cells of the grid along each axis.
    pub fn cells(&self) -> [usize; D] {
        self.volume.grid().cells()
    }

    /// Open volume of the box, in cells.
    pub fn open_volume(&self) -> f64 {
        par::sum(&self.volume, f64::from)
    }

    /// Recomputes all after solids have moved.
    pub fn update(&mut self, boundary: &SolidBoundary<D>) {
        let cells = boundary.cells;
        par::rows(&mut self.volume, |at, row| {
            for (x, volume) in row.iter_mut().enumerate() {
                *volume = boundary.volume_fraction(neighbour(at, 0, x as isize));
            }
        });
        // Cells at a side, cut by a solid, or next to such
        let volume = &self.volume;
        self.near_wall.set_rows(|at, row| {
            let is_side = |axis: usize, i: usize| i == 0 || i + 1 == cells[axis];
            let is_row_at_side = (1..D).any(|axis| is_side(axis, at[axis]));
            let fractions = volume.row(at.map(|i| i as isize));
            for (x, near) in row.iter_mut().enumerate() {
                *near = u8::from(is_row_at_side || is_side(0, x) || fractions[x] < 1.0);
            }
        });
        self.near_wall.dilate(1);
        let near_wall = &self.near_wall;
        par::rows(&mut self.capacity, |at, row| {
            let near = near_wall.row(at.map(|i| i as usize));
            for (x, capacity) in row.iter_mut().enumerate() {
                let is_near = near[x] != 0;
                *capacity =
                    if is_near { capacity_at(volume, neighbour(at, 0, x as isize), cells) } else { 1.0 };
            }
        });
    }
}

/// Σ w of the faces of a cell when all that is open around it is full, relative to that far from walls.
fn capacity_at<const D: usize>(volume: &Field<f32, D>, cell: [isize; D], cells: [usize; D]) -> f32 {
    let mut sum = 0.0;
    for index in 0..3_usize.pow(D as u32) {
        let (mut rest, mut adjacent, mut is_inside) = (index, cell, true);
        let mut steps = [0; D];
        for axis in 0..D {
            steps[axis] = (rest % 3) as isize - 1;
            rest /= 3;
            adjacent[axis] += steps[axis];
            is_inside &= adjacent[axis] >= 0 && (adjacent[axis] as usize) < cells[axis];
        }
        if !is_inside {
            continue;
        }
        // Integrals of the linear weights over a cell: of the two faces across an axis, and of the centre along the
        // others
        let across = |step: isize| if step == 0 { 0.5 } else { 0.25 };
        let beside_centre = |step: isize| if step == 0 { 0.75 } else { 0.125 };
        let weight = |axis: usize| -> f32 {
            let weight_along =
                |other| if other == axis { across(steps[other]) } else { beside_centre(steps[other]) };
            (0..D).map(weight_along).product()
        };
        sum += volume.at(adjacent) * (0..D).map(weight).sum::<f32>() / D as f32;
    }
    sum
}

/// The relative excess of an interior with so many particles in so many cells.
pub(super) fn interior_excess_of(particles: f64, cells: f64, per_cell: f64) -> f32 {
    if cells <= 0.0 {
        return 0.0;
    }
    (particles / (cells * per_cell) - 1.0).clamp(-MAX_INTERIOR_EXCESS, MAX_INTERIOR_EXCESS) as f32
}

impl<const D: usize> DensityCorrection<'_, D> {
    /// The relative excess n/n₀ − 1 in a cell, limited.
    #[inline]
    pub fn excess(&self, cell: [isize; D]) -> f32 {
        if self.near_interior.at(cell.map(|i| i as usize)) != 0 {
            return self.interior_excess;
        }
        let capacity = self.density.capacity.at(cell);
        if capacity < MIN_CAPACITY {
            return 0.0;
        }
        let mut sum = 0.0;
        for axis in 0..D {
            sum += self.weight[axis].at(cell) + self.weight[axis].at(neighbour(cell, axis, 1));
        }
        let depth = self.distance.at(cell);
        let rest = ((2 * D) << D) as f32 * capacity * liquid_fraction::<D>(depth);
        limit_excess(sum / rest - 1.0, depth)
    }
}

/// The mean fraction of the weight of a cell's faces that lies in the liquid, at the distance φ from a level surface.
#[inline]
fn liquid_fraction<const D: usize>(distance: f32) -> f32 {
    let tent = |distance: f32| match distance {
        _ if distance <= -1.0 => 1.0,
        _ if distance < 0.0 => 1.0 - 0.5 * (1.0 + distance) * (1.0 + distance),
        _ if distance < 1.0 => 0.5 * (1.0 - distance) * (1.0 - distance),
        _ => 0.0,
    };
    if distance <= -1.5 {
        return 1.0;
    }
    let faces = D as f32;
    ((faces - 1.0) * tent(distance) + 0.5 * (tent(distance - 0.5) + tent(distance + 0.5))) / faces
}

/// The part of an excess that is corrected at the distance φ from the surface.
#[inline]
fn limit_excess(excess: f32, distance: f32) -> f32 {
    let [min, max] = EXCESS_LIMITS;
    let excess = excess.clamp(min, max);
    // Random fluctuations are hardly corrected
    let excess = excess * excess.abs() / (excess.abs() + NOISE_LEVEL);
    let [full_correction, no_correction] = SPRAY_DEFICITS;
    match distance < -1.0 || excess > full_correction {
        true => excess,
        false => full_correction * ((excess - no_correction) / (full_correction - no_correction)).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::particles_to_grid::ParticlesToGrid;
    use super::super::seeding::seed_cell;
    use super::*;
    use crate::free_surface::particles::{NewParticle, Particles};
    use crate::free_surface::tiles::ParticleTiles;
    use undine_grid::MacVelocity;

    #[test]
    fn a_full_box_has_no_excess_and_a_level_surface_hardly_any() {
        let grid = Grid::new([9, 8, 10], [0.1; 3], [0.0; 3]).unwrap();
        let (mut tiles, mut particles) = (ParticleTiles::new(&grid), Particles::<3>::new(false, false));
        // Seed the box up to a level, and transfer to the grid
        let level = 6;
        for index in 0..9 * 8 * level {
            seed_cell([index % 9, index / 9 % 8, index / 72], 7, |position| {
                particles.push(NewParticle { position, velocity: [0.0; 3], colour: [0.0; 3] });
            });
        }
        tiles.sort(&mut particles, &mut Particles::new(false, false));
        let make = || MacVelocity::<f32, 3>::new(grid, Condition::FreeSlip, 1).unwrap();
        let (mut velocity, mut weight) = (make(), make());
        ParticlesToGrid::new(3, false).transfer(
            &particles,
            &tiles,
            velocity.components_mut(),
            weight.components_mut(),
        );
        // The exact distance from that level
        let mut distance = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
        distance.set_by_position(|[_, _, z]| z / 0.1 - level as f64);
        let boundary = SolidBoundary::new(grid, None).unwrap();
        let density = RestDensity::new(grid, &boundary).unwrap();
        let correction = DensityCorrection {
            density: &density,
            weight: weight.components(),
            distance: &distance,
            near_interior: &CellMap::new(grid.cells()),
            interior_excess: 0.0,
        };
        for (at, distance) in distance.iter().filter(|(_, distance)| *distance < 0.0) {
            let excess = correction.excess(at.map(|i| i as isize));
            assert!(excess.abs() < 0.08, "{excess} at {at:?}, {distance} from the surface");
        }
    }

    #[test]
    fn spray_is_not_corrected_and_excess_is() {
        assert!(limit_excess(0.3, -0.2) > 0.15 && limit_excess(-0.3, -2.0) < -0.15);
        assert!(limit_excess(-0.5, -0.2) > -0.05 && limit_excess(-0.5, -2.0) < -0.3);
        assert!(limit_excess(0.02, -2.0) < 0.003);
        assert!((interior_excess_of(840.0, 100.0, 8.0) - 0.05).abs() < 1e-6);
        assert_eq!(interior_excess_of(1e6, 100.0, 8.0), 0.12);
    }
}
