//! How densely particles lie, and what is to be done about it.
//!
//! The flow keeps its volume, but particles that follow it for long crowd here and draw apart there. The weights that
//! they gave the faces of a cell say how many there are around it; what the same faces would have in a liquid full of
//! particles follows from what of the surroundings is open and from the distance of the surface. The excess is what
//! the particles are spread by, in their motion alone [kugelstadt2019]: their velocities know nothing of it, so still
//! water is not stirred. Bulk is as dense as the pool of its particles says.

use undine_grid::{Condition, Field, FieldError, Grid, Location, neighbour, par};

use crate::free_surface::cell_map::CellMap;
use crate::free_surface::solid_boundary::SolidBoundary;

/// Capacities below which nothing can be said, as a share of that in the open.
const MIN_CAPACITY: f32 = 0.1;
/// The greatest excess and lack that are answered at once, as shares.
const EXCESS_LIMITS: [f32; 2] = [-0.5, 1.0];
/// The lack near the surface up to which liquid is drawn together, and from which on it is spray that is let be.
const SPRAY_DEFICITS: [f32; 2] = [-0.15, -0.4];
/// The excess and lack that particles have by chance, as a share.
const NOISE_LEVEL: f32 = 0.2;
/// The greatest share by which bulk is answered at once.
const MAX_INTERIOR_EXCESS: f64 = 0.12;

/// What a liquid full of particles would have around each cell.
#[derive(Debug)]
pub(super) struct RestDensity<const D: usize> {
    /// Open share of each cell.
    volume: Field<f32, D>,
    /// What the faces of a full cell are given, as a share of what they are given far from walls.
    capacity: Field<f32, D>,
    /// Cells near walls.
    near_wall: CellMap<D>,
}

/// Particles around cells, and what else is known of them.
pub(super) struct DensityCorrection<'a, const D: usize> {
    pub density: &'a RestDensity<D>,
    /// Particles that gave to each face, by weight.
    pub weight: &'a [Field<f32, D>; D],
    /// Distance from the surface in cells.
    pub distance: &'a Field<f32, D>,
    /// Cells with bulk around.
    pub near_interior: &'a CellMap<D>,
    /// The excess in the bulk, as a share.
    pub interior_excess: f32,
}

impl<const D: usize> RestDensity<D> {
    /// For a box with these walls.
    pub fn new(grid: Grid<D>, boundary: &SolidBoundary<D>) -> Result<Self, FieldError> {
        let centre = || Field::new(grid, Location::Center, Condition::Open, 1);
        let mut density =
            RestDensity { volume: centre()?, capacity: centre()?, near_wall: CellMap::new(grid.cells()) };
        density.update(boundary);
        Ok(density)
    }

    /// Open shares of the cells of the row that starts at a cell.
    pub fn volume_fractions(&self, cell: [usize; D]) -> &[f32] {
        self.volume.row(cell.map(|i| i as isize))
    }

    /// Takes walls that have moved.
    pub fn update(&mut self, boundary: &SolidBoundary<D>) {
        let cells = boundary.cells;
        par::rows(&mut self.volume, |at, row| {
            for (x, volume) in row.iter_mut().enumerate() {
                *volume = boundary.volume_fraction(neighbour(at, 0, x as isize));
            }
        });
        let volume = &self.volume;
        self.near_wall.set_rows(|at, row| {
            let is_side = |axis: usize, along: usize| along == 0 || along + 1 == cells[axis];
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

/// What the faces of a cell are given by liquid in all that is open around it.
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
        // Tents over the two faces across an axis, and over the middle along the others
        let across = |step: isize| if step == 0 { 0.5 } else { 0.25 };
        let beside_centre = |step: isize| if step == 0 { 0.75 } else { 0.125 };
        let weight = |axis: usize| -> f32 {
            let along =
                |other| if other == axis { across(steps[other]) } else { beside_centre(steps[other]) };
            (0..D).map(along).product()
        };
        sum += volume.at(adjacent) * (0..D).map(weight).sum::<f32>() / D as f32;
    }
    sum
}

/// The excess of bulk that holds so many particles in so many cells, as a share.
pub(super) fn interior_excess_of(particles: f64, cells: f64, per_cell: f64) -> f32 {
    if cells <= 0.0 {
        return 0.0;
    }
    (particles / (cells * per_cell) - 1.0).clamp(-MAX_INTERIOR_EXCESS, MAX_INTERIOR_EXCESS) as f32
}

impl<const D: usize> DensityCorrection<'_, D> {
    /// How much too dense the liquid is in a cell, as a share, as far as it is to be answered.
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
        let full = ((2 * D) << D) as f32 * capacity * liquid_fraction::<D>(depth);
        limit_excess(sum / full - 1.0, depth)
    }
}

/// Share of a face's weight that lies in the liquid, for the mean of the faces of a cell at this distance from a level
/// surface.
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

/// What of an excess is answered at a distance from the surface.
#[inline]
fn limit_excess(excess: f32, distance: f32) -> f32 {
    let [min, max] = EXCESS_LIMITS;
    let excess = excess.clamp(min, max);
    // What lies unevenly by chance is hardly answered
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
    fn a_full_box_has_no_excess_anywhere_and_a_level_surface_hardly_any() {
        let grid = Grid::new([9, 8, 10], [0.1; 3], [0.0; 3]).unwrap();
        let (mut tiles, mut particles) = (ParticleTiles::new(&grid), Particles::<3>::new(false, false));
        let level = 6;
        for number in 0..9 * 8 * level {
            seed_cell([number % 9, number / 9 % 8, number / 72], 7, |position| {
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
    fn spray_is_let_be_and_crowds_are_not() {
        assert!(limit_excess(0.3, -0.2) > 0.15 && limit_excess(-0.3, -2.0) < -0.15);
        assert!(limit_excess(-0.5, -0.2) > -0.05 && limit_excess(-0.5, -2.0) < -0.3);
        assert!(limit_excess(0.02, -2.0) < 0.003);
        assert!((interior_excess_of(840.0, 100.0, 8.0) - 0.05).abs() < 1e-6);
        assert_eq!(interior_excess_of(1e6, 100.0, 8.0), 0.12);
    }
}
