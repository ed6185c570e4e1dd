//! Inflow and outflow at the end of every step: emitters, drains and the sides of the box.
//!
//! An inflow region is kept full of liquid that moves at a given velocity: particles in it take that velocity, and
//! empty subcells of half a cell's edge get particles. A side adds what its velocity carries, n = ∫ u·n α A dt/V_p
//! particles of volume V_p. An emitter adds what the velocity carries out of its region (`mouth`), beyond its content
//! at the start, and no more than its rate. Neither adds more than there is room for (`capacity`); the rest is refused.
//! Particles in drains and beyond open sides are removed. All of it is entered in the ledger.

use std::io;

use undine_grid::{Field, Grid, MacVelocity, Side};
use undine_scene::Problem;
use undine_sim::{Reader, Writer};

use super::capacity::{Capacity, SideFlow};
use super::ledger::{Inlet, ParticleLedger};
use super::mouth::Mouth;
use super::seeding::seed_cell;
use super::sources::{Drain, LiquidEmitter, LiquidSide, LiquidSides};
use crate::free_surface::particles::{NewParticle, Particles, to_metres};
use crate::free_surface::solid_boundary::SolidBoundary;

/// Emitters, drains and sides.
pub(super) struct InflowOutflow<const D: usize> {
    pub emitters: Vec<LiquidEmitter<D>>,
    pub drains: Vec<Drain<D>>,
    pub sides: LiquidSides<D>,
    /// Particles, with fractions, that each emitter, then each drain, may still add or remove.
    due: Vec<f64>,
    /// Particles, with fractions, that the velocity has carried out of each emitter and that it has not yet added; at
    /// most its content. Infinite before it starts.
    carried: Vec<f64>,
    /// Particles, with fractions, that the velocity has carried through each side and that are not yet added.
    side_due: [[f64; 2]; D],
    /// The number of particles in each subcell of an inflow region.
    occupied: Vec<u8>,
    /// Scratch of mouths.
    inside: Vec<u8>,
}

/// The particles, their ledger and the room for more of them.
pub(super) struct InflowStore<'a, const D: usize> {
    pub particles: &'a mut Particles<D>,
    pub ledger: &'a mut ParticleLedger,
    pub capacity: &'a mut Capacity<D>,
}

/// The projected velocity of a step.
pub(super) struct ProjectedFlow<'a, const D: usize> {
    pub velocity: &'a MacVelocity<f32, D>,
    /// One in cells of liquid.
    pub is_liquid: &'a Field<u8, D>,
    /// What the sides prescribed.
    pub sides: &'a SideFlow<D>,
}

/// The particles that a region got.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Filled {
    pub added: usize,
    /// Those for which there was no room.
    pub refused: usize,
}

/// A region that is kept full.
pub(super) struct InflowRegion<'a, const D: usize> {
    /// Its lowest and highest cell.
    pub cells: [[usize; D]; 2],
    /// Whether a point, in metres, lies in it.
    pub contains: &'a dyn Fn([f64; D]) -> bool,
    pub velocity: [f32; D],
    pub colour: [f32; 3],
    /// The greatest number of particles to add.
    pub limit: usize,
}

/// The box and the step in which sources act.
pub(super) struct SourceContext<'a, const D: usize> {
    pub grid: &'a Grid<D>,
    pub boundary: &'a SolidBoundary<D>,
    /// The beginning and the end of the step, and Δt, in seconds.
    pub step_start: f64,
    pub time: f64,
    pub dt: f64,
}

impl<const D: usize> InflowOutflow<D> {
    /// Sources at the start of a run.
    pub fn new(emitters: Vec<LiquidEmitter<D>>, drains: Vec<Drain<D>>, sides: LiquidSides<D>) -> Self {
        let due = vec![0.0; emitters.len() + drains.len()];
        InflowOutflow {
            carried: vec![f64::INFINITY; emitters.len()],
            side_due: [[0.0; 2]; D],
            emitters,
            drains,
            sides,
            due,
            occupied: Vec::new(),
            inside: Vec::new(),
        }
    }

