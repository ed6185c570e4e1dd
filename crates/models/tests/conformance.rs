//! Every model in the list passes every conformance check.

use undine_models::MODELS;
use undine_sim::conformance::CHECKS;

#[test]
fn every_model_conforms() {
    let mut failures = Vec::new();
    for model in MODELS {
        for (name, check) in CHECKS {
            if let Err(reason) = check(model) {
                failures.push(format!("{}: {name}: {reason}", model.name));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn names_are_unique_and_every_key_has_help() {
    for (index, model) in MODELS.iter().enumerate() {
        assert!(MODELS[..index].iter().all(|other| other.name != model.name), "{} twice", model.name);
        assert!(!model.summary.is_empty() && !model.cites.is_empty());
        for key in model.keys {
            assert!(!key.help.is_empty(), "{}: {} has no help", model.name, key.name);
        }
    }
}
