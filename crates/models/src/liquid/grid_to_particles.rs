//! Transfer from the grid to particles (G2P), and advection of the particles.
//!
//! In one pass over the particles, with û the grid's velocity after the step, û* that before, both interpolated
//! linearly:
//!
//! - PIC: u_p = û [li2007]. FLIP: u_p ← b (u_p + û − û*) + (1 − b) û with the blend b [zhu2005]. APIC: u_p = û and the
//!   affine matrix C = ∇û, the gradient of the interpolant [jiang2015].
//! - dx/dt = u by one step of Ralston's third-order Runge–Kutta scheme, or five Euler steps of Δt/5 as in [li2007].
//!   Isolated particles, with no liquid around, move in a straight line.
//!
//! Explicit in the positions, without a bound on Δt for stability; `courant` bounds the cells crossed for accuracy.

use undine_grid::simd;
use undine_grid::{Field, par};

use crate::free_surface::cell_map::CellMap;
use crate::free_surface::particles::Particles;
use crate::free_surface::solid_boundary::{EXACT_BELOW, MARGIN, SolidBoundary};
use crate::free_surface::tiles::cell_of;

/// Particles per parallel task.
const CHUNK: usize = 1 << 12;

/// How particles take their velocity from the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TransferScheme {
    /// u_p = û.
    Pic,
    /// u_p + û − û*, blended with PIC; b, the fraction of FLIP.
    Flip(f32),
    /// u_p = û and C = ∇û.
    Apic,
}

/// How dx/dt = u is integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integrator {
    /// Ralston's third-order Runge–Kutta scheme.
    RungeKutta3,
    /// Five Euler steps of Δt/5.
    FiveEuler,
}

impl Integrator {
    /// The weight of the stages that sample `transport`; the first one uses the velocity that was just interpolated.
    pub fn weight_of_later_stages(self) -> f32 {
        if self == Integrator::RungeKutta3 { 7.0 / 9.0 } else { 1.0 }
    }
}

/// The grid's fields that particles interpolate, and how.
pub(super) struct GridFlow<'a, const D: usize> {
    pub velocity: &'a [Field<f32, D>; D],
    /// The velocity of advection: `velocity` and the density correction.
    pub transport: &'a [Field<f32, D>; D],
    /// Not zero in cells of liquid and their neighbours.
    pub near_liquid: &'a CellMap<D>,
    /// û*, the velocity before forces; used by FLIP.
    pub old_velocity: &'a [Field<f32, D>; D],
    pub boundary: &'a SolidBoundary<D>,
    pub open_sides: [[bool; 2]; D],
    pub transfer: TransferScheme,
    pub integrator: Integrator,
    pub dt: f32,
}

/// Updates the velocity of all particles and advects them.
pub(super) fn transfer_and_advect<const D: usize>(particles: &mut Particles<D>, flow: &GridFlow<'_, D>) {
    let count = particles.len();
    let columns = ParticleColumns::of(particles, flow.transfer == TransferScheme::Apic);
    for_each_chunk(columns, 0, count, &|_, mut columns| {
        simd::dispatch(
            #[inline(always)]
            || transfer_and_advect_chunk(&mut columns, flow),
        );
    });
}