    /// Whether there is a side or an emitter through which liquid comes in.
    pub fn has_inflow(&self) -> bool {
        !self.emitters.is_empty() || self.sides.has(LiquidSide::Inflow)
    }

    /// Which sides are open.
    pub fn open_sides(&self) -> [[bool; 2]; D] {
        let is_open = |side: Side| self.sides.kind(side) == LiquidSide::Open;
        std::array::from_fn(|axis| [0, 1].map(|high| is_open(Side::ALL[2 * axis + high])))
    }

    /// Normal velocities of the sides, as means over a step, and the levels in cells below which they hold, at its end.
    #[allow(clippy::type_complexity, reason = "two arrays over the sides")]
    pub fn side_velocities(
        &self,
        grid: &Grid<D>,
        from: f64,
        to: f64,
    ) -> Result<([[f32; 2]; D], [[f32; 2]; D]), Problem> {
        let (mut velocities, mut levels) = ([[0.0; 2]; D], [[0.0; 2]; D]);
        for &side in Side::of_dimension(D) {
            let (axis, high) = (side.axis(), usize::from(side.is_high()));
            velocities[axis][high] = self.sides.velocity(side, from, to)? as f32;
            let height = self.sides.level(side, to)? - grid.origin()[D - 1];
            levels[axis][high] = (height / grid.spacing()[0]) as f32;
        }
        Ok((velocities, levels))
    }

    /// The greatest inflow velocity component at a time, in m/s.
    pub fn max_speed(&self, time: f64) -> f64 {
        self.emitters
            .iter()
            .map(|emitter| emitter.max_component(time))
            .fold(self.sides.max_speed(time), f64::max)
    }

