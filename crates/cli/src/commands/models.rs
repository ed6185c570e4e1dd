//! `undine models`.

use undine::MODELS;
use undine::scene::{Absent, Key, Kind};
use undine::sim::{ModelEntry, Status, WATER_KEYS};

use undine_checks::record::{Results, TargetCount};

use crate::pager::{self, PagerArgs};
use crate::terminal::{CommandError, aligned, hint, print_json, print_line};

/// List the models of water, or explain one with its keys
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine models
  undine models gerstner        its keys with units, defaults and ranges, and its sources
  undine models --json          all of them with all their keys")]
pub struct Args {
    /// Explain this model
    name: Option<String>,

    /// Print the models with all their keys as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pager: PagerArgs,
}

/// Lists the models, or explains one.
pub fn run(args: &Args) -> Result<(), CommandError> {
    let chosen: Vec<&ModelEntry> = match &args.name {
        None => MODELS.to_vec(),
        Some(name) => MODELS.iter().copied().filter(|model| model.name == name).collect(),
    };
    if let (Some(name), true) = (&args.name, chosen.is_empty()) {
        let known = undine::scene::known_words(name, MODELS.iter().map(|model| model.name));
        return Err(CommandError::Wrong(format!("there is no model {name:?}; {known}")));
    }
    if args.json {
        print_json(&chosen.iter().map(|model| model_json(model)).collect());
    } else if args.name.is_some() {
        chosen.iter().for_each(|model| pager::show(&page(model), &args.pager));
    } else {
        print_line(list(&chosen));
        let origin = results_origin(&committed_results());
        hint(&format!(
            "Third column: targets of validation that hold, {origin}\n`undine models NAME` explains the keys of one"
        ));
    }
    Ok(())
}

/// A line per model.
fn list(models: &[&ModelEntry]) -> String {
    let results = committed_results();
    let targets: Vec<String> = models.iter().map(|model| short_count(&results, model)).collect();
    let rows: Vec<_> = models
        .iter()
        .zip(&targets)
        .map(|(model, targets)| [model.name, status(model), targets.as_str(), model.summary])
        .collect();
    aligned(&rows)
}

/// The results of validation that belong to this version.
fn committed_results() -> Results {
    // A test reads the file, so that it cannot be malformed here
    Results::parse(include_str!("../../../../validation/results.csv")).unwrap_or_default()
}

/// Version and date of the results, and where they stand.
fn results_origin(results: &Results) -> String {
    format!("version {}, {}: {RESULTS_PAGE}", results.version, results.date)
}

/// Where all results stand.
const RESULTS_PAGE: &str = "validation/RESULTS.md";

fn short_count(results: &Results, model: &ModelEntry) -> String {
    match results.targets_of(model.name) {
        TargetCount { all: 0, .. } => "-".to_owned(),
        TargetCount { hold, all } => format!("{hold} of {all}"),
    }
}

/// How many targets of a model hold, as a sentence.
fn targets_text(results: &Results, model: &ModelEntry) -> Option<String> {
    let TargetCount { hold, all } = results.targets_of(model.name);
    (all > 0).then(|| format!("{hold} of {all} targets hold ({})", results_origin(results)))
}

fn status(model: &ModelEntry) -> &'static str {
    match model.status {
        Status::Stable => "stable",
        Status::Experimental => "beta",
    }
}

fn page(model: &ModelEntry) -> String {
    let mut page = format!("{} ({})\n  {}\n", model.name, status(model), model.summary);
    if let Some(targets) = targets_text(&committed_results(), model) {
        page.push_str(&format!("  {targets}\n"));
    }
    for key in model.cites {
        page.push_str(&format!("  after [{key}] {}\n", reference(key)));
    }
    page.push_str("\n  [[water]]\n");
    for key in WATER_KEYS.iter().chain(model.keys) {
        push_key(&mut page, key, 2);
    }
    page
}

/// Adds a key and the keys of its tables to a page.
pub fn push_key(page: &mut String, key: &Key, indent: usize) {
    let kind = kind_text(key);
    page.push_str(&format!("{:indent$}{:<12} {:<22} {}\n", "", key.name, kind, key.help));
    let rest = [default_text(key), range_text(key)].into_iter().flatten().collect::<Vec<_>>().join("; ");
    if !rest.is_empty() {
        page.push_str(&format!("{:width$}{rest}\n", "", width = indent + 36));
    }
    match key.kind {
        Kind::Choice(words) | Kind::Choices(words) => {
            for (word, help) in words {
                page.push_str(&format!("{:width$}{word:?}: {help}\n", "", width = indent + 36));
            }
        }
        Kind::Table(keys) | Kind::Tables(keys) => keys.iter().for_each(|key| push_key(page, key, indent + 4)),
        _ => {}
    }
}

