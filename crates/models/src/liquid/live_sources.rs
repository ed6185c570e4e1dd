//! What a hand pours into a liquid, draws off, or lets rain, for a while.
//!
//! A jet leaves its mouth just above the surface, as thick as its rate asks for at the speed at which it falls in. What
//! is drawn off is taken around the same point. Rain falls as single particles from the top of the box, at places that
//! come from a hash of the scene's seed and their number, so that a run that is resumed goes on with the same drops.

use std::f64::consts::PI;
use std::io;

use glam::DVec2;
use undine_sim::{Disturbance, Reader, Sample, Writer};

use super::inflow_outflow::{InflowRegion, SourceContext, cells_in_bounds};
use super::seeding::HashedRandom;
use super::simulation::LiquidSimulation;
use super::sources::DEFAULT_COLOUR;
use crate::free_surface::particles::{NewParticle, to_metres};

/// The most that are poured at once.
const MAX_SOURCES: usize = 256;
/// The least speed at which a jet falls in, in m/s.
const MIN_JET_SPEED: f64 = 1.0;
/// The speed at which rain enters the box, in m/s.
const RAIN_SPEED: f32 = 3.0;
/// How often a drop looks for a place in the open.
const PLACEMENT_ATTEMPTS: usize = 4;
/// The least radius that holds particles, in cells.
const MIN_RADIUS: f64 = 0.75;

/// Everything that a hand is pouring.
#[derive(Debug, Default)]
pub(super) struct LiveSources {
    sources: Vec<LiveSource>,
    /// Particles that jets, and rain, have still to give; jets may have to take.
    due: [f64; 2],
    /// Drops that have begun to fall.
    drops: u64,
    /// Room for the mouths of jets.
    occupied: Vec<u8>,
}

/// A jet, or rain on everything.
#[derive(Debug, Clone, Copy)]
struct LiveSource {
    is_rain: bool,
    at: DVec2,
    radius: f64,
    /// m³/s, or m/s of rain.
    rate: f64,
    remaining: f64,
}

impl LiveSources {
    /// Writes what is being poured.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let numbers = |one: &LiveSource| {
            [f64::from(u8::from(one.is_rain)), one.at.x, one.at.y, one.radius, one.rate, one.remaining]
        };
        to.records("hand", self.sources.iter().map(numbers))?;
        to.values("hand due", &self.due)?;
        to.integer("hand drops", self.drops)
    }

    /// Takes what was written.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.sources.clear();
        from.records("hand", |[is_rain, x, y, radius, rate, remaining]: [f64; 6]| {
            if self.sources.len() < MAX_SOURCES {
                let at = DVec2::new(x, y);
                self.sources.push(LiveSource { is_rain: is_rain != 0.0, at, radius, rate, remaining });
            }
        })?;
        self.due = from.array("hand due")?;
        self.drops = from.integer("hand drops")?;
        Ok(())
    }
}

impl<const D: usize> LiquidSimulation<D> {
    /// Begins to pour or to rain. What is more than the box could hold is refused, and so is a jet beside it.
    pub fn start_live_source(&mut self, disturbance: &Disturbance) -> bool {
        let length = self.grid.length();
        let (source, most) = match *disturbance {
            Disturbance::Source { at, radius, rate, duration } => {
                let is_inside = radius >= 0.0 && self.height(at).is_some();
                let source = LiveSource { is_rain: false, at, radius, rate, remaining: duration };
                (source, if is_inside { length.iter().product() } else { 0.0 })
            }
            Disturbance::Rain { rate, duration } if rate > 0.0 => {
                let source =
                    LiveSource { is_rain: true, at: DVec2::ZERO, radius: 0.0, rate, remaining: duration };
                (source, length[D - 1])
            }
            _ => return false,
        };
        let is_sound =
            source.remaining > 0.0 && source.rate != 0.0 && source.rate.abs() * source.remaining < most;
        if is_sound && self.live_sources.sources.len() < MAX_SOURCES {
            self.live_sources.sources.push(source);
            return true;
        }
        false
    }

    /// Pours for a step of `dt` seconds that has come to its end.
    pub fn apply_live_sources(&mut self, dt: f64) {
        let mut sources = std::mem::take(&mut self.live_sources.sources);
        for source in &mut sources {
            let duration = source.remaining.min(dt);
            source.remaining -= dt;
            match source.is_rain {
                true => self.emit_rain(source.rate * duration),
                false => self.apply_jet(source, duration),
            }
        }
        sources.retain(|source| source.remaining > 0.0);
        self.live_sources.sources = sources;
    }