    /// Whether a cell must have particles, however deep it lies: those in drains.
    pub fn keeps_particles(
        &self,
        grid: &Grid<D>,
        time: f64,
    ) -> impl Fn([usize; D]) -> bool + Sync + use<'_, D> {
        // The first ones on the stack, so that a step does not allocate
        let first: [_; 8] = std::array::from_fn(|number| self.drains.get(number)?.region_at(time));
        let more: Vec<_> = self.drains.iter().skip(8).filter_map(|drain| drain.region_at(time)).collect();
        let grid = *grid;
        move |cell| {
            let centre = || grid.centre(cell.map(|i| i as isize));
            first.iter().flatten().chain(&more).any(|region| region.contains(centre()))
        }
    }

    /// Outflow, then inflow, of a step.
    pub fn apply(
        &mut self,
        mut store: InflowStore<'_, D>,
        context: &SourceContext<'_, D>,
        flow: &ProjectedFlow<'_, D>,
    ) -> Result<(), Problem> {
        self.remove_at_open_sides(store.particles, store.ledger, context);
        self.drain(store.particles, store.ledger, context)?;
        self.emit(&mut store, context, flow)?;
        self.emit_at_inflow_sides(&mut store, context, flow)
    }

    fn remove_at_open_sides(
        &self,
        particles: &mut Particles<D>,
        ledger: &mut ParticleLedger,
        context: &SourceContext<'_, D>,
    ) {
        for (axis, [low, high]) in self.open_sides().into_iter().enumerate() {
            let end = context.boundary.cells[axis] as f32;
            for index in 0..if low || high { particles.len() } else { 0 } {
                let x = particles.position[axis][index];
                // Not yet removed at another side
                let is_there = !particles.position[0][index].is_nan();
                if is_there && (low && x <= 0.0 || high && x >= end) {
                    particles.mark_removed(index);
                    ledger.add_outflow(1);
                }
            }
        }
    }

    fn drain(
        &mut self,
        particles: &mut Particles<D>,
        ledger: &mut ParticleLedger,
        context: &SourceContext<'_, D>,
    ) -> Result<(), Problem> {
        let &SourceContext { grid, step_start, time, dt, .. } = context;
        let (_, due) = self.due.split_at_mut(self.emitters.len());
        for (drain, due) in self.drains.iter().zip(due) {
            let Some((region, rate)) = drain.over(step_start, time)? else { continue };
            let limit = allowance(due, rate, ledger.particle_volume(), dt);
            let [low, high] = region.bounds();
            let mut removed = 0;
            for index in 0..particles.len() {
                let point = to_metres(grid, particles.position_of(index));
                let is_near = (0..D).all(|axis| point[axis] >= low[axis] && point[axis] <= high[axis]);
                if is_near && removed < limit && region.contains(point) {
                    particles.mark_removed(index);
                    removed += 1;
                }
            }
            ledger.add_outflow(removed);
            *due = remaining_due(*due, removed, rate);
        }
        Ok(())
    }

    fn emit(
        &mut self,
        store: &mut InflowStore<'_, D>,
        context: &SourceContext<'_, D>,
        projected: &ProjectedFlow<'_, D>,
    ) -> Result<(), Problem> {
        let &SourceContext { grid, boundary, step_start, time, dt } = context;
        let particle_volume = store.ledger.particle_volume();
        for (number, emitter) in self.emitters.iter().enumerate() {
            let Some(flow) = emitter.over(step_start, time)? else { continue };
            let due = &mut self.due[number];
            let limit = allowance(due, flow.rate, particle_volume, dt);
            let Some(cells) = cells_in_bounds(grid, flow.region.bounds()) else { continue };
            // What the velocity has carried out of the region may be added
            let mouth = Mouth {
                cells,
                edge: grid.spacing()[0],
                velocity: flow.velocity,
                boundary,
                projected: projected.velocity.components(),
                is_liquid: projected.is_liquid,
            };
            let moving = emitter.motion(time - dt, time)?;
            let contains = |point: [f32; D]| flow.region.contains(to_metres(grid, point));
            let through = mouth.flow(contains, |point| moving(to_metres(grid, point)), &mut self.inside);
            let step = through.flux * dt / particle_volume;
            let carried = &mut self.carried[number];
            *carried = (*carried + step).min(through.content.max(1.0));
            let region = InflowRegion {
                cells,
                contains: &|point| flow.region.contains(point),
                velocity: flow.velocity.map(|u| u as f32),
                colour: flow.colour,
                limit: limit.min(*carried as usize),
            };
            let filled = region.fill(store, context, &mut self.occupied);
            *carried = (*carried - filled.added as f64).max(0.0);
            *due = remaining_due(*due, filled.added, flow.rate);
            let middle = std::array::from_fn(|axis| (cells[0][axis] + cells[1][axis]) / 2);
            if filled.refused > 0 || store.capacity.is_full(middle) {
                let wanted = flow.rate.map_or(step, |rate| step.min(rate * dt / particle_volume));
                let refused = (wanted - filled.added as f64).max(0.0) * particle_volume;
                store.ledger.refuse(refused, time, Inlet::Emitter(number));
            }
        }
        Ok(())
    }

    fn emit_at_inflow_sides(
        &mut self,
        store: &mut InflowStore<'_, D>,
        context: &SourceContext<'_, D>,
        projected: &ProjectedFlow<'_, D>,
    ) -> Result<(), Problem> {
        let &SourceContext { grid, boundary, time, dt, .. } = context;
        let particle_volume = store.ledger.particle_volume();
        for &side in Side::of_dimension(D).iter().filter(|side| self.sides.kind(**side) == LiquidSide::Inflow)
        {
            // What the velocity carries through the side, and what was prescribed
            let (axis, high) = (side.axis(), usize::from(side.is_high()));
            let [prescribed, carried] =
                store.capacity.side_flux(side, projected.sides, boundary, &projected.velocity[axis]);
            let due = &mut self.side_due[axis][high];
            *due += carried * dt / particle_volume;
            let speed = f64::from(projected.sides.velocities[axis][high]);
            // As thick as the inflow of a step, so that no gap opens
            let thick =
                ((speed.abs() * dt / grid.spacing()[0]).ceil() as usize).clamp(1, boundary.cells[axis]);
            let mut cells = [[0; D], boundary.cells.map(|count| count - 1)];
            match side.is_high() {
                false => cells[1][axis] = thick - 1,
                true => cells[0][axis] = boundary.cells[axis] - thick,
            }
            let level = self.sides.level(side, time)?;
            let mut velocity = [0.0; D];
            velocity[axis] = (speed * carried / prescribed.max(f64::MIN_POSITIVE)) as f32;
            let region = InflowRegion {
                cells,
                contains: &|point| point[D - 1] < level || axis == D - 1,
                velocity,
                colour: super::sources::DEFAULT_COLOUR,
                limit: *due as usize,
            };
            let filled = region.fill(store, context, &mut self.occupied);
            // What finds no room is refused; what finds no empty subcell waits, at most the content of the region
            let content = (0..D).map(|axis| cells[1][axis] + 1 - cells[0][axis]).product::<usize>() << D;
            *due = (*due - (filled.added + filled.refused) as f64).clamp(0.0, content as f64);
            let refused = (prescribed - carried) * dt + filled.refused as f64 * particle_volume;
            store.ledger.refuse(refused, time, Inlet::Side(side));
        }
        Ok(())
    }

    /// A message of inflow that found no room, with its place in the scene and what can be done.
    pub fn describe_refusal(&self, inlet: Inlet, time: f64, held: f64, capacity: f64) -> String {
        let inflow = match inlet {
            Inlet::Side(side) => format!("the inflow through the {side} side"),
            Inlet::Emitter(_) => "the inflow of this emitter".to_owned(),
            Inlet::Disturbance => "the liquid that is poured in".to_owned(),
        };
        let message = format!(
            "from t = {time:.3} s on there is no room for all of {inflow}: the box holds {held:.4} m³ and has room for \
             {capacity:.4} m³; the rest is refused (refused_m3 in metrics.csv)"
        );
        let remedy = "make a side open, add a [[drain]], end the inflow earlier, or make the box larger";
        let problem = match inlet {
            Inlet::Side(side) => self.sides.problem(side, message, remedy),
            Inlet::Emitter(number) => match self.emitters.get(number) {
                Some(emitter) => emitter.problem(message, remedy),
                None => Problem::new(message, remedy),
            },
            Inlet::Disturbance => Problem::new(message, remedy),
        };
        problem.to_string()
    }

    /// Writes the particles due.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let (emitters, drains) = self.due.split_at(self.emitters.len());
        to.values("emitters", emitters)?;
        to.values("drains", drains)?;
        to.values("mouths", &self.carried)?;
        to.values("sides", self.side_due.as_flattened())
    }

    /// Reads what was written, by these sources or by others; new ones start at zero.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.due.fill(0.0);
        self.carried.fill(f64::INFINITY);
        let (emitters, drains) = self.due.split_at_mut(self.emitters.len());
        for (name, due) in [("emitters", emitters), ("drains", drains), ("mouths", &mut self.carried[..])] {
            let mut due = due.iter_mut();
            from.records(name, |[saved]: [f64; 1]| due.next().into_iter().for_each(|due| *due = saved))?;
        }
        from.values_into("sides", self.side_due.as_flattened_mut())
    }
}

