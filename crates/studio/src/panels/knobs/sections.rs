//! The sections of a scene that have knobs, and the keys of each.

use undine::render::SKY;
use undine::scene::{Edit, Key, SCENE, Scene, SceneErrors, Section};
use undine::sim::{LIVE_HEADER, ModelEntry, SectionReader, WATER_KEYS, find_reader};

/// One section of a scene and its schema.
pub struct KnobSection<'s> {
    /// The section as written.
    pub toml: Section<'s>,
    /// Its name without an index.
    pub name: &'static str,
    /// Its index, if the section may repeat.
    pub index: Option<usize>,
    /// Its heading.
    pub title: String,
    /// Its description in one line.
    pub summary: &'static str,
    /// Its keys.
    pub groups: Vec<&'static [Key]>,
    takes_effect: TakesEffect,
}

/// When an edit of a section takes effect.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TakesEffect {
    /// At once.
    Live,
    /// With a restart.
    Restart,
    /// By [`Key::is_live`] of each key.
    ByKey,
    /// At once for the keys of [`LIVE_HEADER`].
    Header,
}

/// A section that may be added to a list, of one kind if it has kinds.
pub struct SectionTemplate {
    /// Its kind, or the name of the section.
    pub name: &'static str,
    /// Its description in one line.
    pub summary: &'static str,
    /// Whether `name` is its kind.
    pub has_kind: bool,
    /// Its keys.
    pub groups: Vec<&'static [Key]>,
}

impl<'s> KnobSection<'s> {
    /// The path of the section: `water.0`, or `sky`.
    pub fn path(&self) -> String {
        self.index.map_or_else(|| self.name.to_owned(), |index| format!("{}.{index}", self.name))
    }

    /// Whether an edit of this key, or of a key below it, takes effect without a restart.
    pub fn is_live(&self, key: &Key) -> bool {
        match self.takes_effect {
            TakesEffect::Live => true,
            TakesEffect::Restart => false,
            TakesEffect::ByKey => key.is_live,
            TakesEffect::Header => LIVE_HEADER.contains(&key.name),
        }
    }

    /// The first problem that an edit would add to this section.
    pub fn new_problem(&self, scene: &Scene, edit: &Edit) -> Option<String> {
        let edited = match scene.edited(edit) {
            Ok(edited) => edited,
            Err(errors) => return first_new_problem(&errors, &[]),
        };
        let before = self.read(scene).err().map(|errors| messages(&errors)).unwrap_or_default();
        first_new_problem(&self.read(&edited).err()?, &before)
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
    pub fn header(scene: &'s Scene) -> KnobSection<'s> {
        KnobSection {
            toml: scene.section(SCENE.name),
            name: SCENE.name,
            index: None,
            title: String::from(SCENE.name),
            summary: SCENE.summary,
            groups: vec![SCENE.common],
            takes_effect: TakesEffect::Header,
        }
    }

    /// The `[sky]` section.
    pub fn sky(scene: &'s Scene) -> KnobSection<'s> {
        KnobSection {
            toml: scene.section(SKY.name),
            name: SKY.name,
            index: None,
            title: String::from(SKY.name),
            summary: SKY.summary,
            groups: vec![SKY.common],
            takes_effect: TakesEffect::Live,
        }
    }

    /// Every `[[water]]` whose kind is known.
    pub fn waters(scene: &'s Scene) -> Vec<KnobSection<'s>> {
        let read = |(index, section): (usize, Section<'s>)| {
            let model = section.text("kind").and_then(undine::models::find)?;
            let name = section.text("name").unwrap_or(model.name);
            Some(KnobSection {
                toml: section,
                name: "water",
                index: Some(index),
                title: name.to_owned(),
                summary: model.summary,
                groups: vec![WATER_KEYS, model.keys],
                takes_effect: TakesEffect::ByKey,
            })
        };
        scene.sections("water").into_iter().enumerate().filter_map(read).collect()
    }

    /// Every section of a list whose kind is known.
    pub fn of_list(scene: &'s Scene, readers: &[SectionReader], name: &'static str) -> Vec<KnobSection<'s>> {
        let takes_effect = if is_live_list(readers, name) { TakesEffect::Live } else { TakesEffect::Restart };
        let read = |(index, section): (usize, Section<'s>)| {
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
            Some(KnobSection {
                toml: section,
                name,
                index: Some(index),
                title: title.to_owned(),
                summary,
                groups,
                takes_effect,
            })
        };
        scene.sections(name).into_iter().enumerate().filter_map(read).collect()
    }
}

fn messages(errors: &SceneErrors) -> Vec<String> {
    errors.iter().map(|problem| problem.message.clone()).collect()
}

/// The first problem that is not in `known`, with its remedy.
fn first_new_problem(errors: &SceneErrors, known: &[String]) -> Option<String> {
    let problem = errors.iter().find(|problem| !known.contains(&problem.message))?;
    let remedy = if problem.remedy.is_empty() { String::new() } else { format!("; {}", problem.remedy) };
    Some(format!("{}{remedy}", problem.message))
}

/// The models of a scene's waters.
pub fn models(scene: &Scene) -> Vec<&'static ModelEntry> {
    let waters = scene.sections("water");
    waters.iter().filter_map(|water| undine::models::find(water.text("kind")?)).collect()
}

/// Names of the repeatable sections that the waters of a scene read, in the order of the panel.
pub fn lists(readers: &[SectionReader]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for section in readers.iter().map(|reader| reader.section).filter(|section| section.repeats) {
        if !names.contains(&section.name) {
            names.push(section.name);
        }
    }
    names
}

/// Whether sections of this name may change while the waters run.
pub fn is_live_list(readers: &[SectionReader], name: &str) -> bool {
    readers.iter().filter(|reader| reader.section.name == name).all(|reader| reader.live)
}

/// The sections that may be added to a list.
pub fn section_templates(readers: &[SectionReader], name: &str) -> Vec<SectionTemplate> {
    let mut section_templates: Vec<SectionTemplate> = Vec::new();
    for reader in readers.iter().filter(|reader| reader.section.name == name) {
        let section = reader.section;
        let of_kinds = section.kinds_in(reader.dimension).map(|kind| SectionTemplate {
            name: kind.name,
            summary: kind.summary,
            has_kind: true,
            groups: section.groups(kind),
        });
        let plain = section.kinds.is_empty().then(|| SectionTemplate {
            name: section.name,
            summary: section.summary,
            has_kind: false,
            groups: vec![section.common],
        });
        for template in of_kinds.chain(plain) {
            if section_templates.iter().all(|known| known.name != template.name) {
                section_templates.push(template);
            }
        }
    }
    section_templates
}
