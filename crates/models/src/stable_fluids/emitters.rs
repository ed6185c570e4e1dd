//! Emitters (jets, fans, paths and blots): drive the fluid and add dye, smoke and heat.
//!
//! Each acts on a ball with a weight that is 1 inside and falls linearly to 0 over the last third of the radius.

use std::ops::Range;

use undine_grid::{Field, Grid};
use undine_scene::{
    Absent, Key, KindEntry, Placement, Placing, Problem, Scene, SceneErrors, Section, SectionEntry, Timed,
    Values, active_fraction,
};

use super::transported_scalars::{ScalarSet, TransportedScalars};
use crate::solids::read_kind;
use crate::tools;

/// `[[emitter]]` of a fluid that fills a box.
pub static EMITTER: SectionEntry = SectionEntry {
    name: "emitter",
    summary: "drives a fluid, and adds dye, smoke or heat",
    repeats: true,
    common: EMITTER_KEYS,
    kinds: &[
        JET.with_keys(&[&[AT_2D, TOWARDS_2D, SPEED]]).only_in(&[2]),
        JET.with_keys(&[&[AT_3D, TOWARDS_3D, SPEED]]).only_in(&[3]),
        FAN.with_keys(&[&[AT_2D, TOWARDS_2D, PUSH]]).only_in(&[2]),
        FAN.with_keys(&[&[AT_3D, TOWARDS_3D, PUSH]]).only_in(&[3]),
        PATH.with_keys(&[&[WAY_KEY_2D, GRIP]]).only_in(&[2]),
        PATH.with_keys(&[&[WAY_KEY_3D, GRIP]]).only_in(&[3]),
        BLOT.with_keys(&[&[AT_2D]]).only_in(&[2]),
        BLOT.with_keys(&[&[AT_3D]]).only_in(&[3]),
    ],
};

const JET: KindEntry =
    KindEntry::new("jet", "holds the fluid in a ball at a velocity, and at a colour, smoke or heat", &[])
        .placed(Placing::Region)
        .with_tools(&[tools::spring(write_jet)]);
const FAN: KindEntry = KindEntry::new("fan", "pushes the fluid in a ball", &[])
    .placed(Placing::Region)
    .with_tools(&[tools::wobble(write_fan)]);
const PATH: KindEntry = KindEntry::new("path", "drags the fluid along a path through given points", &[]);
const BLOT: KindEntry =
    KindEntry::new("blot", "dye, smoke or heat that is there at the start, or falls in at a time", &[])
        .placed(Placing::Region);

/// A jet of dye, upwards, placed by the pointer.
fn write_jet(placement: &Placement<'_>) -> String {
    let towards = if placement.dimension == 3 { "[0, 0, 1]" } else { "[0, 1]" };
    let (radius, speed) = (placement.radius, 6.0 * placement.radius);
    let blows = format!("towards = {towards}, speed = {speed:?}, colour = \"#2f9fe0\"");
    format!("{{ kind = \"jet\", at = {}, radius = {radius:?}, {blows} }}", placement.point())
}

/// A fan that pushes to and fro, placed by the pointer.
fn write_fan(placement: &Placement<'_>) -> String {
    let towards = if placement.dimension == 3 { "[1, 0, 0]" } else { "[1, 0]" };
    let (radius, push) = (placement.radius, placement.sine(60.0 * placement.radius / placement.period));
    let blows = format!("towards = {towards}, push = \"{push}\"");
    format!("{{ kind = \"fan\", at = {}, radius = {radius:?}, {blows} }}", placement.point())
}

const AT_2D: Key = Key::vector("at", 2).unit("m").within(-1e6, 1e6).help("its middle");
const AT_3D: Key = Key::vector("at", 3).unit("m").within(-1e6, 1e6).help("its middle");
const TOWARDS_2D: Key = Key::vector("towards", 2)
    .default(Absent::Vector(&[1.0, 0.0]))
    .within(-1e6, 1e6)
    .help("its direction, of any length");
