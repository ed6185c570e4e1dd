//! The sum of the waves over the sheet.

use std::io;

use glam::{DVec2, DVec3};
use undine_frame::RasterKind;
use undine_scene::{Scene, SceneErrors, Values};
use undine_sim::{
    Budget, Built, Disturbance, NamedField, Phases, Reader, Sample, SampleField, Seconds, Simulation, Step,
    StepError, SurfaceView, View, Volume, World, Writer,
};

use super::super::DENSITY;
use super::super::sheet::{Sheet, Spot};
use super::super::table::PhaseTable;
use super::wave::{Local, Shape, Wave};

/// The most stones from outside that still ripple; the oldest is forgotten first.
const MOST_STONES: usize = 32;

/// A sum of sine waves.
pub struct SineWaves {
    sheet: Sheet,
    waves: Vec<Wave>,
    on_sheet: Vec<OnSheet>,
    stones: Vec<Stone>,
    time: Seconds,
    depth: f64,
    gravity: f64,
    budget: Budget,
    /// ∫ of the levels of all waves that are no flow, at the start.
    prescribed_at_start: f64,
}

/// A stone thrown in from outside: what it takes to make its wave again, and the wave.
struct Stone {
    /// Its place x, y, its radius, its volume, and the time of its fall.
    fall: [f64; 5],
    wave: Wave,
}

/// A wave laid out on the lattice of the sheet.
enum OnSheet {
    /// A straight wave, by its table; with its height now and how fast that changes.
    Straight { direction: DVec2, table: PhaseTable, height: (f64, f64) },
    /// A ring, point by point; with a table that only knows what the lattice can carry.
    Ring(PhaseTable),
}

