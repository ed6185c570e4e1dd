//! The trains of waves over the sheet, and the way back from a place to the point that is there.

use std::io;

use glam::{DVec2, DVec3};
use undine_frame::RasterKind;
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::{
    Budget, Built, Disturbance, NamedField, Phases, Reader, Sample, SampleField, Seconds, Simulation, Step,
    StepError, SurfaceView, View, Volume, World, Writer,
};

use super::super::sheet::{Sheet, Vertex};
use super::super::table::PhaseTable;
use super::super::{DENSITY, coarse_waves, read_all};
use super::train::{Point, Train};

/// A sum of Gerstner waves.
pub struct Gerstner {
    sheet: Sheet,
    trains: Vec<Train>,
    tables: Vec<PhaseTable>,
    time: Seconds,
    depth: Option<f64>,
    gravity: f64,
    budget: Budget,
}

impl Gerstner {
    /// Reads and builds the water; warns of waves that its sheet cannot carry and of loops that were allowed.
    pub fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
        let sheet = Sheet::new(values)?;
        let depth = values.number_if("depth");
        let trains = read_all(values, |wave| Train::read(wave, depth, scene.gravity))?;
        let mut warnings = coarse_waves(values, &sheet);
        warnings.extend(check_loops(scene, values, &trains)?);
        let tables = trains
            .iter()
            .map(|train| PhaseTable::new(train.dispersion.k * train.direction, &sheet))
            .collect();
        let (time, gravity) = (0.0, scene.gravity);
        let mut water = Gerstner { sheet, trains, tables, time, depth, gravity, budget: Budget::default() };
        water.evaluate();
        water.budget.volume.initial = water.budget.volume.held;
        water.budget.volume.prescribed = 0.0;
        Ok(Built { simulation: Box::new(water), warnings })
    }

    /// Brings the sheet and the budget to the present time.
    fn evaluate(&mut self) {
        let time = self.time;
        for (table, train) in self.tables.iter_mut().zip(&mut self.trains) {
            train.turn(time);
            table.turn(&self.sheet, train.clock(time));
        }
        let (trains, tables) = (&self.trains, &self.tables);
        let sums = self.sheet.evaluate(|spot| {
            let mut point = Point::AT_REST;
            for (train, table) in trains.iter().zip(tables) {
                point.add(train, table.sin_cos(spot), table.fade(spot));
            }
            let vertex = Vertex {
                position: spot.xy.extend(0.0) + point.shift,
                normal: point.tangents[0].cross(point.tangents[1]),
                velocity: point.velocity,
            };
            (vertex, point.contribution())
        });
        let held = self.sheet.area() * self.counted_depth() + sums.volume;
        let initial = self.budget.volume.initial;
        self.budget = Budget {
            // A formula, not a flow: all that changes is prescribed.
            volume: Volume { held, initial, inflow: 0.0, outflow: 0.0, prescribed: held - initial },
            momentum: (DENSITY * sums.momentum).to_array(),
            kinetic_energy: 0.5 * DENSITY * sums.kinetic,
            potential_energy: 0.5 * DENSITY * self.gravity * sums.potential,
            ..Budget::default()
        };
    }

    /// The depth down to which volume is counted: the water's own, or in deep water that of the longest train's reach.
    fn counted_depth(&self) -> f64 {
        if let Some(depth) = self.depth {
            return depth;
        }
        self.trains.iter().map(|train| 0.5 * train.dispersion.wavelength()).fold(1.0, f64::max)
    }

    /// The point that rests at `rest`, below the surface if z is negative.
    fn point(&self, rest: DVec3) -> Point {
        let mut point = Point::AT_REST;
        for train in &self.trains {
            let (along, _) = train.dispersion.decay(rest.z);
            point.add(train, train.phase_at(rest.truncate(), self.time).sin_cos(), along);
        }
        point
    }

    /// The point of the surface that is now above `xy`.
    fn point_above(&self, xy: DVec2) -> Point {
        self.point_at(xy, 0.0)
    }

    /// The point of the layer that rests at `layer` which is now above `xy`, by Newton's method on
    /// rest + shift(rest) = xy.
    ///
    /// A step that would not come closer is halved, so that it also converges next to a fold. Where the surface has
    /// folded over there are several answers, and this is one of them.
    fn point_at(&self, xy: DVec2, layer: f64) -> Point {
        let mut rest = xy;
        let mut point = self.point(rest.extend(layer));
        let mut miss = rest + point.shift.truncate() - xy;
        while miss.length_squared() > 1e-24 {
            let stretch = point.stretch();
            let is_regular = stretch.determinant().abs() > 1e-3;
            let step = if is_regular { stretch.inverse() * miss } else { miss };
            let closer = (0..30).find_map(|halvings| {
                let next = rest - step * 0.5f64.powi(halvings);
                let found = self.point(next.extend(layer));
                let next_miss = next + found.shift.truncate() - xy;
                (next_miss.length_squared() < miss.length_squared()).then_some((next, found, next_miss))
            });
            // Nothing comes closer: this is as near as numbers go.
            let Some(closer) = closer else { break };
            (rest, point, miss) = closer;
        }
        point
    }
}

/// Refuses, or warns of, trains so steep that the surface folds over itself at any time of the scene.
fn check_loops(scene: &Scene, values: &Values, trains: &[Train]) -> Result<Option<Problem>, SceneErrors> {
    const MOMENTS: u32 = 256;
    let folding = |time: f64| -> f64 {
        let fold = |train: &Train| train.steepness * train.dispersion.k * train.amplitude.at(time).abs();
        trains.iter().map(fold).sum()
    };
    let moments = (0..=MOMENTS).map(|index| scene.duration * f64::from(index) / f64::from(MOMENTS));
    let worst = moments.map(folding).fold(0.0, f64::max);
    // Exactly 1 is the cusp, which Gerstner's own wave reaches; allow for rounding.
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

    /// The motion of the layer that is there. Layers move with the surface, less the deeper they rest.
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
        phases.time("waves", || self.evaluate());
        self.sheet.check_finite()?;
        Ok(Step::Done(phases))
    }

    /// A sum of waves is the same in steps of any length.
    fn retries_frames(&self) -> bool {
        false
    }

    /// Trains of waves have no answer to a hand.
    fn disturb(&mut self, _: &Disturbance) -> bool {
        false
    }

    fn view(&self) -> View<'_> {
        let above = |xy: [f64; 2]| self.point_above(DVec2::from(xy));
        let grid = self.sheet.grid;
        let named = |name, unit, kind, samples| NamedField { name, unit, kind, samples };
        let height = SampleField::formula(grid, move |xy| [above(xy).shift.z]);
        let velocity = SampleField::formula(grid, move |xy| above(xy).velocity.to_array());
        let stretch = SampleField::formula(grid, move |xy| [above(xy).stretch().determinant()]);
        let fields = vec![
            named("height", "m", RasterKind::Surface, height),
            named("velocity", "m/s", RasterKind::Vector, velocity),
            named("stretch", "", RasterKind::Scalar, stretch),
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
        to.number("time", self.time)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.evaluate();
        Ok(())
    }
}
