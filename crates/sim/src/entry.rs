//! The entry of a model in the list of models.

use undine_checks::Suite;
use undine_scene::{Key, Problem, Scene, SceneErrors, Section, Values};

use crate::{Answers, Seconds, SectionUse, Simulation, Water};

/// Maturity of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Its keys stay. How well it is validated stands in `validation/RESULTS.md`.
    Stable,
    /// Works, but keys and results may still change.
    Experimental,
}

/// Estimate of memory and time of a water, before it is built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Memory in bytes.
    pub bytes: u64,
    /// Work for one frame in seconds on one thread of an ordinary machine.
    pub seconds_per_frame: Seconds,
    /// The key to lower when that is too much.
    pub lower: &'static str,
}

/// Small scenes on which every model is put to the conformance test.
#[derive(Debug, Clone, Copy)]
pub struct ConformanceScenes {
    /// Water at rest, in each of the forms that it can have, such as in the plane and in space.
    pub rest: &'static [RestScene],
    /// Water in lively motion; the first answers all disturbances of the entry.
    pub lively: &'static [&'static str],
    /// Tolerance of the volume ledger, relative to the volume held.
    pub ledger_tolerance: f64,
}

/// A scene of water at rest.
#[derive(Debug, Clone, Copy)]
pub struct RestScene {
    /// The scene file.
    pub scene: &'static str,
    /// The greatest change of a level, or of a position of particles, in metres.
    pub max_shift: f64,
    /// The greatest kinetic energy in joules.
    pub max_energy: f64,
}

impl RestScene {
    /// A scene that stays at rest up to rounding: within a micrometre and a nanojoule.
    pub const fn exact(scene: &'static str) -> RestScene {
        RestScene { scene, max_shift: 1e-6, max_energy: 1e-9 }
    }
}

impl ConformanceScenes {
    /// No scenes, for entries that are never put to the test.
    pub const NONE: ConformanceScenes = ConformanceScenes { rest: &[], lively: &[], ledger_tolerance: 0.0 };
}

/// A water just built, and what its builder wants said about it.
pub struct Built {
    /// The water.
    pub simulation: Box<dyn Simulation>,
    /// Warnings for the user.
    pub warnings: Vec<Problem>,
}

impl<S: Simulation + 'static> From<S> for Built {
    fn from(simulation: S) -> Built {
        Built { simulation: Box::new(simulation), warnings: Vec::new() }
    }
}

/// A water that scenes can ask for by `kind`.
///
/// ```
/// let gerstner = undine_models::find("gerstner").unwrap();
/// assert!(gerstner.keys.iter().any(|key| key.name == "depth" && key.unit == "m"));
/// ```
#[derive(Debug)]
pub struct ModelEntry {
    /// The `kind` in the scene file.
    pub name: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// The folder below `crates/models/src` in which it lives.
    pub folder: &'static str,
    /// Keys of `references.bib`.
    pub cites: &'static [&'static str],
    /// Its maturity.
    pub status: Status,
    /// The keys of its `[[water]]` section.
    pub keys: &'static [Key],
    /// The sections of the scene, beside its own, that it reads, such as `terrain`, in the order in which panels show
    /// them.
    pub sections: &'static [SectionUse],
    /// The disturbances that it has an answer to.
    pub answers: Answers,
    /// Dimension of the water with these values: 2 for a plane, and for a surface over one; 3 for a box in space.
    pub dimension: fn(&Values) -> usize,
    /// Whether it reads `World::driver`, so that `driven_by` has an effect.
    pub can_be_driven: bool,
    /// Memory and time that it will need.
    pub estimate: fn(&Scene, &Values) -> Estimate,
    /// Builds the water.
    pub build: fn(&Scene, &Values) -> Result<Built, SceneErrors>,
    /// Scenes for the conformance test.
    pub conformance: ConformanceScenes,
    /// Its validation cases and benchmarks; none unless they are compiled in.
    pub suite: Suite,
}

impl ModelEntry {
    /// Its use of the sections of a name; `None` when it does not read them.
    pub fn reads(&self, section: &str) -> Option<&'static SectionUse> {
        self.sections.iter().find(|used| used.section.name == section)
    }

    /// Whether another model reads the very same sections.
    pub fn reads_the_same_as(&self, other: &ModelEntry) -> bool {
        let reads = |model: &ModelEntry, used: &SectionUse| {
            model.sections.iter().any(|own| std::ptr::eq(own.section, used.section))
        };
        self.sections.len() == other.sections.len() && other.sections.iter().all(|used| reads(self, used))
    }
}

/// The keys that every `[[water]]` has.
pub static WATER_KEYS: &[Key] = &[
    Key::text("kind").help("which water this is; `undine models` lists them"),
    Key::text("name").optional("its kind").help("what other sections and the outputs call it"),
    Key::text("driven_by").optional("nothing").help("the name of an earlier water that drives this one"),
];

