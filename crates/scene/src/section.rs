//! One section of a scene, before it is checked against a schema.

use crate::check;
use crate::phrase;
use crate::problem::{Problem, SceneErrors};
use crate::resolved;
use crate::scene::Scene;
use crate::schema::Key;
use crate::source_location::Span;
use crate::tree::{Node, TomlTable, TomlValue};
use crate::values::Values;

/// A section like `[camera]`, or one of `[[water]]`.
///
/// A section that is not in the file reads as an empty one.
#[derive(Debug, Clone, Copy)]
pub struct Section<'s> {
    scene: &'s Scene,
    name: &'s str,
    /// Which of several.
    index: Option<usize>,
    node: Option<&'s Node>,
}

impl<'s> Section<'s> {
    pub(crate) fn new(
        scene: &'s Scene,
        name: &'s str,
        index: Option<usize>,
        node: Option<&'s Node>,
    ) -> Section<'s> {
        Section { scene, name, index, node }
    }

    /// The section's path: `camera`, or `water.0`.
    pub fn name(&self) -> String {
        match self.index {
            Some(index) => format!("{}.{index}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// The text under a key, as it stands, before a schema is known: for `kind`, which decides on the schema.
    pub fn text(&self, key: &str) -> Option<&'s str> {
        match &self.node?.as_table()?.get(key)?.value {
            TomlValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether a key was written.
    pub fn has(&self, key: &str) -> bool {
        self.node.and_then(Node::as_table).is_some_and(|table| table.contains_key(key))
    }

    /// The keys that were written, in the order of the alphabet.
    pub fn keys(&self) -> Vec<&'s str> {
        let table = self.node.and_then(Node::as_table);
        table.map_or_else(Vec::new, |table| table.keys().map(String::as_str).collect())
    }

    /// The value at a path below the section, like `wave.0.amplitude`, as it would be typed; `None` where nothing is
    /// written.
    ///
    /// ```
    /// use undine_scene::{LoadOptions, Scene};
    /// let text = "[scene]\nduration = 1\n[pool]\nsize = [4, 3.5]\nname = 'blue'";
    /// let scene = Scene::parse("pool", text, &LoadOptions::default())?;
    /// assert_eq!(scene.section("pool").written("size").as_deref(), Some("[4, 3.5]"));
    /// assert_eq!(scene.section("pool").written("name").as_deref(), Some("\"blue\""));
    /// # Ok::<(), undine_scene::SceneErrors>(())
    /// ```
    pub fn written(&self, path: &str) -> Option<String> {
        self.node?.descend(path).map(resolved::typed)
    }

    /// How many tables or values the list at a path has; 0 where there is none.
    pub fn count(&self, path: &str) -> usize {
        self.node.and_then(|node| node.descend(path)).map_or(0, |node| node.elements().len())
    }

    /// Reads the section against the keys of all groups together, and reports all problems at once.
    pub fn read(&self, groups: &[&[Key]]) -> Result<Values, SceneErrors> {
        let nothing = TomlTable::new();
        let table = match self.node {
            None => &nothing,
            Some(node) => node.as_table().ok_or_else(|| self.not_a_table(node))?,
        };
        let label = match self.node {
            Some(_) => self.name(),
            None => format!("the missing section [{}]", self.name),
        };
        check::read(self.scene.surroundings(), &label, &self.header(), table, groups)
    }

    /// A problem with the value of a key, placed where it was typed, or at the section's header when it is absent.
    ///
    /// The key may be a path below the section, like `waves.0.amplitude`.
    pub fn problem(&self, key: &str, message: impl Into<String>, remedy: impl Into<String>) -> Problem {
        let found = self.node.and_then(|node| node.descend(key));
        Problem::at(&found.map_or_else(|| self.header(), Node::span), message, remedy)
    }

    fn header(&self) -> Span {
        self.node.map_or_else(|| self.scene.end().clone(), Node::span)
    }

    fn not_a_table(&self, node: &Node) -> SceneErrors {
        let message = format!("{} must be a table, not {}", self.name(), phrase::found(node));
        let header =
            if self.index.is_some() { format!("[[{}]]", self.name) } else { format!("[{}]", self.name) };
        Problem::at(&node.span(), message, format!("write {header} with its keys below")).into()
    }
}
