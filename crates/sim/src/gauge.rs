//! Gauges: what a scene measures at points and across lines, frame by frame.

use glam::DVec2;
use undine_scene::{Key, KindEntry, Scene, SceneErrors, Section, SectionEntry, Values};

use crate::{Runner, Sample};

/// Points at which the flow across a line is sampled.
const SAMPLES: usize = 256;

/// `[[gauge]]`: what is measured in every frame.
pub static GAUGE: SectionEntry = SectionEntry {
    name: "gauge",
    summary: "what is measured at points and across lines",
    repeats: true,
    common: &[
        Key::text("kind").help("point or line"),
        Key::text("name").optional("gauge-1, gauge-2, …").help("what the table and the plots call it"),
        Key::text("water").optional("the sum of all waters").help("the name of the water that it measures"),
    ],
    kinds: &[
        KindEntry::new("point", "level, depth and speed of the water at a point", &[POINT_KEYS]),
        KindEntry::new("line", "discharge across a line", &[LINE_KEYS]),
    ],
};

const POINT_KEYS: &[Key] = &[Key::vector("at", 2).unit("m").within(-1e8, 1e8).help("where it stands")];

const LINE_KEYS: &[Key] = &[
    Key::vector("from", 2).unit("m").within(-1e8, 1e8).help("one end"),
    Key::vector("to", 2)
        .unit("m")
        .within(-1e8, 1e8)
        .help("the other end; water that passes to the right of the way there counts as positive"),
];

/// A gauge of a scene.
///
/// ```
/// use undine_scene::{LoadOptions, Scene};
/// use undine_sim::{Gauge, Runner};
///
/// let text = "[scene]\nduration = 1\n[[water]]\nkind = 'gerstner'\n[[gauge]]\nkind = 'point'\nname = 'buoy'\nat = [1, 2]";
/// let scene = Scene::parse("sea", text, &LoadOptions::default())?;
/// let sea = Runner::new(&scene, undine_models::MODELS, None)?;
/// let gauges = Gauge::read_all(&scene, &sea)?;
/// assert_eq!(gauges[0].columns(), ["buoy.level_m", "buoy.speed_m/s"]);
/// assert_eq!(gauges[0].measure(&sea), [0.0, 0.0]);
/// # Ok::<(), undine_scene::SceneErrors>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gauge {
    name: String,
    water: Option<usize>,
    place: GaugeLocation,
}

#[derive(Debug, Clone, Copy)]
enum GaugeLocation {
    Point { at: DVec2, has_depth: bool },
    Line { from: DVec2, to: DVec2 },
}

impl Gauge {
    /// Reads every `[[gauge]]` of a scene, all problems at once.
    pub fn read_all(scene: &Scene, runner: &Runner) -> Result<Vec<Gauge>, SceneErrors> {
        let mut errors = SceneErrors::default();
        let mut gauges: Vec<Gauge> = Vec::new();
        for (index, section) in scene.sections("gauge").iter().enumerate() {
            gauges.extend(errors.keep(Gauge::read(section, index, runner, &gauges)));
        }
        errors.into_result().map(|()| gauges)
    }

    fn read(
        section: &Section<'_>,
        index: usize,
        runner: &Runner,
        earlier: &[Gauge],
    ) -> Result<Gauge, SceneErrors> {
        let (kind, values) = GAUGE.read(section, 2)?;
        let name = values.text_if("name").map_or_else(|| format!("gauge-{}", index + 1), str::to_owned);
        if name.is_empty() || name.contains(|letter: char| letter.is_control() || ",.\"".contains(letter)) {
            let message = format!("{name:?} cannot name a gauge");
            return Err(values.problem("name", message, "leave out commas, points and quotes").into());
        }
        if earlier.iter().any(|gauge| gauge.name == name) {
            let message = format!("two gauges are called {name:?}");
            return Err(values.problem("name", message, "give each a name of its own").into());
        }
        let water = find_water(&values, runner)?;
        let mut gauge =
            Gauge { name, water, place: GaugeLocation::Point { at: DVec2::ZERO, has_depth: false } };
        gauge.place = gauge.read_place(kind.name, &values, runner)?;
        Ok(gauge)
    }

