//! The program as a user meets it.

use std::process::{Command, Output};

fn checks(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_undine-checks")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json_lines(output: &Output) -> Vec<serde_json::Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn unknown_names_are_refused_with_the_nearest_known_one() {
    let refusals = [
        (
            ["validate", "gerstner/orbit"],
            ["there is no case \"gerstner/orbit\"", "did you mean \"gerstner/orbits\"?"],
        ),
        (["bench", "grid/swep"], ["there is no benchmark \"grid/swep\"", "did you mean \"grid/sweep\"?"]),
        (["bench", "--threads=0"], ["--threads", "must be from 1"]),
    ];
    for (args, says) in refusals {
        let output = checks(&args);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(says.iter().all(|part| text.contains(part)), "{args:?}: {text}");
    }
}

#[test]
fn validation_prints_a_line_per_check() {
    let output = checks(&["validate", "gerstner/mean-level", "gerstner/orbits", "--json"]);
    assert!(output.status.success(), "{}", stdout(&output));
    let lines = json_lines(&output);
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert!(line["ok"] == true && line["value"].as_f64().unwrap() <= line["bound"].as_f64().unwrap());
        assert!(line["case"].is_string() && line["metric"].is_string() && line["source"].is_string());
        assert!(
            line["outcome"] == "holds" && line["kind"] == "exact" && line["baseline"].is_number(),
            "{line}"
        );
    }
}

#[test]
fn a_value_without_a_target_has_neither_bound_nor_ok() {
    let lines = json_lines(&checks(&["validate", "shallow-water/dam-break", "--json", "--allow-short"]));
    let alone: Vec<_> = lines.iter().filter(|line| line["kind"].is_null()).collect();
    assert!(!alone.is_empty() && alone.len() < lines.len());
    for line in alone {
        assert!(line["bound"].is_null() && line["ok"].is_null() && line["baseline"].is_number(), "{line}");
        assert_eq!(line["outcome"], "kept", "{line}");
    }
}

/// A quick case of every family: when what it measures is perturbed, each of its checks must fail.
#[test]
fn every_check_notices_a_perturbation() {
    let cases = [
        "gerstner",
        "sine-waves",
        "kass-miller/standing-wave",
        "kass-miller/endurance",
        "kass-miller/long-waves",
        "kass-miller/refraction",
        "kass-miller/reflection",
        "shallow-water/dam-break",
        "shallow-water/damped-parabola",
        "stable-fluids/poiseuille",
        "stable-fluids/couette",
        "stable-fluids/taylor-green",
        "stable-fluids/divergence",
        "liquid/sloshing",
        "liquid/drop",
        "poisson/order",
        "render/flat-water",
        "render/interface",
    ];
    let output = checks(&[&["validate", "--perturb"], &cases[..]].concat());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !text.contains("does not notice"), "{text}");
}

#[test]
fn a_folder_without_the_results_differs_from_what_is_found() {
    let folder = std::env::temp_dir().join(format!("undine-no-results-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let output = checks(&["validate", "gerstner/orbits", "--committed", &folder.display().to_string()]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("has no baseline") && text.contains("cargo xtask bless validation"), "{text}");
}

#[test]
fn lists_are_names_or_one_array() {
    let names = stdout(&checks(&["validate", "poisson", "--list", "--quick"]));
    assert!(names.lines().any(|name| name == "poisson/order"), "{names}");
    assert!(!names.contains("fine"), "{names}");
    let array = &json_lines(&checks(&["bench", "--list", "--json"]))[0];
    assert!(array.as_array().unwrap().iter().any(|name| name == "render/trace"), "{array}");
}
