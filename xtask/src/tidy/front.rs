//! README.md gives the two commands, and continuous integration runs the second of them and nothing else.

use super::Finding;
use super::tree::Tree;

const PAGE: &str = "README.md";
const SCRIPT: &str = ".ci/run";
const SEE: &str = "cargo run --release -- run dam-break";
const CHECK: &str = "cargo xtask ci";

/// Checks the page and the script.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let page = tree.text(PAGE).unwrap_or_default();
    let absent = [SEE, CHECK].into_iter().filter(|command| !page.contains(command));
    let mut findings: Vec<_> = absent.map(|command| missing(PAGE, command)).collect();
    match tree.text(SCRIPT) {
        None => findings.push(missing(SCRIPT, CHECK)),
        Some(script) => findings.extend(check_script(tree, script)),
    }
    findings
}

fn missing(path: &str, command: &str) -> Finding {
    Finding::of_file(path, format!("does not give `{command}`"), "add it")
}

fn check_script(tree: &Tree, script: &str) -> Vec<Finding> {
    let calls = script
        .lines()
        .enumerate()
        .filter(|(_, line)| line.trim_start().contains("cargo") && !is_comment(line));
    let (right, wrong): (Vec<_>, Vec<_>) = calls.partition(|(_, line)| is_check(line));
    let mut findings: Vec<_> = wrong.iter().map(|(index, line)| other_command(index + 1, line)).collect();
    if right.is_empty() {
        findings.push(missing(SCRIPT, CHECK));
    }
    if !is_executable(tree) {
        findings.push(Finding::of_file(SCRIPT, "cannot be executed", format!("chmod +x {SCRIPT}")));
    }
    findings
}

fn other_command(line: usize, command: &str) -> Finding {
    let problem = format!("runs `{}`, which {PAGE} does not promise", command.trim());
    Finding::at(SCRIPT, line, problem, format!("run only `{CHECK}`; a new check is a step of it"))
}

fn is_check(line: &str) -> bool {
    line.trim().strip_prefix("exec ").unwrap_or(line.trim()) == CHECK
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

#[cfg(unix)]
fn is_executable(tree: &Tree) -> bool {
    use std::os::unix::fs::PermissionsExt;
    tree.on_disk(SCRIPT).metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_tree: &Tree) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    #[test]
    fn a_page_without_a_command_is_found() {
        for command in [SEE, CHECK] {
            let sample = SampleRepository::sound().edited("README.md", command, "make it so");
            sample.fails_only_with(check, &["README.md: does not give", command]);
        }
    }

    #[test]
    fn a_script_that_runs_something_else_is_found() {
        let more = SampleRepository::sound().edited(".ci/run", "exec cargo", "cargo test\nexec cargo");
        more.fails_only_with(check, &[".ci/run:3: runs `cargo test`"]);
        let less = SampleRepository::sound().edited(".ci/run", "exec cargo xtask ci\n", "true\n");
        less.fails_only_with(check, &[".ci/run: does not give `cargo xtask ci`"]);
        let fewer = SampleRepository::sound().edited(".ci/run", "xtask ci", "xtask ci fmt");
        assert_eq!(fewer.findings(check).len(), 2);
        SampleRepository::sound().without(".ci/run").fails_only_with(check, &[".ci/run: does not give"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_script_that_cannot_be_executed_is_found() {
        use std::os::unix::fs::PermissionsExt;
        let sample = SampleRepository::sound();
        std::fs::set_permissions(sample.root().join(SCRIPT), std::fs::Permissions::from_mode(0o644)).unwrap();
        sample.fails_only_with(check, &[".ci/run: cannot be executed"]);
    }
}
