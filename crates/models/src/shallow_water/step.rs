//! One time step of the scheme.
//!
//! With U = (h, q_x, q_y), q = h u, the bed z and W = (h, η, u, v), η = h + z, the semi-discrete finite-volume scheme is
//!
//! ```text
//! dU/dt = L(U) = −(F_{i+½} − F_{i−½})/Δx − (G_{j+½} − G_{j−½})/Δy + S_bed + S_friction
//!
//! reconstruct      W_{i±½} = W_i ± ½ σ_i, σ by the MC limiter                       `reconstruct`, MUSCL
//! solve_riemann    z* = min(max(z_L, z_R), min(η_L, η_R)), h*_K = min(η_K − z*, h_K)  `riemann`, [audusse2004, chen2017]
//!                  F = HLLC(h*_L, u_L, v_L; h*_R, u_R, v_R)                          `riemann`, [toro2001]
//! bed slope        −g h σ_η in the cell, ½ g (h + h*)(z* − z) at its faces           `reconstruct`, `riemann`
//! limit            F ← r F, r = min(1, h_up Δx/(dt Σ outgoing F))                    `update`, keeps h ≥ 0
//! update           U ← U + dt L(U), friction semi-implicit                          `update`, `friction`
//! ```
//!
//! and time is advanced by the strong-stability-preserving Runge–Kutta method of second order (Heun) [gottlieb2001],
//!
//! ```text
//! U¹ = Uⁿ + dt L(Uⁿ)        Uⁿ⁺¹ = ½ (Uⁿ + U¹ + dt L(U¹))
//! ```
//!
//! Sources, sponges and infiltration follow by operator splitting. Within a stage the kernels run fused, row by row
//! (`row_block`).

use std::ops::Range;

use undine_grid::{Field, fill_ghosts};
use undine_sim::{Phases, Step, StepError, World};

use super::friction::Friction;
use super::row_block::StageInput;
use super::stage;
use super::update::StageParameters;
use super::water::{ConservedState, FILM, ShallowWater, per_metre};
use crate::heightfield::{HeightFieldSources, Receiver, StepInterval};

/// The stability bound of dt ((|u| + c)/Δx + (|v| + c)/Δy); `cfl` stays below it.
const MAX_COURANT: f64 = 1.0;

impl ShallowWater {
    /// Advances Uⁿ to Uⁿ⁺¹, or returns a retry with a shorter step and leaves Uⁿ unchanged.
    pub(super) fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Step, StepError> {
        if dt * self.rate > MAX_COURANT * (1.0 + 1e-9) {
            return Ok(Step::Retry { dt: self.longest_step(self.rate) });
        }
        let mut phases = Phases::default();
        phases.time("sides", || self.sides.sample_driver(world.driver, &self.bed));

        // U¹ = Uⁿ + dt L(Uⁿ), stored beside Uⁿ; its speeds may ask for a shorter step
        let step = world.time..world.time + dt;
        phases.time("first stage", || self.run_stage(dt, &step, false))?;
        let totals = self.totals();
        if !totals.check.is_finite() || dt * totals.rate > MAX_COURANT {
            return Ok(Step::Retry { dt: self.longest_step(totals.rate).min(0.5 * dt) });
        }
        self.sides.record_fluxes(&self.stage_totals.boundary_flux, 0.5 * dt);

        // Uⁿ⁺¹ = ½ (Uⁿ + U¹ + dt L(U¹))
        phases.time("second stage", || self.run_stage(dt, &step, true))?;
        self.sides.record_fluxes(&self.stage_totals.boundary_flux, 0.5 * dt);
        self.sides.swap_time_levels();
        self.store_totals(self.totals());

        // Split terms
        phases.time("sources", || -> Result<(), StepError> {
            let has_changed = [self.add_sources(dt, world)?, self.relax_in_sponge(dt), self.infiltrate(dt)];
            if has_changed.contains(&true) {
                self.measure();
            }
            Ok(())
        })?;
        phases.time("wetness", || self.update_wetness(dt));
        self.check_finite()?;
        Ok(Step::Done(phases))
    }

