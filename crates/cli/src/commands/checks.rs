//! `undine validate` and `undine bench`: starts `undine-checks`, a separate program, so that a build of `undine` does not
//! include the checks.

use std::env;
use std::process::Command;

use super::companion;
use crate::terminal::CommandError;

/// The package of the program, and the file that marks a checkout which can build it.
const PACKAGE: &str = "undine-checks-cli";
const MANIFEST: &str = "crates/checks-cli/Cargo.toml";

/// The remedy when it is missing.
const REMEDY: &str = "the checks are not installed: get them by `cargo install --path crates/checks-cli`, or start them \
                      in a checkout by `cargo run --release -p undine-checks-cli -- validate`";

/// Passes the command line, which clap has validated, on to that program and returns its exit code. In a checkout it is
/// built first, so that it measures the current code.
pub fn run() -> Result<(), CommandError> {
    let arguments = env::args_os().skip(1);
    if let Some(root) = companion::checkout(MANIFEST) {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["run", "--release", "--package", PACKAGE, "--"]).args(arguments).current_dir(root);
        return companion::exec_program(&mut cargo);
    }
    let program =
        companion::find("undine-checks").ok_or_else(|| CommandError::Failed(anyhow::Error::msg(REMEDY)))?;
    companion::exec_program(Command::new(program).args(arguments))
}
