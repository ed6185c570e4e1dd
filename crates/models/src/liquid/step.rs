//! One step of a liquid: `advance_one_step` of [li2007], starting after the particles have moved.
//!
//! With u* from particles: u ← u* + Δt g; viscosity, implicit; projection to ∇·u = 0; advection of particles by u and
//! the density correction; sources; sorting; the new surface. Each module states its equations.

use undine_grid::{Field, MacVelocity, neighbour, par};
use undine_sim::{Phases, StepError, World};

use super::capacity::SideFlow;
use super::density_correction::DensityCorrection;
use super::grid_to_particles::{self, GridFlow};
use super::inflow_outflow::{InflowStore, ProjectedFlow, SourceContext};
use super::simulation::LiquidSimulation;
use crate::free_surface::cell_map::{CellMap, cell_of_index};
use crate::free_surface::extrapolation::{KNOWN, UNKNOWN};
use crate::free_surface::projection::BoundaryConditions;
use crate::free_surface::solid_boundary::SolidBoundary;

/// The fraction of the relative excess density that a step corrects.
const CORRECTION_FRACTION: f64 = 0.7;
/// The time constant of the interior's density correction, in seconds.
const INTERIOR_RELAXATION_TIME: f64 = 1.0;
/// The relative excess of the interior that is corrected twice as fast.
const INTERIOR_EXCESS_SCALE: f32 = 0.01;
/// The greatest number of layers that the velocity is extrapolated by, less one.
const MAX_LAYERS: usize = 8;
/// The fraction of faces that may be faster than the speed of the Courant number.
const OUTLIER_FRACTION: f64 = 2e-3;
/// Layers that the density correction is extrapolated by.
const CORRECTION_LAYERS: u8 = 2;
/// Depth in solids, in cells, to which the velocity is made free-slip.
const SOLID_DEPTH: f32 = 2.0;

/// The least Σ w by which a face in the air has a velocity of its own.
const MIN_WEIGHT: f32 = 1e-4;

impl<const D: usize> LiquidSimulation<D> {
    /// Advances by `dt`.
    pub fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Phases, StepError> {
        // Velocities on the grid
        let mut phases = Phases::default();
        let end = world.time + dt;
        phases.time("transfer", || self.particles_to_grid());
        // Forces
        phases.time("forces", || self.add_gravity(dt));
        phases.time("viscosity", || self.add_viscosity(dt))?;
        // Incompressibility, and the correction of density and volume
        let expansion = phases.time("volume", || self.control_volume(dt));
        phases.time("pressure", || self.project_pressure(dt))?;
        phases.time("spread", || self.correct_density(expansion, dt))?;
        self.measure_speeds()?;
        // Velocities and positions of particles
        phases.time("extend", || self.extrapolate_velocity(dt));
        phases.time("follow", || self.grid_to_particles(dt));
        phases.time("solids", || -> Result<(), StepError> {
            if self.boundary.advance(world.time, end)? {
                self.rest_density.update(&self.boundary);
                self.capacity.invalidate();
            }
            grid_to_particles::collide_with_solids(
                &mut self.particles,
                &self.scratch.position,
                &self.boundary,
            );
            Ok(())
        })?;
        // The interior of the narrow band, sources, order and surface
        (self.step_start, self.time) = (world.time, end);
        phases.time("bulk", || {
            let reach = self.cells_crossed(dt).min(64) + 1;
            self.interior.advect(self.transport.components(), &self.boundary, dt as f32, reach);
        });
        phases.time("sources", || {
            self.measure_room();
            self.apply_live_sources(dt);
            let (grid, boundary, step_start) = (&self.grid, &self.boundary, world.time);
            let context = SourceContext { grid, boundary, step_start, time: end, dt };
            let flow = ProjectedFlow {
                velocity: &self.velocity,
                is_liquid: self.pressure.unknown(),
                sides: &self.side_flow,
            };
            let store = InflowStore {
                particles: &mut self.particles,
                ledger: &mut self.ledger,
                capacity: &mut self.capacity,
            };
            self.inflow_outflow.apply(store, &context, &flow)
        })?;
        phases.time("sort", || self.sort_particles());
        phases.time("bulk", || {
            let flow = [self.velocity.components(), self.transport.components()];
            self.interior.advect_velocity(flow, self.old_velocity.components_mut(), dt as f32);
        });
        phases.time("surface", || self.update_surface());
        Ok(phases)
    }