    fn apply_jet(&mut self, source: &LiveSource, duration: f64) {
        let Some(level) = self.height(source.at).filter(|_| duration > 0.0) else { return };
        self.live_sources.due[0] += source.rate * duration / self.ledger.particle_volume();
        let count = self.live_sources.due[0].trunc();
        let moved = match count {
            0.0 => return,
            _ if count > 0.0 => self.emit_jet(source, level, duration, count as usize) as f64,
            _ => -(self.withdraw(source, level, -count as usize) as f64),
        };
        // What finds no room is not made up for in a gush
        self.live_sources.due[0] = (self.live_sources.due[0] - moved).clamp(-1.0, 1.0);
    }

    /// Gives a jet that falls in from just above the surface; returns how many particles there was room for.
    fn emit_jet(&mut self, source: &LiveSource, level: f64, duration: f64, most: usize) -> usize {
        let (up, cell) = (D - 1, self.cell());
        let max_radius = source.radius.max(MIN_RADIUS * cell);
        let cross_section = |radius: f64| if D == 2 { 2.0 * radius } else { PI * radius * radius };
        let fastest = (20.0 * self.settings.gravity.max(0.1) * self.grid.length()[up]).sqrt();
        let speed =
            (source.rate / cross_section(max_radius)).clamp(MIN_JET_SPEED, fastest.max(MIN_JET_SPEED));
        let area = source.rate / speed;
        let radius =
            if D == 2 { 0.5 * area } else { (area / PI).sqrt() }.clamp(MIN_RADIUS * cell, max_radius);
        let (low, high) = (level + 0.25 * cell, level + 0.25 * cell + (speed * duration).max(cell));
        let centre = [source.at.x, source.at.y];
        let bound = |axis: usize, by: f64, height: f64| if axis == up { height } else { centre[axis] + by };
        let bounds = [
            std::array::from_fn(|axis| bound(axis, -radius, low)),
            std::array::from_fn(|axis| bound(axis, radius, high)),
        ];
        let Some(cells) = cells_in_bounds(&self.grid, bounds) else { return 0 };
        let mut velocity = [0.0; D];
        velocity[up] = -speed as f32;
        let contains = |point: [f64; D]| {
            let squared: f64 = (0..up).map(|axis| (point[axis] - centre[axis]).powi(2)).sum();
            squared < radius * radius && (low..high).contains(&point[up])
        };
        let region = InflowRegion { cells, contains: &contains, velocity, colour: DEFAULT_COLOUR, most };
        let context =
            SourceContext { grid: &self.grid, boundary: &self.boundary, time: self.time, dt: duration };
        let added = region.fill(&mut self.particles, &context, &mut self.live_sources.occupied);
        self.ledger.add_inflow(added);
        added
    }

    /// Takes particles around a point of the surface away; returns how many there were.
    fn withdraw(&mut self, source: &LiveSource, level: f64, most: usize) -> usize {
        let radius = source.radius.max(MIN_RADIUS * self.cell());
        let mut centre = [source.at.x, source.at.y, 0.0];
        centre[D - 1] = level;
        let mut occupied = 0;
        for index in 0..self.particles.len() {
            let point = to_metres(&self.grid, self.particles.position_of(index));
            let squared: f64 = (0..D).map(|axis| (point[axis] - centre[axis]).powi(2)).sum();
            if occupied < most && squared < radius * radius {
                self.particles.mark_removed(index);
                occupied += 1;
            }
        }
        self.ledger.add_outflow(occupied);
        occupied
    }

    /// Lets so many metres of rain fall on the whole box.
    fn emit_rain(&mut self, depth: f64) {
        let cells = self.grid.cells();
        let area = self.grid.cell_measure() / self.cell() * cells[..D - 1].iter().product::<usize>() as f64;
        self.live_sources.due[1] += depth * area / self.ledger.particle_volume();
        let count = self.live_sources.due[1].trunc();
        self.live_sources.due[1] -= count;
        let mut velocity = [0.0; D];
        velocity[D - 1] = -RAIN_SPEED;
        for _ in 0..count as usize {
            self.live_sources.drops += 1;
            let index = self.live_sources.drops as usize;
            let position = (0..PLACEMENT_ATTEMPTS).find_map(|attempt| {
                let mut random = HashedRandom::new([index, attempt], self.settings.seed);
                let mut position: [f32; D] = std::array::from_fn(|axis| random.next() * cells[axis] as f32);
                position[D - 1] = cells[D - 1] as f32 - 0.5;
                let position = self.boundary.clamp_to_box(position);
                self.boundary.is_free(position).then_some(position)
            });
            if let Some(position) = position {
                self.particles.push(NewParticle { position, velocity, colour: DEFAULT_COLOUR });
                self.ledger.add_inflow(1);
            }
        }
    }
}