const TOWARDS_3D: Key = Key::vector("towards", 3)
    .default(Absent::Vector(&[0.0, 0.0, 1.0]))
    .within(-1e6, 1e6)
    .help("its direction, of any length");
const SPEED: Key = Key::timed("speed")
    .unit("m/s")
    .optional("the fluid is not driven")
    .within(-1e4, 1e4)
    .help("speed at which the fluid leaves it");
const PUSH: Key = Key::timed("push").unit("m/s²").within(-1e6, 1e6).help("acceleration of the fluid");
const GRIP: Key =
    Key::timed("grip").or(1.0).within(0.0, 1.0).help("fraction of its velocity that the fluid takes on");

const WAY_KEY_2D: Key = Key::tables("way", WAY_2D).help("the points it passes, in order of time");
const WAY_KEY_3D: Key = Key::tables("way", WAY_3D).help("the points it passes, in order of time");

const WAY_2D: &[Key] = &[
    Key::number("time").unit("s").within(0.0, 1e9).help("when it is there"),
    Key::vector("at", 2).unit("m").within(-1e6, 1e6).help("where"),
];
const WAY_3D: &[Key] = &[
    Key::number("time").unit("s").within(0.0, 1e9).help("when it is there"),
    Key::vector("at", 3).unit("m").within(-1e6, 1e6).help("where"),
];

static EMITTER_KEYS: &[Key] = &[
    Key::text("kind").help("jet, fan, path or blot"),
    Key::text("water").optional("every grid fluid").help("the name of the water that it belongs to"),
    Key::number("radius").unit("m").positive_to(1e6).help("radius of the ball on which it acts"),
    Key::colour("colour").optional("no dye").help("colour of the dye that it gives"),
    Key::number("smoke").optional("no smoke").within(0.0, 1e3).help("smoke that it gives; 1 is thick"),
    Key::number("temperature")
        .unit("K")
        .optional("no heat")
        .within(-1e4, 1e4)
        .help("temperature above the ambient one"),
    Key::timed("particles")
        .unit("1/s")
        .or(0.0)
        .within(0.0, 1e6)
        .help("particles emitted per second; of a blot, their number"),
    Key::number("mass").or(1.0).positive_to(1e6).help("mass of each of them as a metaball"),
    Key::number("burning")
        .unit("1/s")
        .or(0.0)
        .within(0.0, 1e6)
        .help("fraction of that mass lost per second; a particle without mass is removed"),
    Key::number("from").unit("s").or(0.0).within(0.0, 1e9).help("it begins at this time"),
    Key::number("until").unit("s").optional("the end").within(0.0, 1e9).help("it ends at this time"),
];

/// An emitter.
#[derive(Debug, Clone)]
pub struct FluidEmitter<const D: usize> {
    action: EmitterAction<D>,
    radius: f64,
    colour: Option<[f32; 3]>,
    smoke: Option<f32>,
    heat: Option<f32>,
    particles: Timed,
    mass: f64,
    burning: f64,
    from: f64,
    until: f64,
}

#[derive(Debug, Clone)]
enum EmitterAction<const D: usize> {
    Jet { at: [f64; D], towards: [f64; D], speed: Option<Timed> },
    Fan { at: [f64; D], towards: [f64; D], push: Timed },
    Path { way: Vec<(f64, [f64; D])>, grip: Timed },
    Blot { at: [f64; D] },
}

/// The ball on which an emitter or a disturbance acts.
#[derive(Debug, Clone, Copy)]
pub struct InfluenceBall<const D: usize> {
    /// Its centre in metres.
    pub at: [f64; D],
    /// Its radius in metres.
    pub radius: f64,
}

/// Reads the emitters of the water with these values, reporting all problems at once.
pub fn read_emitters<const D: usize>(
    scene: &Scene,
    water: &Values,
) -> Result<Vec<FluidEmitter<D>>, SceneErrors> {
    let mut errors = SceneErrors::default();
    let mut emitters = Vec::new();
    for section in scene.sections("emitter") {
        emitters.extend(errors.keep(read_one(scene, &section, water)).flatten());
    }
    errors.into_result().map(|()| emitters)
}

