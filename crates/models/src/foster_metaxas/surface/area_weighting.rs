//! Velocity of a particle by area weighting: fig. 3 of [foster1996].
//!
//! Each staggered component is interpolated by itself, (bi-, tri-)linearly between the faces around the point: each face
//! weighs the area (in the plane) of the part of the box that lies opposite to it.
//!
//! Only faces that adjoin liquid or an inflow have a velocity that means anything. Faces between two empty cells and
//! faces within obstacles get no weight, and the others are scaled so that the weights sum to one: the velocity
//! continues constantly into the air and along obstacles. So a particle slides along every obstacle, also one that is
//! no-slip for the liquid, and a wall of one cell serves both of its sides.

use undine_frame::CellKind;
use undine_grid::{MacVelocity, par};

use super::super::cells::{Cells, is_fluid};

/// Faces that a parallel task should at least fill.
const MIN_FACES_PER_TASK: usize = 8192;

/// The velocity field of a step, in cells per second, prepared for area weighting.
#[derive(Debug, Clone)]
pub struct AreaWeighting<const D: usize> {
    components: [Component<D>; D],
}

/// One component: faces along its own axis; along others, cells with one more layer on both ends.
#[derive(Debug, Clone)]
struct Component<const D: usize> {
    size: [usize; D],
    strides: [usize; D],
    /// The velocity of a face, and 1; zeros for a face without a velocity.
    values: Vec<[f64; 2]>,
}

impl<const D: usize> AreaWeighting<D> {
    /// Memory for a grid of this many cells.
    pub fn new(cells: [usize; D]) -> Self {
        let components = std::array::from_fn(|axis| {
            let size: [usize; D] =
                std::array::from_fn(|along| cells[along] + if along == axis { 1 } else { 2 });
            let strides = std::array::from_fn(|along| size[..along].iter().product());
            Component { size, strides, values: vec![[0.0; 2]; size.iter().product()] }
        });
        AreaWeighting { components }
    }

    /// Takes over the velocity of all faces that adjoin liquid or an inflow.
    pub fn update(&mut self, cells: &Cells<D>, velocity: &MacVelocity<f64, D>) {
        let (spacing, counts) = (cells.grid().spacing(), cells.grid().cells());
        for (axis, component) in self.components.iter_mut().enumerate() {
            let (size, field, scale) = (component.size, &velocity[axis], 1.0 / spacing[axis]);
            let rows = MIN_FACES_PER_TASK.div_ceil(size[0]);
            par::for_each_chunk(&mut component.values, rows * size[0], |first, chunk| {
                for (row, values) in chunk.chunks_exact_mut(size[0]).enumerate() {
                    let mut rest = first / size[0] + row;
                    let mut start = [0; D];
                    for along in 1..D {
                        start[along] = (rest % size[along]) as isize - isize::from(along != axis);
                        rest /= size[along];
                    }
                    // Rows beyond the domain stay without a velocity
                    let is_outside =
                        (1..D).any(|b| b != axis && !(0..counts[b] as isize).contains(&start[b]));
                    if is_outside {
                        continue;
                    }
                    for (x, value) in values.iter_mut().enumerate() {
                        let mut face = start;
                        face[0] = x as isize - isize::from(axis != 0);
                        let is_inside = axis == 0 || (0..counts[0] as isize).contains(&face[0]);
                        *value = match is_inside && has_velocity(cells, axis, face) {
                            true => [field.at(face) * scale, 1.0],
                            false => [0.0; 2],
                        };
                    }
                }
            });
        }
    }

    /// The velocity at a point, both in cells; of the nearest point of the domain beyond it.
    // Called as a function it stores two numbers that its caller loads as one vector, which stalls
    #[inline(always)]
    pub fn velocity(&self, point: [f64; D]) -> [f64; D] {
        let (mut centres, mut faces) = ([Place::default(); D], [Place::default(); D]);
        for along in 0..D {
            let cells = self.components[along].size[along] - 1;
            let x = point[along].max(0.0).min(cells as f64);
            (centres[along], faces[along]) = (Place::new(x + 0.5, cells), Place::new(x, cells - 1));
        }
        let mut velocity = [0.0; D];
        for axis in 0..D {
            let mut places = centres;
            places[axis] = faces[axis];
            velocity[axis] = self.components[axis].weigh(&places);
        }
        velocity
    }
}

/// A coordinate between two samples.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    low: usize,
    /// Share of the higher sample.
    fraction: f64,
}

