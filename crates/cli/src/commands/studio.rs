//! `undine studio`: starts the studio, which is a program of its own so that nobody builds windows who only wants films.

use std::ffi::OsString;
use std::process::Command;

use super::companion;
use crate::style::Exit;

/// Open the studio: water under your hands, in a window or in the browser
#[derive(clap::Args)]
#[command(after_help = "\
Arguments of the studio:
  [SCENE]            a scene file, a folder with a scene.toml, or the name of a bundled scene
  --web              in the browser instead of a window
    --port N         the port to serve the page on, this machine only; 0 takes any that is free
    --folder FOLDER  the page, where it is not in target/web
    --no-open        only serve the page

Examples:
  undine studio
  undine studio km-pool
  undine studio --web --port 8080")]
pub struct Args {
    /// What the studio is given, as it is
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// How to get it.
const REMEDY: &str = "the studio is not installed: get it by `cargo install --path crates/studio`, or start it in a \
                      checkout by `cargo run --release -p undine-studio`";

/// Starts the studio and ends as it ends.
pub fn run(args: &Args) -> Result<(), Exit> {
    let studio = companion::find("undine-studio").ok_or_else(|| Exit::Failed(anyhow::Error::msg(REMEDY)))?;
    companion::become_program(Command::new(studio).args(&args.arguments))
}
