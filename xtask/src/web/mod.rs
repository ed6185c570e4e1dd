//! The studio as a web page: built into a static folder that any web server can host.
//!
//! The crate is compiled for WebAssembly, `wasm-bindgen` makes the script that loads it, and the files of `web/` are laid
//! beside it. Compressed copies lie next to the originals for servers that hand them out.

mod bindgen;
mod pack;
pub mod test;
mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The crate that is the page.
const CRATE: &str = "undine-studio";

/// Build options of the page.
#[derive(Debug, PartialEq, Eq)]
struct PageBuild {
    /// Built quickly for development rather than for hosting.
    is_dev: bool,
    out: PathBuf,
}

impl PageBuild {
    fn read(root: &Path, arguments: &[String]) -> Result<PageBuild> {
        let mut wanted = PageBuild { is_dev: false, out: default_folder(root) };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--dev" => wanted.is_dev = true,
                "--out" => wanted.out = root.join(words.next().context("--out takes a folder")?),
                other => bail!("unexpected {other:?}; web takes --dev and --out FOLDER"),
            }
        }
        Ok(wanted)
    }

    fn profile(&self) -> &'static str {
        if self.is_dev { "release" } else { "page" }
    }
}

/// Default output folder of the page.
fn default_folder(root: &Path) -> PathBuf {
    root.join("target/web")
}

/// Builds the page.
pub fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let wanted = PageBuild::read(root, arguments)?;
    let start = Instant::now();
    let module = toolchain::compile(root, CRATE, wanted.profile())?;
    let out = &wanted.out;
    fs::create_dir_all(out).with_context(|| format!("{} cannot be made", out.display()))?;
    bindgen::run(root, &module, out, !wanted.is_dev)?;
    lay_out(&root.join("web"), out)?;
    println!("web: {} in {:.0} s", out.display(), start.elapsed().as_secs_f64());
    if !wanted.is_dev {
        pack::compress(root, out)?;
    }
    println!("web: look at it with `cargo run --release -p {CRATE} -- --web`, or host the folder");
    Ok(())
}

/// Copies the files of the page, which are told how large the module is and by which number it differs from the last one:
/// a browser that has an old one must not start it with a new script.
fn lay_out(source: &Path, out: &Path) -> Result<()> {
    let module = out.join(bindgen::MODULE);
    let module = fs::read(&module).with_context(|| format!("{} cannot be read", module.display()))?;
    let (version, length) = (format!("{:016x}", fingerprint(&module)), module.len().to_string());
    let files = fs::read_dir(source).with_context(|| format!("{} cannot be read", source.display()))?;
    for file in files {
        let file = file?.path();
        let (true, Some(name)) = (file.is_file(), file.file_name()) else { continue };
        let text = fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        let text = text.replace("{{version}}", &version).replace("{{bytes}}", &length);
        fs::write(out.join(name), text).with_context(|| format!("{} cannot be written", out.display()))?;
    }
    Ok(())
}

/// FNV-1a, which is enough to tell two builds apart.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_are_read_and_nonsense_is_refused() {
        let root = Path::new("/water");
        let wanted = PageBuild::read(root, &words("--dev --out site")).unwrap();
        assert_eq!(wanted, PageBuild { is_dev: true, out: root.join("site") });
        assert_eq!(PageBuild::read(root, &[]).unwrap().out, root.join("target/web"));
        assert!(
            PageBuild::read(root, &words("--out")).is_err() && PageBuild::read(root, &words("fast")).is_err()
        );
    }

    #[test]
    fn the_page_is_told_what_it_loads() {
        let (source, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(source.path().join("test")).unwrap();
        fs::write(source.path().join("index.html"), "{{bytes}} of {{version}}").unwrap();
        assert!(lay_out(source.path(), out.path()).is_err());
        let page = |module: &[u8]| {
            fs::write(out.path().join(bindgen::MODULE), module).unwrap();
            lay_out(source.path(), out.path()).unwrap();
            fs::read_to_string(out.path().join("index.html")).unwrap()
        };
        let first = page(b"\0asm1");
        assert!(first.starts_with("5 of ") && !first.contains('{'), "{first}");
        assert_ne!(first, page(b"\0asm2"));
        assert!(!out.path().join("test").exists());
    }
}
