//! What acts on all of the fluid: a force of the scene, gravity, and buoyancy.
//!
//! The weight of a fluid of one density is held by its pressure, exactly; so in the staggered layout gravity shows in the
//! pressure and moves nothing. The collocated layout adds it as the force that it is, as [li2007] does.
//!
//! Buoyancy is that of Boussinesq: heat and smoke change the weight of the fluid and nothing else, a = g β T − w s
//! upwards [fedkiw2001].

use undine_grid::{Field, neighbour, par};
use undine_scene::{Timed, Values};

use super::cargo::Cargo;

/// Forces on all of the fluid.
#[derive(Debug, Clone)]
pub struct Forces<const D: usize> {
    push: [Timed; D],
    has_weight: bool,
    buoyancy: f64,
    smoke_weight: f64,
}

impl<const D: usize> Forces<D> {
    /// Reads the keys of the forces.
    pub fn read(values: &Values) -> Self {
        let names = ["force_x", "force_y", "force_z"];
        Forces {
            push: std::array::from_fn(|axis| values.timed(names[axis]).clone()),
            has_weight: values.flag("gravity"),
            buoyancy: values.number("buoyancy"),
            smoke_weight: values.number("smoke_weight"),
        }
    }

    /// Whether they never do anything.
    pub fn are_none(&self, cargo: &Cargo<D>) -> bool {
        let is_pushed = self.push.iter().any(|push| !push.is_constant() || push.at(0.0) != 0.0);
        !is_pushed && cargo.temperature().is_none() && cargo.smoke().is_none()
    }

    /// Whether gravity acts on the fluid itself.
    pub fn have_weight(&self) -> bool {
        self.has_weight
    }

    /// Changes a velocity, on faces or at centres of a bordered grid, for `dt` seconds up to `time`.
    pub fn act(&self, velocity: &mut [Field<f64, D>; D], cargo: &Cargo<D>, time: f64, dt: f64, gravity: f64) {
        let up = D - 1;
        for (axis, component) in velocity.iter_mut().enumerate() {
            let push = Some(self.push[axis].at(time)).filter(|push| push.is_finite()).unwrap_or(0.0);
            let is_heavy = axis == up && self.has_weight && !component.location().is_on_side(up);
            let weight = if is_heavy { gravity } else { 0.0 };
            let change = dt * (push - weight);
            if change != 0.0 {
                par::rows(component, |_, row| row.iter_mut().for_each(|value| *value += change));
            }
        }
        if let Some(heat) = cargo.temperature() {
            lift(&mut velocity[up], heat, dt * gravity * self.buoyancy);
        }
        if let Some(smoke) = cargo.smoke().filter(|_| self.smoke_weight != 0.0) {
            lift(&mut velocity[up], smoke, -dt * self.smoke_weight);
        }
    }
}

/// Adds `factor` times what is carried to the upward component. Its samples lie between those of the cargo on faces,
/// and on them in a bordered grid, whose border they skip.
fn lift<const D: usize>(component: &mut Field<f64, D>, cargo: &Field<f32, D>, factor: f64) {
    let up = D - 1;
    if component.location().is_on_side(up) {
        par::rows(component, |at, row| {
            let (low, high) = (cargo.run(neighbour(at, up, -1), row.len()), cargo.run(at, row.len()));
            for x in 0..row.len() {
                row[x] += factor * 0.5 * f64::from(low[x] + high[x]);
            }
        });
        return;
    }
    let size = cargo.size();
    par::rows(component, |at, row| {
        let inside = at.map(|x| x - 1);
        if (1..D).all(|axis| (0..size[axis] as isize).contains(&inside[axis])) {
            let carried = cargo.row(neighbour(inside, 0, 1));
            let row = &mut row[1..=size[0]];
            row.iter_mut().zip(carried).for_each(|(value, carried)| *value += factor * f64::from(*carried));
        }
    });
}
