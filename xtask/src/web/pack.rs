//! Compressed copies of the page, and how large it is.
//!
//! Binaryen's optimiser is left out: version 108, which Debian has, took minutes to make the module a twentieth smaller, and
//! the browser refused the result.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::invocation::Invocation;

/// Largest module that the page may load, compressed as a server would send it.
pub const MOST_BYTES: u64 = 6_000_000;

/// Programs that compress a file beside itself, with the ending that they give it. A server that has no use for the copies
/// ignores them.
const PACKERS: [(&str, &str, &[&str]); 2] =
    [("gzip", "gz", &["-9", "-n", "-k", "-f"]), ("brotli", "br", &["-q", "11", "-k", "-f"])];

/// Compresses every file of the page that is worth it, and says how large the module is.
pub fn compress(root: &Path, out: &Path) -> Result<()> {
    let entries = fs::read_dir(out).with_context(|| format!("{} cannot be read", out.display()))?;
    let files: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|file| is_worth_it(file)).collect();
    for (program, _, options) in PACKERS {
        if Invocation::new(program, &["--version"]).succeeds(root) {
            let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
            Invocation::new(program, options).and(&files).run(root)?;
        }
    }
    let module = out.join(super::bindgen::MODULE);
    println!("web: the module has {}", sizes(&module).join(", "));
    Ok(())
}

fn is_worth_it(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ["html", "css", "js", "wasm", "svg"].contains(&ending))
}

fn sizes(module: &Path) -> Vec<String> {
    let size = |path: &Path| fs::metadata(path).map(|file| file.len());
    let plain = size(module).map(|bytes| format!("{:.2} MB", bytes as f64 / 1e6)).into_iter();
    let packed = PACKERS.iter().filter_map(|(program, ending, _)| {
        let bytes = size(&module.with_extension(format!("wasm.{ending}"))).ok()?;
        let verdict = if bytes > MOST_BYTES { ", which is too much" } else { "" };
        Some(format!("{:.2} MB by {program}{verdict}", bytes as f64 / 1e6))
    });
    plain.chain(packed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_lie_beside_what_is_worth_it() {
        let here = std::env::temp_dir();
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join(super::super::bindgen::MODULE);
        fs::write(&module, [7; 5000]).unwrap();
        fs::write(folder.path().join("notes.txt"), "x").unwrap();
        compress(&here, folder.path()).unwrap();
        assert!(!folder.path().join("notes.txt.gz").exists());
        if Invocation::new("gzip", &["--version"]).succeeds(&here) {
            assert!(fs::metadata(module.with_extension("wasm.gz")).unwrap().len() < 500);
            assert!(sizes(&module).iter().any(|size| size.ends_with("by gzip")));
        }
    }
}
