//! Programs of Undine that are separate builds: finding and starting them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::terminal::CommandError;

/// The program of this name beside this executable, or else on the search path.
pub fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let own_folder = env::current_exe().ok().and_then(|own| own.parent().map(Path::to_owned));
    let paths = env::var_os("PATH").unwrap_or_default();
    let mut folders = own_folder.into_iter().chain(env::split_paths(&paths));
    folders.find_map(|folder| Some(folder.join(&file)).filter(|program| program.is_file()))
}

/// The checkout in which this executable lies, or in which `cargo run` has started it: the nearest ancestor folder that
/// has this file.
pub fn checkout(with: &str) -> Option<PathBuf> {
    let own = env::current_exe().ok();
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let mut starts = [own, package].into_iter().flatten();
    starts.find_map(|start| start.ancestors().find(|folder| folder.join(with).is_file()).map(Path::to_owned))
}

/// Replaces this process by the other program, so that signals and its exit code need not be passed on.
#[cfg(unix)]
pub fn exec_program(command: &mut Command) -> Result<(), CommandError> {
    let error = std::os::unix::process::CommandExt::exec(command);
    Err(error).with_context(|| cannot_start(command)).map_err(CommandError::from)
}

/// Waits for the other program and exits with its exit code.
#[cfg(not(unix))]
pub fn exec_program(command: &mut Command) -> Result<(), CommandError> {
    let status = command.status().with_context(|| cannot_start(command))?;
    std::process::exit(status.code().unwrap_or(1))
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start {}", Path::new(command.get_program()).display())
}
