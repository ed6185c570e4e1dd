//! `undine validate`: physics against exact solutions and published tables.

use undine_checks::args::ValidateArgs;
use undine_checks::{Case, Check, Checks};

use crate::terminal::{CaseProgress, CheckFailure, print_names};
use crate::{cases, choose};
use undine_checks::terminal::print_line;

/// Runs the chosen cases.
pub fn run(args: &ValidateArgs) -> Result<(), CheckFailure> {
    let mut chosen = choose(cases(), &args.cases, "case", |case| case.name)?;
    chosen.retain(|case| case.is_quick || !args.quick);
    if args.list {
        print_names(&chosen.iter().map(|case| case.name).collect::<Vec<_>>(), args.json);
        return Ok(());
    }
    let mut bar = CaseProgress::new();
    let (mut passed, mut failed) = (0, 0);
    for (number, case) in chosen.iter().enumerate() {
        let mut checks = Checks::default();
        (case.run)(&mut checks).map_err(|error| error.context(case.name))?;
        for check in checks.done() {
            *(if check.is_ok() { &mut passed } else { &mut failed }) += 1;
            bar.suspend(|| print(case, check, args.json));
        }
        bar.step("case", number + 1, chosen.len());
    }
    bar.finish();
    if !args.json {
        print_line(format!("{passed} passed, {failed} failed"));
    }
    if failed > 0 { Err(CheckFailure::ChecksFailed) } else { Ok(()) }
}

fn print(case: &Case, check: &Check, json: bool) {
    let ok = check.is_ok();
    if json {
        return print_line(serde_json::json!({
            "case": case.name,
            "metric": check.metric,
            "value": check.value,
            "bound": check.bound,
            "ok": ok,
            "source": check.source,
        }));
    }
    let mark = if ok { "ok  " } else { "FAIL" };
    print_line(format!(
        "{mark} {:<24} {:<34} {:>10.3e} ≤ {:.1e}",
        case.name, check.metric, check.value, check.bound
    ));
}
