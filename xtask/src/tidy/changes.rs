//! CHANGELOG.md has a heading for unreleased changes.

use super::Finding;
use super::tree::Tree;

const PAGE: &str = "CHANGELOG.md";

/// Checks that there is a heading for the next version or for a past one.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let page = tree.text(PAGE).unwrap_or_default();
    if page.lines().any(is_version_heading) {
        return Vec::new();
    }
    vec![Finding::of_file(PAGE, "has no heading of a version", "add `## Unreleased`")]
}

/// `## Unreleased`, `## 0.1.0`, `## v0.1.0`, each perhaps in brackets and with a date behind.
fn is_version_heading(line: &str) -> bool {
    let Some(title) = line.strip_prefix("## ") else { return false };
    let title = title.trim_start_matches(['[', 'v']);
    title.starts_with("Unreleased") || title.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    #[test]
    fn a_page_without_versions_is_found() {
        let sample = SampleRepository::sound().with("CHANGELOG.md", "# Changes\n\n## Thanks\n");
        sample.fails_only_with(check, &["CHANGELOG.md: has no heading of a version", "## Unreleased"]);
        SampleRepository::sound().without("CHANGELOG.md").fails_only_with(check, &["CHANGELOG.md"]);
    }

    #[test]
    fn versions_are_recognised() {
        for heading in
            ["## Unreleased", "## [Unreleased]", "## 0.1.0", "## v0.1.0", "## [0.1.0] - 2026-01-01"]
        {
            assert!(is_version_heading(heading), "{heading}");
        }
        assert!(!is_version_heading("# 0.1.0"));
    }
}
