//! What a hand pours into a liquid, draws off, or lets rain, for a while.
//!
//! A jet leaves its mouth just above the surface, as thick as its rate asks for at the speed at which it falls in. What
//! is drawn off is taken around the same point. Rain falls as single particles from the top of the box, at places that
//! come from a hash of the scene's seed and their number, so that a run that is resumed goes on with the same drops.

use std::f64::consts::PI;
use std::io;

use glam::DVec2;
use undine_sim::{Disturbance, Reader, Sample, Writer};

use super::pour::{Mouth, Scenery, cells_between};
use super::seed::Draws;
use super::simulation::Liquid;
use super::sources::WATER;
use crate::free_surface::particles::{Newborn, in_metres};

/// The most that are poured at once.
const MOST: usize = 256;
/// The least speed at which a jet falls in, in m/s.
const SLOWEST: f64 = 1.0;
/// The speed at which rain enters the box, in m/s.
const RAIN_SPEED: f32 = 3.0;
/// How often a drop looks for a place in the open.
const TRIES: usize = 4;
/// The least radius that holds particles, in cells.
const THINNEST: f64 = 0.75;

/// Everything that a hand is pouring.
#[derive(Debug, Default)]
pub(super) struct Hand {
    pours: Vec<Pour>,
    /// Particles that jets, and rain, have still to give; jets may have to take.
    due: [f64; 2],
    /// Drops that have begun to fall.
    drops: u64,
    /// Room for the mouths of jets.
    taken: Vec<u8>,
}

/// A jet, or rain on everything.
#[derive(Debug, Clone, Copy)]
struct Pour {
    is_rain: bool,
    at: DVec2,
    radius: f64,
    /// m³/s, or m/s of rain.
    rate: f64,
    remaining: f64,
}

impl Hand {
    /// Writes what is being poured.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let numbers = |one: &Pour| {
            [f64::from(u8::from(one.is_rain)), one.at.x, one.at.y, one.radius, one.rate, one.remaining]
        };
        to.records("hand", self.pours.iter().map(numbers))?;
        to.values("hand due", &self.due)?;
        to.integer("hand drops", self.drops)
    }

    /// Takes what was written.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.pours.clear();
        from.records("hand", |[is_rain, x, y, radius, rate, remaining]: [f64; 6]| {
            if self.pours.len() < MOST {
                let at = DVec2::new(x, y);
                self.pours.push(Pour { is_rain: is_rain != 0.0, at, radius, rate, remaining });
            }
        })?;
        self.due = from.array("hand due")?;
        self.drops = from.integer("hand drops")?;
        Ok(())
    }
}

impl<const D: usize> Liquid<D> {
    /// Begins to pour or to rain. What is more than the box could hold is refused, and so is a jet beside it.
    pub fn begin_to_pour(&mut self, poke: &Disturbance) -> bool {
        let length = self.grid.length();
        let (pour, most) = match *poke {
            Disturbance::Source { at, radius, rate, duration } => {
                let is_inside = radius >= 0.0 && self.height(at).is_some();
                let pour = Pour { is_rain: false, at, radius, rate, remaining: duration };
                (pour, if is_inside { length.iter().product() } else { 0.0 })
            }
            Disturbance::Rain { rate, duration } if rate > 0.0 => {
                let pour = Pour { is_rain: true, at: DVec2::ZERO, radius: 0.0, rate, remaining: duration };
                (pour, length[D - 1])
            }
            _ => return false,
        };
        let is_sound = pour.remaining > 0.0 && pour.rate != 0.0 && pour.rate.abs() * pour.remaining < most;
        if is_sound && self.hand.pours.len() < MOST {
            self.hand.pours.push(pour);
            return true;
        }
        false
    }

    /// Pours for a step of `dt` seconds that has come to its end.
    pub fn pour_by_hand(&mut self, dt: f64) {
        let mut pours = std::mem::take(&mut self.hand.pours);
        for pour in &mut pours {
            let during = pour.remaining.min(dt);
            pour.remaining -= dt;
            match pour.is_rain {
                true => self.rain(pour.rate * during),
                false => self.jet(pour, during),
            }
        }
        pours.retain(|pour| pour.remaining > 0.0);
        self.hand.pours = pours;
    }

