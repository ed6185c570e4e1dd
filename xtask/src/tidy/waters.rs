//! Every folder of the models is a water: declared, listed in MODELS under its own name, and named in ARCHITECTURE.md.

use super::Finding;
use super::crates;
use super::tree::{SourceLine, Tree, inside};

const HOME: &str = "crates/models/src";
const LIST: &str = "crates/models/src/lib.rs";

/// Folders that are no water but what several share.
const SHARED: &[&str] = &["free_surface", "heightfield", "solids"];

/// Checks every folder of the models.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let misplaced = folder_lines(tree).filter_map(misplaced);
    let absent = tree.folders(HOME).into_iter().flat_map(|folder| absences(tree, folder));
    misplaced.chain(absent).collect()
}

/// Lists in which a model is missing.
fn absences(tree: &Tree, folder: &str) -> Vec<Finding> {
    let list = tree.text(LIST).unwrap_or_default();
    let mut findings = Vec::new();
    let mut expect = |is_so: bool, path: &str, problem: String, remedy: String| {
        findings.extend((!is_so).then(|| Finding::of_file(path, problem, remedy)));
    };

    let declaration = format!("pub mod {folder};");
    let is_declared = list.lines().any(|line| line.trim() == declaration);
    expect(is_declared, LIST, format!("{folder}/ is not declared"), format!("add `{declaration}`"));

    let remedy = format!("add `&{folder}::…::ENTRY` to the list, or remove the folder");
    let is_water = !SHARED.contains(&folder);
    expect(!is_water || is_listed(list, folder), LIST, format!("no entry of {folder}/ is in MODELS"), remedy);

    let home = format!("{HOME}/{folder}");
    let is_home = folder_lines(tree).any(|(line, named)| owner(line) == Some(folder) && named == folder);
    let remedy = format!("give its ModelEntry `folder: \"{folder}\"`");
    expect(!is_water || is_home, &home, "no entry says that it lives here".to_owned(), remedy);

    let is_named = crates::built(tree).any(|line| names_folder(line.text, folder));
    let remedy = format!("add `{folder}/` to the line of crates/models");
    expect(is_named, crates::PAGE, format!("the water {folder}/ is not named"), remedy);
    findings
}

/// The lines of models that say in which folder an entry lives, and the folder they say.
fn folder_lines(tree: &Tree) -> impl Iterator<Item = (SourceLine<'_>, &str)> {
    let models = tree.lines(&["rs"]).filter(|line| line.path.starts_with(HOME));
    models.filter_map(|line| Some((line, line.text.trim().strip_prefix("folder: \"")?.split_once('"')?.0)))
}

fn misplaced((line, named): (SourceLine<'_>, &str)) -> Option<Finding> {
    let folder = owner(line).filter(|folder| *folder != named)?;
    let problem = format!("the entry says it lives in {named:?} but is in {folder:?}");
    Some(Finding::at(line.path, line.number, problem, format!("write `folder: \"{folder}\"`")))
}

fn owner(line: SourceLine<'_>) -> Option<&str> {
    Some(inside(line.path, HOME)?.split_once('/')?.0)
}

fn is_listed(list: &str, folder: &str) -> bool {
    let entries = list
        .split_once("MODELS:")
        .and_then(|(_, rest)| rest.split_once('=')?.1.split_once("&[")?.1.split_once("];"));
    let Some((entries, _)) = entries else { return false };
    let code = entries.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(|line| line.split(',')).any(|entry| entry.trim().starts_with(&format!("&{folder}::")))
}

/// Whether a line of the page has the folder as `waves/`, in backquotes or as the end of a path.
fn names_folder(text: &str, folder: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(folder).any(|(start, _)| {
        let after = &text[start + folder.len()..];
        let is_quoted = text[..start].ends_with('`') && after.starts_with('`');
        !text[..start].ends_with(is_inner) && (after.starts_with('/') || is_quoted)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    const ENTRY: &str = "static ENTRY: ModelEntry = ModelEntry {\n    folder: \"ocean\",\n};\n";

    fn with_ocean() -> SampleRepository {
        SampleRepository::sound()
            .with("crates/models/src/ocean/mod.rs", ENTRY)
            .edited("crates/models/src/lib.rs", "pub mod waves;", "pub mod ocean;\npub mod waves;")
            .edited("crates/models/src/lib.rs", "&waves::ENTRY", "&waves::ENTRY, &ocean::ENTRY")
            .edited("ARCHITECTURE.md", "waves/", "waves/   ocean/ (spectra)")
    }

    #[test]
    fn a_second_water_that_is_everywhere_passes() {
        assert_eq!(with_ocean().findings(check), [""; 0]);
    }

    #[test]
    fn a_folder_that_is_not_in_the_list_is_found() {
        let sample = with_ocean().edited("crates/models/src/lib.rs", ", &ocean::ENTRY", ", // &ocean::ENTRY");
        sample.fails_only_with(
            check,
            &["crates/models/src/lib.rs: no entry of ocean/ is in MODELS", "&ocean::"],
        );
    }

    #[test]
    fn a_folder_that_is_not_declared_is_found() {
        let sample = with_ocean().edited("crates/models/src/lib.rs", "pub mod ocean;", "mod ocean;");
        sample.fails_only_with(check, &["ocean/ is not declared", "`pub mod ocean;`"]);
    }

    #[test]
    fn a_folder_without_an_entry_is_found() {
        let sample = with_ocean().with("crates/models/src/ocean/mod.rs", "//! Nothing yet.\n");
        sample.fails_only_with(check, &["crates/models/src/ocean: no entry says that it lives here"]);
    }

    #[test]
    fn an_entry_with_the_folder_of_another_is_found() {
        let wrong = "static OTHER: ModelEntry = ModelEntry {\n    folder: \"waves\",\n};\n";
        let sample = with_ocean().with("crates/models/src/ocean/other.rs", wrong);
        sample.fails_only_with(
            check,
            &["crates/models/src/ocean/other.rs:2:", "lives in \"waves\" but is in \"ocean\""],
        );
    }

    #[test]
    fn a_water_missing_from_the_page_is_found() {
        let sample = with_ocean().edited("ARCHITECTURE.md", "ocean/", "the_ocean/");
        sample.fails_only_with(check, &["ARCHITECTURE.md: the water ocean/ is not named"]);
    }
}