    /// Transfers the velocities of particles, and of the interior, to the grid, and keeps a copy for FLIP.
    fn particles_to_grid(&mut self) {
        let (velocity, weight) = (self.velocity.components_mut(), self.weight.components_mut());
        self.transfer.transfer(&self.particles, &self.tiles, velocity, weight);
        if self.interior.is_enabled() {
            self.use_advected_interior();
        }
        for axis in 0..D {
            let saved = &self.velocity[axis];
            par::rows(&mut self.old_velocity[axis], |at, row| row.copy_from_slice(saved.row(at)));
        }
        self.old_velocity.fill_ghosts();
        self.fill_gaps();
    }

    /// Faces of the liquid that no particle reaches, as beside walls and in sparse cells, take the mean of their
    /// neighbours.
    fn fill_gaps(&mut self) {
        let (old_velocity, distance, cells) = (&self.old_velocity, &self.distance, self.boundary.cells);
        for axis in 0..D {
            let (weight, old_velocity) = (&self.weight[axis], &old_velocity[axis]);
            par::rows(&mut self.velocity[axis], |at, row| {
                if axis > 0 && is_on_side(axis, at, cells) {
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
                        let adjacent = neighbour(face, side / 2, 2 * (side as isize % 2) - 1);
                        if weight.get(adjacent).is_some_and(|weight| weight > 0.0) {
                            sum += old_velocity.at(adjacent);
                            count += 1.0;
                        }
                    }
                    row[x] = sum / f32::max(count, 1.0);
                }
            });
        }
    }

    /// Faces of interior cells take the velocity that was advected on the grid.
    fn use_advected_interior(&mut self) {
        let interior = &self.interior;
        for axis in 0..D {
            let advected = &self.old_velocity[axis];
            par::rows_each([&mut self.velocity[axis], &mut self.weight[axis]], |at, [velocity, weight]| {
                let is_beside = interior.faces_beside(axis, at);
                for (x, advected) in advected.row(at).iter().enumerate() {
                    if is_beside(x) {
                        (velocity[x], weight[x]) = (*advected, 1.0);
                    }
                }
            });
        }
    }

    fn add_viscosity(&mut self, dt: f64) -> Result<(), StepError> {
        let Some(viscosity) = &mut self.viscosity else { return Ok(()) };
        viscosity.apply(self.velocity.components_mut(), &self.distance, &self.boundary, dt)
    }

    /// u −= Δt g along the last axis.
    fn add_gravity(&mut self, dt: f64) {
        let dv = (-self.settings.gravity * dt) as f32;
        par::rows(&mut self.velocity[D - 1], |_, row| row.iter_mut().for_each(|velocity| *velocity += dv));
    }

    /// The divergence, per second, by which the volume is corrected.
    fn control_volume(&mut self, dt: f64) -> f32 {
        let held = self.ledger.volume(self.particles.len()).held;
        self.volume_control.divergence(self.enclosed_volume(), held, dt)
    }

    /// Whether liquid may come in, from a side, an emitter or a disturbance.
    fn has_inflow(&self) -> bool {
        self.inflow_outflow.has_inflow() || self.live_sources.are_active()
    }

    /// Measures how much liquid each compartment can still take, where liquid may come in.
    fn measure_room(&mut self) {
        if self.has_inflow() {
            self.measure_capacity();
        }
    }

    /// Measures how much liquid each compartment can still take in a step.
    pub fn measure_capacity(&mut self) {
        self.capacity.update(&self.boundary, &self.rest_density, self.settings.open_sides);
        self.capacity.measure(&self.particles, &self.ledger, &self.interior, &self.rest_density);
        self.capacity.admit_step(self.ledger.particle_volume());
    }

    /// Projects the velocity to ∇·u = 0. Where the liquid is sealed, prescribed inflow is balanced before.
    fn project_pressure(&mut self, dt: f64) -> Result<(), StepError> {
        if let Some(tension) = &mut self.surface_tension {
            tension.compute_jump(&self.distance, self.settings.density, dt);
        }
        let (velocities, levels) =
            self.inflow_outflow.side_velocities(&self.grid, self.time, self.time + dt)?;
        self.side_flow = SideFlow::new(&self.inflow_outflow.sides, velocities, levels);
        let has_inflow = self.has_inflow();
        if has_inflow {
            self.measure_room();
            self.capacity.balance(&self.side_flow, &self.boundary, &self.distance, dt);
        }
        let (capacity, flow) = (&self.capacity, &self.side_flow);
        let scale = |axis: usize, high: usize, cell: [usize; D]| match flow.is_inflow(axis, high) {
            true => capacity.scale(cell),
            false => 1.0,
        };
        let conditions = BoundaryConditions {
            boundary: &self.boundary,
            distance: &self.distance,
            open_sides: self.settings.open_sides,
            side_velocities: flow.velocities,
            side_levels: flow.levels,
            side_scale: if has_inflow { Some(&scale) } else { None },
            surface: self.surface_tension.as_ref().map(|tension| &tension.jump),
        };
        self.pressure.project(self.velocity.components_mut(), &conditions, dt)
    }

    /// Solves for the potential flow that corrects density and volume, into `transport`.
    fn correct_density(&mut self, expansion: f32, dt: f64) -> Result<(), StepError> {
        let interior_excess = self.interior.excess(self.ledger.in_interior(), &self.rest_density);
        let correction = DensityCorrection {
            density: &self.rest_density,
            weight: self.weight.components(),
            distance: &self.distance,
            near_interior: self.interior.dilated(),
            interior_excess: interior_excess
                * (1.0 + interior_excess.abs() / INTERIOR_EXCESS_SCALE)
                * (dt / (INTERIOR_RELAXATION_TIME * CORRECTION_FRACTION)) as f32,
        };
        let conditions = BoundaryConditions {
            boundary: &self.boundary,
            distance: &self.distance,
            open_sides: self.settings.open_sides,
            side_velocities: [[0.0; 2]; D],
            side_levels: [[0.0; 2]; D],
            side_scale: None,
            surface: None,
        };
        let rate = (CORRECTION_FRACTION / dt) as f32;
        let divergence = |cell| expansion + rate * correction.excess(cell);
        self.pressure.prescribe_divergence(self.transport.components_mut(), &conditions, divergence)
    }

    /// Extrapolates the velocity and the density correction into air and solids, and adds them up in `transport`.
    /// Faces of isolated particles, with no liquid around, keep their velocity.
    fn extrapolate_velocity(&mut self, dt: f64) {
        let unknown = self.pressure.unknown();
        self.near_liquid.set_rows(|at, row| row.copy_from_slice(unknown.row(at.map(|i| i as isize))));
        self.near_liquid.dilate(1);
        let known =
            KnownFaces { unknown, boundary: &self.boundary, weight: &self.weight, near: &self.near_liquid };
        // As far as liquid moves in a step; with solids no farther than `courant`, or the velocity on one side of a
        // thin wall would be extrapolated to the other
        let min_layers = (self.settings.courant.ceil() as usize).clamp(1, MAX_LAYERS);
        let layers = if self.boundary.solids.is_some() {
            min_layers
        } else {
            self.cells_crossed(dt).clamp(min_layers, MAX_LAYERS)
        };
        let (velocity, correction) = (self.velocity.components_mut(), self.transport.components_mut());
        let [of_velocity, of_correction] = &mut self.extrapolations;
        par::join(
            || of_velocity.extrapolate(velocity, layers as u8 + 1, |axis, at, row| known.mark(axis, at, row)),
            || {
                of_correction
                    .extrapolate(correction, CORRECTION_LAYERS, |axis, at, row| known.mark(axis, at, row))
            },
        );
        self.apply_free_slip_in_solids();
        self.velocity.fill_ghosts();
        let scale = self.settings.integrator.weight_of_later_stages();
        for axis in 0..D {
            let velocity = &self.velocity[axis];
            par::rows(&mut self.transport[axis], |at, row| {
                for (transport, velocity) in row.iter_mut().zip(velocity.row(at)) {
                    *transport = velocity + *transport / scale;
                }
            });
        }
        self.transport.fill_ghosts();
    }

    /// Free slip: in solids the normal velocity becomes that of the solid, u −= ((u − u_solid)·n) n.
    fn apply_free_slip_in_solids(&mut self) {
        let Some(geometry) = &self.boundary.solids else { return };
        let (boundary, velocity) = (&self.boundary, &self.velocity);
        for axis in 0..D {
            // The weights are not used any more and serve as scratch
            par::rows(&mut self.weight[axis], |at, row| {
                for (x, corrected) in row.iter_mut().enumerate() {
                    let face = neighbour(at, 0, x as isize);
                    *corrected = velocity[axis].at(face);
                    if geometry.face_fractions[axis].at(face) > 0.0 || is_on_side(axis, face, boundary.cells)
                    {
                        continue;
                    }
                    let mut point = face.map(|i| i as f32 + 0.5);
                    point[axis] -= 0.5;
                    let depth = boundary.distance(point);
                    if !(-SOLID_DEPTH..0.0).contains(&depth) {
                        continue;
                    }
                    let Some(normal) = boundary.normal(point) else { continue };
                    let across: f32 = (0..D)
                        .map(|other| {
                            let solid = geometry.solids.velocity(other, face) as f32;
                            normal[other] * (component_at_face(velocity, axis, face, other) - solid)
                        })
                        .sum();
                    *corrected -= across * normal[axis];
                }
            });
        }
        for axis in 0..D {
            let corrected = &self.weight[axis];
            par::rows(&mut self.velocity[axis], |at, row| row.copy_from_slice(corrected.row(at)));
        }
    }

    /// Finds the greatest velocity component and the speed of the Courant number; an error where one is not finite.
    fn measure_speeds(&mut self) -> Result<(), StepError> {
        let is_finite = |component| par::max(component, |u: f32| f64::from(u.abs())).is_finite();
        if !self.velocity.components().iter().all(is_finite) {
            return Err(self.non_finite_velocity());
        }
        let max_speed = self.fold_liquid_faces(0.0, |u, max| max.max(u.abs()), f32::max);
        // Where few faces are faster than ½ or √½ of the greatest velocity, those may cross more cells than `courant`
        let thresholds = [0.5, std::f32::consts::FRAC_1_SQRT_2].map(|fraction| fraction * max_speed);
        let above = |u: f32, count: [u32; 3]| {
            let is_above = |threshold: f32| u32::from(u.abs() > threshold);
            [count[0] + 1, count[1] + is_above(thresholds[0]), count[2] + is_above(thresholds[1])]
        };
        let add = |a: [u32; 3], b: [u32; 3]| std::array::from_fn(|i| a[i] + b[i]);
        let [all, above_half, above_root_half] = self.fold_liquid_faces([0; 3], above, add).map(f64::from);
        self.max_speed = f64::from(max_speed);
        self.courant_speed = f64::from(match OUTLIER_FRACTION * all {
            // Longer displacements beside solids accumulate particles there
            _ if self.boundary.solids.is_some() => max_speed,
            limit if above_half <= limit => thresholds[0],
            limit if above_root_half <= limit => thresholds[1],
            _ => max_speed,
        });
        Ok(())
    }

    /// Folds the velocities of all open faces of liquid cells; those between two such cells count twice.
    fn fold_liquid_faces<A: Copy + Send + Sync>(
        &self,
        start: A,
        fold: impl Fn(f32, A) -> A + Sync,
        join: impl Fn(A, A) -> A + Sync,
    ) -> A {
        let (unknown, cells) = (self.pressure.unknown(), self.boundary.cells);
        let fold_row = |folded: A, row: usize| {
            let cell = cell_of_index(row * cells[0], cells).map(|i| i as isize);
            let is_liquid = unknown.row(cell);
            let mut folded = folded;
            for axis in 0..D {
                for at in [cell, neighbour(cell, axis, 1)] {
                    let faces = self.velocity[axis].run(at, is_liquid.len());
                    let is_open =
                        |x: usize| self.boundary.face_fraction(axis, neighbour(at, 0, x as isize)) > 0.0;
                    for x in (0..is_liquid.len()).filter(|&x| is_liquid[x] != 0 && is_open(x)) {
                        folded = fold(faces[x], folded);
                    }
                }
            }
            folded
        };
        let rows = cells[1..].iter().product();
        par::fold(rows, 16, |range| range.fold(start, fold_row), join).unwrap_or(start)
    }

    /// Cells that the fastest liquid crosses in a step, rounded up.
    fn cells_crossed(&self, dt: f64) -> usize {
        (self.max_speed * dt / self.cell()).ceil() as usize
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

    /// Transfers the velocity back to particles and advects them.
    fn grid_to_particles(&mut self, dt: f64) {
        let flow = GridFlow {
            velocity: self.velocity.components(),
            transport: self.transport.components(),
            near_liquid: &self.near_liquid,
            old_velocity: self.old_velocity.components(),
            boundary: &self.boundary,
            open_sides: self.settings.open_sides,
            transfer: self.settings.transfer,
            integrator: self.settings.integrator,
            dt: dt as f32,
        };
        if self.boundary.solids.is_some() {
            // The old positions, for collisions with solids
            for (from, position) in self.scratch.position.iter_mut().zip(&self.particles.position) {
                from.clone_from(position);
            }
        }
        grid_to_particles::transfer_and_advect(&mut self.particles, &flow);
    }
}

