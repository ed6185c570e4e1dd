//! The sum of the waves on the sheet.

use std::io;

use glam::{DVec2, DVec3};
use undine_frame::Quantity;
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::{
    Budget, Built, Disturbance, FieldView, Phases, Reader, Sample, SampleField, Seconds, Simulation, Step,
    StepError, SurfaceView, View, Volume, World, Writer,
};

use super::super::DENSITY;
use super::super::sheet::{SheetPoint, WaveSheet};
use super::super::table::PhaseTable;
use super::wave::{CrestShape, SineWave, WaveState};

/// The most impacts of disturbances that are kept; the oldest is removed first.
const MAX_IMPACTS: usize = 32;

/// A sum of sine waves.
pub struct SineWaves {
    sheet: WaveSheet,
    waves: Vec<SineWave>,
    on_sheet: Vec<SheetWave>,
    /// Ring waves of disturbances.
    impacts: Vec<Impact>,
    time: Seconds,
    depth: f64,
    gravity: f64,
    budget: Budget,
    /// ∫η of all waves that are not flows, at t = 0.
    prescribed_at_start: f64,
}

/// A drop as a disturbance: its parameters for the checkpoint, and its ring wave.
struct Impact {
    /// Position x, y, radius, volume, and time of the impact.
    fall: [f64; 5],
    wave: SineWave,
}

/// A wave on the lattice of the sheet.
enum SheetWave {
    /// A plane wave with its phase table; `height` is the amplitude and its rate of change.
    Straight { direction: DVec2, table: PhaseTable, height: (f64, f64) },
    /// A ring wave, evaluated point by point; the table only holds the amplitude factors of the lattice.
    Ring(PhaseTable),
}

