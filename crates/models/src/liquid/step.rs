//! One step, as `advance_one_step` of [li2007] has it: it begins where that one has moved its particles.

use undine_grid::{neighbour, par};
use undine_sim::{Phases, StepError, World};

use super::extend::{KNOWN, UNKNOWN};
use super::follow::{self, Flow};
use super::pressure::Around;
use super::simulation::Liquid;

/// Share of what is too dense or too thin that a step evens out.
const RELIEF: f64 = 0.25;

/// The least weight of particles by which a face in the air has a velocity of its own.
const LEAST_WEIGHT: f32 = 1e-4;

impl<const D: usize> Liquid<D> {
    /// Advances by `dt`.
    pub fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Phases, StepError> {
        let mut phases = Phases::default();
        let end = world.time + dt;
        phases.time("transfer", || self.transfer_to_grid());
        phases.time("forces", || self.add_gravity(dt));
        phases.time("viscosity", || self.add_viscosity(dt))?;
        phases.time("pressure", || self.make_incompressible(dt))?;
        phases.time("extend", || self.extend_velocity());
        self.measure()?;
        phases.time("follow", || self.update_and_move(dt));
        phases.time("solids", || {
            self.walls.advance(world.time, end);
            follow::keep_out_of_solids(&mut self.particles, &self.spare.position, &self.walls);
        });
        self.time = end;
        phases.time("bulk", || {
            let reach = (self.fastest * dt / self.cell()).ceil().min(64.0) as usize + 1;
            self.bulk.carry(self.velocity.components(), &self.walls, dt as f32, reach);
        });
        phases.time("sources", || {
            let (particles, ledger) = (&mut self.particles, &mut self.ledger);
            self.sources.act(particles, ledger, &self.grid, &self.walls, end, dt);
        });
        phases.time("sort", || self.settle());
        phases.time("bulk", || {
            let (velocity, carried) = (self.velocity.components(), self.before.components_mut());
            self.bulk.carry_velocity(velocity, carried, &self.walls, dt as f32);
        });
        phases.time("surface", || self.find_surface());
        Ok(phases)
    }

    fn transfer_to_grid(&mut self) {
        let (velocity, weight) = (self.velocity.components_mut(), self.weight.components_mut());
        self.transfer.give(&self.particles, &self.tiles, velocity, weight);
        if self.bulk.is_in_use() {
            self.take_carried();
        }
        for axis in 0..D {
            let saved = &self.velocity[axis];
            par::rows(&mut self.before[axis], |at, row| row.copy_from_slice(saved.row(at)));
        }
        self.before.fill_ghosts();
    }

    /// Faces around the bulk have the velocity that was carried along there.
    fn take_carried(&mut self) {
        let (bulk, cells) = (&self.bulk, self.walls.cells);
        for axis in 0..D {
            let carried = &self.before[axis];
            par::rows_each([&mut self.velocity[axis], &mut self.weight[axis]], |at, [velocity, weight]| {
                for (x, carried) in carried.row(at).iter().enumerate() {
                    if bulk.is_beside(axis, neighbour(at, 0, x as isize), cells) {
                        (velocity[x], weight[x]) = (*carried, 1.0);
                    }
                }
            });
        }
    }

    fn add_viscosity(&mut self, dt: f64) -> Result<(), StepError> {
        let Some(viscous) = &mut self.viscous else { return Ok(()) };
        viscous.slow(self.velocity.components_mut(), &self.distance, &self.walls, dt)
    }

    fn add_gravity(&mut self, dt: f64) {
        let pull = (-self.settings.gravity * dt) as f32;
        let weight = &self.weight[D - 1];
        par::rows(&mut self.velocity[D - 1], |at, row| {
            for (velocity, &weight) in row.iter_mut().zip(weight.row(at)) {
                if weight > 0.0 {
                    *velocity += pull;
                }
            }
        });
    }

