//! Every scene has its file, its page and its golden picture, and is inside the binary.

use super::Finding;
use super::tree::{Tree, inside};

const LIST: &str = "crates/scenes/src/lib.rs";
const PARTS: &[(&str, &str)] = &[
    ("scene.toml", "write the scene"),
    ("README.md", "say what there is to see"),
    ("golden.png", "make it with `cargo xtask bless` and look at it"),
];

/// The golden picture of the scenes that are traced as well.
const TRACED: &str = "golden-traced.png";

/// Checks the folders and their files against the list, both ways.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let bundled = bundled(tree.text(LIST).unwrap_or_default());
    let folders = tree.folders("scenes");
    let mut findings: Vec<_> = folders.iter().flat_map(|scene| missing_parts(tree, scene)).collect();
    findings.extend(bundled.iter().flat_map(|scene| unlisted_files(tree, scene)));
    findings.extend(bundled.iter().flat_map(|scene| missing_files(tree, scene)));
    let unlisted = folders.iter().filter(|scene| bundled.iter().all(|listed| listed.name != **scene));
    findings.extend(unlisted.map(|scene| {
        Finding::of_file(
            LIST,
            format!("the scene {scene} is not bundled"),
            format!("add `bundled!(\"{scene}\")` to SCENES"),
        )
    }));
    let homeless = bundled.iter().filter(|scene| !folders.contains(scene.name));
    findings.extend(homeless.map(|scene| {
        Finding::at(
            LIST,
            scene.line,
            format!("scenes/{} does not exist", scene.name),
            "make the folder or take the scene off the list",
        )
    }));
    findings
}

fn missing_parts(tree: &Tree, scene: &str) -> Vec<Finding> {
    let paths = PARTS.iter().map(|(part, remedy)| (format!("scenes/{scene}/{part}"), *remedy));
    paths
        .filter(|(path, _)| !tree.has(path))
        .map(|(path, remedy)| Finding::of_file(path, "is missing", remedy))
        .collect()
}

/// Files of a scene that would not be there once Undine is installed.
fn unlisted_files(tree: &Tree, scene: &Bundled<'_>) -> Vec<Finding> {
    let folder = format!("scenes/{}", scene.name);
    let files = tree.below(&folder).filter_map(|path| inside(path, &folder));
    let is_part = |file: &str| file == TRACED || PARTS.iter().any(|(part, _)| *part == file);
    let is_known = |file: &str| is_part(file) || scene.files.contains(&file);
    let remedy = |file: &str| format!("add it: `bundled!(\"{}\", \"{file}\")`, or remove it", scene.name);
    files
        .filter(|file| !is_known(file))
        .map(|file| Finding::of_file(format!("{folder}/{file}"), "is not bundled", remedy(file)))
        .collect()
}

fn missing_files(tree: &Tree, scene: &Bundled<'_>) -> Vec<Finding> {
    let paths = scene.files.iter().map(|file| format!("scenes/{}/{file}", scene.name));
    let gone = paths.filter(|path| !tree.has(path));
    gone.map(|path| Finding::at(LIST, scene.line, format!("{path} does not exist"), "add it or take it off"))
        .collect()
}

/// A `bundled!("name", "file", …)` and where it stands.
struct Bundled<'a> {
    line: usize,
    name: &'a str,
    files: Vec<&'a str>,
}

/// Every scene of the list. A call stands on one line.
fn bundled(list: &str) -> Vec<Bundled<'_>> {
    let mut found = Vec::new();
    let code = list.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    for (index, line) in code {
        let calls = line.split("bundled!(").skip(1).filter_map(|call| Some(call.split_once(')')?.0));
        for call in calls {
            let mut literals = call.split('"').skip(1).step_by(2);
            let Some(name) = literals.next() else { continue };
            found.push(Bundled { line: index + 1, name, files: literals.collect() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    #[test]
    fn a_scene_without_its_golden_picture_is_found() {
        let sample = SampleRepository::sound().without("scenes/pond/golden.png");
        sample.fails_only_with(check, &["scenes/pond/golden.png: is missing", "cargo xtask bless"]);
    }

    #[test]
    fn every_other_part_is_asked_for_too() {
        for part in ["scenes/pond/scene.toml", "scenes/pond/README.md"] {
            SampleRepository::sound().without(part).fails_only_with(check, &[part, "is missing"]);
        }
    }

    #[test]
    fn a_scene_that_is_not_bundled_is_found() {
        let sample = SampleRepository::sound().edited("crates/scenes/src/lib.rs", "pond", "lake");
        let findings = sample.findings(check);
        assert_eq!(findings.len(), 2);
        assert!(findings[0].contains("the scene pond is not bundled"), "{}", findings[0]);
        assert!(
            findings[1].contains("crates/scenes/src/lib.rs:1: scenes/lake does not exist"),
            "{}",
            findings[1]
        );
    }

    #[test]
    fn a_scene_may_have_a_second_golden_picture() {
        let sample = SampleRepository::sound().with("scenes/pond/golden-traced.png", "a picture");
        assert_eq!(sample.findings(check), [""; 0]);
    }

    #[test]
    fn files_beside_a_scene_are_bundled_with_it() {
        let sample = SampleRepository::sound().with("scenes/pond/maps/bed.png", "stones");
        sample.fails_only_with(
            check,
            &["scenes/pond/maps/bed.png: is not bundled", "bundled!(\"pond\", \"maps/bed.png\")"],
        );
        let list = "crates/scenes/src/lib.rs";
        let listed = sample.edited(list, "\"pond\"", "\"pond\", \"maps/bed.png\"");
        assert_eq!(listed.findings(check), [""; 0]);
        let gone = listed.without("scenes/pond/maps/bed.png");
        gone.fails_only_with(check, &["crates/scenes/src/lib.rs:1: scenes/pond/maps/bed.png does not exist"]);
    }
}
