//! `wasm-bindgen`, which makes a module callable from a page. Its version must be that of the crate to the last digit, so
//! that it is built for this repository alone.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::invocation::Invocation;

/// The name under which the page knows the module.
pub const MODULE: &str = "undine_bg.wasm";

/// What a page that is hosted can do without: the names of functions, which only debuggers show.
const LEAN: [&str; 2] = ["--remove-name-section", "--remove-producers-section"];

/// Makes the module and its script in `out`; a lean one has no names in it.
pub fn run(root: &Path, module: &Path, out: &Path, is_lean: bool) -> Result<()> {
    let tool = tool(root)?.display().to_string();
    let paths = ["--out-dir", &out.display().to_string(), &module.display().to_string()].map(str::to_owned);
    let lean: &[&str] = if is_lean { &LEAN } else { &[] };
    Invocation::new(tool, &["--target", "web", "--no-typescript", "--out-name", "undine"])
        .and(&lean.iter().map(|&option| option.to_owned()).collect::<Vec<_>>())
        .and(&paths)
        .run(root)
}

/// The tool in the right version, installed if need be.
fn tool(root: &Path) -> Result<PathBuf> {
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock cannot be read")?;
    let version = locked_version(&lock, "wasm-bindgen").context("Cargo.lock holds no wasm-bindgen")?;
    let folder = root.join("target/tools");
    let tool = folder.join("bin").join(format!("wasm-bindgen{}", std::env::consts::EXE_SUFFIX));
    let found = Invocation::new(tool.display().to_string(), &["--version"]);
    let is_right = |answer: String| answer.split_whitespace().nth(1) == Some(version);
    if !(tool.is_file() && found.output(root).is_ok_and(is_right)) {
        let folder = folder.display().to_string();
        let place = ["--version", version, "--root", &folder, "--target-dir", &format!("{folder}/build")];
        Invocation::cargo(&["install", "wasm-bindgen-cli"]).and(&place.map(str::to_owned)).run(root)?;
    }
    Ok(tool)
}

/// The version of a package in a lock file.
fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = lock.lines();
    lines.find(|line| *line == format!("name = {name:?}"))?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_crate_itself() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.9\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.9"));
        assert_eq!(locked_version(lock, "wasm"), None);
    }
}
