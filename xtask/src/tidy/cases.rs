//! Every validation case has its page and the files that the page names, and `undine validate` knows it.

use super::Finding;
use super::tree::{Tree, inside};

const HOME: &str = "validation";
const CRATES: &str = "crates";

/// Checks the folders against the code, both ways.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = known_but_gone(tree);
    for room in tree.folders(HOME) {
        let cases = tree.folders(&format!("{HOME}/{room}"));
        if cases.is_empty() {
            let remedy = format!("put each case into a folder of its own, {HOME}/{room}/<what>/");
            findings.push(Finding::of_file(format!("{HOME}/{room}"), "holds no case", remedy));
        }
        for what in cases {
            findings.extend(check_case(tree, &format!("{room}/{what}")));
        }
    }
    findings
}

fn check_case(tree: &Tree, case: &str) -> Vec<Finding> {
    let folder = format!("{HOME}/{case}");
    let page = format!("{folder}/README.md");
    let mut findings = Vec::new();
    match tree.text(&page) {
        None => {
            findings.push(Finding::of_file(page, "is missing", "state the claim, its source and its bound"))
        }
        Some(text) => findings.extend(named_but_gone(tree, &folder, text)),
    }
    let name = format!("\"{case}\"");
    if !code(tree).any(|(_, text)| text.contains(&name)) {
        findings.push(Finding::of_file(
            folder,
            "no check is named after it",
            format!("name one {name} in the validation.rs beside what it checks"),
        ));
    }
    findings
}

fn named_but_gone(tree: &Tree, folder: &str, page: &str) -> Vec<Finding> {
    let named = ["case.toml", "expected.csv"].into_iter().filter(|file| page.contains(file));
    let gone = named.map(|file| format!("{folder}/{file}")).filter(|path| !tree.has(path));
    gone.map(|path| Finding::of_file(path, "is missing", "add it, or take it out of the README.md beside it"))
        .collect()
}

/// References of the code to cases that do not exist.
fn known_but_gone(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in code(tree) {
        for (index, line) in text.lines().enumerate() {
            let known = included(line).chain(case_folder(line));
            let gone = known.filter(|path| !tree.has(path));
            let remedy = "add it, or take the check out";
            findings.extend(
                gone.map(|gone| Finding::at(path, index + 1, format!("{gone} does not exist"), remedy)),
            );
        }
    }
    findings
}

/// The paths below `validation/` that a line includes, from the root.
fn included(line: &str) -> impl Iterator<Item = String> {
    let calls = line.split("include_").skip(1);
    let literals = calls.filter_map(|call| call.split_once("!(\"")?.1.split_once('"'));
    literals.filter_map(|(path, _)| Some(path[path.find("/validation/")? + 1..].to_owned()))
}

/// The folder of the case that a line names, as in `name: "waves/dispersion"`.
fn case_folder(line: &str) -> Option<String> {
    let (name, _) = line.split_once("name: \"")?.1.split_once('"')?;
    let is_case = name.split('/').count() == 2 && !name.contains(' ');
    is_case.then(|| format!("{HOME}/{name}"))
}

/// The sources of cases, which lie beside what they check: `validation.rs`, and what is in a folder `validation/`.
fn code(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    let is_ours = |path: &str| {
        inside(path, CRATES)
            .is_some_and(|path| path.split('/').any(|part| part == "validation" || part == "validation.rs"))
    };
    let sources = tree.written(&["rs"]).filter(move |(path, _)| is_ours(path));
    sources.filter_map(|(path, text)| Some((path, text?)))
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    #[test]
    fn a_case_without_its_page_is_found() {
        let sample = SampleRepository::sound().without("validation/waves/dispersion/README.md");
        sample.fails_only_with(check, &["validation/waves/dispersion/README.md: is missing"]);
    }

    #[test]
    fn a_file_that_the_page_names_must_be_there() {
        let page = "The scene is in case.toml, the numbers in expected.csv.\n";
        let sample = SampleRepository::sound().with("validation/waves/dispersion/README.md", page);
        sample.fails_only_with(check, &["validation/waves/dispersion/case.toml: is missing"]);
    }

    #[test]
    fn a_case_that_no_check_is_named_after_is_found() {
        let sample = SampleRepository::sound().with("validation/waves/loops/README.md", "Loops.\n");
        sample.fails_only_with(
            check,
            &["validation/waves/loops: no check is named after it", "\"waves/loops\""],
        );
    }

    #[test]
    fn an_included_file_that_is_gone_is_found() {
        let sample = SampleRepository::sound().with(
            "crates/models/src/waves/validation/bowl.rs",
            "static BOWL: &str =\n    include_str!(\"../../../../../validation/bowl/thacker/expected.csv\");\n",
        );
        sample.fails_only_with(check, &["bowl.rs:2: validation/bowl/thacker/expected.csv does not exist"]);
    }

    #[test]
    fn a_check_without_its_folder_is_found() {
        let list = "Case { name: \"bowl/thacker\", is_quick: true },\nKey { name: \"depth\" },\n";
        let sample = SampleRepository::sound().with("crates/grid/src/validation.rs", list);
        sample.fails_only_with(check, &["validation.rs:1: validation/bowl/thacker does not exist"]);
    }

    #[test]
    fn a_name_elsewhere_makes_no_case() {
        let named = "Bench { name: \"bowl/thacker\", run: step },\n";
        let sample = SampleRepository::sound()
            .with("crates/models/src/waves/bench.rs", named)
            .with("validation/waves/loops/README.md", "Loops.\n")
            .with("crates/models/src/waves/sheet.rs", "const LOOPS: &str = \"waves/loops\";\n");
        sample.fails_only_with(check, &["validation/waves/loops: no check is named after it"]);
    }

    #[test]
    fn a_room_with_files_but_no_case_is_found() {
        let sample = SampleRepository::sound().with("validation/bowl/README.md", "Bowls.\n");
        sample.fails_only_with(check, &["validation/bowl: holds no case"]);
    }
}
