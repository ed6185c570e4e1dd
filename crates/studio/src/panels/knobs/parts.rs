//! The parts of a scene that have knobs, and the keys of each.

use undine::models::heightfield::{SOURCE_KEYS, SOURCE_KINDS};
use undine::models::liquid::sources::{
    DRAIN_KEYS, FILL_KEYS, FILL_KEYS_IN_SPACE, LEVEL_KEYS, LIQUID_EMITTER_KEYS, LIQUID_EMITTER_KEYS_IN_SPACE,
};
use undine::models::solids::{OBSTACLE_KEYS, OBSTACLE_KINDS, PLACED_KEYS};
use undine::models::stable_fluids::{EMITTER_KEYS, EMITTER_KINDS};
use undine::render::SKY_KEYS;
use undine::scene::{Edit, Key, SCENE_KEYS, Scene, SceneErrors, Section};
use undine::sim::{LIVE_HEADER, ModelEntry, WATER_KEYS};
use undine::terrain::{KINDS as TERRAIN_KINDS, TERRAIN_KEYS};

/// Sections that can stand several times and have kinds, in the order in which they are shown.
pub const LISTS: &[&str] = &["source", "emitter", "drain", "fill", "obstacle", "terrain"];

/// One section of a scene and what may be turned in it.
pub struct Part<'s> {
    /// The section as it is written.
    pub section: Section<'s>,
    /// Its name without a number, and its number.
    pub name: &'static str,
    /// Which of several.
    pub index: Option<usize>,
    /// What it is called above its keys.
    pub title: String,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its keys.
    pub groups: Vec<&'static [Key]>,
    pace: Pace,
}

/// When a change of a section takes effect.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pace {
    /// At once.
    Live,
    /// With a new start.
    Restart,
    /// As each key says.
    ByKey,
    /// As the clock of the scene allows.
    Header,
}

