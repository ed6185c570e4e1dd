//! The sum of the wave trains on the sheet, and its inversion from a position to the material point there.

use std::io;

use glam::{DVec2, DVec3};
use undine_frame::Quantity;
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::{
    Budget, Built, Disturbance, FieldView, Phases, Reader, Sample, SampleField, Seconds, Simulation, Step,
    StepError, SurfaceView, View, Volume, World, Writer,
};

use super::super::sheet::{SheetVertex, WaveSheet};
use super::super::table::PhaseTable;
use super::super::{DENSITY, coarse_waves, read_all};
use super::train::{GerstnerPoint, WaveTrain};

/// A sum of Gerstner waves.
pub struct Gerstner {
    sheet: WaveSheet,
    trains: Vec<WaveTrain>,
    tables: Vec<PhaseTable>,
    time: Seconds,
    depth: Option<f64>,
    gravity: f64,
    budget: Budget,
}

impl Gerstner {
    /// Reads and builds the model; warns of unresolved waves and of folds that were allowed.
    pub fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
        let sheet = WaveSheet::new(values)?;
        let depth = values.number_if("depth");
        let trains = read_all(values, |wave| WaveTrain::read(wave, depth, scene.gravity))?;
        let mut warnings = coarse_waves(values, &sheet);
        warnings.extend(check_loops(scene, values, &trains)?);
        let tables = trains
            .iter()
            .map(|train| PhaseTable::new(train.dispersion.k * train.direction, &sheet))
            .collect();
        let (time, gravity) = (0.0, scene.gravity);
        let mut water = Gerstner { sheet, trains, tables, time, depth, gravity, budget: Budget::default() };
        water.evaluate()?;
        water.budget.volume.initial = water.budget.volume.held;
        water.budget.volume.prescribed = 0.0;
        Ok(Built { simulation: Box::new(water), warnings })
    }

    /// Evaluates the sheet and the budget at the current time.
    fn evaluate(&mut self) -> Result<(), Problem> {
        let time = self.time;
        for (table, train) in self.tables.iter_mut().zip(&mut self.trains) {
            train.set_time(time)?;
            table.set_time(&self.sheet, train.clock(time));
        }
        let (trains, tables) = (&self.trains, &self.tables);
        let sums = self.sheet.evaluate(|lattice_point| {
            let mut point = GerstnerPoint::AT_REST;
            for (train, table) in trains.iter().zip(tables) {
                point.add(train, table.sin_cos(lattice_point), table.fade(lattice_point));
            }
            let vertex = SheetVertex {
                position: lattice_point.xy.extend(0.0) + point.shift,
                normal: point.tangents[0].cross(point.tangents[1]),
                velocity: point.velocity,
            };
            (vertex, point.contribution())
        });
        let held = self.sheet.area() * self.counted_depth() + sums.volume;
        let initial = self.budget.volume.initial;
        self.budget = Budget {
            // All changes of the volume are prescribed
            volume: Volume { held, initial, inflow: 0.0, outflow: 0.0, prescribed: held - initial },
            momentum: (DENSITY * sums.momentum).to_array(),
            kinetic_energy: 0.5 * DENSITY * sums.kinetic,
            potential_energy: 0.5 * DENSITY * self.gravity * sums.potential,
            ..Budget::default()
        };
        Ok(())
    }

    /// Depth down to which volume is counted: the given depth, or half of the longest wavelength in deep water.
    fn counted_depth(&self) -> f64 {
        if let Some(depth) = self.depth {
            return depth;
        }
        self.trains.iter().map(|train| 0.5 * train.dispersion.wavelength()).fold(1.0, f64::max)
    }

    /// The material point that rests at `rest`, below the surface if z < 0.
    fn point(&self, rest: DVec3) -> GerstnerPoint {
        let mut point = GerstnerPoint::AT_REST;
        for train in &self.trains {
            let (along, _) = train.dispersion.decay(rest.z);
            point.add(train, train.phase_at(rest.truncate(), self.time).sin_cos(), along);
        }
        point
    }

    /// The point of the surface that is now above `xy`.
    fn point_above(&self, xy: DVec2) -> GerstnerPoint {
        self.point_at(xy, 0.0)
    }

    /// The point of the layer at rest depth `layer` that is now above `xy`, by Newton's method on x₀ + shift(x₀) = xy.
    ///
    /// A step that does not reduce the residual is halved, so that the iteration also converges next to a fold. Where the
    /// surface has folded there are several solutions, and this is one of them.
    fn point_at(&self, xy: DVec2, layer: f64) -> GerstnerPoint {
        let mut rest = xy;
        let mut point = self.point(rest.extend(layer));
        let mut residual = rest + point.shift.truncate() - xy;
        while residual.length_squared() > 1e-24 {
            let jacobian = point.jacobian();
            let is_regular = jacobian.determinant().abs() > 1e-3;
            let step = if is_regular { jacobian.inverse() * residual } else { residual };
            let closer = (0..30).find_map(|halvings| {
                let next = rest - step * 0.5f64.powi(halvings);
                let found = self.point(next.extend(layer));
                let next_residual = next + found.shift.truncate() - xy;
                let is_closer = next_residual.length_squared() < residual.length_squared();
                is_closer.then_some((next, found, next_residual))
            });
            // Converged to rounding
            let Some(closer) = closer else { break };
            (rest, point, residual) = closer;
        }
        point
    }
}