impl SineWaves {
    /// Reads and builds the water; warns of waves that its sheet cannot carry.
    pub fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
        let sheet = Sheet::new(values)?;
        let warnings = super::super::coarse_waves(values, &sheet);
        let depth = values.number_if("depth");
        let waves = super::super::read_all(values, |wave| Wave::read(wave, depth, scene.gravity))?;
        let on_sheet = waves.iter().map(|wave| OnSheet::new(wave, &sheet)).collect();
        let mut water = SineWaves {
            sheet,
            waves,
            on_sheet,
            stones: Vec::with_capacity(MOST_STONES),
            time: 0.0,
            depth: depth.unwrap_or(f64::INFINITY),
            gravity: scene.gravity,
            budget: Budget::default(),
            prescribed_at_start: 0.0,
        };
        water.evaluate();
        water.budget.volume.initial = water.budget.volume.held;
        water.prescribed_at_start = water.budget.volume.prescribed;
        water.budget.volume.prescribed = 0.0;
        Ok(Built { simulation: Box::new(water), warnings })
    }

    /// All waves: those of the scene, and those of stones.
    fn all_waves(&self) -> impl Iterator<Item = &Wave> {
        self.waves.iter().chain(self.stones.iter().map(|stone| &stone.wave))
    }

    /// The sum of all waves at a point.
    fn local(&self, xy: DVec2) -> Local {
        let mut sum = Local::default();
        self.all_waves().for_each(|wave| sum += wave.at(xy, self.time));
        sum
    }

    /// Brings the sheet and the budget to the present time.
    fn evaluate(&mut self) {
        let time = self.time;
        for (laid, wave) in self.on_sheet.iter_mut().zip(&self.waves) {
            laid.turn(wave, &self.sheet, time);
        }
        let (waves, on_sheet, stones) = (&self.waves, &self.on_sheet, &self.stones);
        let sums = self.sheet.evaluate(|spot| {
            let mut sum = Local::default();
            let mut prescribed = 0.0;
            for (wave, laid) in waves.iter().zip(on_sheet) {
                let local = laid.at(wave, spot, time);
                prescribed += if wave.is_flow() { 0.0 } else { local.level };
                sum += local;
            }
            for stone in stones {
                let local = stone.wave.at(spot.xy, time);
                prescribed += local.level;
                sum += local;
            }
            (sum.vertex(spot.xy), sum.contribution(prescribed))
        });
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
    }

    /// The depth down to which volume is counted: the water's own, or in deep water that of the longest wave's reach.
    fn counted_depth(&self) -> f64 {
        if self.depth.is_finite() {
            return self.depth;
        }
        self.waves.iter().map(|wave| 0.5 * wave.dispersion.wavelength()).fold(1.0, f64::max)
    }

    /// What the flowing waves have carried in and out through the four sides since t = 0, integrated exactly.
    fn carried_through_sides(&self) -> (f64, f64) {
        let (columns, rows) = (&self.sheet.columns, &self.sheet.rows);
        let mut net = [0.0; 4];
        for (wave, laid) in self.waves.iter().zip(&self.on_sheet).filter(|(wave, _)| wave.is_flow()) {
            let OnSheet::Straight { direction, table, height } = laid else { continue };
            let (k, omega) = (wave.dispersion.k * *direction, wave.dispersion.omega);
            let transport = *direction * (omega / wave.dispersion.k * height.0 * table.fade_inside());
            // ∫∫ sin over a side and over time is the sine in the middle of both, times both lengths and sincs.
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
        phases.time("waves", || self.evaluate());
        self.sheet.check_finite()?;
        Ok(Step::Done(phases))
    }

    /// A sum of waves is the same in steps of any length.
    fn retries_frames(&self) -> bool {
        false
    }

    /// A stone makes rings; a closed form has no answer to anything else.
    fn disturb(&mut self, poke: &Disturbance) -> bool {
        let Disturbance::Drop { at, radius, volume } = *poke else { return false };
        if self.stones.len() == MOST_STONES {
            self.stones.remove(0);
        }
        self.stones.push(Stone::new([at.x, at.y, radius, volume, self.time], self.depth, self.gravity));
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
            NamedField { name: "height", unit: "m", kind: RasterKind::Surface, samples: height },
            NamedField { name: "velocity", unit: "m/s", kind: RasterKind::Vector, samples: velocity },
        ];
        View {
            surface: Some(SurfaceView::Sheet(self.sheet.view())),
            particles: None,
            bodies: Vec::new(),
            fields,
        }
    }

    fn budget(&self) -> Budget {
        self.budget
    }

    fn cells(&self) -> u64 {
        self.sheet.positions.len() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("time", self.time)?;
        to.records("stones", self.stones.iter().map(|stone| stone.fall))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.stones.clear();
        from.records("stones", |fall| {
            if self.stones.len() < MOST_STONES {
                self.stones.push(Stone::new(fall, self.depth, self.gravity));
            }
        })?;
        self.evaluate();
        Ok(())
    }
}

impl Stone {
    fn new(fall: [f64; 5], depth: f64, gravity: f64) -> Stone {
        let [x, y, radius, volume, time] = fall;
        Stone { fall, wave: Wave::of_stone(DVec2::new(x, y), radius, volume, time, depth, gravity) }
    }
}

impl OnSheet {
    fn new(wave: &Wave, sheet: &Sheet) -> OnSheet {
        let k = wave.dispersion.k;
        match wave.shape {
            Shape::Straight(direction) => OnSheet::Straight {
                direction,
                table: PhaseTable::new(k * direction, sheet),
                height: (0.0, 0.0),
            },
            Shape::Ring(_) => OnSheet::Ring(PhaseTable::new(DVec2::splat(k), sheet)),
        }
    }

    /// Turns a straight wave to the present time.
    fn turn(&mut self, wave: &Wave, sheet: &Sheet, time: f64) {
        if let OnSheet::Straight { table, height, .. } = self {
            *height = wave.height(time);
            table.turn(sheet, wave.clock(time));
        }
    }

    fn at(&self, wave: &Wave, spot: &Spot, time: f64) -> Local {
        match self {
            OnSheet::Straight { direction, table, height } => {
                let fade = table.fade(spot);
                wave.straight(*direction, (height.0 * fade, height.1 * fade), table.sin_cos(spot))
            }
            OnSheet::Ring(table) if table.fade(spot) == 0.0 => Local::default(),
            OnSheet::Ring(table) => wave.at(spot.xy, time).scaled(table.fade(spot)),
        }
    }
}

/// sin x / x.
fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-8 { 1.0 } else { x.sin() / x }
}
