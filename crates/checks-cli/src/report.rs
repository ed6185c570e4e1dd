//! The page of `undine validate --report`: results and plots, as HTML.

use std::path::Path;

use undine_checks::Curve;
use undine_checks::record::{Record, Results};
use undine_export::report::{Plot, PlotSeries, PlotStyle, Report, ReportTable};

use crate::pages::{number, subjects, target};

/// Writes the page.
pub fn write(path: &Path, results: &Results, curves: &[(&str, Vec<Curve>)]) -> anyhow::Result<()> {
    Ok(page(results, curves).write(path)?)
}

fn page(results: &Results, curves: &[(&str, Vec<Curve>)]) -> Report {
    let facts = subjects(results).into_iter().map(|subject| {
        let count = results.targets_of(subject);
        (subject.to_owned(), format!("{} of {} targets hold", count.hold, count.all))
    });
    let plots = curves.iter().flat_map(|(case, curves)| curves.iter().map(move |curve| plot(case, curve)));
    Report {
        title: "Validation".to_owned(),
        summary: "Measured values against targets that were set before measuring.".to_owned(),
        facts: facts.collect(),
        plots: plots.collect(),
        tables: subjects(results).into_iter().map(|subject| table(results, subject)).collect(),
        versions: vec![("undine".to_owned(), format!("{}, {}", results.version, results.date))],
        ..Report::default()
    }
}

/// A curve and what is expected of it. Logarithmic ones are drawn by their logarithms to base ten.
fn plot(case: &str, curve: &Curve) -> Plot {
    let drawn = |points: &[[f64; 2]]| -> Vec<[f64; 2]> {
        let logarithms = |point: &[f64; 2]| point.map(f64::log10);
        if curve.is_logarithmic { points.iter().map(logarithms).collect() } else { points.to_vec() }
    };
    let label = |name: &str| if curve.is_logarithmic { format!("log₁₀ {name}") } else { name.to_owned() };
    let expected = if curve.is_logarithmic { "order required" } else { "expected" };
    Plot {
        title: format!("{case}: {}", curve.name),
        x: label(curve.across),
        y: label(curve.upward),
        style: PlotStyle::Lines,
        series: vec![
            PlotSeries { name: "measured".to_owned(), points: drawn(&curve.found) },
            PlotSeries { name: expected.to_owned(), points: drawn(&curve.expected) },
        ],
        caption: String::new(),
    }
}

fn table(results: &Results, subject: &str) -> ReportTable {
    let row = |record: &Record| {
        let outcome = record.outcome.name().to_owned();
        vec![
            record.case.clone(),
            record.metric.clone(),
            number(record.value),
            target(record),
            outcome,
            record.source.clone(),
        ]
    };
    let mine = results.records.iter().filter(|record| record.subject() == subject);
    ReportTable {
        title: subject.to_owned(),
        header: ["case", "metric", "value", "target", "outcome", "source"].map(str::to_owned).to_vec(),
        rows: mine.map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use undine_checks::record::{Record, Results};
    use undine_checks::{Case, Checks, Target};

    #[test]
    fn the_page_shows_every_value_and_curve() {
        let case = Case { name: "bowl/one", is_quick: true, is_chaotic: false, run: |_| Ok(()) };
        let mut checks = Checks::default();
        checks.order("order of L1", &[(10, 1.0), (20, 0.25), (40, 0.06)], Target::order(1.9, "formal"));
        let records = checks.done().iter().map(|check| Record::new(&case, check, 1.0)).collect();
        let results = Results { version: "1.0".to_owned(), date: "2031-12-31".to_owned(), records };
        let html = super::page(&results, &[("bowl/one", checks.curves().to_vec())]).html();
        for part in [
            "1 of 1 targets hold",
            "bowl/one: order of L1",
            "order required",
            "<svg",
            "≥ 1.9, order",
            "1.0, 2031-12-31",
        ] {
            assert!(html.contains(part), "{part}");
        }
    }
}
