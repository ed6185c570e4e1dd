//! One step, as `advance_one_step` of [li2007] has it: it begins where that one has moved its particles.

use undine_grid::{Field, MacVelocity, neighbour, par};
use undine_sim::{Phases, StepError, World};

use super::density::Crowd;
use super::follow::{self, Flow};
use super::pour::Scenery;
use super::simulation::Liquid;
use crate::free_surface::cell_map::{CellMap, cell_at};
use crate::free_surface::extrapolation::{KNOWN, UNKNOWN};
use crate::free_surface::projection::Around;
use crate::free_surface::solid_boundary::Walls;

/// Share of what is too dense or too thin that a step evens out.
const RELIEF: f64 = 0.7;
/// Seconds in which bulk that is a little too dense or too thin evens out.
const BULK_TIME: f64 = 1.0;
/// The excess of bulk that evens out twice as fast, as a share.
const BULK_EXCESS: f32 = 0.01;
/// The most layers of faces beyond the liquid that have a velocity, but one.
const MOST_LAYERS: usize = 8;
/// The share of faces that may be faster than the pace.
const OUTLIERS: f64 = 2e-3;
/// Faces beyond the liquid that spread particles too.
const SPREAD_LAYERS: u8 = 2;
/// Cells beyond which the velocity inside solids is of no use.
const INTO_SOLIDS: f32 = 2.0;

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
        let gain = phases.time("volume", || self.control_volume(dt));
        phases.time("pressure", || self.make_incompressible(dt))?;
        phases.time("spread", || self.spread_particles(gain, dt))?;
        self.measure()?;
        phases.time("extend", || self.extend_velocity(dt));
        phases.time("follow", || self.update_and_move(dt));
        phases.time("solids", || {
            if self.walls.advance(world.time, end) {
                self.density.refresh(&self.walls);
            }
            follow::keep_out_of_solids(&mut self.particles, &self.spare.position, &self.walls);
        });
        (self.began, self.time) = (world.time, end);
        phases.time("bulk", || {
            let reach = self.crossed(dt).min(64) + 1;
            self.bulk.carry(self.motion.components(), &self.walls, dt as f32, reach);
        });
        phases.time("sources", || {
            self.pour_by_hand(dt);
            let scenery = Scenery { grid: &self.grid, walls: &self.walls, time: end, dt };
            self.sources.act(&mut self.particles, &mut self.ledger, &scenery);
        });
        phases.time("sort", || self.settle());
        phases.time("bulk", || {
            let flow = [self.velocity.components(), self.motion.components()];
            self.bulk.carry_velocity(flow, self.before.components_mut(), dt as f32);
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
        self.fill_gaps();
    }

    /// Faces of the liquid that no particle reaches, as beside walls and in thin places, take the mean of those around.
    fn fill_gaps(&mut self) {
        let (before, distance, cells) = (&self.before, &self.distance, self.walls.cells);
        for axis in 0..D {
            let (weight, before) = (&self.weight[axis], &before[axis]);
            par::rows(&mut self.velocity[axis], |at, row| {
                if axis > 0 && is_at_side(axis, at, cells) {
                    return;
                }
                let weights = weight.row(at);
                let (shift, high) = (usize::from(axis == 0), distance.row(at));
                let low = if axis == 0 { high } else { distance.row(neighbour(at, axis, -1)) };
                for x in shift..cells[0] {
                    if weights[x] != 0.0 || high[x].min(low[x - shift]) >= 0.0 {
                        continue;
                    }
                    let face = neighbour(at, 0, x as isize);
                    let (mut sum, mut count) = (0.0, 0.0);
                    for side in 0..2 * D {
                        let beside = neighbour(face, side / 2, 2 * (side as isize % 2) - 1);
                        if weight.get(beside).is_some_and(|weight| weight > 0.0) {
                            sum += before.at(beside);
                            count += 1.0;
                        }
                    }
                    row[x] = sum / f32::max(count, 1.0);
                }
            });
        }
    }

    /// Faces around the bulk have the velocity that was carried along there.
    fn take_carried(&mut self) {
        let bulk = &self.bulk;
        for axis in 0..D {
            let carried = &self.before[axis];
            par::rows_each([&mut self.velocity[axis], &mut self.weight[axis]], |at, [velocity, weight]| {
                let is_beside = bulk.beside(axis, at);
                for (x, carried) in carried.row(at).iter().enumerate() {
                    if is_beside(x) {
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
        par::rows(&mut self.velocity[D - 1], |_, row| row.iter_mut().for_each(|velocity| *velocity += pull));
    }

    /// Asks the controller what volume is to be won, as a divergence per second.
    fn control_volume(&mut self, dt: f64) -> f32 {
        let held = self.ledger.volume(self.particles.len()).held;
        self.control.gain(self.seen_volume(), held, dt)
    }

    fn make_incompressible(&mut self, dt: f64) -> Result<(), StepError> {
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
        };
        self.pressure.project(self.velocity.components_mut(), &around, dt)
    }

    /// Finds the motion that spreads particles where they crowd, and wins or loses volume.
    fn spread_particles(&mut self, gain: f32, dt: f64) -> Result<(), StepError> {
        let of_bulk = self.bulk.excess(self.ledger.in_bulk(), &self.density);
        let crowd = Crowd {
            density: &self.density,
            weight: self.weight.components(),
            distance: &self.distance,
            beside_bulk: self.bulk.surroundings(),
            of_bulk: of_bulk * (1.0 + of_bulk.abs() / BULK_EXCESS) * (dt / (BULK_TIME * RELIEF)) as f32,
        };
        let around = Around {
            walls: &self.walls,
            distance: &self.distance,
            open_sides: self.settings.open_sides,
            side_speeds: [[0.0; 2]; D],
            side_levels: [[0.0; 2]; D],
            surface: None,
        };
        let relief = (RELIEF / dt) as f32;
        let divergence = |cell| gain + relief * crowd.excess(cell);
        self.pressure.spread(self.motion.components_mut(), &around, divergence)
    }

    /// Gives faces a velocity that have none: those in the air, and those in solids. Particles that fly alone, with no
    /// liquid around, keep theirs.
    fn extend_velocity(&mut self, dt: f64) {
        let unknown = self.pressure.unknown();
        self.near_liquid.set_rows(|at, row| row.copy_from_slice(unknown.row(at.map(|along| along as isize))));
        self.near_liquid.spread(1);
        let known = Known { unknown, walls: &self.walls, weight: &self.weight, near: &self.near_liquid };
        // As far as most liquid goes in a step; farther, the velocity of one side of a wall would come out on the other
        let most = (self.settings.courant.ceil() as usize).clamp(1, MOST_LAYERS);
        let layers =
            if self.walls.solids.is_some() { most } else { self.crossed(dt).clamp(most, MOST_LAYERS) };
        let (velocity, motion) = (self.velocity.components_mut(), self.motion.components_mut());
        let [extension, spreading] = &mut self.extensions;
        par::join(
            || extension.extend(velocity, layers as u8 + 1, |axis, at, row| known.mark(axis, at, row)),
            || spreading.extend(motion, SPREAD_LAYERS, |axis, at, row| known.mark(axis, at, row)),
        );
        self.let_slide_on_solids();
        self.velocity.fill_ghosts();
        let scale = self.settings.motion.share_of_later_stages();
        for axis in 0..D {
            let velocity = &self.velocity[axis];
            par::rows(&mut self.motion[axis], |at, row| {
                for (motion, velocity) in row.iter_mut().zip(velocity.row(at)) {
                    *motion = velocity + *motion / scale;
                }
            });
        }
        self.motion.fill_ghosts();
    }

    /// In solids, the velocity across their surface becomes that of the solid, so that no particle is drawn into them.
    fn let_slide_on_solids(&mut self) {
        let Some(standing) = &self.walls.solids else { return };
        let (walls, velocity) = (&self.walls, &self.velocity);
        for axis in 0..D {
            // The weights are not needed any more
            par::rows(&mut self.weight[axis], |at, row| {
                for (x, slid) in row.iter_mut().enumerate() {
                    let face = neighbour(at, 0, x as isize);
                    *slid = velocity[axis].at(face);
                    if standing.open[axis].at(face) > 0.0 || is_at_side(axis, face, walls.cells) {
                        continue;
                    }
                    let mut point = face.map(|along| along as f32 + 0.5);
                    point[axis] -= 0.5;
                    let depth = walls.distance(point);
                    if !(-INTO_SOLIDS..0.0).contains(&depth) {
                        continue;
                    }
                    let Some(away) = walls.away(point) else { continue };
                    let across: f32 = (0..D)
                        .map(|other| {
                            let solid = standing.solids.velocity(other, face) as f32;
                            away[other] * (velocity_beside(velocity, axis, face, other) - solid)
                        })
                        .sum();
                    *slid -= across * away[axis];
                }
            });
        }
        for axis in 0..D {
            let slid = &self.weight[axis];
            par::rows(&mut self.velocity[axis], |at, row| row.copy_from_slice(slid.row(at)));
        }
    }

    /// Finds the greatest velocity in the liquid, and the pace; refuses what is no number.
    fn measure(&mut self) -> Result<(), StepError> {
        let is_sound = |component| par::max(component, |u: f32| f64::from(u.abs())).is_finite();
        if !self.velocity.components().iter().all(is_sound) {
            return Err(self.non_finite_velocity());
        }
        let fastest = self.over_liquid(0.0, |u, most| most.max(u.abs()), f32::max);
        // Where few faces are faster than half the greatest velocity, or √½ of it, these may go farther in a step
        let paces = [0.5, std::f32::consts::FRAC_1_SQRT_2].map(|share| share * fastest);
        let above = |u: f32, count: [u32; 3]| {
            let is_above = |pace: f32| u32::from(u.abs() > pace);
            [count[0] + 1, count[1] + is_above(paces[0]), count[2] + is_above(paces[1])]
        };
        let add = |a: [u32; 3], b: [u32; 3]| std::array::from_fn(|one| a[one] + b[one]);
        let [all, slower, faster] = self.over_liquid([0; 3], above, add).map(f64::from);
        self.fastest = f64::from(fastest);
        self.pace = f64::from(match OUTLIERS * all {
            // Longer ways beside solids crowd particles there
            _ if self.walls.solids.is_some() => fastest,
            most if slower <= most => paces[0],
            most if faster <= most => paces[1],
            _ => fastest,
        });
        Ok(())
    }

    /// Goes through the velocities of all open faces beside liquid; those between two cells of it come twice.
    fn over_liquid<A: Copy + Send + Sync>(
        &self,
        start: A,
        see: impl Fn(f32, A) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> A {
        let (unknown, cells) = (self.pressure.unknown(), self.walls.cells);
        let see_row = |seen: A, row: usize| {
            let cell = cell_at(row * cells[0], cells).map(|along| along as isize);
            let is_liquid = unknown.row(cell);
            let mut seen = seen;
            for axis in 0..D {
                for at in [cell, neighbour(cell, axis, 1)] {
                    let faces = self.velocity[axis].run(at, is_liquid.len());
                    let is_open = |x: usize| self.walls.open(axis, neighbour(at, 0, x as isize)) > 0.0;
                    for x in (0..is_liquid.len()).filter(|&x| is_liquid[x] != 0 && is_open(x)) {
                        seen = see(faces[x], seen);
                    }
                }
            }
            seen
        };
        let rows = cells[1..].iter().product();
        par::fold(rows, 16, |range| range.fold(start, see_row), join).unwrap_or(start)
    }

    /// Cells that the fastest liquid crosses in a step, rounded up.
    fn crossed(&self, dt: f64) -> usize {
        (self.fastest * dt / self.cell()).ceil() as usize
    }

    /// The first face whose velocity is not finite; without one, only the reduction over them is not.
    fn non_finite_velocity(&self) -> StepError {
        let is_bad = |u: f32| !u.is_finite();
        let bad = self.velocity.components().iter().find_map(|one| one.iter().find(|(_, u)| is_bad(*u)));
        match bad {
            Some((at, _)) => StepError::NotFinite {
                field: "velocity",
                cell: std::array::from_fn(|axis| at.get(axis).copied().unwrap_or(0)),
            },
            None => StepError::Failed(
                "the maximum of the velocity is not finite, although the velocity of every face is"
                    .to_owned(),
            ),
        }
    }

    fn update_and_move(&mut self, dt: f64) {
        let flow = Flow {
            velocity: self.velocity.components(),
            motion: self.motion.components(),
            near_liquid: &self.near_liquid,
            before: self.before.components(),
            walls: &self.walls,
            open_sides: self.settings.open_sides,
            kind: self.settings.kind,
            scheme: self.settings.motion,
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

/// Whether a face across an axis lies on a side of the box.
fn is_at_side<const D: usize>(axis: usize, face: [isize; D], cells: [usize; D]) -> bool {
    face[axis] == 0 || face[axis] as usize == cells[axis]
}

/// A component of the velocity at a face across `axis`: its own, or the mean of the four faces around.
fn velocity_beside<const D: usize>(
    velocity: &MacVelocity<f32, D>,
    axis: usize,
    face: [isize; D],
    component: usize,
) -> f32 {
    let field = &velocity[component];
    if component == axis {
        return field.at(face);
    }
    let below = neighbour(face, axis, -1);
    let pair = |at: [isize; D]| field.at(at) + field.at(neighbour(at, component, 1));
    0.25 * (pair(face) + pair(below))
}

/// What knows which faces have a velocity of their own.
struct Known<'a, const D: usize> {
    /// One in cells of liquid.
    unknown: &'a Field<u8, D>,
    walls: &'a Walls<D>,
    weight: &'a MacVelocity<f32, D>,
    /// Cells with liquid around.
    near: &'a CellMap<D>,
}

impl<const D: usize> Known<'_, D> {
    fn mark(&self, axis: usize, at: [isize; D], known: &mut [u8]) {
        let cells = self.walls.cells;
        if axis > 0 && is_at_side(axis, at, cells) {
            known.fill(KNOWN);
            return;
        }
        let below = if axis == 0 { at } else { neighbour(at, axis, -1) };
        let [liquid, liquid_below] = [at, below].map(|at| self.unknown.row(at));
        let [near, near_below] = [at, below].map(|at| self.near.row(at.map(|along| along as usize)));
        let weights = self.weight[axis].row(at);
        let shift = usize::from(axis == 0);
        for (x, known) in known.iter_mut().enumerate() {
            if axis == 0 && (x == 0 || x == cells[0]) {
                *known = KNOWN;
                continue;
            }
            let is_liquid = liquid[x] | liquid_below[x - shift] != 0;
            let is_alone = weights[x] > LEAST_WEIGHT && near[x] | near_below[x - shift] == 0;
            let is_open = || self.walls.open(axis, neighbour(at, 0, x as isize)) > 0.0;
            *known = if (is_liquid || is_alone) && is_open() { KNOWN } else { UNKNOWN };
        }
    }
}
