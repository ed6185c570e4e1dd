//! Text format: no tabs, no trailing white space, one newline at the end of a file, no long lines or files.

use super::Finding;
use super::tree::Tree;

const ENDINGS: &[&str] = &["rs", "toml", "md"];
const LONGEST_LINE: usize = 160;
const LONGEST_SOURCE: usize = 700;

/// Checks every file that people write.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.written(ENDINGS) {
        let Some(text) = text else {
            findings.push(Finding::of_file(path, "is not UTF-8", "save it as UTF-8"));
            continue;
        };
        // Not `lines()`, which would hide a carriage return.
        for (index, line) in text.split('\n').enumerate() {
            findings.extend(check_line(path, index + 1, line));
        }
        findings.extend(check_end(path, text));
        findings.extend(check_length(path, text));
    }
    findings
}

fn check_line(path: &str, number: usize, line: &str) -> Vec<Finding> {
    let is_table = path.ends_with(".md") && line.trim_start().starts_with('|');
    let length = line.chars().count();
    let mut findings = Vec::new();
    if line.contains('\t') {
        findings.push(Finding::at(path, number, "has a tab", "use spaces, or \\t in a string"));
    }
    if line.ends_with(char::is_whitespace) {
        findings.push(Finding::at(path, number, "ends in white space", "remove it"));
    }
    if length > LONGEST_LINE && !is_table {
        let problem = format!("has {length} characters");
        findings.push(Finding::at(path, number, problem, format!("break it before {LONGEST_LINE}")));
    }
    findings
}

fn check_end(path: &str, text: &str) -> Option<Finding> {
    let last = text.split('\n').count();
    let is_sound = text.is_empty() || (text.ends_with('\n') && !text.ends_with("\n\n"));
    (!is_sound).then(|| {
        Finding::at(
            path,
            last,
            "does not end in one newline",
            "end the last line, and leave none empty after it",
        )
    })
}

fn check_length(path: &str, text: &str) -> Option<Finding> {
    let length = text.lines().count();
    let is_long = path.ends_with(".rs") && length > LONGEST_SOURCE;
    is_long.then(|| {
        Finding::of_file(
            path,
            format!("has {length} lines"),
            "it holds more than one thing: split it by what they are",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    const FILE: &str = "crates/cli/src/lib.rs";

    #[test]
    fn tabs_and_white_space_at_the_end_are_found() {
        SampleRepository::sound()
            .with(FILE, "fn a() {}\n\tb\n")
            .fails_only_with(check, &["lib.rs:2: has a tab"]);
        SampleRepository::sound()
            .with(FILE, "fn a() {} \n")
            .fails_only_with(check, &["lib.rs:1: ends in white space"]);
        SampleRepository::sound()
            .with(FILE, "fn a() {}\r\n")
            .fails_only_with(check, &["lib.rs:1: ends in white space"]);
    }

    #[test]
    fn a_file_ends_in_one_newline() {
        SampleRepository::sound()
            .with(FILE, "fn a() {}")
            .fails_only_with(check, &["does not end in one newline"]);
        SampleRepository::sound()
            .with(FILE, "fn a() {}\n\n")
            .fails_only_with(check, &["does not end in one newline"]);
        assert_eq!(SampleRepository::sound().with(FILE, "").findings(check), [""; 0]);
    }

    #[test]
    fn long_lines_are_found_except_in_tables() {
        let long = "é".repeat(LONGEST_LINE + 1) + "\n";
        SampleRepository::sound().with(FILE, &long).fails_only_with(check, &["lib.rs:1: has 161 characters"]);
        SampleRepository::sound().with("scenes/pond/README.md", &long).fails_only_with(check, &["has 161"]);
        assert_eq!(
            SampleRepository::sound().with("scenes/pond/README.md", &format!("| {long}")).findings(check),
            [""; 0]
        );
        assert_eq!(SampleRepository::sound().with(FILE, &long[2..]).findings(check), [""; 0]);
    }

    #[test]
    fn long_sources_are_found() {
        let long = "//\n".repeat(LONGEST_SOURCE + 1);
        SampleRepository::sound().with(FILE, &long).fails_only_with(check, &["lib.rs: has 701 lines"]);
        assert_eq!(SampleRepository::sound().with("scenes/pond/README.md", &long).findings(check), [""; 0]);
    }

    #[test]
    fn other_encodings_are_found_except_in_specimens() {
        let latin = b"# \xe9t\xe9\n";
        SampleRepository::sound().with_bytes(FILE, latin).fails_only_with(check, &["lib.rs: is not UTF-8"]);
        assert_eq!(
            SampleRepository::sound().with_bytes("crates/scene/tests/broken/a.toml", latin).findings(check),
            [""; 0]
        );
    }
}
