//! What a hand does to a liquid: pushes, and lumps of liquid thrown in.

use undine_sim::{Disturbance, Sample};

use super::pour::{Mouth, Scenery, cells_between};
use super::simulation::Liquid;
use crate::free_surface::particles::in_metres;

impl<const D: usize> Liquid<D> {
    /// Takes a poke; false when there is no answer to it.
    pub fn poke(&mut self, poke: &Disturbance) -> bool {
        match *poke {
            Disturbance::Push { at, radius, velocity } => {
                let mut middle = at.to_array();
                // In a plane, y is up
                if D == 2 {
                    middle[2] = 0.0;
                }
                self.push(middle, radius, velocity.to_array())
            }
            Disturbance::Drop { at, radius, volume } => self.throw(at, radius, volume),
            Disturbance::Source { .. } | Disturbance::Rain { .. } => self.begin_to_pour(poke),
        }
    }

    fn push(&mut self, middle: [f64; 3], radius: f64, velocity: [f64; 3]) -> bool {
        // As particles carry it
        let is_sound =
            velocity.iter().all(|along| (*along as f32).is_finite()) && radius.is_finite() && radius > 0.0;
        if !is_sound || self.place(middle).is_none() {
            return false;
        }
        for number in 0..self.particles.len() {
            let point = in_metres(&self.grid, self.particles.at(number));
            let squared: f64 = (0..D).map(|axis| (point[axis] - middle[axis]).powi(2)).sum();
            if squared < radius * radius {
                (0..D).for_each(|axis| self.particles.velocity[axis][number] = velocity[axis] as f32);
            }
        }
        let fastest = velocity.iter().fold(0.0, |most: f64, along| most.max(along.abs()));
        (self.fastest, self.pace) = (self.fastest.max(fastest), self.pace.max(fastest));
        self.shown = std::sync::OnceLock::new();
        true
    }

    /// A ball of liquid just above the surface.
    fn throw(&mut self, at: glam::DVec2, radius: f64, volume: f64) -> bool {
        let is_sound = radius.is_finite() && radius > 0.0 && volume > 0.0 && volume.is_finite();
        let Some(level) = self.height(at).filter(|_| is_sound) else { return false };
        let mut middle = [at.x, at.y, 0.0];
        middle[D - 1] = level + radius;
        let middle: [f64; D] = std::array::from_fn(|axis| middle[axis]);
        let bounds = [-radius, radius].map(|by| middle.map(|along| along + by));
        let Some(cells) = cells_between(&self.grid, bounds) else { return false };
        let mouth = Mouth {
            cells,
            contains: &|point: [f64; D]| {
                (0..D).map(|axis| (point[axis] - middle[axis]).powi(2)).sum::<f64>() < radius * radius
            },
            velocity: [0.0; D],
            colour: super::sources::WATER,
            most: (volume / self.ledger.particle()) as usize,
        };
        let scenery = Scenery { grid: &self.grid, walls: &self.walls, time: self.time, dt: 0.0 };
        let given = mouth.keep_full(&mut self.particles, &scenery, &mut Vec::new());
        self.ledger.enter(given);
        self.settle();
        self.find_surface();
        given > 0
    }
}
