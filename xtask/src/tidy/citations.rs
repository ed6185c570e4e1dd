//! Every citation leads to an entry of `references.bib`, and every entry is cited.
//!
//! A key is lower-case letters, a year and perhaps one letter: `kass1990`, `kass1990b`. It is cited in brackets in
//! comments and pages, or in the `cites` of a model.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::tree::{SourceLine, Tree};

const BIBLIOGRAPHY: &str = "references.bib";

/// Checks both directions.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let (entries, mut findings) = read_entries(tree);
    for (line, key) in cited(tree) {
        if !entries.contains_key(key) {
            let problem = format!("[{key}] is not in {BIBLIOGRAPHY}");
            findings.push(Finding::at(line.path, line.number, problem, "add the entry or correct the key"));
        }
    }
    let mentioned: BTreeSet<&str> =
        tree.lines(&["rs", "md", "toml"]).flat_map(|line| words(line.text)).collect();
    let unused = entries.iter().filter(|(key, _)| !mentioned.contains(*key));
    findings.extend(unused.map(|(key, line)| {
        Finding::at(
            BIBLIOGRAPHY,
            *line,
            format!("{key} is cited nowhere"),
            "cite it where it is used or remove it",
        )
    }));
    findings
}

/// The entries with their lines, and what is wrong with their keys.
fn read_entries(tree: &Tree) -> (BTreeMap<&str, usize>, Vec<Finding>) {
    let mut entries = BTreeMap::new();
    let mut findings = Vec::new();
    for line in tree.lines(&["bib"]).filter(|line| line.path == BIBLIOGRAPHY) {
        let Some(key) = entry_key(line.text) else { continue };
        if !is_key(key) {
            let problem = format!("{key:?} is not a key of the form kass1990");
            findings.push(Finding::at(
                line.path,
                line.number,
                problem,
                "name it after the first author and the year",
            ));
        }
        if let Some(first) = entries.insert(key, line.number) {
            let problem = format!("{key} stands here and in line {first}");
            findings.push(Finding::at(line.path, line.number, problem, "keep one"));
        }
    }
    (entries, findings)
}

fn entry_key(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix('@')?.split_once('{')?;
    Some(rest.split_once(',')?.0.trim())
}

/// Every citation with its line.
fn cited(tree: &Tree) -> Vec<(SourceLine<'_>, &str)> {
    let mut cited = Vec::new();
    let mut is_in_cites = false;
    for line in tree.lines(&["rs", "md"]) {
        if line.path.ends_with(".md") {
            cited.extend(bracketed(line.text).into_iter().map(|key| (line, key)));
            continue;
        }
        let (code, comment) = line.text.split_once("//").unwrap_or((line.text, ""));
        cited.extend(bracketed(comment).into_iter().map(|key| (line, key)));
        cited.extend(listed(code, &mut is_in_cites).map(|key| (line, key)));
    }
    cited
}

/// Keys in brackets, several in one pair if need be; a link of Markdown is not a citation.
fn bracketed(text: &str) -> Vec<&str> {
    let mut keys = Vec::new();
    for opened in text.split('[').skip(1) {
        let Some((inside, after)) = opened.split_once(']') else { continue };
        if !after.starts_with(['(', ':']) {
            keys.extend(inside.split([',', ';']).map(str::trim).filter(|key| is_key(key)));
        }
    }
    keys
}

/// Strings of a `cites: &[…]`, which may go on over several lines.
fn listed<'a>(code: &'a str, is_in_cites: &mut bool) -> impl Iterator<Item = &'a str> {
    let list = match code.split_once("cites: &[") {
        Some((_, list)) => list,
        None if *is_in_cites => code,
        None => "",
    };
    let (inside, closed) = list.split_once(']').map_or((list, false), |(inside, _)| (inside, true));
    *is_in_cites = !closed && (*is_in_cites || code.contains("cites: &["));
    inside.split('"').skip(1).step_by(2)
}

fn is_key(word: &str) -> bool {
    let name = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let year = name.trim_end_matches(|c: char| c.is_ascii_lowercase());
    name.len() < word.len() && year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()) && name.len() <= 5
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| is_key(word))
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    #[test]
    fn keys_have_a_name_and_a_year() {
        for key in ["kass1990", "kass1990b", "demeulenaere2008"] {
            assert!(is_key(key), "{key}");
        }
        for word in
            ["kass", "1990", "Kass1990", "kass199", "kass19900", "kass1990bb", "ka1ss1990", "`sine`", ""]
        {
            assert!(!is_key(word), "{word}");
        }
    }

    #[test]
    fn a_citation_without_an_entry_is_found() {
        let sample = SampleRepository::sound()
            .with("crates/cli/src/lib.rs", "//! Fine.\nlet e = 1; // eq. (16) of [kass1990]\n");
        sample.fails_only_with(check, &["crates/cli/src/lib.rs:2: [kass1990] is not in references.bib"]);
        let page = SampleRepository::sound().with("scenes/pond/README.md", "After [airy1845; kass1990].\n");
        page.fails_only_with(check, &["scenes/pond/README.md:1: [kass1990]"]);
    }

    #[test]
    fn code_and_links_are_not_citations() {
        let sample = SampleRepository::sound()
            .with("crates/cli/src/lib.rs", "let one = depths[year1990];\n")
            .with("scenes/pond/README.md", "[rain2020](rain.png)\n");
        assert_eq!(sample.findings(check), [""; 0]);
    }

    #[test]
    fn an_entry_that_nobody_cites_is_found() {
        let sample = SampleRepository::sound().edited(
            "references.bib",
            "@article{airy1845",
            "@book{lamb1932,\n}\n@article{airy1845",
        );
        sample.fails_only_with(check, &["references.bib:1: lamb1932 is cited nowhere"]);
    }

    #[test]
    fn the_cites_of_a_model_must_exist_over_several_lines_too() {
        let wrapped = "cites: &[\n        \"airy1845\",\n        \"stokes1847\",\n    ]";
        let sample = SampleRepository::sound().edited(
            "crates/models/src/waves/mod.rs",
            "cites: &[\"airy1845\"]",
            wrapped,
        );
        sample.fails_only_with(check, &["waves/mod.rs:8: [stokes1847]"]);
        let short =
            SampleRepository::sound().edited("crates/models/src/waves/mod.rs", "\"airy1845\"]", "\"Airy\"]");
        short.fails_only_with(check, &["[Airy] is not in references.bib"]);
    }

    #[test]
    fn keys_of_another_form_and_double_entries_are_found() {
        let odd = SampleRepository::sound().edited(
            "references.bib",
            "@article{airy1845",
            "@misc{Airy:45,\n}\n@article{airy1845",
        );
        assert!(odd.findings(check)[0].contains("references.bib:1: \"Airy:45\" is not a key"));
        let twice = SampleRepository::sound().edited(
            "references.bib",
            "@article{airy1845",
            "@misc{airy1845,\n}\n@article{airy1845",
        );
        twice.fails_only_with(check, &["references.bib:3: airy1845 stands here and in line 1"]);
    }
}