fn read_one<const D: usize>(
    scene: &Scene,
    section: &Section<'_>,
    water: &Values,
) -> Result<Option<FluidEmitter<D>>, SceneErrors> {
    let Some((kind, values)) = read_kind(scene, section, water, &EMITTER, D)? else { return Ok(None) };
    Ok(Some(FluidEmitter {
        action: read_action(kind.name, &values)?,
        radius: values.number("radius"),
        colour: values.colour_if("colour"),
        smoke: values.number_if("smoke").map(|smoke| smoke as f32),
        heat: values.number_if("temperature").map(|heat| heat as f32),
        particles: values.timed("particles").clone(),
        mass: values.number("mass"),
        burning: values.number("burning"),
        from: values.number("from"),
        until: values.number_if("until").unwrap_or(f64::INFINITY),
    }))
}

fn read_action<const D: usize>(kind: &str, values: &Values) -> Result<EmitterAction<D>, SceneErrors> {
    // Unit vector of the direction of a jet or fan
    let towards = || {
        let towards: [f64; D] = values.vector("towards");
        let length = towards.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            Ok(towards.map(|x| x / length))
        } else {
            Err(values.problem(
                "towards",
                "this direction has length zero",
                "give a direction such as [1, 0]",
            ))
        }
    };
    Ok(match kind {
        "jet" => EmitterAction::Jet {
            at: values.vector("at"),
            towards: towards()?,
            speed: values.timed_if("speed").cloned(),
        },
        "fan" => EmitterAction::Fan {
            at: values.vector("at"),
            towards: towards()?,
            push: values.timed("push").clone(),
        },
        "path" => {
            let way: Vec<(f64, [f64; D])> =
                values.tables("way").iter().map(|point| (point.number("time"), point.vector("at"))).collect();
            if way.len() < 2 || way.windows(2).any(|pair| pair[1].0 <= pair[0].0) {
                let message = "a path has at least two points, each later than the one before";
                return Err(values
                    .problem("way", message, "such as [{ time = 0, at = [0, 0] }, { time = 1, at = [1, 0] }]")
                    .into());
            }
            EmitterAction::Path { way, grip: values.timed("grip").clone() }
        }
        _ => EmitterAction::Blot { at: values.vector("at") },
    })
}

/// The scalars that emitters add.
pub fn carried_scalars<const D: usize>(emitters: &[FluidEmitter<D>]) -> ScalarSet {
    ScalarSet {
        dye: emitters.iter().any(|emitter| emitter.colour.is_some()),
        smoke: emitters.iter().any(|emitter| emitter.smoke.is_some()),
        heat: emitters.iter().any(|emitter| emitter.heat.is_some()),
    }
}

impl<const D: usize> FluidEmitter<D> {
    /// Whether it can change the velocity.
    pub fn drives(&self) -> bool {
        !matches!(self.action, EmitterAction::Blot { .. } | EmitterAction::Jet { speed: None, .. })
    }

    /// Whether it emits everything at one time.
    pub fn is_blot(&self) -> bool {
        matches!(self.action, EmitterAction::Blot { .. })
    }

    /// Particles emitted during a step, with fractions; those of a blot come at its time.
    pub fn emitted(&self, step: &Range<f64>) -> Result<f64, Problem> {
        match self.is_blot() {
            true if self.starts_within(step) => self.particles.at(self.from),
            true => Ok(0.0),
            false => {
                let rate = self.particles.mean_within(step.clone(), self.from..self.until)?;
                Ok(rate * (step.end - step.start))
            }
        }
    }

    /// Particles of a blot of the initial state.
    pub fn initial_particles(&self) -> Result<f64, Problem> {
        if self.is_initial_blot() { self.particles.at(0.0) } else { Ok(0.0) }
    }

