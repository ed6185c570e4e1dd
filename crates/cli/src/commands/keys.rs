//! `undine keys`.

use undine::MODELS;
use undine::scene::{Key, KindEntry, SectionEntry};

use super::models::{key_json, push_key};
use crate::pager::{self, PagerArgs};
use crate::terminal::{CommandError, aligned, hint, print_json, print_line};

/// List the sections of a scene file, or explain the keys of one
///
/// The keys of [[water]] depend on its kind: see `undine models`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine keys
  undine keys camera            the keys of [camera] with units, defaults and ranges
  undine keys terrain
  undine keys picture --json
  undine keys --json            all sections with all their keys")]
pub struct Args {
    /// Explain the keys of this section
    section: Option<String>,

    /// Print the sections with all their keys as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pager: PagerArgs,
}

/// Explains the keys.
pub fn run(args: &Args) -> Result<(), CommandError> {
    let sections = undine::sections();
    let is_wanted = |name: &str| args.section.as_deref().is_none_or(|wanted| wanted == name);
    let chosen: Vec<&'static SectionEntry> =
        sections.iter().copied().filter(|section| is_wanted(section.name)).collect();
    if let (Some(wanted), true) = (&args.section, chosen.is_empty()) {
        let known = undine::scene::known_words(wanted, undine::section_names());
        return Err(CommandError::Wrong(format!(
            "there is no section {wanted:?}; {known}; for [[water]] see `undine models`"
        )));
    }
    if args.json {
        print_json(&chosen.into_iter().map(section_json).collect());
        return Ok(());
    }
    if args.section.is_some() {
        chosen.into_iter().for_each(|section| pager::show(&section_page(section), &args.pager));
    } else {
        print_line(list(&chosen));
        hint(
            "`undine keys NAME` explains the keys of one; those of [[water]] depend on its kind: `undine models`",
        );
    }
    Ok(())
}

/// A line per section.
fn list(sections: &[&SectionEntry]) -> String {
    let headers: Vec<String> = sections.iter().map(|section| header(section)).collect();
    let rows = sections.iter().zip(&headers).map(|(section, header)| [section.name, header, section.summary]);
    aligned(&rows.collect::<Vec<_>>())
}

/// The header of a section; one that shares its name with another names its models.
fn header(section: &SectionEntry) -> String {
    let is_shared = undine::sections().iter().filter(|other| other.name == section.name).count() > 1;
    let of = if is_shared { format!(" of {}", readers(section).join(", ")) } else { String::new() };
    section.header() + &of
}

/// The models that read a section; none for one that no water reads.
fn readers(section: &SectionEntry) -> Vec<&'static str> {
    let reads = |model: &&&undine::sim::ModelEntry| {
        model.sections.iter().any(|used| std::ptr::eq(used.section, section))
    };
    MODELS.iter().filter(reads).map(|model| model.name).collect()
}

fn section_json(section: &SectionEntry) -> serde_json::Value {
    let keys = |keys: &[Key]| keys.iter().map(key_json).collect::<Vec<_>>();
    let kind = |kind: &KindEntry| {
        serde_json::json!({
            "kind": kind.name,
            "summary": kind.summary,
            "dimensions": kind.dimensions,
            "keys": kind.keys.iter().flat_map(|group| keys(group)).collect::<Vec<_>>(),
        })
    };
    serde_json::json!({
        "name": section.name,
        "summary": section.summary,
        "models": readers(section),
        "keys": keys(section.common),
        "kinds": section.kinds.iter().map(kind).collect::<Vec<_>>(),
    })
}

fn section_page(section: &SectionEntry) -> String {
    let mut page = format!("{}: {}\n", header(section), section.summary);
    section.common.iter().for_each(|key| push_key(&mut page, key, 2));
    for kind in section.kinds {
        let only = match kind.dimensions {
            [dimension] => format!(" in {dimension}-D"),
            _ => String::new(),
        };
        page.push_str(&format!("\n  kind = \"{}\"{only}: {}\n", kind.name, kind.summary));
        kind.keys.iter().copied().flatten().for_each(|key| push_key(&mut page, key, 4));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::MAX_COLUMNS;

    #[test]
    fn the_list_has_a_line_per_section_that_fits_a_screen() {
        let sections = undine::sections();
        let list = list(&sections);
        assert_eq!(list.lines().count(), sections.len());
        for line in list.lines() {
            assert!(line.chars().count() <= MAX_COLUMNS, "{line}");
        }
    }
}
