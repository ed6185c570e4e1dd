//! `undine studio`: starts the studio, which is a program of its own so that nobody builds windows who only wants films.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

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
    let name = format!("undine-studio{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|own| own.parent().map(Path::to_owned));
    let paths = env::var_os("PATH").unwrap_or_default();
    let studio = find(&name, beside.into_iter().chain(env::split_paths(&paths)))
        .ok_or_else(|| Exit::Failed(anyhow::Error::msg(REMEDY)))?;
    let mut command = Command::new(&studio);
    become_it(command.args(&args.arguments)).with_context(|| format!("cannot start {}", studio.display()))?;
    Ok(())
}

fn find(name: &str, mut folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    folders.find_map(|folder| Some(folder.join(name)).filter(|program| program.is_file()))
}

/// Becomes the other program, so that signals and its exit code need no passing on.
#[cfg(unix)]
fn become_it(command: &mut Command) -> std::io::Result<()> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

/// Waits for the other program and ends with its exit code.
#[cfg(not(unix))]
fn become_it(command: &mut Command) -> std::io::Result<()> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}
