//! Rain as a particle system, as in figure 7 of [kass1990]: drops are born above, fall at their speed and give their
//! volume to the water where they land.
//!
//! A drop's place comes from a hash of the scene's seed, its source and its number, so a run that is resumed goes on
//! with the same drops.

use std::f64::consts::PI;
use std::io;

use undine_grid::Grid;
use undine_scene::{Timed, Values};
use undine_sim::{Reader, Writer};

use super::sources::Span;
use super::stamp::Area;

/// The most drops that one shower keeps in the air; what is due beyond waits.
const MOST_IN_THE_AIR: usize = 1 << 20;

/// One rain of drops.
pub(super) struct Shower {
    rate: Timed,
    area: Area,
    pub drop_radius: f64,
    pub splash: f64,
    top: f64,
    speed: f64,
    /// Volume that is due but not yet a drop.
    due: f64,
    born: u64,
    /// Positions of the drops in the air.
    pub positions: Vec<[f32; 3]>,
}

impl Shower {
    /// `highest` is the level above which the drops begin.
    pub fn new(values: &Values, area: Area, grid: &Grid<2>, highest: f64) -> Shower {
        let drop_radius = values.number("drop_radius");
        let cell = grid.spacing().into_iter().fold(0.0, f64::max);
        Shower {
            rate: values.timed("rate").clone(),
            splash: values.number_if("splash").unwrap_or((2.0 * drop_radius).max(1.5 * cell)),
            top: highest + values.number("height"),
            speed: values.number("fall_speed"),
            positions: Vec::with_capacity(4096),
            due: 0.0,
            born: 0,
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

    /// Lets drops fall through a span of time, and new ones begin. Landed ones are handed to `land` and gone.
    pub fn fall(
        &mut self,
        span: Span,
        number: usize,
        grid: &Grid<2>,
        mut land: impl FnMut([f64; 3]) -> bool,
    ) {
        let way = (self.speed * span.dt) as f32;
        self.positions.iter_mut().for_each(|drop| drop[2] -= way);
        self.bear(span, number, grid);
        let mut index = 0;
        while index < self.positions.len() {
            if land(self.positions[index].map(f64::from)) {
                self.positions.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }

    fn bear(&mut self, span: Span, number: usize, grid: &Grid<2>) {
        let area = self.area.count() as f64 * grid.cell_measure();
        self.due += super::sources::metres_per_second(&self.rate, span) * area * span.dt;
        let volume = self.drop_volume();
        let count = ((self.due / volume) as u64)
            .min((MOST_IN_THE_AIR - self.positions.len().min(MOST_IN_THE_AIR)) as u64);
        for turn in 0..count {
            let place = |salt| unit_number(span.seed, number as u64, self.born, salt);
            let across = |axis: usize, range: &std::ops::Range<usize>, share: f64| {
                grid.origin()[axis] + (range.start as f64 + share * range.len() as f64) * grid.spacing()[axis]
            };
            // Drops of one step are spread evenly over it, so they do not come in sheets.
            let age = span.dt * (1.0 - (turn as f64 + place(2)) / count as f64);
            self.positions.push([
                across(0, &self.area.columns, place(0)) as f32,
                across(1, &self.area.rows, place(1)) as f32,
                (self.top - self.speed * age) as f32,
            ]);
            self.born += 1;
        }
        self.due -= count as f64 * volume;
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("due", self.due)?;
        to.integer("born", self.born)?;
        to.values("drops", self.positions.as_flattened())
    }

    /// Goes on with what was in the air.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.clear();
        self.due = from.number("due")?;
        self.born = from.integer("born")?;
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
        (self.due, self.born) = (0.0, 0);
        self.positions.clear();
    }
}

/// A number in [0, 1) from a hash of four others.
fn unit_number(seed: u64, source: u64, number: u64, salt: u64) -> f64 {
    let mut bits = seed ^ 0x9e37_79b9_7f4a_7c15;
    for word in [source, number, salt] {
        bits = mixed(bits.wrapping_add(word).wrapping_mul(0x2545_f491_4f6c_dd1d));
    }
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// Every bit of the result depends on every bit given.
fn mixed(mut bits: u64) -> u64 {
    for shift in [32, 29, 32] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    bits ^ (bits >> 31)
}
