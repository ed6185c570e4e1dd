//! `[[emitter]]` of a liquid: a region that is kept full of liquid at a velocity, as the outlet of a pipe is.
//!
//! Other waters read sections of this name with other kinds: here the kind is the shape of the region.

use undine_scene::{
    Absent, Key, Placement, Problem, Scene, SceneErrors, SectionEntry, Timed, Values, active_fraction,
};

use super::fill::DEFAULT_COLOUR;
use super::region::{PlacedRegion, SourceRegion, WATER_OF_REGION, region_kinds};
use crate::tools;

/// `[[emitter]]` of a liquid: the outlet of a pipe.
pub static EMITTER: SectionEntry = SectionEntry {
    name: "emitter",
    summary: "where liquid flows in",
    repeats: true,
    common: &[
        Key::text("kind").help("its shape, or level"),
        WATER_OF_REGION,
        Key::timed("speed").unit("m/s").or(0.0).within(-1e4, 1e4).help("speed at which liquid leaves it"),
        Key::timed("rate")
            .unit("m³/s; m²/s in a plane")
            .optional("as much as keeps it full")
            .within(0.0, 1e6)
            .help("greatest volume that it adds per second"),
        ACTIVE,
        FROM,
        UNTIL,
        Key::colour("colour").optional("that of water").help("colour that its particles carry"),
    ],
    kinds: region_kinds!(&[TOWARDS_IN_PLANE], &[TOWARDS_IN_SPACE], &[tools::spring(write_spring)]),
};

pub(super) const ACTIVE: Key =
    Key::timed("active").or(1.0).within(-1e6, 1e6).help("active while this is above zero");
pub(super) const FROM: Key =
    Key::number("from").unit("s").or(0.0).within(0.0, 1e9).help("starts at this time");
pub(super) const UNTIL: Key =
    Key::number("until").unit("s").optional("the end").within(0.0, 1e9).help("ends at this time");
const TOWARDS_IN_PLANE: Key = Key::vector("towards", 2)
    .default(Absent::Vector(&[0.0, -1.0]))
    .within(-1e6, 1e6)
    .help("direction of the flow, of any length");
const TOWARDS_IN_SPACE: Key = Key::vector("towards", 3)
    .default(Absent::Vector(&[0.0, 0.0, -1.0]))
    .within(-1e6, 1e6)
    .help("direction of the flow, of any length");

/// The section of an emitter that a tool places.
fn write_spring(placement: &Placement<'_>) -> String {
    let (radius, rate, speed) = (placement.radius, placement.rate, 4.0 * placement.radius);
    format!("{{ {}, radius = {radius:?}, rate = {rate:?}, speed = {speed:?} }}", round_region(placement))
}

/// The kind and position of a round region that a tool places.
pub(super) fn round_region(placement: &Placement<'_>) -> String {
    let kind = if placement.dimension == 3 { "sphere" } else { "circle" };
    format!("kind = \"{kind}\", at = {}", placement.point())
}

/// When a source is active.
#[derive(Debug, Clone)]
pub(super) struct ActiveInterval {
    active: Timed,
    from: f64,
    until: f64,
}

/// An emitter.
#[derive(Debug, Clone)]
pub struct LiquidEmitter<const D: usize> {
    pub(super) region: SourceRegion<D>,
    pub(super) values: Values,
    towards: [f64; D],
    speed: Timed,
    rate: Option<Timed>,
    active: ActiveInterval,
    colour: [f32; 3],
}

/// An emitter in a step.
#[derive(Debug, Clone, Copy)]
pub struct EmitterFlow<'e, const D: usize> {
    /// The region that it keeps full.
    pub region: PlacedRegion<'e, D>,
    /// Velocity of the liquid in m/s.
    pub velocity: [f64; D],
    /// Its colour, linear.
    pub colour: [f32; 3],
    /// The mean of the greatest rate, in m³/s, or m²/s in 2-D.
    pub rate: Option<f64>,
}

/// Reads the emitters of the liquid with these values, all problems at once, and warnings.
pub fn read_emitters<const D: usize>(
    scene: &Scene,
    water: &Values,
) -> Result<(Vec<LiquidEmitter<D>>, Vec<Problem>), SceneErrors> {
    let (mut errors, mut emitters, mut warnings) = (SceneErrors::default(), Vec::new(), Vec::new());
    for section in scene.sections("emitter") {
        let read = errors.keep(SourceRegion::read(scene, &section, water, &EMITTER)).flatten();
        let Some((region, values, remarks)) = read else { continue };
        warnings.extend(remarks);
        emitters.extend(errors.keep(LiquidEmitter::new(region, values)));
    }
    errors.into_result().map(|()| (emitters, warnings))
}

