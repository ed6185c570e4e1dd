//! The page in a real browser, driven with a mouse and fingers by the scripts in `web/test`.
//!
//! The scripts are copied below `target`, where npm installs what drives the browser in the version that
//! `web/test/package.json` names, and run once for each way to draw.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use undine_serve::Server;

use crate::invocation::Invocation;
use crate::needs::{self, Need};

static NEEDS: &[Need] = &[
    Need::package("Node.js", &["node", "--version"], "nodejs"),
    Need::package("npm", &["npm", "--version"], "npm"),
    Need::package("Chromium", &["chromium", "--version"], "chromium"),
];

/// What a drawn page can be drawn by.
const BACKENDS: [&str; 2] = ["webgl", "webgpu"];

/// Builds the page unless `--no-build` is given, and tests it; `--backend NAME` tests one way to draw.
pub fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let wanted = BrowserTestArgs::read(arguments)?;
    needs::meet(NEEDS, root)?;
    if !wanted.is_built {
        super::run(root, &[])?;
    }
    let scripts = prepare(root)?;
    let server = Server::bind(super::default_folder(root), 0).context("the page is not built")?;
    let url = server.url();
    // It answers until this program ends
    std::thread::spawn(move || server.run());
    let main = scripts.join("main.mjs").display().to_string();
    for backend in wanted.backends {
        let out = scripts.join(backend).display().to_string();
        Invocation::new("node", &[&main, &url, backend, &out]).run(root)?;
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct BrowserTestArgs {
    is_built: bool,
    backends: Vec<&'static str>,
}

impl BrowserTestArgs {
    fn read(arguments: &[String]) -> Result<BrowserTestArgs> {
        let mut wanted = BrowserTestArgs { is_built: false, backends: BACKENDS.to_vec() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--no-build" => wanted.is_built = true,
                "--backend" => {
                    let name = words.next().map(String::as_str).unwrap_or_default();
                    wanted.backends = BACKENDS.into_iter().filter(|known| *known == name).collect();
                    if wanted.backends.is_empty() {
                        bail!("there is no backend {name:?}; one of {}", BACKENDS.join(", "));
                    }
                }
                other => bail!("unexpected {other:?}; web-test takes --no-build and --backend NAME"),
            }
        }
        Ok(wanted)
    }
}

/// Copies the scripts to where npm may install beside them, and has it do so.
fn prepare(root: &Path) -> Result<PathBuf> {
    let (source, place) = (root.join("web/test"), root.join("target/web-test"));
    fs::create_dir_all(&place).with_context(|| format!("{} cannot be made", place.display()))?;
    let files = fs::read_dir(&source).with_context(|| format!("{} cannot be read", source.display()))?;
    for file in files.flatten() {
        fs::copy(file.path(), place.join(file.file_name()))
            .with_context(|| format!("{} cannot be copied", file.path().display()))?;
    }
    let install = ["install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"];
    Invocation::new("npm", &install).and(&[place.display().to_string()]).run(root)?;
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_nonsense_is_refused() {
        let read = |line: &str| {
            BrowserTestArgs::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        assert_eq!(read("").unwrap().backends, BACKENDS);
        let one = read("--no-build --backend webgpu").unwrap();
        assert_eq!((one.is_built, one.backends), (true, vec!["webgpu"]));
        assert!(read("--backend vulkan").unwrap_err().to_string().contains("webgl"));
        assert!(read("--backend").is_err() && read("now").is_err());
    }
}