    fn read_place(&self, kind: &str, values: &Values, runner: &Runner) -> Result<GaugeLocation, SceneErrors> {
        let water = self.water(runner);
        if kind == "point" {
            let at = DVec2::from(values.vector::<2>("at"));
            if water.height(at).is_none() {
                return Err(values
                    .problem("at", "no water reaches this point", "move the gauge into the domain")
                    .into());
            }
            return Ok(GaugeLocation::Point { at, has_depth: water.depth(at).is_some() });
        }
        let (from, to) = (DVec2::from(values.vector::<2>("from")), DVec2::from(values.vector::<2>("to")));
        let middle = from.midpoint(to);
        if from == to {
            return Err(values.problem("to", "the line has no length", "move one of its ends").into());
        }
        if [from, middle, to].into_iter().all(|at| water.height(at).is_none()) {
            return Err(values
                .problem("from", "no water reaches this line", "move it into the domain")
                .into());
        }
        if [from, middle, to].into_iter().all(|at| water.depth(at).is_none()) {
            let message = "this water has no bottom, so nothing is known of its discharge";
            return Err(values.problem("kind", message, "measure it with a point").into());
        }
        Ok(GaugeLocation::Line { from, to })
    }

    fn water<'r>(&self, runner: &'r Runner) -> &'r dyn Sample {
        match self.water {
            Some(index) => &*runner.waters()[index].simulation,
            None => runner,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of what [`measure`](Gauge::measure) gives, each with its unit.
    pub fn columns(&self) -> Vec<String> {
        let quantities: &[&str] = match self.place {
            GaugeLocation::Point { has_depth: true, .. } => &["level_m", "depth_m", "speed_m/s"],
            GaugeLocation::Point { .. } => &["level_m", "speed_m/s"],
            GaugeLocation::Line { .. } => &["discharge_m³/s"],
        };
        quantities.iter().map(|quantity| format!("{}.{quantity}", self.name)).collect()
    }

    /// Its current values.
    pub fn measure(&self, runner: &Runner) -> Vec<f64> {
        let water = self.water(runner);
        match self.place {
            GaugeLocation::Point { at, has_depth } => {
                let level = water.height(at).unwrap_or(0.0);
                let speed = water.velocity(at.extend(level)).truncate().length();
                let depth = has_depth.then(|| water.depth(at).unwrap_or(0.0));
                [Some(level), depth, Some(speed)].into_iter().flatten().collect()
            }
            GaugeLocation::Line { from, to } => vec![discharge(water, from, to)],
        }
    }
}

/// Depth times velocity across a line, by the midpoint rule.
fn discharge(water: &dyn Sample, from: DVec2, to: DVec2) -> f64 {
    let way = to - from;
    // Rightwards, as long as the line itself.
    let across = DVec2::new(way.y, -way.x) / SAMPLES as f64;
    let flux = |index: usize| {
        let at = from + way * ((index as f64 + 0.5) / SAMPLES as f64);
        let depth = water.depth(at).unwrap_or(0.0);
        let level = water.height(at).unwrap_or(0.0);
        depth * water.velocity(at.extend(level)).truncate().dot(across)
    };
    (0..SAMPLES).map(flux).sum()
}

fn find_water(values: &Values, runner: &Runner) -> Result<Option<usize>, SceneErrors> {
    let Some(wanted) = values.text_if("water") else { return Ok(None) };
    let found = runner.waters().iter().position(|water| water.name == wanted);
    found.map(Some).ok_or_else(|| {
        let names = runner.waters().iter().map(|water| water.name.as_str());
        let remedy = undine_scene::known_words(wanted, names);
        values.problem("water", format!("no water is called {wanted:?}"), remedy).into()
    })
}
