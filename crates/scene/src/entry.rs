//! What a section of a scene file is: its keys, its kinds, where each kind stands, and the tools that place one.
//!
//! Whoever reads a section defines its [`SectionEntry`] and lists it. From the entries come the sections that a scene
//! may have, `undine keys`, the knobs of the studio, its tools and what its pointer can take hold of.

use crate::problem::SceneErrors;
use crate::schema::Key;
use crate::section::Section;
use crate::suggest;
use crate::tool::ToolEntry;
use crate::values::Values;

/// A section that a scene file may have.
///
/// ```
/// use undine_scene::{Key, KindEntry, LoadOptions, Scene, SectionEntry};
///
/// static LAMP: SectionEntry = SectionEntry {
///     name: "lamp",
///     summary: "what lights the pool",
///     repeats: true,
///     common: &[Key::text("kind").help("spot or strip")],
///     kinds: &[
///         KindEntry::new("spot", "a round lamp", &[&[Key::number("radius").positive_to(1.0).help("its radius")]]),
///         KindEntry::new("strip", "a long lamp", &[]),
///     ],
/// };
/// let scene = Scene::parse("pool", "[scene]\nduration = 1\n[[lamp]]\nkind = 'spot'\nradius = 0.1", &LoadOptions::default())?;
/// let (kind, values) = LAMP.read(&scene.sections("lamp")[0], 3)?;
/// assert_eq!((kind.name, values.number("radius")), ("spot", 0.1));
/// # Ok::<(), undine_scene::SceneErrors>(())
/// ```
#[derive(Debug)]
pub struct SectionEntry {
    /// Its name in the scene file.
    pub name: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// Whether there may be several, as `[[source]]`; otherwise there is one, as `[camera]`.
    pub repeats: bool,
    /// The keys that every one has, `kind` among them if it has kinds.
    pub common: &'static [Key],
    /// Its kinds, which the key `kind` chooses from; none for a section without that key. A kind whose keys depend on
    /// the dimension of the water stands once for each.
    pub kinds: &'static [KindEntry],
}

/// A kind of section: the keys that it adds, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct KindEntry {
    /// The `kind` in the scene file.
    pub name: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// The groups of keys that it adds to those that all kinds have.
    pub keys: &'static [&'static [Key]],
    /// The dimensions of the waters that it fits into.
    pub dimensions: &'static [usize],
    /// Where it stands.
    pub placing: Placing,
    /// The tools that place one.
    pub tools: &'static [ToolEntry],
}

/// The position of a section of some kind, for picking in the studio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placing {
    /// No position: rain, a terrain layer, everything below a level.
    Nowhere,
    /// About the point under the key `at`: a disc of `radius`, a rectangle of `size`, or a polygon through `corner`.
    Region,
    /// Like a region, and solid: it is turned by the key `turn`, and carried by `move_x` and `move_y` so that it pushes
    /// the water on its way.
    Body,
}

impl SectionEntry {
    /// The section as its header is typed.
    pub fn header(&self) -> String {
        if self.repeats { format!("[[{}]]", self.name) } else { format!("[{}]", self.name) }
    }

