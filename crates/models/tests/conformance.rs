//! Every model in the list passes every conformance check: a test for each pair, so that all processors are busy.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use undine_models::MODELS;
use undine_sim::conformance::CHECKS;

fn names_are_unique_and_every_key_has_help() -> Result<(), Failed> {
    for (index, model) in MODELS.iter().enumerate() {
        assert!(MODELS[..index].iter().all(|other| other.name != model.name), "{} twice", model.name);
        assert!(!model.summary.is_empty() && !model.cites.is_empty());
        for key in model.keys {
            assert!(!key.help.is_empty(), "{}: {} has no help", model.name, key.name);
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let pairs = MODELS.iter().flat_map(|model| CHECKS.iter().map(move |check| (*model, check)));
    let mut tests: Vec<Trial> = pairs
        .map(|(model, (name, check))| {
            Trial::test(format!("{}: {name}", model.name), move || check(model).map_err(Failed::from))
        })
        .collect();
    let list = "names_are_unique_and_every_key_has_help";
    tests.push(Trial::test(list, names_are_unique_and_every_key_has_help));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}