impl SineWaves {
    /// Reads and builds the model; warns of waves that its sheet does not resolve.
    pub fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
        let sheet = WaveSheet::new(values)?;
        let warnings = super::super::coarse_waves(values, &sheet);
        let depth = values.number_if("depth");
        let waves = super::super::read_all(values, |wave| SineWave::read(wave, depth, scene.gravity))?;
        let on_sheet = waves.iter().map(|wave| SheetWave::new(wave, &sheet)).collect();
        let mut water = SineWaves {
            sheet,
            waves,
            on_sheet,
            impacts: Vec::with_capacity(MAX_IMPACTS),
            time: 0.0,
            depth: depth.unwrap_or(f64::INFINITY),
            gravity: scene.gravity,
            budget: Budget::default(),
            prescribed_at_start: 0.0,
        };
        water.evaluate()?;
        water.budget.volume.initial = water.budget.volume.held;
        water.prescribed_at_start = water.budget.volume.prescribed;
        water.budget.volume.prescribed = 0.0;
        Ok(Built { simulation: Box::new(water), warnings })
    }

    /// The waves of the scene and of disturbances.
    fn all_waves(&self) -> impl Iterator<Item = &SineWave> {
        self.waves.iter().chain(self.impacts.iter().map(|impact| &impact.wave))
    }

    /// The sum of all waves at a point.
    fn local(&self, xy: DVec2) -> WaveState {
        let mut sum = WaveState::default();
        self.all_waves().for_each(|wave| sum += wave.at(xy, self.time));
        sum
    }

    /// Evaluates the sheet and the budget at the current time.
    fn evaluate(&mut self) -> Result<(), Problem> {
        let time = self.time;
        self.waves.iter_mut().try_for_each(|wave| wave.set_time(time))?;
        for (on_lattice, wave) in self.on_sheet.iter_mut().zip(&self.waves) {
            on_lattice.set_time(wave, &self.sheet, time);
        }
        // Superpose waves and impacts at every vertex, summing volume, momentum and energy
        let (waves, on_sheet, impacts) = (&self.waves, &self.on_sheet, &self.impacts);
        let sums = self.sheet.evaluate(|point| {
            let mut sum = WaveState::default();
            let mut prescribed = 0.0;
            for (wave, on_lattice) in waves.iter().zip(on_sheet) {
                let local = on_lattice.at(wave, point, time);
                prescribed += if wave.is_flow() { 0.0 } else { local.level };
                sum += local;
            }
            for impact in impacts {
                let local = impact.wave.at(point.xy, time);
                prescribed += local.level;
                sum += local;
            }
            (sum.vertex(point.xy), sum.contribution(prescribed))
        });
        // Budget: Stokes drift through the sides, and what the closed form prescribes
        let (inflow, outflow) = self.carried_through_sides();
        self.budget = Budget {
            volume: Volume {
                held: self.sheet.area() * self.counted_depth() + sums.volume,
                initial: self.budget.volume.initial,
                inflow,
                outflow,
                prescribed: sums.prescribed - self.prescribed_at_start,
            },
            momentum: (DENSITY * sums.momentum).to_array(),
            kinetic_energy: 0.5 * DENSITY * sums.kinetic,
            potential_energy: 0.5 * DENSITY * self.gravity * sums.potential,
            ..Budget::default()
        };
        Ok(())
    }

    /// Depth down to which volume is counted: the given depth, or half of the longest wavelength in deep water.
    fn counted_depth(&self) -> f64 {
        if self.depth.is_finite() {
            return self.depth;
        }
        self.waves.iter().map(|wave| 0.5 * wave.dispersion.wavelength()).fold(1.0, f64::max)
    }

    /// Inflow and outflow of the plane waves through the four sides since t = 0, integrated exactly.
    fn carried_through_sides(&self) -> (f64, f64) {
        let (columns, rows) = (&self.sheet.columns, &self.sheet.rows);
        let mut net = [0.0; 4];
        for (wave, on_lattice) in self.waves.iter().zip(&self.on_sheet).filter(|(wave, _)| wave.is_flow()) {
            let SheetWave::Straight { direction, table, height } = on_lattice else { continue };
            let (k, omega) = (wave.dispersion.k * *direction, wave.dispersion.omega);
            let transport = *direction * (omega / wave.dispersion.k * height.0 * table.fade_inside());
            // ∫∫ sin over a side and over time: the sine at the middle of both, times both lengths and sincs
            let through = |middle: DVec2, along: f64, length: f64| {
                let phase = k.dot(middle) + wave.clock(0.5 * self.time);
                phase.sin() * length * sinc(0.5 * along * length) * self.time * sinc(0.5 * omega * self.time)
            };
            let center = DVec2::new(0.5 * (columns.low + columns.high), 0.5 * (rows.low + rows.high));
            let (width, height) = (columns.high - columns.low, rows.high - rows.low);
            net[0] += transport.x * through(DVec2::new(columns.low, center.y), k.y, height);
            net[1] -= transport.x * through(DVec2::new(columns.high, center.y), k.y, height);
            net[2] += transport.y * through(DVec2::new(center.x, rows.low), k.x, width);
            net[3] -= transport.y * through(DVec2::new(center.x, rows.high), k.x, width);
        }
        net.iter()
            .fold((0.0, 0.0), |(inflow, outflow), &side| (inflow + side.max(0.0), outflow - side.min(0.0)))
    }
}

impl Sample for SineWaves {
    fn height(&self, xy: DVec2) -> Option<f64> {
        self.sheet.contains(xy).then(|| self.local(xy).level)
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        if !self.sheet.contains(at.truncate()) {
            return DVec3::ZERO;
        }
        let motions = self.all_waves().map(|wave| {
            let local = wave.at(at.truncate(), self.time);
            let (along, up) = wave.dispersion.decay(at.z);
            (local.along * along).extend(local.rising * up)
        });
        motions.sum()
    }

    fn normal(&self, xy: DVec2) -> Option<DVec3> {
        let slope = self.sheet.contains(xy).then(|| self.local(xy).slope)?;
        Some(DVec3::new(-slope.x, -slope.y, 1.0).normalize())
    }
}