/// Builds the waters of a scene from the list of models, after asking each for its estimate.
///
/// `memory` is what may be used in bytes; a water that wants more is refused before anything is allocated.
pub fn read_waters(
    scene: &Scene,
    models: &[&'static ModelEntry],
    memory: Option<u64>,
) -> Result<Vec<Water>, SceneErrors> {
    let sections = scene.sections("water");
    let mut errors = SceneErrors::default();
    if sections.is_empty() {
        let kinds = listed(models);
        errors.push(scene.section("water").problem(
            "kind",
            "the scene has no [[water]]",
            format!("add one; kind is one of {kinds}"),
        ));
    }
    let mut waters: Vec<Water> = Vec::new();
    for section in sections {
        match read_water(scene, &section, models, memory, &waters) {
            Ok(water) => waters.push(water),
            Err(problems) => errors.absorb(problems),
        }
    }
    errors.absorb(unread_sections(scene, models));
    errors.into_result().map(|()| waters)
}

/// A section such as `[[terrain]]` that no water of the scene reads is a slip, not a wish that may be passed over.
fn unread_sections(scene: &Scene, models: &[&'static ModelEntry]) -> SceneErrors {
    let mut errors = SceneErrors::default();
    let waters = scene.sections("water");
    let kinds: Vec<&str> = waters.iter().filter_map(|water| water.text("kind")).collect();
    let mut seen = Vec::new();
    for name in models.iter().flat_map(|model| model.sections).map(|used| used.section.name) {
        let readers: Vec<&str> =
            models.iter().filter(|model| model.reads(name).is_some()).map(|model| model.name).collect();
        if !seen.contains(&name) && scene.has(name) && !kinds.iter().any(|kind| readers.contains(kind)) {
            let message = format!("no water of this scene reads [[{name}]]");
            let remedy = format!("{} would", readers.join(", "));
            errors.extend(scene.sections(name).first().map(|section| section.problem("", message, remedy)));
        }
        seen.push(name);
    }
    errors
}

fn read_water(
    scene: &Scene,
    section: &Section<'_>,
    models: &[&'static ModelEntry],
    memory: Option<u64>,
    earlier: &[Water],
) -> Result<Water, SceneErrors> {
    // Model, keys and a unique name
    let model = find_model(section, models)?;
    let values = section.read(&[WATER_KEYS, model.keys])?;
    let name = values.text_if("name").unwrap_or(model.name).to_owned();
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
    {
        let message = format!("{name:?} cannot name a water");
        return Err(values.problem("name", message, "use letters, digits, - and _").into());
    }
    if earlier.iter().any(|water| water.name == name) {
        let problem =
            values.problem("name", format!("two waters are called {name:?}"), "give each a name of its own");
        return Err(problem.into());
    }
    let driver = find_driver(&values, earlier, model)?;

    // Memory is checked before anything is allocated
    let estimate = (model.estimate)(scene, &values);
    let taken: u64 = earlier.iter().map(|water| water.estimate.bytes).sum();
    if let Some(memory) =
        memory.map(|memory| memory.saturating_sub(taken)).filter(|&memory| estimate.bytes > memory)
    {
        let message = format!("needs about {} of memory, but {} is free", gib(estimate.bytes), gib(memory));
        let remedy = format!("lower {}, or run with a --scale below 1", estimate.lower);
        return Err(values.problem(estimate.lower, message, remedy).into());
    }
    // Build, and refuse an initial state that is not finite
    let Built { simulation, warnings } = (model.build)(scene, &values)?;
    if !simulation.budget().is_finite() {
        let message = "the water is not made of finite numbers at the start";
        return Err(section
            .problem("kind", message, "look for an expression that has no value at t = 0")
            .into());
    }
    Ok(Water { name, model, estimate, warnings, simulation, driver })
}

fn find_model(
    section: &Section<'_>,
    models: &[&'static ModelEntry],
) -> Result<&'static ModelEntry, SceneErrors> {
    let Some(kind) = section.text("kind") else {
        let problem = section.problem("kind", "the water has no kind", format!("one of {}", listed(models)));
        return Err(problem.into());
    };
    let found = models.iter().find(|model| model.name == kind);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = models.iter().map(|model| model.name).collect();
        let remedy = undine_scene::known_words(kind, names);
        section.problem("kind", format!("unknown kind of water {kind:?}"), remedy).into()
    })
}

fn find_driver(values: &Values, earlier: &[Water], model: &ModelEntry) -> Result<Option<usize>, SceneErrors> {
    let Some(wanted) = values.text_if("driven_by") else { return Ok(None) };
    if !model.can_be_driven {
        let message = format!("{} cannot be driven by another water", model.name);
        return Err(values.problem("driven_by", message, "remove the key").into());
    }
    let found = earlier.iter().position(|water| water.name == wanted);
    found.map(Some).ok_or_else(|| {
        let message = format!("no earlier water is called {wanted:?}");
        values.problem("driven_by", message, "name a [[water]] that stands above this one").into()
    })
}

fn listed(models: &[&'static ModelEntry]) -> String {
    models.iter().map(|model| model.name).collect::<Vec<_>>().join(", ")
}

fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}