    /// A stage: U + dt L(U) with the exterior states of this time step. The first reads Uⁿ and writes U¹; the second reads U¹ and
    /// averages with Uⁿ in place.
    fn run_stage(&mut self, dt: f64, step: &Range<f64>, is_second: bool) -> Result<(), StepError> {
        let (from, into) = match is_second {
            false => (&mut self.now, &mut self.next),
            true => (&mut self.next, &mut self.now),
        };
        from.iter_mut().for_each(fill_ghosts);
        let waves = self.sources.as_ref().map_or(&[][..], HeightFieldSources::waves);
        self.sides.set_exterior_states(step, is_second, &from[0], &self.bed, waves)?;
        let stage = StageParameters {
            dt,
            is_second,
            gravity: self.settings.gravity,
            friction: Friction::of(&self.settings),
            dry: self.settings.dry,
            per_metre: per_metre(&self.grid),
        };
        let [depth, flow_x, flow_y] = &*from;
        let state = [depth, flow_x, flow_y];
        let exterior = self.sides.exterior_states();
        let input = StageInput { stage, grid: self.grid, state, bed: &self.bed, exterior };
        // reconstruct; solve_riemann; limit; update: row by row
        stage::compute(&input, into, &mut self.stage_totals);
        Ok(())
    }

    /// ∂h/∂t = s: springs, drains, rain and disturbances. Returns whether the state has changed.
    fn add_sources(&mut self, dt: f64, world: &World<'_>) -> Result<bool, StepError> {
        let Some(sources) = self.sources.as_mut().filter(|sources| !sources.is_idle()) else {
            return Ok(false);
        };
        let interval = StepInterval { time: world.time, dt, seed: world.seed };
        sources.apply(interval, &mut ConservedReceiver { state: &mut self.now, bed: &self.bed })?;
        Ok(true)
    }

    /// ∂U/∂t = −s (U − U_rest) in sponges, implicit: U ← U + f (U_rest − U), U_rest = (max(η_still − z, 0), 0, 0).
    /// Returns whether the state has changed.
    fn relax_in_sponge(&mut self, dt: f64) -> bool {
        let Some(sponge) = &self.sponge else { return false };
        let (area, still) = (self.grid.cell_measure(), self.settings.sea_level.unwrap_or(self.still_level));
        let ([depth, flow_x, flow_y], bed) = (&mut self.now, &self.bed);
        let [added, removed] = &mut self.sponge_volume;
        sponge.each(dt, |cell, fraction| {
            let before = depth[cell];
            let after = before + fraction * ((still - bed[cell]).max(0.0) - before);
            (if after > before { &mut *added } else { &mut *removed }).add(area * (after - before).abs());
            depth[cell] = after;
            flow_x[cell] *= 1.0 - fraction;
            flow_y[cell] *= 1.0 - fraction;
        });
        true
    }

    /// Green–Ampt infiltration. Returns whether the state has changed.
    fn infiltrate(&mut self, dt: f64) -> bool {
        let Some(infiltration) = self.infiltration.as_mut().filter(|ground| ground.is_active()) else {
            return false;
        };
        infiltration.infiltrate(dt, &mut self.now);
        true
    }

    /// Wetness w = 1 where h > [`FILM`], w ← max(w − `drying` dt, 0) elsewhere.
    pub(super) fn update_wetness(&mut self, dt: f64) {
        self.wetness.update_by_depth(dt, &self.now[0], FILM);
    }

    /// The longest step, `cfl`/rate. A single row gets half of that, as a square grid would: fronts are twice as sharp.
    pub(super) fn longest_step(&self, rate: f64) -> f64 {
        let axes = if self.grid.cells()[1] == 1 { 2.0 } else { 1.0 };
        self.settings.cfl / (axes * rate)
    }

    /// An error that names the first cell that is not finite, if there is one.
    fn check_finite(&self) -> Result<(), StepError> {
        if self.held.is_finite() && self.rate.is_finite() {
            return Ok(());
        }
        let names = ["depth", "momentum along x", "momentum along y"];
        let broken = self.now.iter().zip(names).find_map(|(field, name)| {
            let cell = field.iter().find(|(_, value)| !value.is_finite())?.0;
            Some(StepError::NotFinite { field: name, cell: [cell[0], cell[1], 0] })
        });
        Err(broken.unwrap_or_else(|| StepError::Failed("the water has grown beyond all numbers".into())))
    }
}

/// The state as sources change it.
struct ConservedReceiver<'a> {
    state: &'a mut ConservedState,
    bed: &'a Field<f64, 2>,
}

impl Receiver for ConservedReceiver<'_> {
    fn level(&self, cell: [usize; 2]) -> f64 {
        self.state[0][cell] + self.bed[cell]
    }

    /// Added water has no momentum; removed water takes its momentum along, so that the velocity stays.
    fn add(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        let before = self.state[0][cell];
        let after = (before + depth).max(0.0);
        if after < before {
            let fraction = after / before;
            self.state[1][cell] *= fraction;
            self.state[2][cell] *= fraction;
        }
        self.state[0][cell] = after;
        after - before
    }
}