/// The columns of particles that this reads and writes, or a chunk of them.
struct ParticleColumns<'a, const D: usize> {
    position: [&'a mut [f32]; D],
    velocity: [&'a mut [f32]; D],
    affine: [[&'a mut [f32]; D]; D],
}

impl<'a, const D: usize> ParticleColumns<'a, D> {
    fn of(particles: &'a mut Particles<D>, is_affine: bool) -> Self {
        let Particles { position, velocity, affine, .. } = particles;
        ParticleColumns {
            position: position.each_mut().map(Vec::as_mut_slice),
            velocity: velocity.each_mut().map(Vec::as_mut_slice),
            affine: affine.each_mut().map(|row| {
                row.each_mut().map(|column| if is_affine { column.as_mut_slice() } else { &mut [] })
            }),
        }
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (mut low, mut high) = (ParticleColumns::empty(), ParticleColumns::empty());
        let mine = self.position.into_iter().zip(self.velocity).zip(self.affine).enumerate();
        for (axis, ((position, velocity), affine)) in mine {
            (low.position[axis], high.position[axis]) = position.split_at_mut(at);
            (low.velocity[axis], high.velocity[axis]) = velocity.split_at_mut(at);
            for (other, column) in affine.into_iter().enumerate() {
                let at = at.min(column.len());
                (low.affine[axis][other], high.affine[axis][other]) = column.split_at_mut(at);
            }
        }
        (low, high)
    }

    fn empty() -> Self {
        ParticleColumns {
            position: std::array::from_fn(|_| Default::default()),
            velocity: std::array::from_fn(|_| Default::default()),
            affine: std::array::from_fn(|_| std::array::from_fn(|_| Default::default())),
        }
    }
}

/// Calls `work` in parallel with chunks of columns and the index of the first particle of each.
fn for_each_chunk<const D: usize>(
    columns: ParticleColumns<'_, D>,
    first: usize,
    count: usize,
    work: &(impl Fn(usize, ParticleColumns<'_, D>) + Sync),
) {
    if count <= CHUNK {
        work(first, columns);
        return;
    }
    let half = (count / 2).next_multiple_of(CHUNK).min(count - 1);
    let (low, high) = columns.split_at(half);
    par::join(
        || for_each_chunk(low, first, half, work),
        || for_each_chunk(high, first + half, count - half, work),
    );
}

/// Collides particles that moved from `old_position` with solids: they slide along these, and stay on their side of
/// walls, however thin.
pub(super) fn collide_with_solids<const D: usize>(
    particles: &mut Particles<D>,
    old_position: &[Vec<f32>; D],
    boundary: &SolidBoundary<D>,
) {
    let Some(geometry) = &boundary.solids else { return };
    let (count, are_still) = (particles.len(), geometry.solids.are_still());
    for_each_chunk(ParticleColumns::of(particles, false), 0, count, &|first, columns| {
        for index in 0..columns.position[0].len() {
            let from: [f32; D] = std::array::from_fn(|axis| old_position[axis][first + index]);
            let to: [f32; D] = std::array::from_fn(|axis| columns.position[axis][index]);
            let moved = (0..D).map(|axis| (to[axis] - from[axis]).powi(2)).sum::<f32>().sqrt();
            // Farther off than the particle moved; the interpolated distance is too large by less than a cell
            if are_still && boundary.distance(from) > moved + 1.5 {
                continue;
            }
            // Slow, clear of solids at both ends and not near a thin wall: nothing to pass through
            let is_slow = are_still && moved < 1.0;
            let is_clear = boundary.distance(from).min(boundary.distance(to)) > EXACT_BELOW;
            if is_slow && is_clear && !geometry.is_near_thin_wall(to) {
                continue;
            }
            let slid = boundary.push_outside(geometry.solids.slide(from, to));
            for axis in 0..D {
                if slid[axis] != to[axis] {
                    columns.position[axis][index] = slid[axis];
                }
            }
        }
    });
}

#[inline(always)]
fn transfer_and_advect_chunk<const D: usize>(columns: &mut ParticleColumns<'_, D>, flow: &GridFlow<'_, D>) {
    let now = flow.velocity.each_ref().map(FaceSampler::new);
    let transport = flow.transport.each_ref().map(FaceSampler::new);
    let old_velocity = flow.old_velocity.each_ref().map(FaceSampler::new);
    let per_cell = 1.0 / flow.velocity[0].grid().spacing()[0] as f32;
    let dt_per_cell = flow.dt * per_cell;
    let high: [f32; D] = flow.boundary.cells.map(|count| count as f32);
    for index in 0..columns.position[0].len() {
        let start: [f32; D] = std::array::from_fn(|axis| columns.position[axis][index]);
        // Velocity, and C of APIC
        let mut velocity = [0.0; D];
        for axis in 0..D {
            let own = columns.velocity[axis][index];
            (velocity[axis], columns.velocity[axis][index]) = match flow.transfer {
                TransferScheme::Pic => {
                    let here = now[axis].sample(axis, start);
                    (here, here)
                }
                TransferScheme::Flip(blend) => {
                    let here = now[axis].sample(axis, start);
                    let change = here - old_velocity[axis].sample(axis, start);
                    (here, blend * (own + change) + (1.0 - blend) * here)
                }
                TransferScheme::Apic => {
                    let (here, gradient) = now[axis].sample_with_gradient(axis, start);
                    for other in 0..D {
                        columns.affine[axis][other][index] = gradient[other];
                    }
                    (here, here)
                }
            };
        }
        // Advection
        let is_isolated = flow.near_liquid.at(cell_of(start, flow.boundary.cells)) == 0;
        let end = match flow.integrator {
            // No liquid around: a straight line
            _ if is_isolated => advance(start, velocity, dt_per_cell),
            Integrator::RungeKutta3 => {
                let second = sample_velocity(
                    &transport,
                    clamp_to_box(advance(start, velocity, 0.5 * dt_per_cell), high),
                );
                let third = sample_velocity(
                    &transport,
                    clamp_to_box(advance(start, second, 0.75 * dt_per_cell), high),
                );
                let mut end = start;
                for axis in 0..D {
                    let mean =
                        (2.0 / 9.0) * velocity[axis] + (3.0 / 9.0) * second[axis] + (4.0 / 9.0) * third[axis];
                    end[axis] += dt_per_cell * mean;
                }
                end
            }
            Integrator::FiveEuler => {
                let mut point = start;
                for _ in 0..5 {
                    point = advance(
                        point,
                        sample_velocity(&transport, clamp_to_box(point, high)),
                        0.2 * dt_per_cell,
                    );
                }
                point
            }
        };
        for axis in 0..D {
            columns.position[axis][index] = end[axis];
        }
    }
    collide_with_sides(columns, flow);
}

/// The velocity at a point of the box.
#[inline(always)]
pub(super) fn sample_velocity<const D: usize>(
    components: &[FaceSampler<'_, D>; D],
    point: [f32; D],
) -> [f32; D] {
    let mut velocity = [0.0; D];
    for axis in 0..D {
        velocity[axis] = components[axis].sample(axis, point);
    }
    velocity
}

#[inline(always)]
pub(super) fn advance<const D: usize>(mut point: [f32; D], velocity: [f32; D], by: f32) -> [f32; D] {
    for axis in 0..D {
        point[axis] += by * velocity[axis];
    }
    point
}

/// The nearest point of the box; NaN becomes zero.
#[inline(always)]
pub(super) fn clamp_to_box<const D: usize>(mut point: [f32; D], high: [f32; D]) -> [f32; D] {
    for axis in 0..D {
        // In this order, because NaN.max(0) is 0
        point[axis] = point[axis].max(0.0).min(high[axis]);
    }
    point
}

/// Collides particles with closed sides: clamps the position, and removes the velocity into the side.
#[inline(always)]
fn collide_with_sides<const D: usize>(columns: &mut ParticleColumns<'_, D>, flow: &GridFlow<'_, D>) {
    let high: [f32; D] = flow.boundary.cells.map(|count| count as f32);
    for index in 0..columns.position[0].len() {
        let point: [f32; D] = std::array::from_fn(|axis| columns.position[axis][index]);
        for axis in 0..D {
            let [low_open, high_open] = flow.open_sides[axis];
            let position = &mut columns.position[axis][index];
            if point[axis] < MARGIN && !low_open {
                *position = MARGIN;
                columns.velocity[axis][index] = columns.velocity[axis][index].max(0.0);
            }
            if point[axis] > high[axis] - MARGIN && !high_open {
                *position = high[axis] - MARGIN;
                columns.velocity[axis][index] = columns.velocity[axis][index].min(0.0);
            }
        }
    }
}

/// Linear interpolation of one velocity component at points of the box, in cells.
pub(super) struct FaceSampler<'a, const D: usize> {
    values: &'a [f32],
    /// Index in storage of the face with all coordinates −1.
    origin: usize,
    strides: [usize; D],
}

impl<'a, const D: usize> FaceSampler<'a, D> {
    pub fn new(field: &'a Field<f32, D>) -> Self {
        let layout = field.layout();
        FaceSampler { values: field.storage(), origin: layout.offset([-1; D]), strides: layout.strides() }
    }

    /// Storage index of the lowest of the 2^D faces around a point, and the fractions t to the next along each axis.
    #[inline(always)]
    fn locate(&self, axis: usize, point: [f32; D]) -> (usize, [f32; D]) {
        let (mut index, mut t) = (self.origin, [0.0; D]);
        for dim in 0..D {
            let local = point[dim] + if dim == axis { 1.0 } else { 0.5 };
            let below = local as usize;
            t[dim] = local - below as f32;
            index += below * self.strides[dim];
        }
        (index, t)
    }

    #[inline(always)]
    pub fn sample(&self, axis: usize, point: [f32; D]) -> f32 {
        let (index, t) = self.locate(axis, point);
        let pair = |index: usize| {
            let pair = &self.values[index..index + 2];
            pair[0] + t[0] * (pair[1] - pair[0])
        };
        let square = |index: usize| {
            let low = pair(index);
            low + t[1] * (pair(index + self.strides[1]) - low)
        };
        let low = square(index);
        if D < 3 { low } else { low + t[D - 1] * (square(index + self.strides[D - 1]) - low) }
    }

    /// The value and the gradient of the interpolant, per cell.
    #[inline(always)]
    pub fn sample_with_gradient(&self, axis: usize, point: [f32; D]) -> (f32, [f32; D]) {
        let (index, t) = self.locate(axis, point);
        let pair = |index: usize| {
            let pair = &self.values[index..index + 2];
            let slope = pair[1] - pair[0];
            (pair[0] + t[0] * slope, slope)
        };
        let square = |index: usize| {
            let ((low, low_slope), (high, high_slope)) = (pair(index), pair(index + self.strides[1]));
            let slope = high - low;
            (low + t[1] * slope, low_slope + t[1] * (high_slope - low_slope), slope)
        };
        let (low, low_x, low_y) = square(index);
        let mut gradient = [0.0; D];
        (gradient[0], gradient[1]) = (low_x, low_y);
        if D < 3 {
            return (low, gradient);
        }
        let (high, high_x, high_y) = square(index + self.strides[D - 1]);
        let tz = t[D - 1];
        (gradient[0], gradient[1]) = (low_x + tz * (high_x - low_x), low_y + tz * (high_y - low_y));
        gradient[D - 1] = high - low;
        (low + tz * (high - low), gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_surface::particles::NewParticle;
    use undine_grid::{Condition, Grid, MacVelocity};

    fn everywhere(grid: Grid<3>) -> CellMap<3> {
        let mut map = CellMap::new(grid.cells());
        map.values_mut().fill(1);
        map
    }

    fn turning(grid: Grid<3>) -> MacVelocity<f32, 3> {
        let mut velocity = MacVelocity::<f32, 3>::new(grid, Condition::Extrapolated, 1).unwrap();
        velocity[0].set_by_position(|[_, y, _]| 4.0 - y);
        velocity[1].set_by_position(|[x, _, _]| x - 4.0);
        velocity.fill_ghosts();
        velocity
    }

    #[test]
    fn a_full_rotation_returns_particles_and_their_affine_matrix() {
        let grid = Grid::new([16, 16, 4], [0.5; 3], [0.0; 3]).unwrap();
        let velocity = turning(grid);
        let mut particles = Particles::<3>::new(true, false);
        particles.push(NewParticle { position: [12.0, 8.0, 2.0], velocity: [0.0; 3], colour: [0.0; 3] });
        let boundary = SolidBoundary::new(grid, None).unwrap();
        let near_liquid = everywhere(grid);
        let steps = 100;
        for _ in 0..steps {
            let flow = GridFlow {
                velocity: velocity.components(),
                transport: velocity.components(),
                near_liquid: &near_liquid,
                old_velocity: velocity.components(),
                boundary: &boundary,
                open_sides: [[false; 2]; 3],
                transfer: TransferScheme::Apic,
                integrator: Integrator::RungeKutta3,
                dt: std::f32::consts::TAU / steps as f32,
            };
            transfer_and_advect(&mut particles, &flow);
        }
        let end = particles.position_of(0);
        assert!((end[0] - 12.0).abs() < 2e-3 && (end[1] - 8.0).abs() < 2e-3, "{end:?}");
        assert!(
            (particles.affine[0][1][0] + 0.5).abs() < 1e-4 && (particles.affine[1][0][0] - 0.5).abs() < 1e-4
        );
        assert!((particles.velocity[1][0] - 2.0).abs() < 0.05);
    }

    #[test]
    fn nothing_leaves_a_closed_box() {
        let grid = Grid::new([16, 16, 4], [0.5; 3], [0.0; 3]).unwrap();
        let mut velocity = turning(grid);
        velocity[2].fill(f32::INFINITY);
        velocity[0].fill(-1e30);
        let mut particles = Particles::<3>::new(false, false);
        particles.push(NewParticle { position: [12.0, 8.0, 2.0], velocity: [0.0; 3], colour: [0.0; 3] });
        let boundary = SolidBoundary::new(grid, None).unwrap();
        let near_liquid = everywhere(grid);
        for integrator in [Integrator::RungeKutta3, Integrator::FiveEuler] {
            let flow = GridFlow {
                velocity: velocity.components(),
                transport: velocity.components(),
                near_liquid: &near_liquid,
                old_velocity: velocity.components(),
                boundary: &boundary,
                open_sides: [[false; 2]; 3],
                transfer: TransferScheme::Pic,
                integrator,
                dt: 1.0,
            };
            transfer_and_advect(&mut particles, &flow);
            let end = particles.position_of(0);
            assert!((0..2).all(|axis| (0.0..=16.0).contains(&end[axis])), "{end:?}");
        }
    }
}
