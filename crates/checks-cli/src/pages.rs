//! The pages `validation/SHORT.md` and `validation/RESULTS.md`, made from the committed results.

use std::fmt::Write;

use undine_checks::Sense;
use undine_checks::record::{Record, Results, TargetCount};

/// How the pages are made, for their readers.
const MADE_BY: &str = "Made by `cargo xtask bless validation`; do not edit.";

/// The list of targets that are short, for the quick set and the others.
pub fn short_page(results: &Results) -> String {
    let mut page = format!(
        "# Targets that are short\n\n{MADE_BY} Version {}, {}. `cargo xtask validate` fails when the targets that are short in\n\
         the quick set are not exactly these.\n",
        results.version, results.date
    );
    for (title, is_quick) in [("The quick set", true), ("The rest of the full set", false)] {
        let short: Vec<&Record> = results
            .records
            .iter()
            .filter(|record| record.is_quick == is_quick && record.is_short())
            .collect();
        let run = each_case(results.records.iter().filter(|record| record.is_quick == is_quick)).count();
        let _ = write!(page, "\n## {title}, {run} cases: {} short\n", short.len());
        if !short.is_empty() {
            page += "\n| case | metric | value | target | source |\n|---|---|---|---|---|\n";
            short.iter().for_each(|record| page += &table_row(record, false));
        }
    }
    page
}

/// All results, with a table of how many targets of each model hold.
pub fn results_page(results: &Results) -> String {
    let mut page = format!(
        "# Results of validation\n\n{MADE_BY} Version {}, {}. A target was set before measuring; a value without one is only\n\
         compared with what it was before (`baselines.csv`). The same with plots: `undine validate --report page.html`.\n\n\
         | model or part | targets that hold | short or broken | values without a target | seconds on one thread |\n\
         |---|---|---|---|---|\n",
        results.version, results.date
    );
    for subject in subjects(results) {
        let count = results.targets_of(subject);
        let mine = || results.records.iter().filter(|record| record.subject() == subject);
        let alone = mine().filter(|record| record.target.is_none() && !record.is_short()).count();
        let seconds: f64 = each_case(mine()).map(|record| record.seconds).sum();
        let TargetCount { hold, all } = count;
        let _ = writeln!(page, "| {subject} | {hold} of {all} | {} | {alone} | {seconds:.0} |", all - hold);
    }
    let mut subject = "";
    for record in &results.records {
        if record.subject() != subject {
            subject = record.subject();
            let _ = write!(
                page,
                "\n## {subject}\n\n| case | metric | value | target | outcome | source |\n|---|---|---|---|---|---|\n"
            );
        }
        page += &table_row(record, true);
    }
    page
}

/// The models and parts, in the order of the results.
pub fn subjects(results: &Results) -> Vec<&str> {
    let mut subjects: Vec<&str> = results.records.iter().map(Record::subject).collect();
    subjects.dedup();
    subjects
}

/// The first record of each case.
fn each_case<'a>(records: impl Iterator<Item = &'a Record>) -> impl Iterator<Item = &'a Record> {
    let mut last = "";
    records.filter(move |record| std::mem::replace(&mut last, &record.case) != record.case)
}

fn table_row(record: &Record, has_outcome: bool) -> String {
    let target = target(record);
    let outcome = if has_outcome { format!(" {} |", record.outcome.name()) } else { String::new() };
    let (metric, source) = (escaped(&record.metric), escaped(&record.source));
    format!("| {} | {metric} | {} | {target} |{outcome} {source} |\n", record.case, number(record.value))
}

/// The bound of a target and its kind; empty for a value without one.
pub fn target(record: &Record) -> String {
    let sign = if record.sense == Sense::AtMost { '≤' } else { '≥' };
    record
        .target
        .map_or_else(String::new, |(bound, kind)| format!("{sign} {}, {}", number(bound), kind.name()))
}

/// Three digits: plain where that is readable, else as a power of ten.
pub fn number(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (0.01..1e4).contains(&size) => {
            let digits = if size == 0.0 { 0 } else { (2 - size.log10().floor() as i32).max(0) as usize };
            let text = format!("{value:.digits$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        _ => format!("{value:.2e}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use undine_checks::record::{Record, Results};
    use undine_checks::{Case, Checks, Target};

    use super::{number, results_page, short_page};

    fn results() -> Results {
        let quick = Case { name: "bowl/one", is_quick: true, is_chaotic: false, run: |_| Ok(()) };
        let long = Case { name: "cup/two", is_quick: false, ..quick };
        let mut checks = Checks::default();
        checks.at_most("|u|", 0.5, Target::exact(1.0, "rest"));
        checks.at_least("order", 1.63, Target::order(1.9, "formal"));
        checks.baseline("L2", 0.125);
        let mut records: Vec<_> = checks.done().iter().map(|check| Record::new(&quick, check, 2.0)).collect();
        records.push(Record::of_error(&long, "no water", 3.0));
        Results { version: "1.0".to_owned(), date: "2031-12-31".to_owned(), records }
    }

    #[test]
    fn short_ones_are_listed_by_set() {
        let page = short_page(&results());
        assert!(
            page.contains("The quick set, 1 cases: 1 short\n")
                && page.contains("full set, 1 cases: 1 short\n"),
            "{page}"
        );
        assert!(page.contains("| bowl/one | order | 1.63 | ≥ 1.9, order | formal |"), "{page}");
        assert!(page.contains("| cup/two | the case | NaN |"), "{page}");
        assert!(!page.contains("|u\\|"), "{page}");
    }

    #[test]
    fn all_results_are_shown_and_counted() {
        let page = results_page(&results());
        assert!(
            page.contains("| bowl | 1 of 2 | 1 | 1 | 2 |") && page.contains("| cup | 0 of 1 | 1 | 0 | 3 |"),
            "{page}"
        );
        assert!(page.contains("| bowl/one | \\|u\\| | 0.5 | ≤ 1, exact | holds | rest |"), "{page}");
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 1.0, 0.0857, 0.00562, 1e-14, 12345.0, 123.4, -0.25].map(number);
        assert_eq!(shown, ["0", "1", "0.0857", "5.62e-3", "1.00e-14", "1.23e4", "123", "-0.25"]);
    }
}