impl<const D: usize> InflowRegion<'_, D> {
    /// Sets the velocity of the particles in the region, and fills its empty subcells up to the limit, evenly. Enters in
    /// the ledger what was added.
    pub fn fill(
        &self,
        store: &mut InflowStore<'_, D>,
        &SourceContext { grid, boundary, .. }: &SourceContext<'_, D>,
        occupied: &mut Vec<u8>,
    ) -> Filled {
        // The number of particles in each subcell
        let particles = &mut *store.particles;
        let [low, high] = self.cells;
        let size: [usize; D] = std::array::from_fn(|axis| high[axis] + 1 - low[axis]);
        let count: usize = size.iter().product();
        occupied.clear();
        occupied.resize(count << D, 0);
        for index in 0..particles.len() {
            let point = particles.position_of(index);
            let is_near =
                (0..D).all(|axis| point[axis] >= low[axis] as f32 && point[axis] < (high[axis] + 1) as f32);
            if !is_near || !(self.contains)(to_metres(grid, point)) {
                continue;
            }
            let subcell = &mut occupied[subcell_index(point, low, size)];
            *subcell = subcell.saturating_add(1);
            particles.set_velocity(index, self.velocity);
        }
        // The empty ones, at other positions at other times
        let seed = u64::from(particles.next_id());
        let for_each_empty = |work: &mut dyn FnMut([usize; D], [f32; D])| {
            for index in 0..count {
                let mut rest = index;
                let cell = std::array::from_fn(|axis| {
                    let i = low[axis] + rest % size[axis];
                    rest /= size[axis];
                    i
                });
                // Where some subcells have several particles, others stay empty: else the inflow would be too dense
                let present: usize =
                    occupied[index << D..(index + 1) << D].iter().map(|&count| usize::from(count)).sum();
                let mut missing = (1 << D) - present.min(1 << D);
                seed_cell(cell, seed, |position| {
                    let is_free =
                        occupied[subcell_index(position, low, size)] == 0 && boundary.is_free(position);
                    if missing > 0 && is_free && (self.contains)(to_metres(grid, position)) {
                        missing -= 1;
                        work(cell, position);
                    }
                });
            }
        };
        let mut empty = 0_usize;
        for_each_empty(&mut |_, _| empty += 1);
        // Of n empty subcells the k-th is filled where ⌊k m/n⌋ grows, with m the limit
        let (limit, mut visited) = (self.limit.min(empty) as u128, 0_u128);
        let mut filled = Filled::default();
        for_each_empty(&mut |cell, position| {
            let before = visited * limit / empty as u128;
            visited += 1;
            if visited * limit / empty as u128 == before {
                return;
            }
            if store.capacity.admit(cell) {
                particles.push(NewParticle { position, velocity: self.velocity, colour: self.colour });
                filled.added += 1;
            } else {
                filled.refused += 1;
            }
        });
        store.ledger.add_inflow(filled.added);
        filled
    }
}

