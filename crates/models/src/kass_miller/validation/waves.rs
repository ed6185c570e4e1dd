//! Kass and Miller's water against the algebra of its scheme and the theory of long waves.

use std::f64::consts::{PI, TAU};
use std::fmt::Write;

use glam::DVec2;
use undine_checks::{Checks, Target, Worst, measured};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const STANDING: &str = include_str!("../../../../../validation/kass-miller/standing-wave/case.toml");
const COURANT: &str = include_str!("../../../../../validation/kass-miller/courant/case.toml");

const G: f64 = 9.81;
/// p of the second-order step.
const SECOND_ORDER: f64 = 0.501;

/// A standing wave over ground at 0, in water one metre deep and samples of one metre.
struct StandingWave {
    /// Samples along x and y.
    cells: [usize; 2],
    /// Samples per wavelength along x and y; infinite across.
    samples: [f64; 2],
    amplitude: f64,
    /// c Δt / Δx.
    courant: f64,
}

impl StandingWave {
    /// The value of the wave with unit amplitude in a cell.
    fn shape(&self, cell: [usize; 2]) -> f64 {
        (0..2).map(|axis| (TAU * (cell[axis] as f64 + 0.5) / self.samples[axis]).cos()).product()
    }

    /// q = c k̃ Δt along an axis.
    fn phase(&self, axis: usize) -> f64 {
        2.0 * self.courant * (PI / self.samples[axis]).sin()
    }

    fn middle(&self, cell: [usize; 2]) -> DVec2 {
        let [x, y] = [0, 1].map(|axis| cell[axis] as f64 + 0.5 - 0.5 * self.cells[axis] as f64);
        DVec2::new(x, y)
    }

    fn each_cell(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [columns, rows] = self.cells;
        (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y]))
    }

    fn build(&self, scheme: &str, precision: &str) -> anyhow::Result<Runner> {
        let [columns, rows] = self.cells;
        let mut text = STANDING.to_owned();
        text.push_str("fill = [\n");
        for cell in self.each_cell() {
            let (DVec2 { x, y }, level) = (self.middle(cell), 1.0 + self.amplitude * self.shape(cell));
            writeln!(
                text,
                "{{ from = [{}, {}], to = [{}, {}], level = {level:?} }},",
                x - 0.2,
                y - 0.2,
                x + 0.2,
                y + 0.2
            )?;
        }
        text.push_str("]\n");
        let overrides = [
            format!("scene.fps={:?}", G.sqrt() / self.courant),
            format!("water.0.size=[{columns}, {rows}]"),
            format!("water.0.resolution={columns}"),
            format!("water.0.scheme=\"{scheme}\""),
            format!("water.0.precision=\"{precision}\""),
        ];
        build(&text, &overrides)
    }

    /// The amplitude now, by projection, in units of that at the start.
    fn amplitude(&self, water: &Runner) -> f64 {
        let (mut product, mut square) = (0.0, 0.0);
        for cell in self.each_cell() {
            let shape = self.shape(cell);
            product += shape * (water.height(self.middle(cell)).unwrap_or(f64::NAN) - 1.0);
            square += shape * shape;
        }
        product / square / self.amplitude
    }
}

/// Amplitudes of level and flow of a standing wave.
#[derive(Clone, Copy)]
struct Amplitudes {
    level: f64,
    flow: [f64; 2],
}

impl Amplitudes {
    /// A step along one axis: the rise y solves (1 + p² q²) y = −q (m + p q h), and m' = m + q (h + p y).
    fn step(&mut self, axis: usize, q: f64, p: f64) {
        let rise = -q * (self.flow[axis] + p * q * self.level) / (1.0 + p * p * q * q);
        self.flow[axis] += q * (self.level + p * rise);
        self.level += rise;
    }
}

/// Amplitude and phase of standing waves, step by step, against the algebra of the schemes.
pub fn standing_wave(checks: &mut Checks) -> anyhow::Result<()> {
    const ALONG: f64 = f64::INFINITY;
    for (scheme, p) in [("first-order", 1.0), ("second-order", SECOND_ORDER)] {
        for (direction, cells, samples) in [
            ("along x", [64, 1], [32.0, ALONG]),
            ("along y", [1, 64], [ALONG, 32.0]),
            ("diagonal", [32, 32], [32.0, 32.0]),
        ] {
            let mut worst = Worst::default();
            for courant in [0.5, 4.0] {
                let wave = StandingWave { cells, samples, amplitude: 1e-8, courant };
                worst.add(distance_from_algebra(&wave, scheme, p)?);
            }
            let metric = format!("{scheme} {direction}, of the amplitude");
            checks.at_most(
                metric,
                worst.value(),
                Target::exact(1e-6, "[kass1990] eqs. 9–16, amplitude and phase in closed form"),
            );
        }
    }
    Ok(())
}

fn distance_from_algebra(wave: &StandingWave, scheme: &str, p: f64) -> anyhow::Result<f64> {
    let mut water = wave.build(scheme, "double")?;
    let q = [0, 1].map(|axis| wave.phase(axis));
    let mut own = Amplitudes { level: 1.0, flow: [0.0; 2] };
    let mut worst = Worst::default();
    for step in 1..=60 {
        water.next_frame()?;
        (0..2).filter(|&axis| q[axis] > 0.0).for_each(|axis| own.step(axis, q[axis], p));
        if let Some(q) = alone(q) {
            anyhow::ensure!((own.level - closed_form(q, p, step)).abs() < 1e-12, "the algebra is wrong");
        }
        worst.compare(wave.amplitude(&water), own.level);
    }
    Ok(worst.value())
}

