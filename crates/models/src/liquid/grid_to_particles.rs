//! From the grid back to the particles, and the particles along the flow.
//!
//! In one go, for every particle: its velocity from the grid and the change of the grid's velocity in this step, by the
//! same weights that carried it there, and its way through the flow of the grid.
//!
//! - PIC takes the grid's velocity [li2007], FLIP adds the change to its own [zhu2005], and a blend takes so much of
//!   the one and so much of the other. APIC takes the grid's velocity and its slopes [jiang2015].
//! - The way is one step of Ralston's third-order Runge–Kutta scheme, or five Euler steps of 0.2 Δt each
//!   as in [li2007]. Particles that fly alone go straight on.

use undine_grid::simd;
use undine_grid::{Field, par};

use crate::free_surface::cell_map::CellMap;
use crate::free_surface::particles::Particles;
use crate::free_surface::solid_boundary::{EXACT_BELOW, MARGIN, SolidBoundary};
use crate::free_surface::tiles::cell_of;

/// Particles of a task.
const CHUNK: usize = 1 << 12;

/// How velocities come back from the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TransferScheme {
    /// The grid's velocity.
    Pic,
    /// The particle's own, changed as the grid's; with this share of it, the rest as in PIC.
    Flip(f32),
    /// The grid's velocity and its slopes.
    Apic,
}

/// How particles move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integrator {
    /// Third-order Runge–Kutta.
    RungeKutta3,
    /// Five short Euler steps.
    FiveEuler,
}

impl Integrator {
    /// Share of the way that follows the motion rather than the velocity at the start, which is known already.
    pub fn weight_of_later_stages(self) -> f32 {
        if self == Integrator::RungeKutta3 { 7.0 / 9.0 } else { 1.0 }
    }
}

/// What particles follow.
pub(super) struct GridFlow<'a, const D: usize> {
    pub velocity: &'a [Field<f32, D>; D],
    /// The velocity with what spreads particles.
    pub transport: &'a [Field<f32, D>; D],
    /// Not zero in cells with liquid around.
    pub near_liquid: &'a CellMap<D>,
    /// The velocity before forces; read by FLIP.
    pub old_velocity: &'a [Field<f32, D>; D],
    pub boundary: &'a SolidBoundary<D>,
    pub open_sides: [[bool; 2]; D],
    pub transfer: TransferScheme,
    pub integrator: Integrator,
    pub dt: f32,
}

/// Gives all particles their new velocity and moves them.
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

