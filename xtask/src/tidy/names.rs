//! Modules are named after the thing they define.

use super::Finding;
use super::tree::Tree;

const EMPTY_NAMES: &[&str] = &["utils", "helpers", "common", "misc"];

const REMEDY: &str = "name it after what it defines, or move each part to its owner";

/// Checks the names of source files, of their folders and of modules written in place.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let files = tree.paths().filter(|path| path.ends_with(".rs"));
    let named = files.filter_map(|path| Some((path, empty_name(path)?)));
    let files = named.map(|(path, name)| Finding::of_file(path, format!("{name:?} says nothing"), REMEDY));
    let inline = tree.lines(&["rs"]).filter_map(|line| {
        let name = declared(line.text).filter(|name| EMPTY_NAMES.contains(name))?;
        Some(Finding::at(line.path, line.number, format!("the module {name:?} says nothing"), REMEDY))
    });
    files.chain(inline).collect()
}

fn empty_name(path: &str) -> Option<&str> {
    path.trim_end_matches(".rs").split('/').find(|part| EMPTY_NAMES.contains(part))
}

/// The module that a line opens in place; one in a file of its own is judged by the file.
fn declared(line: &str) -> Option<&str> {
    let declaration = line.trim().strip_suffix('{')?.trim_end();
    let (before, name) = declaration.rsplit_once("mod ")?;
    (before.is_empty() || before.starts_with("pub")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    #[test]
    fn files_folders_and_modules_in_place_are_found() {
        for name in EMPTY_NAMES {
            let file = format!("crates/cli/src/{name}.rs");
            SampleRepository::sound().with(&file, "").fails_only_with(check, &[&file, name]);
            let folder = format!("crates/cli/tests/{name}/mod.rs");
            SampleRepository::sound().with(&folder, "").fails_only_with(check, &[&folder, name]);
            let inline = format!("//! Ours.\n\npub(crate) mod {name} {{}}\n").replace("{}", "{\n}");
            SampleRepository::sound()
                .with("crates/cli/src/lib.rs", &inline)
                .fails_only_with(check, &["lib.rs:3:", name]);
        }
    }

    #[test]
    fn names_that_only_contain_one_pass() {
        let sample = SampleRepository::sound().with("crates/cli/src/commonwealth.rs", "mod miscible {\n}\n");
        assert_eq!(sample.findings(check), [""; 0]);
    }
}
