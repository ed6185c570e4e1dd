//! Rain as a particle system, as in figure 7 of [kass1990]: drops are emitted above, fall at constant speed and add their
//! volume to the water where they land.
//!
//! The position of a drop is a hash of the scene's seed, the index of its source and its own index, so a resumed run
//! continues with the same drops.

use std::f64::consts::PI;
use std::io;

use undine_grid::Grid;
use undine_scene::{Problem, Timed, Values};
use undine_sim::{Reader, Writer};

use super::footprint::BoxFootprint;
use super::sources::StepInterval;

/// The most drops that one shower keeps in the air; further volume waits until some have landed.
const MAX_AIRBORNE: usize = 1 << 20;

/// A source of rain drops.
pub(super) struct Shower {
    rate: Timed,
    area: BoxFootprint,
    pub drop_radius: f64,
    pub splash: f64,
    top: f64,
    speed: f64,
    /// Volume that has accumulated but not yet been emitted, in m³.
    due: f64,
    /// Number of drops emitted so far.
    emitted: u64,
    /// Positions of the drops in the air.
    pub positions: Vec<[f32; 3]>,
}

impl Shower {
    /// Reads a shower; `highest` is the level above which the key `height` counts.
    pub fn new(values: &Values, area: BoxFootprint, grid: &Grid<2>, highest: f64) -> Shower {
        let drop_radius = values.number("drop_radius");
        let cell = grid.spacing().into_iter().fold(0.0, f64::max);
        Shower {
            rate: values.timed("rate").clone(),
            splash: values.number_if("splash").unwrap_or((2.0 * drop_radius).max(1.5 * cell)),
            top: highest + values.number("height"),
            speed: values.number("fall_speed"),
            positions: Vec::with_capacity(4096),
            due: 0.0,
            emitted: 0,
            area,
            drop_radius,
        }
    }

    /// Volume of one drop in m³.
    pub fn drop_volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.drop_radius.powi(3)
    }

    /// Velocity of the drops.
    pub fn velocity(&self) -> [f32; 3] {
        [0.0, 0.0, -self.speed as f32]
    }

    /// Moves the drops by −w dt, emits new ones, and removes those for which `land` returns true.
    pub fn fall(
        &mut self,
        interval: StepInterval,
        source: usize,
        grid: &Grid<2>,
        mut land: impl FnMut([f64; 3]) -> bool,
    ) -> Result<(), Problem> {
        let distance = (self.speed * interval.dt) as f32;
        self.positions.iter_mut().for_each(|drop| drop[2] -= distance);
        self.emit(interval, source, grid)?;
        let mut index = 0;
        while index < self.positions.len() {
            if land(self.positions[index].map(f64::from)) {
                self.positions.swap_remove(index);
            } else {
                index += 1;
            }
        }
        Ok(())
    }

    /// Emits P A dt of volume as drops at random positions over the footprint: P the rain intensity, A the area.
    fn emit(&mut self, interval: StepInterval, source: usize, grid: &Grid<2>) -> Result<(), Problem> {
        let area = self.area.count() as f64 * grid.cell_measure();
        self.due += interval.mean_rain(&self.rate)? * area * interval.dt;
        let volume = self.drop_volume();
        let count =
            ((self.due / volume) as u64).min((MAX_AIRBORNE - self.positions.len().min(MAX_AIRBORNE)) as u64);
        for index in 0..count {
            let random = |salt| unit_number(interval.seed, source as u64, self.emitted, salt);
            let coordinate = |axis: usize, range: &std::ops::Range<usize>, fraction: f64| {
                grid.origin()[axis]
                    + (range.start as f64 + fraction * range.len() as f64) * grid.spacing()[axis]
            };
            // Emission times are spread over the step, so drops do not fall in sheets
            let age = interval.dt * (1.0 - (index as f64 + random(2)) / count as f64);
            self.positions.push([
                coordinate(0, &self.area.columns, random(0)) as f32,
                coordinate(1, &self.area.rows, random(1)) as f32,
                (self.top - self.speed * age) as f32,
            ]);
            self.emitted += 1;
        }
        self.due -= count as f64 * volume;
        Ok(())
    }

    /// Writes the state.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("due", self.due)?;
        to.integer("born", self.emitted)?;
        to.values("drops", self.positions.as_flattened())
    }

    /// Goes on with what was in the air.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.clear();
        self.due = from.number("due")?;
        self.emitted = from.integer("born")?;
        from.records("drops", |drop| self.positions.push(drop))
    }

    /// Passes over what a shower that is gone had in the air.
    pub fn skip(from: &mut Reader<'_>) -> io::Result<()> {
        from.number("due")?;
        from.integer("born")?;
        from.skip::<f32>("drops")
    }

    /// Begins anew, with nothing in the air.
    pub fn clear(&mut self) {
        (self.due, self.emitted) = (0.0, 0);
        self.positions.clear();
    }
}

/// A number in [0, 1) from a hash of four others.
fn unit_number(seed: u64, source: u64, drop: u64, salt: u64) -> f64 {
    let mut bits = seed ^ 0x9e37_79b9_7f4a_7c15;
    for word in [source, drop, salt] {
        bits = mix(bits.wrapping_add(word).wrapping_mul(0x2545_f491_4f6c_dd1d));
    }
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// Bit mixer: every bit of the result depends on every bit given.
fn mix(mut bits: u64) -> u64 {
    for shift in [32, 29, 32] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    bits ^ (bits >> 31)
}