/// A kind that a section of a list may have: its name, its summary and its own keys.
pub type KindOf = (&'static str, &'static str, &'static [Key]);

impl<'s> Part<'s> {
    /// The path of the section: `water.0`, or `sky`.
    pub fn path(&self) -> String {
        self.index.map_or_else(|| self.name.to_owned(), |index| format!("{}.{index}", self.name))
    }

    /// Whether a change of this key of the section, or below it, takes effect without a new start.
    pub fn is_live(&self, key: &Key) -> bool {
        match self.pace {
            Pace::Live => true,
            Pace::Restart => false,
            Pace::ByKey => key.is_live,
            Pace::Header => LIVE_HEADER.contains(&key.name),
        }
    }

    /// What would be wrong with this section after a change, that is not wrong already.
    pub fn trouble(&self, scene: &Scene, edit: &Edit) -> Option<String> {
        let edited = match scene.edited(edit) {
            Ok(edited) => edited,
            Err(errors) => return told(&errors, &[]),
        };
        let before = self.read(scene).err().map(|errors| messages(&errors)).unwrap_or_default();
        told(&self.read(&edited).err()?, &before)
    }

    fn read(&self, scene: &Scene) -> Result<(), SceneErrors> {
        let sections = scene.sections(self.name);
        let section = match self.index {
            Some(index) => sections.into_iter().nth(index),
            None => Some(scene.section(self.name)),
        };
        section.map_or(Ok(()), |section| section.read(&self.groups).map(|_| ()))
    }

    /// The `[scene]` section.
    pub fn header(scene: &'s Scene) -> Part<'s> {
        Part {
            section: scene.section("scene"),
            name: "scene",
            index: None,
            title: String::from("scene"),
            summary: "the clock, and what holds for all waters",
            groups: vec![SCENE_KEYS],
            pace: Pace::Header,
        }
    }

    /// The `[sky]` section.
    pub fn sky(scene: &'s Scene) -> Part<'s> {
        Part {
            section: scene.section("sky"),
            name: "sky",
            index: None,
            title: String::from("sky"),
            summary: "sun, haze and clouds",
            groups: vec![SKY_KEYS],
            pace: Pace::Live,
        }
    }

    /// Every `[[water]]` whose kind is known.
    pub fn waters(scene: &'s Scene) -> Vec<Part<'s>> {
        let part = |(index, section): (usize, Section<'s>)| {
            let model = section.text("kind").and_then(undine::models::find)?;
            let name = section.text("name").unwrap_or(model.name);
            Some(Part {
                section,
                name: "water",
                index: Some(index),
                title: name.to_owned(),
                summary: model.summary,
                groups: vec![WATER_KEYS, model.keys],
                pace: Pace::ByKey,
            })
        };
        scene.sections("water").into_iter().enumerate().filter_map(part).collect()
    }

    /// Every section of a list whose kind is known.
    pub fn of_list(scene: &'s Scene, name: &'static str) -> Vec<Part<'s>> {
        let pace = if is_live_list(scene, name) { Pace::Live } else { Pace::Restart };
        let kinds = kinds(scene, name);
        let part = |(index, section): (usize, Section<'s>)| {
            let kind = section.text("kind")?;
            let (title, summary, own) = kinds.iter().find(|(known, ..)| *known == kind)?;
            let groups = [shared_keys(scene, name, kind), vec![own]].concat();
            Some(Part {
                section,
                name,
                index: Some(index),
                title: (*title).to_owned(),
                summary,
                groups,
                pace,
            })
        };
        scene.sections(name).into_iter().enumerate().filter_map(part).collect()
    }
}

fn messages(errors: &SceneErrors) -> Vec<String> {
    errors.iter().map(|problem| problem.message.clone()).collect()
}

/// The first problem that was not known, with its remedy.
fn told(errors: &SceneErrors, known: &[String]) -> Option<String> {
    let problem = errors.iter().find(|problem| !known.contains(&problem.message))?;
    let remedy = if problem.remedy.is_empty() { String::new() } else { format!("; {}", problem.remedy) };
    Some(format!("{}{remedy}", problem.message))
}

/// The models of a scene's waters.
pub fn models(scene: &Scene) -> Vec<&'static ModelEntry> {
    let waters = scene.sections("water");
    waters.iter().filter_map(|water| undine::models::find(water.text("kind")?)).collect()
}

/// Whether any water of the scene fills space rather than a page.
pub fn is_in_space(scene: &Scene) -> bool {
    scene.sections("water").iter().any(|water| water.has("height"))
}

/// Whether any water reads sections of this name.
pub fn is_read(scene: &Scene, name: &str) -> bool {
    models(scene).iter().any(|model| model.sections.contains(&name))
}

/// Whether sections of this name may be changed while the waters run.
pub fn is_live_list(scene: &Scene, name: &str) -> bool {
    let models = models(scene);
    let mut readers = models.iter().filter(|model| model.sections.contains(&name));
    readers.all(|model| model.live_sections.contains(&name))
}

/// The kinds that sections of a list may have in this scene.
pub fn kinds(scene: &Scene, name: &str) -> Vec<KindOf> {
    let in_space = is_in_space(scene);
    let dimension = if in_space { 3 } else { 2 };
    let shapes = OBSTACLE_KINDS.iter().filter(|kind| kind.dimension == dimension);
    let shapes = shapes.map(|kind| (kind.name, kind.summary, kind.keys));
    let level = ("level", "everything below a height, at rest where it is", LEVEL_KEYS);
    match name {
        "source" => SOURCE_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect(),
        "terrain" => TERRAIN_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect(),
        "obstacle" => shapes.collect(),
        "emitter" if !has_liquid(scene) => {
            EMITTER_KINDS.iter().map(|kind| (kind.name, kind.summary, kind.keys)).collect()
        }
        "emitter" | "fill" | "drain" => shapes.chain([level]).collect(),
        _ => Vec::new(),
    }
}

/// The keys that a section of a list has beside those of its kind.
pub fn shared_keys(scene: &Scene, name: &str, kind: &str) -> Vec<&'static [Key]> {
    let in_space = is_in_space(scene);
    // What lies below a level has no shape that could be moved
    let placed = |own| if kind == "level" { vec![own] } else { vec![own, PLACED_KEYS] };
    match name {
        "source" => vec![SOURCE_KEYS],
        "terrain" => vec![TERRAIN_KEYS],
        "obstacle" => vec![OBSTACLE_KEYS, PLACED_KEYS],
        "emitter" if !has_liquid(scene) => vec![EMITTER_KEYS],
        "emitter" => placed(if in_space { LIQUID_EMITTER_KEYS_IN_SPACE } else { LIQUID_EMITTER_KEYS }),
        "fill" => placed(if in_space { FILL_KEYS_IN_SPACE } else { FILL_KEYS }),
        "drain" => placed(DRAIN_KEYS),
        _ => Vec::new(),
    }
}

fn has_liquid(scene: &Scene) -> bool {
    models(scene).iter().any(|model| model.name == "liquid")
}