    /// The kinds that fit into a water of so many dimensions.
    pub fn kinds_in(&self, dimension: usize) -> impl Iterator<Item = &'static KindEntry> {
        self.kinds.iter().filter(move |kind| kind.fits(dimension))
    }

    /// The kind that a section has in a water of so many dimensions.
    pub fn find_kind(
        &self,
        section: &Section<'_>,
        dimension: usize,
    ) -> Result<&'static KindEntry, SceneErrors> {
        let words = || self.kinds_in(dimension).map(|kind| kind.name);
        let list = || format!("one of {}", words().collect::<Vec<_>>().join(", "));
        let Some(word) = section.text("kind") else {
            let message = format!("the {} has no kind", self.name);
            return Err(section.problem("kind", message, list()).into());
        };
        if let Some(kind) = self.kinds_in(dimension).find(|kind| kind.name == word) {
            return Ok(kind);
        }
        if self.kinds.iter().any(|kind| kind.name == word) {
            let message = format!("a {word} does not fit into a {dimension}-D fluid");
            return Err(section.problem("kind", message, list()).into());
        }
        let message = format!("unknown kind of {} {word:?}", self.name);
        Err(section.problem("kind", message, suggest::remedy(word, words())).into())
    }

    /// Reads a section that has kinds, for a water of so many dimensions.
    pub fn read(
        &self,
        section: &Section<'_>,
        dimension: usize,
    ) -> Result<(&'static KindEntry, Values), SceneErrors> {
        let kind = self.find_kind(section, dimension)?;
        Ok((kind, section.read(&self.groups(kind))?))
    }

    /// All groups of keys that a section of this kind has.
    pub fn groups(&self, kind: &KindEntry) -> Vec<&'static [Key]> {
        [&[self.common], kind.keys].concat()
    }
}

impl KindEntry {
    /// A kind that fits into any water, stands nowhere and has no tool.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        keys: &'static [&'static [Key]],
    ) -> KindEntry {
        KindEntry { name, summary, keys, dimensions: &[2, 3], placing: Placing::Nowhere, tools: &[] }
    }

    /// The same with these groups of keys.
    pub const fn with_keys(mut self, keys: &'static [&'static [Key]]) -> KindEntry {
        self.keys = keys;
        self
    }

    /// The same for waters of these dimensions only.
    pub const fn only_in(mut self, dimensions: &'static [usize]) -> KindEntry {
        self.dimensions = dimensions;
        self
    }

    /// The same, standing somewhere.
    pub const fn placed(mut self, placing: Placing) -> KindEntry {
        self.placing = placing;
        self
    }

    /// The same with tools.
    pub const fn with_tools(mut self, tools: &'static [ToolEntry]) -> KindEntry {
        self.tools = tools;
        self
    }

    /// Whether it fits into a water of so many dimensions.
    pub fn fits(&self, dimension: usize) -> bool {
        self.dimensions.contains(&dimension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, Scene};

    static BUOY: SectionEntry = SectionEntry {
        name: "buoy",
        summary: "what floats",
        repeats: true,
        common: &[Key::text("kind").help("round or long")],
        kinds: &[
            KindEntry::new("round", "a ball", &[&[Key::vector("at", 2).help("where")]]).only_in(&[2]),
            KindEntry::new("round", "a ball", &[&[Key::vector("at", 3).help("where")]]).only_in(&[3]),
            KindEntry::new("long", "a log", &[]).only_in(&[3]),
        ],
    };

    fn read(keys: &str, dimension: usize) -> Result<String, String> {
        let text = format!("[scene]\nduration = 1\n[[buoy]]\n{keys}");
        let scene = Scene::parse("s", &text, &LoadOptions::default()).unwrap();
        let read = BUOY.read(&scene.sections("buoy")[0], dimension);
        read.map(|(kind, _)| kind.name.to_owned()).map_err(|errors| errors.to_string())
    }

    #[test]
    fn the_dimension_decides_on_the_keys() {
        assert_eq!(read("kind = 'round'\nat = [1, 2]", 2).unwrap(), "round");
        assert_eq!(read("kind = 'round'\nat = [1, 2, 3]", 3).unwrap(), "round");
        assert!(read("kind = 'round'\nat = [1, 2]", 3).unwrap_err().contains("3 numbers"));
    }

    #[test]
    fn a_kind_that_is_absent_unknown_or_unfit_is_refused_with_those_that_fit() {
        let says = |told: String, parts: [&str; 2]| parts.iter().all(|part| told.contains(part));
        assert!(says(read("", 2).unwrap_err(), ["the buoy has no kind", "one of round"]));
        assert!(read("kind = 'rond'", 2).unwrap_err().contains("unknown kind of buoy \"rond\""));
        let unfit = read("kind = 'long'", 2).unwrap_err();
        assert!(says(unfit, ["a long does not fit into a 2-D fluid", "one of round"]));
    }
}
