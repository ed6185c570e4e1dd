//! Every scene has its file, its page and its golden picture, and is inside the binary.

use super::Finding;
use super::tree::Tree;

const LIST: &str = "crates/cli/src/bundled.rs";
const PARTS: &[(&str, &str)] = &[
    ("scene.toml", "write the scene"),
    ("README.md", "say what there is to see"),
    ("golden.png", "make it with `cargo xtask bless` and look at it"),
];

/// Checks the folders against the list, both ways.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let bundled = bundled(tree.text(LIST).unwrap_or_default());
    let folders = tree.folders("scenes");
    let mut findings: Vec<_> = folders.iter().flat_map(|scene| missing_parts(tree, scene)).collect();
    let unlisted = folders.iter().filter(|scene| bundled.iter().all(|(_, name)| name != *scene));
    findings.extend(unlisted.map(|scene| {
        Finding::whole(
            LIST,
            format!("the scene {scene} is not bundled"),
            format!("add `bundled!(\"{scene}\")` to SCENES"),
        )
    }));
    let homeless = bundled.iter().filter(|(_, name)| !folders.contains(name));
    findings.extend(homeless.map(|(line, name)| {
        Finding::at(
            LIST,
            *line,
            format!("scenes/{name} does not exist"),
            "make the folder or take the scene off the list",
        )
    }));
    findings
}

fn missing_parts(tree: &Tree, scene: &str) -> Vec<Finding> {
    let paths = PARTS.iter().map(|(part, remedy)| (format!("scenes/{scene}/{part}"), *remedy));
    paths
        .filter(|(path, _)| !tree.has(path))
        .map(|(path, remedy)| Finding::whole(path, "is missing", remedy))
        .collect()
}

/// Every `bundled!("name")` with its line.
fn bundled(list: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in list.lines().enumerate() {
        let calls = line.split("bundled!(\"").skip(1);
        found.extend(calls.filter_map(|call| Some((index + 1, call.split_once('"')?.0))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn a_scene_without_its_golden_picture_is_found() {
        let sample = Sample::sound().without("scenes/pond/golden.png");
        sample.fails_only_with(check, &["scenes/pond/golden.png: is missing", "cargo xtask bless"]);
    }

    #[test]
    fn every_other_part_is_asked_for_too() {
        for part in ["scenes/pond/scene.toml", "scenes/pond/README.md"] {
            Sample::sound().without(part).fails_only_with(check, &[part, "is missing"]);
        }
    }

    #[test]
    fn a_scene_that_is_not_bundled_is_found() {
        let sample = Sample::sound().edited("crates/cli/src/bundled.rs", "pond", "lake");
        let findings = sample.findings(check);
        assert_eq!(findings.len(), 2);
        assert!(findings[0].contains("the scene pond is not bundled"), "{}", findings[0]);
        assert!(findings[1].contains("bundled.rs:1: scenes/lake does not exist"), "{}", findings[1]);
    }
}
