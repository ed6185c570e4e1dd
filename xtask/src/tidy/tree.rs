//! The files of the repository, and the contents of those that are text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Endings of files that are read. `.ci/run` has none.
const TEXT: &[&str] = &["bib", "md", "rs", "sh", "toml", "run"];

/// The rules name what they forbid, and their tests break them on purpose.
const RULES_FOLDER: &str = "xtask/src/tidy/";

/// Every file of the repository that git does not ignore.
pub struct Tree {
    root: PathBuf,
    files: BTreeMap<String, Option<String>>,
}

impl Tree {
    /// Reads the repository at `root`.
    pub fn read(root: &Path) -> io::Result<Tree> {
        let ignored = Ignored::read(root);
        let mut files = BTreeMap::new();
        collect(root, "", &ignored, &mut files)?;
        Ok(Tree { root: root.to_owned(), files })
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Path of the file or folder on disk.
    pub fn on_disk(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Whether there is such a file, or a folder with a file in it.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains_key(path) || self.below(path).next().is_some()
    }

    /// Every file.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Every file below a folder.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = &str> {
        let start = format!("{folder}/");
        let from = self.files.range(start.clone()..);
        from.map(|(path, _)| path.as_str()).take_while(move |path| path.starts_with(&start))
    }

    /// The names of the folders directly below a folder.
    pub fn folders(&self, folder: &str) -> BTreeSet<&str> {
        let first = |path| Some(inside(path, folder)?.split_once('/')?.0);
        self.below(folder).filter_map(first).collect()
    }

    /// The text of a file; nothing if it is absent or is not text.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Every file that people write with one of these endings, with its text if it is UTF-8.
    pub fn written(&self, endings: &[&str]) -> impl Iterator<Item = (&str, Option<&str>)> {
        let files = self.files.iter().map(|(path, text)| (path.as_str(), text.as_deref()));
        files.filter(move |(path, _)| endings.contains(&ending(path)) && !is_specimen(path))
    }

    /// The same without the rules themselves, as lines with their numbers.
    pub fn lines(&self, endings: &[&str]) -> impl Iterator<Item = SourceLine<'_>> {
        let judged = self.written(endings).filter(|(path, _)| !path.starts_with(RULES_FOLDER));
        judged.flat_map(|(path, text)| {
            let lines = text.unwrap_or_default().lines();
            lines.enumerate().map(move |(index, text)| SourceLine { path, number: index + 1, text })
        })
    }
}

/// A line of a file.
#[derive(Clone, Copy)]
pub struct SourceLine<'a> {
    /// The file.
    pub path: &'a str,
    /// Counted from one.
    pub number: usize,
    /// Its text, without the line ending.
    pub text: &'a str,
}

/// The part after the last full stop or slash of a path.
pub fn ending(path: &str) -> &str {
    path.rsplit(['.', '/']).next().unwrap_or_default()
}

/// The part of a path below a folder.
pub fn inside<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Inputs of tests and fuzzers may be broken.
fn is_specimen(path: &str) -> bool {
    let is_in = |folder: &str| path.split('/').any(|part| part == folder);
    ending(path) != "rs" && (is_in("tests") || is_in("seeds"))
}

fn collect(
    root: &Path,
    folder: &str,
    ignored: &Ignored,
    files: &mut BTreeMap<String, Option<String>>,
) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        let kind = entry.file_type()?;
        if ignored.covers(&path) {
            continue;
        } else if kind.is_dir() {
            collect(root, &path, ignored, files)?;
        } else if kind.is_file() {
            let text = if TEXT.contains(&ending(&path)) {
                String::from_utf8(fs::read(entry.path())?).ok()
            } else {
                None
            };
            files.insert(path, text);
        }
    }
    Ok(())
}

/// Files that git ignores, by our own `.gitignore`: `/paths/from/the/root` and `*.endings`.
struct Ignored {
    paths: Vec<String>,
    endings: Vec<String>,
}

impl Ignored {
    fn read(root: &Path) -> Ignored {
        let text = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let starting =
            |mark: &str| text.lines().filter_map(|line| line.strip_prefix(mark)).map(str::to_owned).collect();
        let mut paths: Vec<String> = starting("/");
        paths.push(".git".to_owned());
        Ignored { paths, endings: starting("*.") }
    }

    fn covers(&self, path: &str) -> bool {
        self.paths.iter().any(|ignored| ignored.trim_end_matches('/') == path)
            || self.endings.iter().any(|ignored| ignored == ending(path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;

    #[test]
    fn what_git_ignores_is_not_seen() {
        let sample = SampleRepository::sound()
            .with(".gitignore", "/target\n/fuzz/target/\n*.partial\n")
            .with("target/a.rs", "")
            .with("fuzz/target/b.rs", "")
            .with("fuzz/c.rs", "")
            .with("film.mp4.partial", "")
            .with(".git/HEAD.md", "");
        let tree = sample.tree();
        assert!(tree.has("fuzz/c.rs"));
        for ignored in ["target", "fuzz/target", "film.mp4.partial", ".git"] {
            assert!(!tree.has(ignored), "{ignored}");
        }
    }

    #[test]
    fn folders_and_files_are_told_apart() {
        let tree =
            SampleRepository::empty().with("scenes/pond/scene.toml", "").with("scenes/README.md", "").tree();
        assert_eq!(tree.folders("scenes").into_iter().collect::<Vec<_>>(), ["pond"]);
        assert!(tree.has("scenes") && tree.has("scenes/pond/") && !tree.has("scenes/po"));
    }

    #[test]
    fn specimens_and_the_rules_are_not_judged() {
        let sample = SampleRepository::empty()
            .with("crates/scene/tests/broken/a.toml", "a")
            .with("crates/scene/tests/reading.rs", "b")
            .with("fuzz/seeds/scene/c.toml", "c")
            .with("xtask/src/tidy/rule.rs", "d");
        let tree = sample.tree();
        let judged: Vec<_> = tree.lines(&["rs", "toml"]).map(|line| line.text).collect();
        assert_eq!(judged, ["b"]);
        assert_eq!(tree.written(&["rs"]).count(), 2);
    }
}
