//! Waves that leave through an open side, at right angles and obliquely: how much of them comes back.
//!
//! An open side prescribes the invariant that comes in along its normal. For waves of a small elevation η this is the
//! first-order absorbing condition of [engquist1977], u_n = √(g/h) η with u_n outwards. A wave that arrives at an angle
//! θ to the normal has u_n = √(g/h) η cos θ, the wave that it throws back −√(g/h) η′ cos θ, so
//!
//! ```text
//! (η − η′) cos θ = η + η′        |η′/η| = (1 − cos θ)/(1 + cos θ) = tan²(θ/2)
//! ```
//!
//! A packet of waves runs east, in a channel that is periodic along y and ends at an open side, and in a longer one. The
//! difference of the two is the reflected packet; what is beyond the side in the longer one is the incident packet, after
//! the same way.

use std::f64::consts::TAU;

use undine_checks::{Checks, Target, measured};
use undine_grid::{Condition, Field, Grid, Location};
use undine_sim::{Simulation, Step, World};

use crate::heightfield::HeightFieldSetup;
use crate::shallow_water::{Border, Settings, ShallowWater};

const GRAVITY: f64 = 9.81;
const DEPTH: f64 = 1.0;

/// Elevation of the waves; small, so that they do not steepen.
const AMPLITUDE: f64 = 1e-4;

/// Cells in a wavelength along x; a cell is 1 m long. With half as many the limiter takes 40 to 60 % of the packet on its way.
const WAVE: f64 = 48.0;

/// Where the packet starts and its length, which is twelve waves.
const START: f64 = 6.0;
const PACKET: f64 = 12.0 * WAVE;

/// Cells along x of the channel with the open side and of the longer one.
const SHORT: usize = 588;
const LONG: usize = 1270;

/// A packet whose crests are inclined to the side.
#[derive(Clone, Copy)]
struct Packet {
    /// Angle of incidence θ in radians.
    angle: f64,
}

impl Packet {
    /// Rows of the channel and their width: one wavelength along y.
    fn rows(self) -> (usize, f64) {
        if self.angle == 0.0 {
            return (4, 1.0);
        }
        let width = WAVE / self.angle.tan();
        (width.round() as usize, width / width.round())
    }

    /// η at the start: waves under a window sin².
    fn elevation(self, [x, y]: [f64; 2]) -> f64 {
        let along = (x - START) / PACKET;
        if !(0.0..1.0).contains(&along) {
            return 0.0;
        }
        let window = (0.5 * TAU * along).sin().powi(2);
        AMPLITUDE * window * (TAU / WAVE * (x + y * self.angle.tan())).cos()
    }

    /// The packet in a channel of some length, with open ends.
    fn water(self, columns: usize) -> anyhow::Result<ShallowWater> {
        let (rows, width) = self.rows();
        let grid = Grid::new([columns, rows], [1.0, width], [0.0; 2])?;
        let blank = Field::new(grid, Location::Center, Condition::Open, 3)?;
        let made = |value: &(dyn Fn(f64) -> f64 + Sync)| {
            let mut field = blank.clone();
            field.set_by_position(|at| value(self.elevation(at)));
            field
        };
        // Waves that run one way: u = η √(g/h) in their direction
        let speed = (GRAVITY / DEPTH).sqrt();
        let (sin, cos) = self.angle.sin_cos();
        let setup = HeightFieldSetup {
            grid,
            bed: blank.clone(),
            depth: made(&|elevation| DEPTH + elevation),
            velocity: [
                made(&|elevation| elevation * speed * cos),
                made(&|elevation| elevation * speed * sin),
            ],
            still_level: DEPTH,
            warnings: Vec::new(),
        };
        let borders = [Border::Open, Border::Open, Border::Periodic, Border::Periodic];
        let settings = Settings { borders, sea_level: Some(DEPTH), ..Settings::default() };
        Ok(ShallowWater::new(setup, settings)?)
    }

    /// Amplitude of the reflected packet relative to that of the incident one, by the root of the sum of squares.
    fn reflection(self) -> anyhow::Result<f64> {
        let (mut short, mut long) = (self.water(SHORT)?, self.water(LONG)?);
        // Until the middle of the packet is as far beyond the side as it was before it
        let way = 2.0 * (SHORT as f64 - START - 0.5 * PACKET);
        let end = way / ((GRAVITY * DEPTH).sqrt() * self.angle.cos());
        let mut time = 0.0;
        while time < end {
            let dt = (0.9 * short.max_dt().min(long.max_dt())).min(end - time);
            for water in [&mut short, &mut long] {
                let mut world = World { time, gravity: GRAVITY, seed: 0, driver: None };
                let Step::Done(_) = water.step(dt, &mut world)? else {
                    anyhow::bail!("the step was too long")
                };
            }
            time += dt;
        }

        let (mut reflected, mut incident) = (0.0, 0.0);
        for row in 0..self.rows().0 {
            for x in 0..SHORT {
                reflected += (measured(short.depth_in([x, row])) - long.depth_in([x, row])).powi(2);
            }
            incident += (SHORT..LONG).map(|x| (long.depth_in([x, row]) - DEPTH).powi(2)).sum::<f64>();
        }
        Ok((reflected / incident).sqrt())
    }
}

/// At right angles, at 30° and at 45°.
pub fn reflection(checks: &mut Checks) -> anyhow::Result<()> {
    let normal = Packet { angle: 0.0 }.reflection()?;
    let target = Target::ours(0.01, "(1 − cos θ)/(1 + cos θ) = 0, and 1 % for the grid");
    checks.at_most("at right angles: reflected / incident", normal, target);
    for degrees in [30.0f64, 45.0] {
        let angle = degrees.to_radians();
        const SOURCE: &str = "(1 − cos θ)/(1 + cos θ) [engquist1977], and 5 % of it for the directions in a packet and for the grid";
        let bound = 1.05 * (0.5 * angle).tan().powi(2);
        checks.at_most(
            format!("at {degrees}°: reflected / incident"),
            Packet { angle }.reflection()?,
            Target::exact(bound, SOURCE),
        );
    }
    Ok(())
}