/// Index of the subcell in which a point of the region lies.
fn subcell_index<const D: usize>(point: [f32; D], low: [usize; D], size: [usize; D]) -> usize {
    let (mut cell, mut subcell) = (0, 0);
    for axis in (0..D).rev() {
        let local = point[axis] - low[axis] as f32;
        let i = (local as usize).min(size[axis] - 1);
        cell = cell * size[axis] + i;
        subcell = 2 * subcell + usize::from(local - i as f32 >= 0.5);
    }
    (cell << D) + subcell
}

/// The lowest and highest cell of a box between two corners in metres; `None` where it does not overlap the grid.
pub(super) fn cells_in_bounds<const D: usize>(
    grid: &Grid<D>,
    [low, high]: [[f64; D]; 2],
) -> Option<[[usize; D]; 2]> {
    let (origin, spacing, cells) = (grid.origin(), grid.spacing(), grid.cells());
    let coordinate = |axis: usize, at: f64| (at - origin[axis]) / spacing[axis];
    let is_inside =
        |axis: usize| coordinate(axis, high[axis]) > 0.0 && coordinate(axis, low[axis]) < cells[axis] as f64;
    let cell = |axis: usize, at: f64| (coordinate(axis, at).max(0.0) as usize).min(cells[axis] - 1);
    (0..D).all(is_inside).then(|| {
        [
            std::array::from_fn(|axis| cell(axis, low[axis])),
            std::array::from_fn(|axis| cell(axis, high[axis])),
        ]
    })
}

/// Adds the rate of a step to what is due. Returns the whole particles of it.
fn allowance(due: &mut f64, rate: Option<f64>, particle: f64, dt: f64) -> usize {
    let Some(rate) = rate else { return usize::MAX };
    *due += rate * dt / particle;
    *due as usize
}

/// What remains due: at most one particle, so that what could not be moved is not made up for in one burst.
fn remaining_due(due: f64, moved: usize, rate: Option<f64>) -> f64 {
    if rate.is_some() { (due - moved as f64).clamp(0.0, 1.0) } else { 0.0 }
}