impl ActiveInterval {
    pub fn read(values: &Values) -> ActiveInterval {
        ActiveInterval {
            active: values.timed("active").clone(),
            from: values.number("from"),
            until: values.number_if("until").unwrap_or(f64::INFINITY),
        }
    }

    /// Whether a time lies in it.
    pub fn contains(&self, time: f64) -> Result<bool, Problem> {
        Ok((self.from..self.until).contains(&time) && self.active.at(time)? > 0.0)
    }

    /// The mean of a rate over a step, zero outside the interval and while it is switched off.
    pub fn mean(&self, rate: Option<&Timed>, from: f64, to: f64) -> Result<Option<f64>, Problem> {
        let Some(rate) = rate else { return Ok(None) };
        let fraction = active_fraction(&(from..to), &(self.from..self.until));
        if fraction == 0.0 {
            return Ok(Some(0.0));
        }
        let mean = rate.mean_while(&self.active, from.max(self.from), to.min(self.until))?;
        Ok(Some(fraction * mean))
    }
}

impl<const D: usize> LiquidEmitter<D> {
    fn new(region: SourceRegion<D>, values: Values) -> Result<LiquidEmitter<D>, SceneErrors> {
        let towards: [f64; D] = values.vector("towards");
        let length = towards.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length == 0.0 {
            let remedy = "give a direction such as [0, -1], or [0, 0, -1] in space";
            return Err(values.problem("towards", "this points nowhere", remedy).into());
        }
        Ok(LiquidEmitter {
            towards: towards.map(|x| x / length),
            speed: values.timed("speed").clone(),
            rate: values.timed_if("rate").cloned(),
            active: ActiveInterval::read(&values),
            colour: values.colour_if("colour").unwrap_or(DEFAULT_COLOUR),
            region,
            values,
        })
    }

    /// Its flow in a step: region at the end, speed and rate as means; `None` when it is inactive. Without a rate, which
    /// is kept full, it is active or not as at the end of the step.
    pub fn over(&self, from: f64, to: f64) -> Result<Option<EmitterFlow<'_, D>>, Problem> {
        let rate = self.active.mean(self.rate.as_ref(), from, to)?;
        if !self.active.contains(to)? && rate.is_none_or(|rate| rate == 0.0) {
            return Ok(None);
        }
        let speed = self.speed.mean(from, to)?;
        Ok(Some(EmitterFlow {
            region: self.region.at(to)?,
            velocity: self.towards.map(|x| speed * x),
            colour: self.colour,
            rate,
        }))
    }

    /// Its region at a time; `None` when it is inactive, or when the region cannot be placed.
    pub(super) fn region_at(&self, time: f64) -> Option<PlacedRegion<'_, D>> {
        self.active.contains(time).ok().filter(|is_active| *is_active)?;
        self.region.at(time).ok()
    }

    /// The greatest velocity component of its liquid at a time, for the length of steps. A speed that cannot be used
    /// has none: the step that needs it fails.
    pub fn max_component(&self, time: f64) -> f64 {
        self.towards.iter().fold(0.0, |max: f64, x| max.max((self.speed_at(time) * x).abs()))
    }

    /// The velocity of a point that moves with its region from one time to another, in m/s.
    pub(in crate::liquid) fn motion(
        &self,
        from: f64,
        to: f64,
    ) -> Result<impl Fn([f64; D]) -> [f64; D] + use<'_, D>, Problem> {
        self.region.motion(from, to)
    }

    /// A problem of this emitter.
    pub(in crate::liquid) fn problem(&self, message: impl Into<String>, remedy: &str) -> Problem {
        self.values.problem("kind", message, remedy)
    }

    /// The greatest speed of its liquid at these times.
    pub(super) fn max_speed(&self, times: impl Iterator<Item = f64>) -> f64 {
        times.map(|time| self.speed_at(time)).fold(0.0, f64::max)
    }

    fn speed_at(&self, time: f64) -> f64 {
        match self.active.contains(time) {
            Ok(true) => self.speed.at(time).map_or(0.0, f64::abs),
            _ => 0.0,
        }
    }
}