fn kind_text(key: &Key) -> String {
    let kind = match key.kind {
        Kind::Number => "number".to_owned(),
        Kind::Integer => "whole number".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::Choice(_) => "word".to_owned(),
        Kind::Choices(_) => "words".to_owned(),
        Kind::Vector(count) => format!("{count} numbers"),
        Kind::Integers(count) => format!("{count} whole numbers"),
        Kind::Colour => "colour".to_owned(),
        Kind::Timed => "number or f(t)".to_owned(),
        Kind::File => "file".to_owned(),
        Kind::Table(_) => "table".to_owned(),
        Kind::Tables(_) => "tables".to_owned(),
    };
    if key.unit.is_empty() { kind } else { format!("{kind} in {}", key.unit) }
}

fn default_text(key: &Key) -> Option<String> {
    Some(match key.default {
        Absent::Required => "required".to_owned(),
        Absent::Optional(meaning) => format!("without it: {meaning}"),
        Absent::Number(number) => format!("default {number}"),
        Absent::Integer(number) => format!("default {number}"),
        Absent::Flag(flag) => format!("default {flag}"),
        Absent::Text(text) => format!("default {text:?}"),
        Absent::Vector(numbers) => format!("default {numbers:?}"),
        Absent::Integers(numbers) => format!("default {numbers:?}"),
        Absent::Words(words) => format!("default {words:?}"),
    })
}

fn range_text(key: &Key) -> Option<String> {
    let range = key.range;
    match (range.low.is_finite(), range.high.is_finite()) {
        (false, false) => None,
        (false, true) => Some(format!("at most {}", range.high)),
        (true, high) => {
            let low =
                if range.above_low { format!("above {}", range.low) } else { format!("from {}", range.low) };
            Some(if high { format!("{low} to {}", range.high) } else { low })
        }
    }
}

fn model_json(model: &ModelEntry) -> serde_json::Value {
    let results = committed_results();
    let TargetCount { hold, all } = results.targets_of(model.name);
    serde_json::json!({
        "name": model.name,
        "summary": model.summary,
        "status": status(model),
        "targets": { "hold": hold, "all": all, "version": results.version, "results": RESULTS_PAGE },
        "cites": model.cites,
        "references": model.cites.iter().map(|key| reference(key)).collect::<Vec<_>>(),
        "keys": WATER_KEYS.iter().chain(model.keys).map(key_json).collect::<Vec<_>>(),
    })
}

/// A key and the keys of its tables.
pub fn key_json(key: &Key) -> serde_json::Value {
    let (words, keys) = match key.kind {
        Kind::Choice(words) | Kind::Choices(words) => (words, &[][..]),
        Kind::Table(keys) | Kind::Tables(keys) => (&[][..], keys),
        _ => (&[][..], &[][..]),
    };
    serde_json::json!({
        "name": key.name,
        "type": kind_text(key),
        "unit": key.unit,
        "default": default_text(key),
        "low": key.range.low.is_finite().then_some(key.range.low),
        "high": key.range.high.is_finite().then_some(key.range.high),
        "help": key.help,
        "words": words.iter().map(|word| word.0).collect::<Vec<_>>(),
        "keys": keys.iter().map(key_json).collect::<Vec<_>>(),
    })
}

/// Author, year and title of an entry of references.bib.
fn reference(key: &str) -> String {
    const BIBLIOGRAPHY: &str = include_str!("../../../../references.bib");
    let entry =
        BIBLIOGRAPHY.split("\n@").find(|entry| entry.contains(&format!("{{{key},"))).unwrap_or_default();
    let field = |name: &str| {
        let line = entry.lines().find(|line| line.trim_start().starts_with(name))?;
        let value = line.split_once('=')?.1.trim().trim_end_matches(',');
        Some(value.replace(['{', '}'], "").replace("\\\"", "").replace("\\&", "&"))
    };
    let parts = ["author", "title", "year"].map(|name| field(name).unwrap_or_default());
    format!("{}: {} ({})", parts[0], parts[1], parts[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::MAX_COLUMNS;

    #[test]
    fn the_list_has_a_line_per_model_that_fits_a_screen() {
        let list = list(MODELS);
        assert_eq!(list.lines().count(), MODELS.len());
        for line in list.lines() {
            assert!(line.chars().count() <= MAX_COLUMNS, "{line}");
        }
    }

    #[test]
    fn every_model_says_how_many_of_its_targets_hold() {
        let text = include_str!("../../../../validation/results.csv");
        let results = Results::parse(text).unwrap();
        for model in MODELS {
            let targets = targets_text(&results, model).unwrap_or_else(|| panic!("{}", model.name));
            assert!(
                targets.contains(" targets hold (version ") && targets.contains(RESULTS_PAGE),
                "{targets}"
            );
            assert!(page(model).contains(&targets), "{targets}");
        }
    }

    #[test]
    fn every_citation_of_a_model_is_in_the_bibliography() {
        for key in MODELS.iter().flat_map(|model| model.cites) {
            assert!(reference(key).len() > 20, "{key}: {}", reference(key));
        }
        assert_eq!(reference("lamb1932"), "Lamb, Horace: Hydrodynamics (1932)");
    }
}