    /// Mass of each particle, and the mass lost per second.
    pub fn mass_and_burning(&self) -> [f64; 2] {
        [self.mass, self.mass * self.burning]
    }

    /// Upper bound on the number of its particles at any time up to `duration`: all that it emits, or what the greatest
    /// rate emits in the life of a particle.
    pub fn most_particles(&self, duration: f64) -> f64 {
        if self.is_blot() {
            return self.particles.at(self.from).map_or(0.0, f64::floor);
        }
        let [_, rate] = self.particles.bounds(self.from, self.until.min(duration).max(self.from));
        let life = if self.burning > 0.0 { (1.0 / self.burning).min(duration) } else { duration };
        // A rate that has no mean over the whole run is bounded by its greatest value
        let mean = self.particles.mean_within(0.0..duration, self.from..self.until).unwrap_or(rate);
        let count = (mean * duration).min(rate * life);
        // A margin for a run that is continued beyond its duration
        if count > 0.0 { (1.1 * count).ceil() + 64.0 } else { 0.0 }
    }

    /// The ball on which it acts at a time.
    pub fn ball(&self, time: f64) -> Option<InfluenceBall<D>> {
        let at = match &self.action {
            EmitterAction::Jet { at, .. } | EmitterAction::Fan { at, .. } | EmitterAction::Blot { at } => *at,
            EmitterAction::Path { way, .. } => path_state(way, time)?.0,
        };
        Some(InfluenceBall { at, radius: self.radius })
    }

    /// Whether it is a blot of the initial state.
    pub fn is_initial_blot(&self) -> bool {
        self.is_blot() && self.from <= 0.0
    }

    /// Whether it is a later blot whose time lies within an interval.
    pub fn starts_within(&self, step: &Range<f64>) -> bool {
        self.is_blot() && !self.is_initial_blot() && step.contains(&self.from)
    }

    /// Adds the scalars of a blot of the initial state.
    pub fn apply_initial(&self, grid: &Grid<D>, scalars: &mut TransportedScalars<D>) {
        if let EmitterAction::Blot { at } = self.action
            && self.is_initial_blot()
        {
            self.add_scalars(InfluenceBall { at, radius: self.radius }, 1.0, grid, scalars);
        }
    }

    /// Acts on the fluid during a step, by the fraction of the step in which it is on. Speeds and accelerations are means
    /// over that part; the position and grip on a path are those at the end.
    pub fn apply(
        &self,
        step: &Range<f64>,
        velocity: &mut [Field<f64, D>; D],
        grid: &Grid<D>,
        scalars: &mut TransportedScalars<D>,
    ) -> Result<(), Problem> {
        // The part of the step in which it acts
        let fraction = active_fraction(step, &(self.from..self.until));
        if fraction == 0.0 {
            return Ok(());
        }
        let on = step.start.max(self.from)..step.end.min(self.until);
        let ball = |at: [f64; D]| InfluenceBall { at, radius: self.radius };
        // Velocity, then scalars, within its ball
        match &self.action {
            EmitterAction::Blot { at } if self.starts_within(step) => {
                self.add_scalars(ball(*at), 1.0, grid, scalars)
            }
            EmitterAction::Blot { .. } => {}
            EmitterAction::Jet { at, towards, speed } => {
                if let Some(speed) = speed {
                    let speed = speed.mean(on.start, on.end)?;
                    ball(*at).blend_velocity(velocity, towards.map(|x| speed * x), fraction);
                }
                self.add_scalars(ball(*at), fraction, grid, scalars);
            }
            EmitterAction::Fan { at, towards, push } => {
                let change = (step.end - step.start) * fraction * push.mean(on.start, on.end)?;
                ball(*at).add_velocity(velocity, towards.map(|x| change * x));
                self.add_scalars(ball(*at), fraction, grid, scalars);
            }
            EmitterAction::Path { way, grip } => {
                if let Some((at, moving)) = path_state(way, step.end) {
                    ball(at).blend_velocity(velocity, moving, fraction * grip.at(step.end)?);
                    self.add_scalars(ball(at), fraction, grid, scalars);
                }
            }
        }
        Ok(())
    }

