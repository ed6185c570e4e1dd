//! No reminders, stubs, debugging output, or tests disabled without a reason.

use super::Finding;
use super::tree::{SourceLine, Tree};

const REMINDERS: &[&str] = &["TODO", "FIXME", "XXX"];
const STUBS: &[&str] = &["todo!(", "unimplemented!(", "dbg!("];

/// Checks every file that people write.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let text = tree.lines(&["rs", "toml", "md", "sh"]).flat_map(left_in_text);
    let code = tree.lines(&["rs"]).filter_map(switched_off);
    text.chain(code).collect()
}

fn left_in_text(line: SourceLine<'_>) -> Vec<Finding> {
    let reminders = REMINDERS.iter().filter(|word| has_word(line.text, word));
    let stubs = STUBS.iter().filter(|stub| line.text.contains(**stub));
    let finding = |mark: &&str| {
        let remedy = "do it now, or write it down as an issue";
        Finding::at(line.path, line.number, format!("{mark:?} is left"), remedy)
    };
    reminders.chain(stubs).map(finding).collect()
}

fn switched_off(line: SourceLine<'_>) -> Option<Finding> {
    let remedy = "write #[ignore = \"why\"], or let the test run";
    let is_bare = line.text.trim_start().starts_with("#[ignore]");
    is_bare.then(|| Finding::at(line.path, line.number, "a test is ignored without a reason", remedy))
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    const FILE: &str = "crates/cli/src/lib.rs";

    #[test]
    fn every_mark_is_found() {
        for mark in REMINDERS.iter().chain(STUBS) {
            let sample =
                SampleRepository::sound().with(FILE, &format!("fn a() {{\n    // {mark}: drain\n}}\n"));
            sample.fails_only_with(check, &["crates/cli/src/lib.rs:2:", mark]);
        }
        SampleRepository::sound()
            .with("scenes/pond/README.md", "TODO\n")
            .fails_only_with(check, &["README.md:1: \"TODO\""]);
    }

    #[test]
    fn words_that_only_contain_a_mark_pass() {
        let sample = SampleRepository::sound().with(FILE, "// METODOLOGY, XXXL, undine_dbg\n");
        assert_eq!(sample.findings(check), [""; 0]);
    }

    #[test]
    fn an_ignored_test_needs_a_reason() {
        SampleRepository::sound()
            .with(FILE, "#[test]\n    #[ignore]\n")
            .fails_only_with(check, &["lib.rs:2:", "without a reason"]);
        let reasoned = SampleRepository::sound().with(FILE, "#[test]\n#[ignore = \"an hour long\"]\n");
        assert_eq!(reasoned.findings(check), [""; 0]);
    }
}
