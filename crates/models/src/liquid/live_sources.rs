//! Sources and rain that are started while a simulation runs (`Disturbance::Source`, `Disturbance::Rain`), for a
//! duration.
//!
//! A jet enters just above the surface, with the cross section that its rate needs at its speed. Withdrawal removes
//! particles around the same point. Rain falls as single particles from the top of the box, at positions from a hash
//! of the scene's seed and of a counter, so that a resumed run continues with the same drops.

use std::f64::consts::PI;
use std::io;

use glam::DVec2;
use undine_sim::{Disturbance, Reader, Sample, Writer};

use super::inflow_outflow::{InflowRegion, InflowStore, SourceContext, cells_in_bounds};
use super::ledger::Inlet;
use super::seeding::HashedRandom;
use super::simulation::LiquidSimulation;
use super::sources::DEFAULT_COLOUR;
use crate::free_surface::particles::{NewParticle, to_metres};
use crate::free_surface::tiles::cell_of;

/// The greatest number at the same time.
const MAX_SOURCES: usize = 256;
/// The least speed of a jet, in m/s.
const MIN_JET_SPEED: f64 = 1.0;
/// The speed at which rain enters the box, in m/s.
const RAIN_SPEED: f32 = 3.0;
/// Attempts to place a drop outside solids.
const PLACEMENT_ATTEMPTS: usize = 4;
/// The least radius that holds particles, in cells.
const MIN_RADIUS: f64 = 0.75;

/// All sources that are running.
#[derive(Debug, Default)]
pub(super) struct LiveSources {
    sources: Vec<LiveSource>,
    /// Particles due, with fractions, of jets (negative: to be withdrawn) and of rain.
    due: [f64; 2],
    /// Drops of rain so far.
    drops: u64,
    /// Memory of inflow regions.
    occupied: Vec<u8>,
}

/// A jet, or rain on the whole box.
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
    /// Whether any source is running.
    pub fn are_active(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Writes all sources.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let numbers = |source: &LiveSource| {
            [
                f64::from(u8::from(source.is_rain)),
                source.at.x,
                source.at.y,
                source.radius,
                source.rate,
                source.remaining,
            ]
        };
        to.records("hand", self.sources.iter().map(numbers))?;
        to.values("hand due", &self.due)?;
        to.integer("hand drops", self.drops)
    }

    /// Reads what was written.
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
    /// Starts a jet or rain; false where its volume is more than that of the box, or the jet is outside.
    pub fn start_live_source(&mut self, disturbance: &Disturbance) -> bool {
        let length = self.grid.length();
        let (source, capacity) = match *disturbance {
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
        let is_valid =
            source.remaining > 0.0 && source.rate != 0.0 && source.rate.abs() * source.remaining < capacity;
        if is_valid && self.live_sources.sources.len() < MAX_SOURCES {
            self.live_sources.sources.push(source);
            return true;
        }
        false
    }

    /// Applies all sources at the end of a step of `dt` seconds.
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
        // What finds no room is not made up for in a burst
        self.live_sources.due[0] = (self.live_sources.due[0] - moved).clamp(-1.0, 1.0);
    }

    /// Emits a jet just above the surface. Returns the number of particles that found room.
    fn emit_jet(&mut self, source: &LiveSource, level: f64, duration: f64, limit: usize) -> usize {
        // Speed v and radius of the jet: rate = v · cross section
        let (up, cell) = (D - 1, self.cell());
        let max_radius = source.radius.max(MIN_RADIUS * cell);
        let cross_section = |radius: f64| if D == 2 { 2.0 * radius } else { PI * radius * radius };
        let fastest = (20.0 * self.settings.gravity.max(0.1) * self.grid.length()[up]).sqrt();
        let speed =
            (source.rate / cross_section(max_radius)).clamp(MIN_JET_SPEED, fastest.max(MIN_JET_SPEED));
        let area = source.rate / speed;
        let radius =
            if D == 2 { 0.5 * area } else { (area / PI).sqrt() }.clamp(MIN_RADIUS * cell, max_radius);
        // The region just above the surface through which it passes in this step
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
        let region = InflowRegion { cells, contains: &contains, velocity, colour: DEFAULT_COLOUR, limit };
        let context = SourceContext {
            grid: &self.grid,
            boundary: &self.boundary,
            step_start: self.step_start,
            time: self.time,
            dt: duration,
        };
        let mut store = InflowStore {
            particles: &mut self.particles,
            ledger: &mut self.ledger,
            capacity: &mut self.capacity,
        };
        let filled = region.fill(&mut store, &context, &mut self.live_sources.occupied);
        self.ledger.refuse(
            filled.refused as f64 * self.ledger.particle_volume(),
            self.time,
            Inlet::Disturbance,
        );
        filled.added
    }

    /// Removes at most `limit` particles around a point of the surface. Returns their number.
    fn withdraw(&mut self, source: &LiveSource, level: f64, limit: usize) -> usize {
        let radius = source.radius.max(MIN_RADIUS * self.cell());
        let mut centre = [source.at.x, source.at.y, 0.0];
        centre[D - 1] = level;
        let mut removed = 0;
        for index in 0..self.particles.len() {
            let point = to_metres(&self.grid, self.particles.position_of(index));
            let squared: f64 = (0..D).map(|axis| (point[axis] - centre[axis]).powi(2)).sum();
            if removed < limit && squared < radius * radius {
                self.particles.mark_removed(index);
                removed += 1;
            }
        }
        self.ledger.add_outflow(removed);
        removed
    }

    /// Emits so many metres of rain over the whole box.
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
            let Some(position) = position else { continue };
            if self.capacity.admit(cell_of(position, cells)) {
                self.particles.push(NewParticle { position, velocity, colour: DEFAULT_COLOUR });
                self.ledger.add_inflow(1);
            } else {
                self.ledger.refuse(self.ledger.particle_volume(), self.time, Inlet::Disturbance);
            }
        }
    }
}