    /// Mixes the scalars of the emitter into the fluid, by this fraction.
    fn add_scalars(
        &self,
        ball: InfluenceBall<D>,
        fraction: f64,
        grid: &Grid<D>,
        scalars: &mut TransportedScalars<D>,
    ) {
        ball.for_each_weighted(
            grid.cells(),
            |at| grid.centre(at.map(|x| x as isize)),
            grid,
            |at, weight| {
                scalars.mix(at, (fraction * weight) as f32, self.colour, self.smoke, self.heat);
            },
        );
    }
}

/// Position and velocity on a path at a time; `None` before it begins and after it ends.
fn path_state<const D: usize>(way: &[(f64, [f64; D])], time: f64) -> Option<([f64; D], [f64; D])> {
    let leg = way.windows(2).find(|leg| (leg[0].0..leg[1].0).contains(&time))?;
    let ((start, from), (end, to)) = (leg[0], leg[1]);
    let velocity: [f64; D] = std::array::from_fn(|axis| (to[axis] - from[axis]) / (end - start));
    Some((std::array::from_fn(|axis| from[axis] + (time - start) * velocity[axis]), velocity))
}

impl<const D: usize> InfluenceBall<D> {
    /// Blends the velocity in the ball towards `wanted`: u += fraction · weight (wanted − u).
    pub fn blend_velocity(&self, velocity: &mut [Field<f64, D>; D], wanted: [f64; D], fraction: f64) {
        for (component, wanted) in velocity.iter_mut().zip(wanted) {
            self.for_each_sample(component, |value, weight| *value += fraction * weight * (wanted - *value));
        }
    }

    /// Adds a weighted velocity change in the ball.
    pub fn add_velocity(&self, velocity: &mut [Field<f64, D>; D], change: [f64; D]) {
        for (component, change) in velocity.iter_mut().zip(change) {
            self.for_each_sample(component, |value, weight| *value += weight * change);
        }
    }

    fn for_each_sample(&self, field: &mut Field<f64, D>, mut work: impl FnMut(&mut f64, f64)) {
        let (grid, location) = (*field.grid(), field.location());
        let position = |at: [usize; D]| grid.position(location, at.map(|x| x as isize));
        self.for_each_weighted(field.size(), position, &grid, |at, weight| work(&mut field[at], weight));
    }

    /// Calls `work` with every sample in the ball and its weight.
    pub fn for_each_weighted(
        &self,
        size: [usize; D],
        position: impl Fn([usize; D]) -> [f64; D],
        grid: &Grid<D>,
        mut work: impl FnMut([usize; D], f64),
    ) {
        let spacing = grid.spacing();
        // A ball smaller than a cell still reaches the nearest samples
        let radius = self.radius.max(0.75 * spacing.into_iter().fold(0.0, f64::max));
        let range = |axis: usize| {
            let place = |at: f64| ((at - grid.origin()[axis]) / spacing[axis]).clamp(-1.0, size[axis] as f64);
            let first = (place(self.at[axis] - radius).floor() - 1.0).max(0.0) as usize;
            let end = (place(self.at[axis] + radius).ceil() + 1.0).clamp(0.0, size[axis] as f64) as usize;
            first..end.max(first)
        };
        let nodes: [std::ops::Range<usize>; D] = std::array::from_fn(range);
        crate::solids::for_each_index(&nodes, |at| {
            let point = position(at);
            let away = (0..D).map(|axis| (point[axis] - self.at[axis]).powi(2)).sum::<f64>().sqrt() / radius;
            let weight = (3.0 * (1.0 - away)).clamp(0.0, 1.0);
            if weight > 0.0 {
                work(at, weight);
            }
        });
    }
}
