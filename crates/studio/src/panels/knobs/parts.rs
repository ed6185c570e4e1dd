//! The parts of a scene that have knobs, and the keys of each.

use undine::render::SKY;
use undine::scene::{Edit, Key, SCENE, Scene, SceneErrors, Section};
use undine::sim::{LIVE_HEADER, ModelEntry, SectionReader, WATER_KEYS, find_reader};

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

/// A section of a list that may be added, of one kind if it has kinds.
pub struct Addition {
    /// Its kind, or the name of the section.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Whether `name` is its kind.
    pub has_kind: bool,
    /// Its keys.
    pub groups: Vec<&'static [Key]>,
}

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
            section: scene.section(SCENE.name),
            name: SCENE.name,
            index: None,
            title: String::from(SCENE.name),
            summary: SCENE.summary,
            groups: vec![SCENE.common],
            pace: Pace::Header,
        }
    }

    /// The `[sky]` section.
    pub fn sky(scene: &'s Scene) -> Part<'s> {
        Part {
            section: scene.section(SKY.name),
            name: SKY.name,
            index: None,
            title: String::from(SKY.name),
            summary: SKY.summary,
            groups: vec![SKY.common],
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
    pub fn of_list(scene: &'s Scene, readers: &[SectionReader], name: &'static str) -> Vec<Part<'s>> {
        let pace = if is_live_list(readers, name) { Pace::Live } else { Pace::Restart };
        let part = |(index, section): (usize, Section<'s>)| {
            let reader = find_reader(readers, &section)?;
            let of_kind = |word: &str| {
                let mut kinds = reader.section.kinds_in(reader.dimension);
                kinds.find(|kind| kind.name == word)
            };
            let (title, summary, groups) = match section.text("kind").map(of_kind) {
                Some(kind) => kind.map(|kind| (kind.name, kind.summary, reader.section.groups(kind)))?,
                None if !reader.section.kinds.is_empty() => return None,
                None => (name, reader.section.summary, vec![reader.section.common]),
            };
            Some(Part { section, name, index: Some(index), title: title.to_owned(), summary, groups, pace })
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

/// The sections that the waters of a scene read and that may stand several times, in the order in which they are shown.
pub fn lists(readers: &[SectionReader]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for section in readers.iter().map(|reader| reader.section).filter(|section| section.repeats) {
        if !names.contains(&section.name) {
            names.push(section.name);
        }
    }
    names
}

/// Whether sections of this name may be changed while the waters run.
pub fn is_live_list(readers: &[SectionReader], name: &str) -> bool {
    readers.iter().filter(|reader| reader.section.name == name).all(|reader| reader.live)
}

/// What sections of a list may be added.
pub fn additions(readers: &[SectionReader], name: &str) -> Vec<Addition> {
    let mut additions: Vec<Addition> = Vec::new();
    for reader in readers.iter().filter(|reader| reader.section.name == name) {
        let section = reader.section;
        let of_kinds = section.kinds_in(reader.dimension).map(|kind| Addition {
            name: kind.name,
            summary: kind.summary,
            has_kind: true,
            groups: section.groups(kind),
        });
        let plain = section.kinds.is_empty().then(|| Addition {
            name: section.name,
            summary: section.summary,
            has_kind: false,
            groups: vec![section.common],
        });
        for addition in of_kinds.chain(plain) {
            if additions.iter().all(|known| known.name != addition.name) {
                additions.push(addition);
            }
        }
    }
    additions
}
