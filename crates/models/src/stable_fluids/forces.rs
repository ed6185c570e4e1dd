//! Body forces: a prescribed acceleration, gravity, and buoyancy.
//!
//! Gravity on a fluid of constant density is balanced exactly by the hydrostatic pressure; so in the staggered layout
//! it only enters the pressure. The collocated layout adds it as a force, as [li2007] does.
//!
//! Buoyancy is in the Boussinesq approximation: a = g β T − w s upwards, with temperature T and smoke s [fedkiw2001].

use std::ops::Range;

use undine_grid::{Field, neighbour, par};
use undine_scene::{Problem, Timed, Values};

use super::transported_scalars::TransportedScalars;

/// Body forces of a fluid.
#[derive(Debug, Clone)]
pub struct Forces<const D: usize> {
    body_force: [Timed; D],
    include_gravity: bool,
    buoyancy: f64,
    smoke_weight: f64,
}

impl<const D: usize> Forces<D> {
    /// Reads the keys of the forces.
    pub fn read(values: &Values) -> Self {
        let names = ["force_x", "force_y", "force_z"];
        Forces {
            body_force: std::array::from_fn(|axis| values.timed(names[axis]).clone()),
            include_gravity: values.flag("gravity"),
            buoyancy: values.number("buoyancy"),
            smoke_weight: values.number("smoke_weight"),
        }
    }

    /// Whether they are zero at all times.
    pub fn are_zero(&self, scalars: &TransportedScalars<D>) -> bool {
        let is_pushed = self
            .body_force
            .iter()
            .any(|body_force| !body_force.is_constant() || body_force.at(0.0) != Ok(0.0));
        !is_pushed && scalars.temperature().is_none() && scalars.smoke().is_none()
    }

    /// Whether gravity acts on the fluid itself.
    pub fn include_gravity(&self) -> bool {
        self.include_gravity
    }

    /// Adds the acceleration of `dt` seconds, its mean over the step, to a velocity on faces or at centres of a bordered
    /// grid.
    pub fn apply(
        &self,
        velocity: &mut [Field<f64, D>; D],
        scalars: &TransportedScalars<D>,
        step: &Range<f64>,
        dt: f64,
        gravity: f64,
    ) -> Result<(), Problem> {
        let up = D - 1;
        for (axis, component) in velocity.iter_mut().enumerate() {
            let body_force = self.body_force[axis].mean(step.start, step.end)?;
            let has_weight = axis == up && self.include_gravity && !component.location().is_on_side(up);
            let weight = if has_weight { gravity } else { 0.0 };
            let change = dt * (body_force - weight);
            if change != 0.0 {
                par::rows(component, |_, row| row.iter_mut().for_each(|value| *value += change));
            }
        }
        if let Some(heat) = scalars.temperature() {
            add_buoyancy(&mut velocity[up], heat, dt * gravity * self.buoyancy);
        }
        if let Some(smoke) = scalars.smoke().filter(|_| self.smoke_weight != 0.0) {
            add_buoyancy(&mut velocity[up], smoke, -dt * self.smoke_weight);
        }
        Ok(())
    }
}

/// Adds `factor` times a scalar to the upward component: interpolated to faces, or cell by cell on a bordered grid,
/// whose border is skipped.
fn add_buoyancy<const D: usize>(component: &mut Field<f64, D>, scalars: &Field<f32, D>, factor: f64) {
    let up = D - 1;
    if component.location().is_on_side(up) {
        par::rows(component, |at, row| {
            let (low, high) = (scalars.run(neighbour(at, up, -1), row.len()), scalars.run(at, row.len()));
            for x in 0..row.len() {
                row[x] += factor * 0.5 * f64::from(low[x] + high[x]);
            }
        });
        return;
    }
    let size = scalars.size();
    par::rows(component, |at, row| {
        let inside = at.map(|x| x - 1);
        if (1..D).all(|axis| (0..size[axis] as isize).contains(&inside[axis])) {
            let carried = scalars.row(neighbour(inside, 0, 1));
            let row = &mut row[1..=size[0]];
            row.iter_mut().zip(carried).for_each(|(value, carried)| *value += factor * f64::from(*carried));
        }
    });
}