impl Simulation for SineWaves {
    fn max_dt(&self) -> Seconds {
        f64::INFINITY
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        let mut phases = Phases::default();
        self.time = world.time + dt;
        phases.time("waves", || self.evaluate())?;
        self.sheet.check_finite()?;
        Ok(Step::Done(phases))
    }

    /// A sum of waves is the same in steps of any length.
    fn retries_frames(&self) -> bool {
        false
    }

    /// A drop makes a ring wave; other disturbances do not act on given waves.
    fn disturb(&mut self, disturbance: &Disturbance) -> bool {
        let Disturbance::Drop { at, radius, volume } = *disturbance else { return false };
        if self.impacts.len() == MAX_IMPACTS {
            self.impacts.remove(0);
        }
        self.impacts.push(Impact::new([at.x, at.y, radius, volume, self.time], self.depth, self.gravity));
        true
    }

    fn view(&self) -> View<'_> {
        let grid = self.sheet.grid;
        let height = SampleField::formula(grid, |xy| [self.local(DVec2::from(xy)).level]);
        let velocity = SampleField::formula(grid, |xy| {
            let local = self.local(DVec2::from(xy));
            local.along.extend(local.rising).to_array()
        });
        let fields = vec![
            FieldView::new("height", "m", Quantity::Height, height),
            FieldView::new("velocity", "m/s", Quantity::Velocity, velocity),
        ];
        View { surfaces: vec![SurfaceView::Sheet(self.sheet.view())], fields, ..View::default() }
    }

    fn budget(&self) -> Budget {
        self.budget
    }

    fn cells(&self) -> u64 {
        self.sheet.positions.len() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("time", self.time)?;
        to.records("stones", self.impacts.iter().map(|impact| impact.fall))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.impacts.clear();
        from.records("stones", |fall| {
            if self.impacts.len() < MAX_IMPACTS {
                self.impacts.push(Impact::new(fall, self.depth, self.gravity));
            }
        })?;
        self.evaluate().map_err(io::Error::other)
    }
}

impl Impact {
    fn new(fall: [f64; 5], depth: f64, gravity: f64) -> Impact {
        let [x, y, radius, volume, time] = fall;
        Impact { fall, wave: SineWave::of_impact(DVec2::new(x, y), radius, volume, time, depth, gravity) }
    }
}

impl SheetWave {
    fn new(wave: &SineWave, sheet: &WaveSheet) -> SheetWave {
        let k = wave.dispersion.k;
        match wave.shape {
            CrestShape::Straight(direction) => SheetWave::Straight {
                direction,
                table: PhaseTable::new(k * direction, sheet),
                height: (0.0, 0.0),
            },
            CrestShape::Ring(_) => SheetWave::Ring(PhaseTable::new(DVec2::splat(k), sheet)),
        }
    }

    /// Sets the phase table and amplitude of a plane wave to the current time.
    fn set_time(&mut self, wave: &SineWave, sheet: &WaveSheet, time: f64) {
        if let SheetWave::Straight { table, height, .. } = self {
            *height = wave.height(time);
            table.set_time(sheet, wave.clock(time));
        }
    }

    /// The wave at a lattice point.
    fn at(&self, wave: &SineWave, point: &SheetPoint, time: f64) -> WaveState {
        match self {
            SheetWave::Straight { direction, table, height } => {
                let fade = table.fade(point);
                wave.straight(*direction, (height.0 * fade, height.1 * fade), table.sin_cos(point))
            }
            SheetWave::Ring(table) if table.fade(point) == 0.0 => WaveState::default(),
            SheetWave::Ring(table) => wave.at(point.xy, time).scaled(table.fade(point)),
        }
    }
}

/// sin x / x.
fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-8 { 1.0 } else { x.sin() / x }
}
