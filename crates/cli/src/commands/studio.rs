//! `undine studio`: starts the studio, a separate program, so that a build of `undine` does not include windows.

use std::ffi::OsString;
use std::process::Command;

use super::companion;
use crate::terminal::CommandError;

/// Open the studio: interactive simulation in a window or in the browser
#[derive(clap::Args)]
#[command(after_help = "\
Arguments of the studio:
  [SCENE]            a scene file, a folder with a scene.toml, or the name of a bundled scene
  --web              in the browser instead of a window
    --port N         the port of the page, on this machine only; 0 for any free one
    --folder FOLDER  the folder of the page, if it is not target/web
    --no-open        serve the page without opening the browser

Examples:
  undine studio
  undine studio km-pool
  undine studio --web --port 8080")]
pub struct Args {
    /// Arguments passed on to the studio
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The remedy when it is missing.
const REMEDY: &str = "the studio is not installed: get it by `cargo install --path crates/studio`, or start it in a \
                      checkout by `cargo run --release -p undine-studio`";

/// Starts the studio and returns its exit code.
pub fn run(args: &Args) -> Result<(), CommandError> {
    let studio =
        companion::find("undine-studio").ok_or_else(|| CommandError::Failed(anyhow::Error::msg(REMEDY)))?;
    companion::exec_program(Command::new(studio).args(&args.arguments))
}
