//! Disturbances of a liquid by a person or a script: pushes, and drops of liquid.

use undine_sim::{Disturbance, Sample};

use super::inflow_outflow::{InflowRegion, InflowStore, SourceContext, cells_in_bounds};
use super::ledger::Inlet;
use super::simulation::LiquidSimulation;
use crate::free_surface::particles::to_metres;

impl<const D: usize> LiquidSimulation<D> {
    /// Applies a disturbance; false where it is invalid or outside the box.
    pub fn apply_disturbance(&mut self, disturbance: &Disturbance) -> bool {
        match *disturbance {
            Disturbance::Push { at, radius, velocity } => {
                let mut centre = at.to_array();
                // In 2-D y is up and z has no meaning
                if D == 2 {
                    centre[2] = 0.0;
                }
                self.push(centre, radius, velocity.to_array())
            }
            Disturbance::Drop { at, radius, volume } => self.drop_ball(at, radius, volume),
            Disturbance::Source { .. } | Disturbance::Rain { .. } => self.start_live_source(disturbance),
            // The ground of a liquid is a solid, made anew from the scene
            Disturbance::Ground { .. } | Disturbance::Dam { .. } => false,
        }
    }

    fn push(&mut self, centre: [f64; 3], radius: f64, velocity: [f64; 3]) -> bool {
        // Finite in the precision of particles
        let is_valid = velocity.iter().all(|u| (*u as f32).is_finite()) && radius.is_finite() && radius > 0.0;
        if !is_valid || self.to_cells(centre).is_none() {
            return false;
        }
        for index in 0..self.particles.len() {
            let point = to_metres(&self.grid, self.particles.position_of(index));
            let squared: f64 = (0..D).map(|axis| (point[axis] - centre[axis]).powi(2)).sum();
            if squared < radius * radius {
                (0..D).for_each(|axis| self.particles.velocity[axis][index] = velocity[axis] as f32);
            }
        }
        let speed = velocity.iter().fold(0.0, |max: f64, u| max.max(u.abs()));
        (self.max_speed, self.courant_speed) = (self.max_speed.max(speed), self.courant_speed.max(speed));
        self.particle_arrays = std::sync::OnceLock::new();
        true
    }

    /// Adds a ball of liquid at rest just above the surface.
    fn drop_ball(&mut self, at: glam::DVec2, radius: f64, volume: f64) -> bool {
        let is_valid = radius.is_finite() && radius > 0.0 && volume > 0.0 && volume.is_finite();
        let Some(level) = self.height(at).filter(|_| is_valid) else { return false };
        // A ball that touches the surface
        let mut centre = [at.x, at.y, 0.0];
        centre[D - 1] = level + radius;
        let centre: [f64; D] = std::array::from_fn(|axis| centre[axis]);
        let bounds = [-radius, radius].map(|by| centre.map(|x| x + by));
        let Some(cells) = cells_in_bounds(&self.grid, bounds) else { return false };
        let region = InflowRegion {
            cells,
            contains: &|point: [f64; D]| {
                (0..D).map(|axis| (point[axis] - centre[axis]).powi(2)).sum::<f64>() < radius * radius
            },
            velocity: [0.0; D],
            colour: super::sources::DEFAULT_COLOUR,
            limit: (volume / self.ledger.particle_volume()) as usize,
        };
        // Particles as far as there is room; the rest is refused
        self.measure_capacity();
        let context = SourceContext {
            grid: &self.grid,
            boundary: &self.boundary,
            step_start: self.time,
            time: self.time,
            dt: 0.0,
        };
        let mut store = InflowStore {
            particles: &mut self.particles,
            ledger: &mut self.ledger,
            capacity: &mut self.capacity,
        };
        let filled = region.fill(&mut store, &context, &mut Vec::new());
        self.ledger.refuse(
            filled.refused as f64 * self.ledger.particle_volume(),
            self.time,
            Inlet::Disturbance,
        );
        self.sort_particles();
        self.update_surface();
        filled.added > 0
    }
}
