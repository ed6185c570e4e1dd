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
    }
}

#[test]
fn lists_are_names_or_one_array() {
    let names = stdout(&checks(&["validate", "poisson", "--list", "--quick"]));
    assert!(names.lines().any(|name| name == "poisson/order"), "{names}");
    assert!(!names.contains("fine"), "{names}");
    let array = &json_lines(&checks(&["bench", "--list", "--json"]))[0];
    assert!(array.as_array().unwrap().iter().any(|name| name == "render/trace"), "{array}");
}