/// Refuses, or warns of, trains with Σ Q k A > 1 at any time of the scene, whose surface folds over itself.
fn check_loops(scene: &Scene, values: &Values, trains: &[WaveTrain]) -> Result<Option<Problem>, SceneErrors> {
    const SAMPLES: u32 = 256;
    let mut worst = 0.0_f64;
    for index in 0..=SAMPLES {
        let time = scene.duration * f64::from(index) / f64::from(SAMPLES);
        let mut sum = 0.0;
        for train in trains {
            sum += train.steepness * train.dispersion.k * train.amplitude.at(time)?.abs();
        }
        worst = worst.max(sum);
    }
    // Σ Q k A = 1 is the cusp of Gerstner's wave; allow for rounding
    if worst <= 1.0 + 1e-9 {
        return Ok(None);
    }
    let message =
        format!("the waves fold over themselves: the sum of Q k A reaches {worst:.3}, and 1 is the most");
    if values.word("loops") == "allow" {
        return Ok(Some(values.problem("loops", message, "set loops = \"refuse\" to make this an error")));
    }
    let remedy = "lower amplitude or steepness, or allow it with loops = \"allow\"";
    Err(values.problem("wave", message, remedy).into())
}

impl Sample for Gerstner {
    fn height(&self, xy: DVec2) -> Option<f64> {
        self.sheet.contains(xy).then(|| self.point_above(xy).shift.z)
    }

    /// Velocity of the material layer at a position. Layers move with the surface, less at greater depth.
    fn velocity(&self, at: DVec3) -> DVec3 {
        if !self.sheet.contains(at.truncate()) {
            return DVec3::ZERO;
        }
        let mut point = self.point_at(at.truncate(), 0.0);
        let mut layer = 0.0;
        for _ in 0..100 {
            let next = (at.z - point.shift.z).min(0.0);
            if (next - layer).abs() < 1e-12 {
                break;
            }
            layer = next;
            point = self.point_at(at.truncate(), layer);
        }
        point.velocity
    }

    fn normal(&self, xy: DVec2) -> Option<DVec3> {
        let point = self.sheet.contains(xy).then(|| self.point_above(xy))?;
        point.tangents[0].cross(point.tangents[1]).try_normalize()
    }
}

impl Simulation for Gerstner {
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

    /// No disturbance acts on given wave trains.
    fn disturb(&mut self, _: &Disturbance) -> bool {
        false
    }

    fn view(&self) -> View<'_> {
        let above = |xy: [f64; 2]| self.point_above(DVec2::from(xy));
        let grid = self.sheet.grid;
        let named = FieldView::new;
        let height = SampleField::formula(grid, move |xy| [above(xy).shift.z]);
        let velocity = SampleField::formula(grid, move |xy| above(xy).velocity.to_array());
        let jacobian = SampleField::formula(grid, move |xy| [above(xy).jacobian().determinant()]);
        let fields = vec![
            named("height", "m", Quantity::Height, height),
            named("velocity", "m/s", Quantity::Velocity, velocity),
            named("stretch", "", Quantity::Jacobian, jacobian),
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
        to.number("time", self.time)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.evaluate().map_err(io::Error::other)
    }
}