impl Place {
    /// The place of a coordinate that is not negative; `last` is the lower of the last two samples.
    #[inline]
    fn new(x: f64, last: usize) -> Self {
        // Coordinates fit into 32 bits, which are converted faster
        let low = (x as u32 as usize).min(last);
        Place { low, fraction: x - low as u32 as f64 }
    }
}

/// Whether liquid or an inflow adjoins the low face of a cell across `axis`.
fn has_velocity<const D: usize>(cells: &Cells<D>, axis: usize, face: [isize; D]) -> bool {
    let mut below = face;
    below[axis] -= 1;
    let (low, high) = (cells.kind(below), cells.kind(face));
    is_fluid(low) || is_fluid(high) || low == CellKind::Inflow || high == CellKind::Inflow
}

impl<const D: usize> Component<D> {
    /// Weighs the corners of the box of faces around a place; weights of faces with a velocity are scaled to a sum of one.
    #[inline(always)]
    fn weigh(&self, places: &[Place; D]) -> f64 {
        let (mut base, mut weights) = (0, [[0.0; 2]; D]);
        for along in 0..D {
            base += places[along].low * self.strides[along];
            weights[along] = [1.0 - places[along].fraction, places[along].fraction];
        }
        // Both sums at once, in one register, rather than a branch that thin water often takes
        let mut sums = [0.0; 2];
        self.for_each_corner(base, &weights, |weight, [value, one]| {
            sums = [sums[0] + weight * value, sums[1] + weight * one];
        });
        if sums[1] > 0.0 { sums[0] / sums[1] } else { 0.0 }
    }

    #[inline(always)]
    fn for_each_corner(&self, base: usize, weights: &[[f64; 2]; D], mut work: impl FnMut(f64, [f64; 2])) {
        for corner in 0..1_usize << D {
            let (mut place, mut weight) = (base, 1.0);
            for along in 0..D {
                let high = corner >> along & 1;
                place += high * self.strides[along];
                weight *= weights[along][high];
            }
            work(weight, self.values[place]);
        }
    }
}

#[cfg(test)]
mod tests {
    use undine_grid::{Condition, Grid};

    use super::*;

    /// A box of Full cells with the velocity a + b x + c y on every face.
    fn linear(kinds: impl Fn([usize; 2]) -> CellKind) -> (Cells<2>, AreaWeighting<2>) {
        let grid = Grid::new([6, 4], [0.5, 0.25], [0.0; 2]).unwrap();
        let mut cells = Cells::new(grid);
        (0..24).for_each(|index| cells.set(index, kinds(cells.cell(index))));
        let mut velocity = MacVelocity::new(grid, Condition::FreeSlip, 1).unwrap();
        velocity[0].set_by_position(|[x, y]| 1.0 + 2.0 * x - y);
        velocity[1].set_by_position(|[x, y]| 3.0 - x + 4.0 * y);
        let mut weighting = AreaWeighting::new([6, 4]);
        weighting.update(&cells, &velocity);
        (cells, weighting)
    }

    #[test]
    fn a_linear_velocity_is_found_exactly_where_all_faces_have_one() {
        let (_, weighting) = linear(|_| CellKind::Full);
        for point in [[0.7, 0.6], [3.2, 1.5], [5.4, 3.4]] {
            let [x, y] = [0.5 * point[0], 0.25 * point[1]];
            let expected = [(1.0 + 2.0 * x - y) / 0.5, (3.0 - x + 4.0 * y) / 0.25];
            let found = weighting.velocity(point);
            assert!(
                (0..2).all(|axis| (found[axis] - expected[axis]).abs() < 1e-12),
                "{found:?} {expected:?}"
            );
        }
    }

    #[test]
    fn beside_obstacles_and_air_only_faces_of_the_liquid_count() {
        let (_, weighting) = linear(|[_, j]| [CellKind::Solid, CellKind::Full, CellKind::Surface][j.min(2)]);
        let (_, above) = linear(|[_, j]| if j < 3 { CellKind::Full } else { CellKind::Empty });
        // In the lower half of row 1 and in the upper half of row 2: the tangential velocity of that row's faces
        let on_floor = weighting.velocity([2.0, 1.1])[0] * 0.5;
        assert!((on_floor - (1.0 + 2.0 * 1.0 - 0.25 * 1.5)).abs() < 1e-12, "{on_floor}");
        let at_air = above.velocity([2.0, 2.9])[0] * 0.5;
        assert!((at_air - (1.0 + 2.0 * 1.0 - 0.25 * 2.5)).abs() < 1e-12, "{at_air}");
        // Far from all liquid nothing moves
        assert_eq!(linear(|_| CellKind::Empty).1.velocity([3.0, 2.0]), [0.0; 2]);
    }
}