/// The phase of a wave that stands along one axis only.
fn alone(q: [f64; 2]) -> Option<f64> {
    (q[0] * q[1] == 0.0).then_some(q[0] + q[1])
}

/// Re zⁿ, z = (1 + i (1 − p) q) / (1 − i p q).
fn closed_form(q: f64, p: f64, step: i32) -> f64 {
    let size = ((1.0 + (q - p * q).powi(2)) / (1.0 + (p * q).powi(2))).sqrt();
    let angle = (q - p * q).atan() + (p * q).atan();
    size.powi(step) * (f64::from(step) * angle).cos()
}

/// Twenty periods of a wave of 32 samples at a Courant number of 4.
pub fn endurance(checks: &mut Checks) -> anyhow::Result<()> {
    let wave = StandingWave { cells: [64, 1], samples: [32.0, f64::INFINITY], amplitude: 1e-3, courant: 4.0 };
    let period = TAU / (2.0 * (0.5 * wave.phase(0)).atan());
    for precision in ["single", "double"] {
        let mut water = wave.build("second-order", precision)?;
        // The still level of this scene is the ground, so energy counts from the level of the water.
        let start = wave_energy(&wave, &water);
        for _ in 0..(20.0 * period).round() as u32 {
            water.next_frame()?;
        }
        let loss = (1.0 - (measured(wave_energy(&wave, &water)) / start).sqrt()).abs();
        checks.at_most(
            format!("{precision}: amplitude lost in 20 periods"),
            loss,
            Target::exact(0.0857, "[kass1990]: |z|ⁿ of the second-order step with p = 0.501"),
        );
    }
    Ok(())
}

/// The energy of the wave: Σ ρ (g η² + d u²) / 2 over samples of one square metre.
fn wave_energy(wave: &StandingWave, water: &Runner) -> f64 {
    let levels = wave.each_cell().map(|cell| water.height(wave.middle(cell)).unwrap_or(f64::NAN) - 1.0);
    let potential: f64 = levels.map(|level| 0.5 * 1000.0 * G * level * level).sum();
    potential + water.budgets().map(|(_, budget)| budget.kinetic_energy).sum::<f64>()
}

/// The speed of long waves, and the order at which it is approached.
pub fn long_waves(checks: &mut Checks) -> anyhow::Result<()> {
    let error = |samples: usize| -> anyhow::Result<f64> {
        let wave = StandingWave {
            cells: [samples, 1],
            samples: [samples as f64, f64::INFINITY],
            amplitude: 1e-6,
            courant: 1.0,
        };
        // A quarter of the period λ / c, in steps.
        Ok((measured(quarter_period(&wave)?) / (0.25 * samples as f64 / wave.courant) - 1.0).abs())
    };
    let (coarse, middle, fine) = (error(16)?, error(32)?, error(64)?);
    checks.at_most(
        "period of 64 samples, relative",
        fine,
        Target::exact(1.2e-3, "[kass1990]: atan pq + atan (1 − p)q a step, against c² = g d [lamb1932]"),
    );
    let errors = [(16, coarse), (32, middle), (64, fine)];
    checks.order("order of convergence", &errors, Target::order(1.9, "second-order differences"));
    Ok(())
}

/// Steps until the amplitude passes through zero.
fn quarter_period(wave: &StandingWave) -> anyhow::Result<f64> {
    let mut water = wave.build("second-order", "double")?;
    let mut before = 1.0;
    for step in 0..10_000 {
        water.next_frame()?;
        let now = wave.amplitude(&water);
        if now <= 0.0 {
            // Between two steps the amplitude is a piece of a cosine.
            let angle = |amplitude: f64| amplitude.clamp(-1.0, 1.0).acos();
            let fraction = (0.5 * PI - angle(before)) / (angle(now) - angle(before));
            return Ok(f64::from(step) + fraction);
        }
        before = now;
    }
    anyhow::bail!("the wave does not oscillate")
}

/// Energy at steps far beyond what can be resolved.
pub fn courant(checks: &mut Checks) -> anyhow::Result<()> {
    for courant in [50.0, 1e4] {
        for scheme in ["first-order", "second-order"] {
            // Samples of 5 cm, and water up to a metre deep.
            let fps = (G * 1.0f64).sqrt() / (0.05 * courant);
            let overrides = [
                format!("scene.fps={fps:?}"),
                format!("scene.duration={:?}", 400.0 / fps),
                format!("water.0.scheme=\"{scheme}\""),
            ];
            let mut water = build(COURANT, &overrides)?;
            let energy = |water: &Runner| -> f64 {
                water.budgets().map(|(_, budget)| budget.kinetic_energy + budget.potential_energy).sum()
            };
            let start = energy(&water);
            let mut highest = Worst::default();
            for _ in 0..300 {
                water.next_frame()?;
                highest.add(measured(energy(&water)) / start);
            }
            checks.at_most(
                format!("{scheme} at {courant}: energy"),
                highest.value(),
                Target::exact(1.0, "the start"),
            );
        }
    }
    Ok(())
}
