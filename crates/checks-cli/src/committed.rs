//! The committed files of validation: baselines, results, and the two pages made from the results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use undine_checks::outcome::Baselines;
use undine_checks::record::{Record, Results};
use undine_frame::AtomicFile;

use crate::pages;

/// Files in the folder.
const BASELINES: &str = "baselines.csv";
const RESULTS: &str = "results.csv";
const SHORT_PAGE: &str = "SHORT.md";
const RESULTS_PAGE: &str = "RESULTS.md";

/// What was accepted before.
pub struct Committed {
    /// The accepted values.
    pub baselines: Baselines,
    /// The results when they were accepted.
    pub results: Results,
    /// The list of short ones as it lies in the folder.
    short_page: String,
}

impl Committed {
    /// The files as they were when this program was compiled.
    pub fn compiled_in() -> anyhow::Result<Committed> {
        Ok(Committed {
            baselines: Baselines::parse(include_str!("../../../validation/baselines.csv"))?,
            results: Results::parse(include_str!("../../../validation/results.csv"))?,
            short_page: include_str!("../../../validation/SHORT.md").to_owned(),
        })
    }

    /// The files in a folder; empty if they do not exist.
    pub fn read(folder: &Path) -> anyhow::Result<Committed> {
        let read = |name: &str| match std::fs::read_to_string(folder.join(name)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            other => other.with_context(|| format!("cannot read {}", folder.join(name).display())),
        };
        Ok(Committed {
            baselines: Baselines::parse(&read(BASELINES)?)?,
            results: Results::parse(&read(RESULTS)?)?,
            short_page: read(SHORT_PAGE)?,
        })
    }

    /// Replaces what is known of the cases that were run, forgets cases that are gone, and writes all four files.
    pub fn accept(
        &mut self,
        folder: &Path,
        all_cases: &[&str],
        found: Vec<Record>,
    ) -> anyhow::Result<Vec<PathBuf>> {
        // Values of the cases that were run replace the earlier ones
        let is_known = |case: &str| all_cases.contains(&case);
        let run: BTreeSet<String> = found.iter().map(|record| record.case.clone()).collect();
        for case in &run {
            let values = found.iter().filter(|record| record.case == *case && record.value.is_finite());
            self.baselines.replace_case(case, values.map(|record| (record.metric.as_str(), record.value)));
        }
        self.baselines.retain_cases(is_known);
        self.results.records.retain(|record| is_known(&record.case) && !run.contains(&record.case));
        self.results.records.extend(found);
        let place = |record: &Record| all_cases.iter().position(|case| *case == record.case);
        self.results.records.sort_by_key(place);
        self.results.version = env!("CARGO_PKG_VERSION").to_owned();
        self.results.date = today();
        self.short_page = pages::short_page(&self.results);
        // Tables and pages
        let files = [
            (BASELINES, self.baselines.to_csv()),
            (RESULTS, self.results.to_csv()),
            (SHORT_PAGE, self.short_page.clone()),
            (RESULTS_PAGE, pages::results_page(&self.results)),
        ];
        let mut written = Vec::new();
        for (name, text) in files {
            let path = folder.join(name);
            AtomicFile::write_all_to(&path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
            written.push(path);
        }
        Ok(written)
    }

    /// Differences between what was found and what is committed: short ones that are not listed, or are listed and hold,
    /// values that have no baseline or are no longer measured, and a page that was not made from the results.
    pub fn differences(&self, found: &[Record]) -> Vec<String> {
        let run: BTreeSet<&str> = found.iter().map(|record| record.case.as_str()).collect();
        let name = |record: &Record| format!("{}: {}", record.case, record.metric);
        let listed = self.results.records.iter().filter(|record| run.contains(record.case.as_str()));
        let listed: BTreeSet<String> = listed.filter(|record| record.is_short()).map(name).collect();
        let short: BTreeSet<String> = found.iter().filter(|record| record.is_short()).map(name).collect();
        let mut differences: Vec<String> = Vec::new();
        differences
            .extend(short.difference(&listed).map(|name| format!("{name}: is short and not in SHORT.md")));
        differences.extend(listed.difference(&short).map(|name| format!("{name}: is in SHORT.md and holds")));
        for record in found.iter().filter(|record| record.value.is_finite()) {
            if self.baselines.get(&record.case, &record.metric).is_none() {
                differences.push(format!("{}: has no baseline", name(record)));
            }
        }
        for case in run {
            let is_gone =
                |metric: &&str| !found.iter().any(|record| record.case == case && record.metric == *metric);
            let gone = self.baselines.metrics_of(case).filter(is_gone);
            differences
                .extend(gone.map(|metric| format!("{case}: {metric}: has a baseline but is not measured")));
        }
        if self.short_page != pages::short_page(&self.results) {
            differences.push("SHORT.md was not made from results.csv".to_owned());
        }
        differences
    }
}

/// The day in UTC, as 2031-12-31.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of_day((seconds / 86_400) as i64)
}

/// The civil date of a day since 1970-01-01, by the algorithm of Howard Hinnant (`civil_from_days`).
fn date_of_day(day: i64) -> String {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use undine_checks::record::Record;
    use undine_checks::{Case, Checks, Target};

    use super::{Committed, date_of_day};

    fn records(case: &Case, order: f64, error: f64) -> Vec<Record> {
        let mut checks = Checks::default();
        checks.at_least("order", order, Target::order(1.9, "formal"));
        checks.at_most("error", error, Target::exact(1.0, "exact"));
        checks.done().iter().map(|check| Record::new(case, check, 1.0)).collect()
    }

    #[test]
    fn accepted_results_are_found_again_and_any_change_of_the_short_ones_is_a_difference() {
        let case = Case { name: "bowl/one", is_quick: true, is_chaotic: false, run: |_| Ok(()) };
        let other = Case { name: "bowl/two", ..case };
        let folder = std::env::temp_dir().join(format!("undine-committed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let names = ["bowl/one", "bowl/two"];
        let mut committed = Committed::read(&folder).unwrap();
        committed.accept(&folder, &names, records(&other, 2.0, 0.5)).unwrap();
        committed.accept(&folder, &names, records(&case, 1.5, 0.5)).unwrap();

        let committed = Committed::read(&folder).unwrap();
        assert_eq!(committed.results.records.len(), 4);
        assert_eq!(committed.results.records[0].case, "bowl/one");
        assert!(committed.differences(&records(&case, 1.5, 0.5)).is_empty());
        let healed = committed.differences(&records(&case, 2.0, 0.5));
        assert_eq!(healed, ["bowl/one: order: is in SHORT.md and holds"]);
        let worse = committed.differences(&records(&case, 1.5, 2.0));
        assert_eq!(worse, ["bowl/one: error: is short and not in SHORT.md"]);
        let fewer = committed.differences(&records(&case, 1.5, 0.5)[..1]);
        assert_eq!(fewer, ["bowl/one: error: has a baseline but is not measured"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn days_have_dates() {
        assert_eq!(
            [0, 59, 19_782, 22_279].map(date_of_day),
            ["1970-01-01", "1970-03-01", "2024-02-29", "2030-12-31"]
        );
    }

    #[test]
    fn the_committed_files_fit_together() {
        let committed = Committed::compiled_in().unwrap();
        assert_eq!(committed.differences(&[]), [""; 0]);
    }
}
