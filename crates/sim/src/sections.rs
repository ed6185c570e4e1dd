//! Which water reads which section of a scene.

use undine_scene::{Scene, Section, SectionEntry};

use crate::{ModelEntry, WATER_KEYS};

/// A section that a model reads beside its own `[[water]]`.
#[derive(Debug, Clone, Copy)]
pub struct SectionUse {
    /// The section.
    pub section: &'static SectionEntry,
    /// Whether it may be changed while the water runs; otherwise it shapes the water at its start.
    pub live: bool,
}

impl SectionUse {
    /// A section that may be changed while the water runs.
    pub const fn live(section: &'static SectionEntry) -> SectionUse {
        SectionUse { section, live: true }
    }

    /// A section that shapes the water at its start.
    pub const fn at_start(section: &'static SectionEntry) -> SectionUse {
        SectionUse { section, live: false }
    }
}

/// The disturbances that a model has an answer to, wherever they find water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answers {
    /// Something falls in.
    pub drop: bool,
    /// Water is pushed along.
    pub push: bool,
    /// Water is poured in.
    pub source: bool,
    /// Water is drawn off, by a source with a negative rate.
    pub draw_off: bool,
    /// It rains.
    pub rain: bool,
    /// Its ground is raised, dug away or dammed.
    pub ground: bool,
}

impl Answers {
    /// None: the water follows a formula.
    pub const NONE: Answers =
        Answers { drop: false, push: false, source: false, draw_off: false, rain: false, ground: false };
    /// Every one.
    pub const ALL: Answers =
        Answers { drop: true, push: true, source: true, draw_off: true, rain: true, ground: true };
}

/// A water of a scene that reads sections of some name.
#[derive(Debug, Clone)]
pub struct SectionReader {
    /// Its name.
    pub water: String,
    /// Its model.
    pub model: &'static ModelEntry,
    /// The section as this model reads it.
    pub section: &'static SectionEntry,
    /// Whether it may be changed while the water runs.
    pub live: bool,
    /// Dimension of the water.
    pub dimension: usize,
}

/// Every section that the waters of a scene read, in the order of the waters and of their lists.
pub fn section_readers(scene: &Scene, models: &[&'static ModelEntry]) -> Vec<SectionReader> {
    let waters = scene.sections("water");
    waters.iter().filter_map(|water| readers_in(water, models)).flatten().collect()
}

/// The water that reads a section, and how: the one that the section names, or else the first that knows its kind.
///
/// Sections of one name may be read in several ways, as `[[emitter]]` is.
///
/// ```
/// use undine_scene::{LoadOptions, Scene};
///
/// let text = "[scene]\nduration = 1\n[[water]]\nkind = 'stable-fluids'\n[[water]]\nkind = 'liquid'\n\
///     [[emitter]]\nkind = 'jet'\n[[emitter]]\nkind = 'circle'\n";
/// let scene = Scene::parse("two", text, &LoadOptions::default())?;
/// let emitters = scene.sections("emitter");
/// let reader = |index: usize| undine_sim::reader_of(&scene, undine_models::MODELS, &emitters[index]);
/// assert_eq!(reader(0).unwrap().model.name, "stable-fluids");
/// assert_eq!(reader(1).unwrap().model.name, "liquid");
/// # Ok::<(), undine_scene::SceneErrors>(())
/// ```
pub fn reader_of(
    scene: &Scene,
    models: &[&'static ModelEntry],
    section: &Section<'_>,
) -> Option<SectionReader> {
    find_reader(&section_readers(scene, models), section).cloned()
}

/// The same among readers that are known.
pub fn find_reader<'r>(readers: &'r [SectionReader], section: &Section<'_>) -> Option<&'r SectionReader> {
    let path = section.name();
    let name = path.split('.').next().unwrap_or_default();
    let is_meant = |reader: &&SectionReader| {
        reader.section.name == name && section.text("water").is_none_or(|water| water == reader.water)
    };
    let knows_kind = |reader: &&SectionReader| match section.text("kind") {
        Some(word) => reader.section.kinds_in(reader.dimension).any(|kind| kind.name == word),
        None => false,
    };
    let meant = || readers.iter().filter(is_meant);
    meant().find(knows_kind).or(meant().next())
}

fn readers_in(water: &Section<'_>, models: &[&'static ModelEntry]) -> Option<Vec<SectionReader>> {
    let kind = water.text("kind")?;
    let model = models.iter().copied().find(|model| model.name == kind)?;
    // A water with a mistake in it cannot be built anyhow
    let values = water.read(&[WATER_KEYS, model.keys]);
    let dimension = values.map_or(2, |values| (model.dimension)(&values));
    let name = water.text("name").unwrap_or(kind);
    let reader = |used: &SectionUse| SectionReader {
        water: name.to_owned(),
        model,
        section: used.section,
        live: used.live,
        dimension,
    };
    Some(model.sections.iter().map(reader).collect())
}