/// The columns that following reads and writes, or a piece of them.
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
            for (along, column) in affine.into_iter().enumerate() {
                let at = at.min(column.len());
                (low.affine[axis][along], high.affine[axis][along]) = column.split_at_mut(at);
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

/// Calls `work` on pieces of columns, in parallel, with the number of the first particle of each.
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

/// Keeps particles that came from `old_velocity` out of solids and on their side of walls, however thin.
pub(super) fn collide_with_solids<const D: usize>(
    particles: &mut Particles<D>,
    old_velocity: &[Vec<f32>; D],
    boundary: &SolidBoundary<D>,
) {
    let Some(geometry) = &boundary.solids else { return };
    let (count, are_still) = (particles.len(), geometry.solids.are_still());
    for_each_chunk(ParticleColumns::of(particles, false), 0, count, &|first, columns| {
        for index in 0..columns.position[0].len() {
            let from: [f32; D] = std::array::from_fn(|axis| old_velocity[axis][first + index]);
            let to: [f32; D] = std::array::from_fn(|axis| columns.position[axis][index]);
            let moved = (0..D).map(|axis| (to[axis] - from[axis]).powi(2)).sum::<f32>().sqrt();
            // Linear between nodes, the distance may be too large by less than a cell
            if are_still && boundary.distance(from) > moved + 1.5 {
                continue;
            }
            // Nor is there a wall to slip through, or a corner to cut
            let is_slow = are_still && moved < 1.0;
            let is_clear = boundary.distance(from).min(boundary.distance(to)) > EXACT_BELOW;
            if is_slow && is_clear && !geometry.is_near_thin_wall(to) {
                continue;
            }
            let slid = boundary.project_out(geometry.solids.slide(from, to));
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
                    for along in 0..D {
                        columns.affine[axis][along][index] = gradient[along];
                    }
                    (here, here)
                }
            };
        }
        let is_isolated = flow.near_liquid.at(cell_of(start, flow.boundary.cells)) == 0;
        let end = match flow.integrator {
            // No flow around to follow
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

/// All components at a point of the box.
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

/// The nearest point of the box; its middle for what is no number.
#[inline(always)]
pub(super) fn clamp_to_box<const D: usize>(mut point: [f32; D], high: [f32; D]) -> [f32; D] {
    for axis in 0..D {
        // The order of the two matters: what is no number becomes zero
        point[axis] = point[axis].max(0.0).min(high[axis]);
    }
    point
}

/// Takes particles back from closed sides, and what of their velocity points into these.
#[inline(always)]
fn collide_with_sides<const D: usize>(columns: &mut ParticleColumns<'_, D>, flow: &GridFlow<'_, D>) {
    let high: [f32; D] = flow.boundary.cells.map(|count| count as f32);
    for index in 0..columns.position[0].len() {
        let point: [f32; D] = std::array::from_fn(|axis| columns.position[axis][index]);
        for axis in 0..D {
            let [low_open, high_open] = flow.open_sides[axis];
            let place = &mut columns.position[axis][index];
            if point[axis] < MARGIN && !low_open {
                *place = MARGIN;
                columns.velocity[axis][index] = columns.velocity[axis][index].max(0.0);
            }
            if point[axis] > high[axis] - MARGIN && !high_open {
                *place = high[axis] - MARGIN;
                columns.velocity[axis][index] = columns.velocity[axis][index].min(0.0);
            }
        }
    }
}

/// One component of the velocity, ready to be sampled at points of the box.
pub(super) struct FaceSampler<'a, const D: usize> {
    values: &'a [f32],
    /// Place of the face with all coordinates −1.
    origin: usize,
    strides: [usize; D],
}

impl<'a, const D: usize> FaceSampler<'a, D> {
    pub fn new(field: &'a Field<f32, D>) -> Self {
        let layout = field.layout();
        FaceSampler { values: field.storage(), origin: layout.offset([-1; D]), strides: layout.strides() }
    }

    /// Place of the lowest of the faces around a point of the box, and the shares of the way to the next.
    #[inline(always)]
    fn locate(&self, axis: usize, point: [f32; D]) -> (usize, [f32; D]) {
        let (mut place, mut t) = (self.origin, [0.0; D]);
        for along in 0..D {
            let local = point[along] + if along == axis { 1.0 } else { 0.5 };
            let below = local as usize;
            t[along] = local - below as f32;
            place += below * self.strides[along];
        }
        (place, t)
    }

    #[inline(always)]
    pub fn sample(&self, axis: usize, point: [f32; D]) -> f32 {
        let (place, t) = self.locate(axis, point);
        let pair = |place: usize| {
            let pair = &self.values[place..place + 2];
            pair[0] + t[0] * (pair[1] - pair[0])
        };
        let square = |place: usize| {
            let low = pair(place);
            low + t[1] * (pair(place + self.strides[1]) - low)
        };
        let low = square(place);
        if D < 3 { low } else { low + t[D - 1] * (square(place + self.strides[D - 1]) - low) }
    }

    /// The value and how it rises per cell along each axis.
    #[inline(always)]
    pub fn sample_with_gradient(&self, axis: usize, point: [f32; D]) -> (f32, [f32; D]) {
        let (place, t) = self.locate(axis, point);
        let pair = |place: usize| {
            let pair = &self.values[place..place + 2];
            let rise = pair[1] - pair[0];
            (pair[0] + t[0] * rise, rise)
        };
        let square = |place: usize| {
            let ((low, low_rise), (high, high_rise)) = (pair(place), pair(place + self.strides[1]));
            let rise = high - low;
            (low + t[1] * rise, low_rise + t[1] * (high_rise - low_rise), rise)
        };
        let (low, low_x, low_y) = square(place);
        let mut gradient = [0.0; D];
        (gradient[0], gradient[1]) = (low_x, low_y);
        if D < 3 {
            return (low, gradient);
        }
        let (high, high_x, high_y) = square(place + self.strides[D - 1]);
        let deep = t[D - 1];
        (gradient[0], gradient[1]) = (low_x + deep * (high_x - low_x), low_y + deep * (high_y - low_y));
        gradient[D - 1] = high - low;
        (low + deep * (high - low), gradient)
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
    fn a_turn_brings_particles_back_with_their_slopes() {
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