    fn make_incompressible(&mut self, dt: f64) -> Result<(), StepError> {
        let held = self.ledger.volume(self.particles.len()).held;
        let gain = self.control.gain(self.seen_volume(), held, dt);
        if let Some(tension) = &mut self.tension {
            tension.find(&self.distance, self.settings.density, dt);
        }
        let (side_speeds, side_levels) = self.sources.side_speeds(&self.grid, self.time);
        let around = Around {
            walls: &self.walls,
            distance: &self.distance,
            open_sides: self.settings.open_sides,
            side_speeds,
            side_levels,
            surface: self.tension.as_ref().map(|tension| &tension.jump),
            gain,
            weight: self.weight.components(),
            beside_bulk: self.bulk.surroundings(),
            relief: (RELIEF / dt) as f32,
        };
        self.pressure.project(self.velocity.components_mut(), &around, dt)
    }

    /// Gives faces a velocity that have none: those in the air, and those in solids. Particles that fly alone, with no
    /// liquid around, keep theirs.
    fn extend_velocity(&mut self) {
        let unknown = self.pressure.unknown();
        self.near_liquid.set_rows(|at, row| row.copy_from_slice(unknown.row(at.map(|along| along as isize))));
        self.near_liquid.spread(1);
        let (weight, walls, near) = (&self.weight, &self.walls, &self.near_liquid);
        let layers = (self.settings.courant.ceil() as u8).clamp(1, 8) + 1;
        self.extension.extend(self.velocity.components_mut(), layers, |axis, at, known| {
            let cells = walls.cells;
            let is_side = axis > 0 && (at[axis] == 0 || at[axis] as usize == cells[axis]);
            if is_side {
                known.fill(KNOWN);
                return;
            }
            let below = if axis == 0 { at } else { neighbour(at, axis, -1) };
            let [liquid, liquid_below] = [at, below].map(|at| unknown.row(at));
            let [near, near_below] = [at, below].map(|at| near.row(at.map(|along| along as usize)));
            let weights = weight[axis].row(at);
            let shift = usize::from(axis == 0);
            for (x, known) in known.iter_mut().enumerate() {
                if axis == 0 && (x == 0 || x == cells[0]) {
                    *known = KNOWN;
                    continue;
                }
                let is_liquid = liquid[x] | liquid_below[x - shift] != 0;
                let is_alone = weights[x] > LEAST_WEIGHT && near[x] | near_below[x - shift] == 0;
                let is_open = walls.open(axis, neighbour(at, 0, x as isize)) > 0.0;
                *known = if (is_liquid || is_alone) && is_open { KNOWN } else { UNKNOWN };
            }
        });
        self.velocity.fill_ghosts();
    }

    /// Finds the greatest velocity and refuses what is no number.
    fn measure(&mut self) -> Result<(), StepError> {
        let fastest = (0..D).map(|axis| par::max(&self.velocity[axis], |u| f64::from(u.abs())));
        let fastest =
            fastest.fold(0.0, |most: f64, one| if most.is_nan() || one < most { most } else { one });
        if !fastest.is_finite() {
            return Err(self.find_fault());
        }
        self.fastest = fastest;
        Ok(())
    }

    fn find_fault(&self) -> StepError {
        let bad = self.velocity.components().iter().find_map(|one| one.iter().find(|(_, u)| !u.is_finite()));
        let at = bad.map_or([0; D], |(at, _)| at);
        StepError::NotFinite {
            field: "velocity",
            cell: std::array::from_fn(|axis| at.get(axis).copied().unwrap_or(0)),
        }
    }

    fn update_and_move(&mut self, dt: f64) {
        let flow = Flow {
            velocity: self.velocity.components(),
            before: self.before.components(),
            walls: &self.walls,
            open_sides: self.settings.open_sides,
            kind: self.settings.kind,
            motion: self.settings.motion,
            dt: dt as f32,
        };
        if self.walls.solids.is_some() {
            // Where they come from, for solids
            for (from, position) in self.spare.position.iter_mut().zip(&self.particles.position) {
                from.clone_from(position);
            }
        }
        follow::follow(&mut self.particles, &flow);
    }
}
