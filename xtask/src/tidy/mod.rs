//! Checks the repository against its own rules, so that its pages stay correct and its text clean.
//!
//! [`RULES`] is the list. A rule reads a [`Tree`] and returns findings; it runs nothing and changes nothing.

mod cases;
mod changes;
mod citations;
mod crates;
mod front;
mod literals;
mod machine;
mod marks;
mod names;

#[cfg(test)]
mod sample;
mod scenes;
mod shape;
mod tree;
mod waters;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use tree::Tree;

/// Something that the repository promises about itself.
struct TidyRule {
    name: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

/// Every rule.
static RULES: &[TidyRule] = &[
    TidyRule { name: "crates", check: crates::check },
    TidyRule { name: "waters", check: waters::check },
    TidyRule { name: "scenes", check: scenes::check },
    TidyRule { name: "cases", check: cases::check },
    TidyRule { name: "citations", check: citations::check },
    TidyRule { name: "shape", check: shape::check },
    TidyRule { name: "marks", check: marks::check },
    TidyRule { name: "machine", check: machine::check },
    TidyRule { name: "names", check: names::check },
    TidyRule { name: "literals", check: literals::check },
    TidyRule { name: "changes", check: changes::check },
    TidyRule { name: "front", check: front::check },
];

/// A place where a rule is broken, and what to do about it.
#[derive(Debug)]
pub struct Finding {
    path: String,
    line: Option<usize>,
    problem: String,
    remedy: String,
}

impl Finding {
    /// About a file or folder as a whole.
    fn of_file(path: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { path: path.into(), line: None, problem: problem.into(), remedy: remedy.into() }
    }

    /// About a line, counted from one.
    fn at(path: &str, line: usize, problem: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { line: Some(line), ..Finding::of_file(path, problem, remedy) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { path, line, problem, remedy } = self;
        match line {
            Some(line) => write!(f, "{path}:{line}: {problem}; {remedy}"),
            None => write!(f, "{path}: {problem}; {remedy}"),
        }
    }
}

/// Checks every rule and prints every finding.
pub fn run(root: &Path) -> Result<()> {
    let tree = Tree::read(root).with_context(|| format!("{} cannot be read", root.display()))?;
    let mut count = 0;
    for rule in RULES {
        for finding in (rule.check)(&tree) {
            println!("{finding} [{}]", rule.name);
            count += 1;
        }
    }
    if count > 0 {
        bail!("{count} {} to put right", if count == 1 { "thing" } else { "things" });
    }
    println!("tidy: {} rules hold in {} files", RULES.len(), tree.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::sample::SampleRepository;
    use super::*;

    #[test]
    fn a_sound_repository_has_no_findings() {
        let sample = SampleRepository::sound();
        for rule in RULES {
            assert_eq!(sample.findings(rule.check), [""; 0], "{}", rule.name);
        }
        assert!(run(sample.root()).is_ok());
    }

    #[test]
    fn one_finding_fails_the_whole() {
        let sample = SampleRepository::sound().without("scenes/pond/golden.png");
        assert!(run(sample.root()).unwrap_err().to_string().starts_with("1 thing "));
    }

    #[test]
    fn every_rule_can_fail() {
        let sample = SampleRepository::unsound();
        for rule in RULES {
            assert!(
                !sample.findings(rule.check).is_empty(),
                "{} finds nothing in the worst of trees",
                rule.name
            );
        }
    }
}
