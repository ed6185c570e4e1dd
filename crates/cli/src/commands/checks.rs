//! `undine validate` and `undine bench`: starts the program of checks, which is one of its own so that nobody builds checks
//! who only wants films.

use std::env;
use std::process::Command;

use super::companion;
use crate::style::Exit;

/// The package of the program, and the file by which a checkout that can build it is known.
const PACKAGE: &str = "undine-checks-cli";
const MANIFEST: &str = "crates/checks-cli/Cargo.toml";

/// How to get it.
const REMEDY: &str = "the checks are not installed: get them by `cargo install --path crates/checks-cli`, or start them \
                      in a checkout by `cargo run --release -p undine-checks-cli -- validate`";

/// Gives the whole command line, which has been read, to that program, and ends as it ends. In a checkout it is built first,
/// so that it measures the code as it is.
pub fn run() -> Result<(), Exit> {
    let arguments = env::args_os().skip(1);
    if let Some(root) = companion::checkout(MANIFEST) {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["run", "--release", "--package", PACKAGE, "--"]).args(arguments).current_dir(root);
        return companion::become_program(&mut cargo);
    }
    let program = companion::find("undine-checks").ok_or_else(|| Exit::Failed(anyhow::Error::msg(REMEDY)))?;
    companion::become_program(Command::new(program).args(arguments))
}
