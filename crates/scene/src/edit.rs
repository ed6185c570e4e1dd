//! Edits of a scene that has been read, by the studio or by an `[[act]]` of the scene file.

use std::sync::Arc;

use crate::overrides;
use crate::problem::{Problem, SceneErrors};
use crate::scene::Scene;
use crate::source_location::{SourceText, Span};
use crate::tree::{self, Node, TomlTable, TomlValue};

/// Rank of an edit's text among the sources of problems: behind every file and override.
const RANK: u32 = 1_000_000;

/// One change of a scene.
///
/// ```
/// use undine_scene::{Edit, LoadOptions, Scene};
///
/// let text = "[scene]\nduration = 1\n[[source]]\nkind = 'rain'\nrate = 5\n";
/// let scene = Scene::parse("wet", text, &LoadOptions::default())?;
/// let heavier = scene.edited(&Edit::set("source.0.rate=50"))?;
/// assert!(heavier.resolved().contains("rate = 50"));
/// let dry = heavier.edited(&Edit::remove("source.0"))?;
/// assert!(!dry.has("source"));
/// assert!(scene.edited(&Edit::remove("source.7")).is_err());
/// # Ok::<(), undine_scene::SceneErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Sets keys, each on a line of its own, as `--set` does: `water.0.wind=12`. An index equal to the length of a list
    /// appends to it.
    Set(String),
    /// Takes a key, or an element of a list, away.
    Remove(String),
}

impl Edit {
    /// Sets a key to a value: `KEY=VALUE`, or several, each on a line of its own.
    pub fn set(typed: impl Into<String>) -> Edit {
        Edit::Set(typed.into())
    }

    /// Takes away what is at a path.
    pub fn remove(path: impl Into<String>) -> Edit {
        Edit::Remove(path.into())
    }

    /// The steps of the paths that it changes.
    pub fn paths(&self) -> Vec<Vec<&str>> {
        let paths: Vec<&str> = match self {
            Edit::Set(typed) => lines(typed).filter_map(|line| line.split('=').next()).collect(),
            Edit::Remove(path) => vec![path],
        };
        paths.into_iter().map(|path| path.split('.').map(str::trim).collect()).collect()
    }

    fn apply(&self, root: &mut TomlTable, scene: &Scene) -> Result<(), SceneErrors> {
        let source = |typed: &str| SourceText::new(RANK, String::from("change"), typed, scene.folder());
        match self {
            Edit::Set(typed) => lines(typed).try_for_each(|line| overrides::apply(root, &source(line))),
            Edit::Remove(path) => remove(root, &source(path)),
        }
    }
}

/// The changes of a text, one to a line.
fn lines(typed: &str) -> impl Iterator<Item = &str> {
    typed.lines().filter(|line| !line.trim().is_empty())
}

impl Scene {
    /// The scene with a change: the whole of it is read again, but nothing from the disk.
    pub fn edited(&self, edit: &Edit) -> Result<Scene, SceneErrors> {
        let mut scene = self.clone();
        edit.apply(scene.root_mut(), self)?;
        tree::check_depth(scene.root_mut()).into_result()?;
        scene.reread()
    }
}

fn remove(root: &mut TomlTable, source: &Arc<SourceText>) -> Result<(), SceneErrors> {
    let steps: Vec<&str> = source.text.split('.').map(str::trim).collect();
    let nothing = || {
        let message = format!("there is no {} to take away", source.text);
        SceneErrors::from(Problem::at(&Span::new(source, 0..source.text.len()), message, ""))
    };
    match steps.as_slice() {
        [] => Err(nothing()),
        [name] => root.remove(*name).map(|_| ()).ok_or_else(nothing),
        [name, rest @ ..] => {
            let node = root.get_mut(*name).ok_or_else(nothing)?;
            // A single [source] counts as a list of one
            if rest == ["0"] && matches!(node.value, TomlValue::Table(_)) {
                return root.remove(*name).map(|_| ()).ok_or_else(nothing);
            }
            remove_below(node, rest).ok_or_else(nothing)?;
            if matches!(&node.value, TomlValue::Array(elements) if elements.is_empty()) {
                root.remove(*name);
            }
            Ok(())
        }
    }
}

fn remove_below(node: &mut Node, steps: &[&str]) -> Option<()> {
    let (first, rest) = steps.split_first()?;
    match &mut node.value {
        TomlValue::Table(table) if rest.is_empty() => table.remove(*first).map(|_| ()),
        TomlValue::Table(table) => remove_below(table.get_mut(*first)?, rest),
        TomlValue::Array(elements) => {
            let index = first.parse::<usize>().ok().filter(|index| *index < elements.len())?;
            if rest.is_empty() {
                elements.remove(index);
                return Some(());
            }
            remove_below(&mut elements[index], rest)
        }
        _ => None,
    }
}
