//! ARCHITECTURE.md names every crate, and every path below `crates/` that it names exists.
//!
//! What its section "Planned" names need not exist yet; a crate that does exist must have moved out of it.

use super::Finding;
use super::tree::{SourceLine, Tree};

/// The page that describes the code.
pub const PAGE: &str = "ARCHITECTURE.md";

const PLANNED: &str = "Planned";

/// Checks both directions.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let named: Vec<(usize, String)> = built(tree).flat_map(paths_in).collect();
    let crates = tree.folders("crates").into_iter().map(|folder| format!("crates/{folder}"));
    let is_named = |folder: &String| {
        named.iter().any(|(_, path)| path == folder || path.starts_with(&format!("{folder}/")))
    };
    let mut findings: Vec<_> = crates.filter(|folder| !is_named(folder)).map(unnamed).collect();
    let gone = named.iter().filter(|(_, path)| !tree.has(path));
    findings.extend(gone.map(|(line, path)| {
        Finding::at(
            PAGE,
            *line,
            format!("{path} does not exist"),
            format!("correct it, or list it under {PLANNED:?}"),
        )
    }));
    findings
}

/// The lines of the page outside "Planned".
pub fn built(tree: &Tree) -> impl Iterator<Item = SourceLine<'_>> {
    let mut planned_level = None;
    tree.lines(&["md"]).filter(|line| line.path == PAGE).filter(move |line| {
        if let Some(level) = heading_level(line.text) {
            let ends = planned_level.is_some_and(|planned| level <= planned);
            planned_level =
                if line.text.contains(PLANNED) { Some(level) } else { planned_level.filter(|_| !ends) };
        }
        planned_level.is_none()
    })
}

fn unnamed(folder: String) -> Finding {
    let remedy = format!("add {folder} and what it holds (and take it out of {PLANNED:?} if it is there)");
    Finding::of_file(PAGE, format!("{folder} is not named"), remedy)
}

fn heading_level(line: &str) -> Option<usize> {
    let level = line.chars().take_while(|&c| c == '#').count();
    (level > 0 && line[level..].starts_with(' ')).then_some(level)
}

/// Every path below `crates/` in a line. A placeholder (`crates/<x>`, `src/*`) ends it at the folder before.
fn paths_in(line: SourceLine<'_>) -> Vec<(usize, String)> {
    let starts = line.text.match_indices("crates/").map(|(start, _)| start);
    let paths = starts.filter_map(|start| path_at(&line.text[start..]));
    paths.map(|path| (line.number, path)).collect()
}

fn path_at(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let has_placeholder = text[end..].starts_with(['<', '*', '{', '…']);
    let path = if has_placeholder { text[..end].rsplit_once('/')?.0 } else { &text[..end] };
    let path = path.trim_end_matches(['.', '/']);
    path.contains('/').then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    #[test]
    fn a_crate_missing_from_the_page_is_found() {
        let sample = SampleRepository::sound().with("crates/surface/Cargo.toml", "[package]\n");
        sample
            .fails_only_with(check, &["ARCHITECTURE.md: crates/surface is not named", "add crates/surface"]);
    }

    #[test]
    fn a_crate_that_is_no_longer_planned_must_move() {
        let sample = SampleRepository::sound().with("crates/gpu/Cargo.toml", "[package]\n");
        sample.fails_only_with(check, &["crates/gpu is not named", "Planned"]);
    }

    #[test]
    fn a_crate_whose_name_begins_like_another_is_not_taken_for_it() {
        let sample = SampleRepository::sound().with("crates/mod/Cargo.toml", "[package]\n");
        sample.fails_only_with(check, &["crates/mod is not named"]);
    }

    #[test]
    fn a_room_that_is_gone_is_found_with_its_line() {
        let sample = SampleRepository::sound().edited(
            "ARCHITECTURE.md",
            "    crates/cli\n",
            "    crates/cli, crates/attic.\n",
        );
        sample.fails_only_with(check, &["ARCHITECTURE.md:3: crates/attic does not exist"]);
        let deeper = SampleRepository::sound().edited(
            "ARCHITECTURE.md",
            "# Architecture\n",
            "# Architecture\n\n`crates/cli/src/gone.rs`\n",
        );
        deeper.fails_only_with(check, &["crates/cli/src/gone.rs does not exist"]);
    }

    #[test]
    fn the_planned_section_ends_at_the_next_heading_of_its_level() {
        let after = "crates/gpu\n\n### Later\n\ncrates/later\n\n## Interfaces\n\ncrates/interface\n";
        let sample = SampleRepository::sound().edited("ARCHITECTURE.md", "crates/gpu\n", after);
        sample.fails_only_with(check, &["crates/interface does not exist"]);
    }

    #[test]
    fn placeholders_are_not_paths() {
        assert_eq!(path_at("crates/<x>"), None);
        assert_eq!(path_at("crates/models/src/<folder>/").as_deref(), Some("crates/models/src"));
        assert_eq!(path_at("crates/grid/{a,b}").as_deref(), Some("crates/grid"));
        assert_eq!(path_at("crates/grid."), Some("crates/grid".to_owned()));
    }
}