    fn jet(&mut self, pour: &Pour, during: f64) {
        let Some(level) = self.height(pour.at).filter(|_| during > 0.0) else { return };
        self.hand.due[0] += pour.rate * during / self.ledger.particle();
        let whole = self.hand.due[0].trunc();
        let moved = match whole {
            0.0 => return,
            _ if whole > 0.0 => self.give(pour, level, during, whole as usize) as f64,
            _ => -(self.draw_off(pour, level, -whole as usize) as f64),
        };
        // What finds no room is not made up for in a gush
        self.hand.due[0] = (self.hand.due[0] - moved).clamp(-1.0, 1.0);
    }

    /// Gives a jet that falls in from just above the surface; returns how many particles there was room for.
    fn give(&mut self, pour: &Pour, level: f64, during: f64, most: usize) -> usize {
        let (up, cell) = (D - 1, self.cell());
        let widest = pour.radius.max(THINNEST * cell);
        let across = |radius: f64| if D == 2 { 2.0 * radius } else { PI * radius * radius };
        let fastest = (20.0 * self.settings.gravity.max(0.1) * self.grid.length()[up]).sqrt();
        let speed = (pour.rate / across(widest)).clamp(SLOWEST, fastest.max(SLOWEST));
        let area = pour.rate / speed;
        let radius = if D == 2 { 0.5 * area } else { (area / PI).sqrt() }.clamp(THINNEST * cell, widest);
        let (low, high) = (level + 0.25 * cell, level + 0.25 * cell + (speed * during).max(cell));
        let middle = [pour.at.x, pour.at.y];
        let bound = |axis: usize, by: f64, height: f64| if axis == up { height } else { middle[axis] + by };
        let bounds = [
            std::array::from_fn(|axis| bound(axis, -radius, low)),
            std::array::from_fn(|axis| bound(axis, radius, high)),
        ];
        let Some(cells) = cells_between(&self.grid, bounds) else { return 0 };
        let mut velocity = [0.0; D];
        velocity[up] = -speed as f32;
        let contains = |point: [f64; D]| {
            let squared: f64 = (0..up).map(|axis| (point[axis] - middle[axis]).powi(2)).sum();
            squared < radius * radius && (low..high).contains(&point[up])
        };
        let mouth = Mouth { cells, contains: &contains, velocity, colour: WATER, most };
        let scenery = Scenery { grid: &self.grid, walls: &self.walls, time: self.time, dt: during };
        let given = mouth.keep_full(&mut self.particles, &scenery, &mut self.hand.taken);
        self.ledger.enter(given);
        given
    }

    /// Takes particles around a point of the surface away; returns how many there were.
    fn draw_off(&mut self, pour: &Pour, level: f64, most: usize) -> usize {
        let radius = pour.radius.max(THINNEST * self.cell());
        let mut middle = [pour.at.x, pour.at.y, 0.0];
        middle[D - 1] = level;
        let mut taken = 0;
        for number in 0..self.particles.len() {
            let point = in_metres(&self.grid, self.particles.at(number));
            let squared: f64 = (0..D).map(|axis| (point[axis] - middle[axis]).powi(2)).sum();
            if taken < most && squared < radius * radius {
                self.particles.take_away(number);
                taken += 1;
            }
        }
        self.ledger.leave(taken);
        taken
    }

    /// Lets so many metres of rain fall on the whole box.
    fn rain(&mut self, depth: f64) {
        let cells = self.grid.cells();
        let area = self.grid.cell_measure() / self.cell() * cells[..D - 1].iter().product::<usize>() as f64;
        self.hand.due[1] += depth * area / self.ledger.particle();
        let whole = self.hand.due[1].trunc();
        self.hand.due[1] -= whole;
        let mut velocity = [0.0; D];
        velocity[D - 1] = -RAIN_SPEED;
        for _ in 0..whole as usize {
            self.hand.drops += 1;
            let number = self.hand.drops as usize;
            let place = (0..TRIES).find_map(|attempt| {
                let mut draw = Draws::new([number, attempt], self.settings.seed);
                let mut place: [f32; D] = std::array::from_fn(|axis| draw.next() * cells[axis] as f32);
                place[D - 1] = cells[D - 1] as f32 - 0.5;
                let place = self.walls.inside_box(place);
                self.walls.is_free(place).then_some(place)
            });
            if let Some(position) = place {
                self.particles.push(Newborn { position, velocity, colour: WATER });
                self.ledger.enter(1);
            }
        }
    }
}