/// Whether a face across an axis lies on a side of the box.
fn is_on_side<const D: usize>(axis: usize, face: [isize; D], cells: [usize; D]) -> bool {
    face[axis] == 0 || face[axis] as usize == cells[axis]
}

/// A component of the velocity at a face across `axis`: its own, or the mean of the four faces around.
fn component_at_face<const D: usize>(
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

/// Which faces have a velocity of their own.
struct KnownFaces<'a, const D: usize> {
    /// One in cells of liquid.
    unknown: &'a Field<u8, D>,
    boundary: &'a SolidBoundary<D>,
    weight: &'a MacVelocity<f32, D>,
    /// Cells of liquid and their neighbours.
    near: &'a CellMap<D>,
}

impl<const D: usize> KnownFaces<'_, D> {
    fn mark(&self, axis: usize, at: [isize; D], known: &mut [u8]) {
        let cells = self.boundary.cells;
        if axis > 0 && is_on_side(axis, at, cells) {
            known.fill(KNOWN);
            return;
        }
        let below = if axis == 0 { at } else { neighbour(at, axis, -1) };
        let [liquid, liquid_below] = [at, below].map(|at| self.unknown.row(at));
        let [near, near_below] = [at, below].map(|at| self.near.row(at.map(|i| i as usize)));
        let weights = self.weight[axis].row(at);
        let shift = usize::from(axis == 0);
        for (x, known) in known.iter_mut().enumerate() {
            if axis == 0 && (x == 0 || x == cells[0]) {
                *known = KNOWN;
                continue;
            }
            let is_liquid = liquid[x] | liquid_below[x - shift] != 0;
            let is_isolated = weights[x] > MIN_WEIGHT && near[x] | near_below[x - shift] == 0;
            let is_open = || self.boundary.face_fraction(axis, neighbour(at, 0, x as isize)) > 0.0;
            *known = if (is_liquid || is_isolated) && is_open() { KNOWN } else { UNKNOWN };
        }
    }
}
