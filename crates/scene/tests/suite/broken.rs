//! Every file in `tests/broken` is refused with exactly the message that lies beside it.
//!
//! A line `#: --set KEY=VALUE`, `#: --scale FACTOR` or `#: no folder` at the top of a file says how it is loaded. After
//! a deliberate change of messages run the test with `UNDINE_BLESS=1`, and read the difference.

use std::fs;
use std::path::{Path, PathBuf};

use undine_scene::{LoadOptions, Scene, SceneErrors};

use crate::pool;

const FOLDER: &str = "tests/broken";

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    cases.sort();
    cases
}

fn load(path: &Path) -> Result<pool::Read, SceneErrors> {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let directives: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#: ")).collect();
    let mut options = LoadOptions::default();
    for directive in &directives {
        if let Some(typed) = directive.strip_prefix("--set ") {
            options.overrides.push(typed.to_owned());
        }
        if let Some(factor) = directive.strip_prefix("--scale ") {
            options.scale = factor.parse().unwrap();
        }
    }
    if directives.contains(&"no folder") {
        return pool::parse(&text, &options);
    }
    pool::read(Scene::load(path, &options)?)
}

/// The message, with paths as they would look from inside the folder.
fn rendered(path: &Path) -> String {
    let errors = load(path).expect_err(&format!("{} should be refused", path.display()));
    let folder = Path::new(FOLDER).join("").display().to_string();
    errors.to_string().replace(&folder, "") + "\n"
}

#[test]
fn every_broken_scene_gives_its_expected_message() {
    let bless = std::env::var_os("UNDINE_BLESS").is_some();
    let mut differing = Vec::new();
    for path in cases() {
        let (found, beside) = (rendered(&path), path.with_extension("expected"));
        if bless {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if found != expected {
            differing.push(format!("--- {}\nexpected:\n{expected}\nfound:\n{found}", path.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn every_expectation_has_its_scene_and_there_are_enough() {
    let entries = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let expected: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|kind| kind == "expected")).collect();
    assert!(expected.iter().all(|path| path.with_extension("toml").exists()));
    assert!(expected.len() >= 30, "{}", expected.len());
}
