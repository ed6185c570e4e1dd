//! Feeds broken input to every target in `fuzz/fuzz_targets` for a short while.
//!
//! The targets are built by the stable toolchain with the coverage marks that libFuzzer steers by, without the address
//! sanitiser, into `fuzz/target`: the flags differ from the workspace's, and sharing a folder would rebuild both.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::invocation::Invocation;

const DEFAULT_SECONDS: u32 = 20;

// One input that takes longer than ten seconds is a hang. The figures at the end say enough about the way there.
const MANNERS: [&str; 3] = ["-timeout=10", "-verbosity=0", "-print_final_stats=1"];

const COVERAGE_FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Builds the targets and runs each for `--seconds N`.
pub fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let seconds = read_seconds(arguments)?;
    let targets = targets(root)?;
    let platform = platform(root)?;
    build(root, &platform)?;
    for target in &targets {
        println!("fuzz: {target} for {seconds} s");
        feed(root, &platform, target, seconds)?;
    }
    println!("fuzz: {} survived {seconds} s each", targets.join(", "));
    Ok(())
}

fn read_seconds(arguments: &[String]) -> Result<u32> {
    let number = match arguments {
        [] => return Ok(DEFAULT_SECONDS),
        [flag, number] if flag == "--seconds" => number,
        _ => bail!("unexpected {:?}; fuzz takes only --seconds N", arguments.join(" ")),
    };
    // libFuzzer takes 0 for "without end".
    match number.parse() {
        Ok(seconds) if seconds > 0 => Ok(seconds),
        _ => bail!("--seconds takes a whole number above 0, not {number:?}"),
    }
}

/// The names of the fuzz targets: one source file each, whose binary has the same name.
fn targets(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("fuzz/fuzz_targets");
    let files = file_names(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let targets: Vec<_> =
        files.iter().filter_map(|name| name.strip_suffix(".rs")).map(str::to_owned).collect();
    if targets.is_empty() {
        bail!("{} holds no fuzz target", folder.display());
    }
    Ok(targets)
}

/// The platform we run on, in the words of rustc. Naming it keeps the flags away from build scripts.
fn platform(root: &Path) -> Result<String> {
    let about = Invocation::new("rustc", &["-vV"]).output(root)?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

fn build(root: &Path, platform: &str) -> Result<()> {
    let place = ["--manifest-path", "fuzz/Cargo.toml", "--target-dir", "fuzz/target", "--target", platform];
    Invocation::cargo(&["build", "--release", "--locked"])
        .and(&place.map(str::to_owned))
        .with("RUSTC_BOOTSTRAP", "1")
        .with("RUSTFLAGS", COVERAGE_FLAGS)
        .run(root)
}

fn feed(root: &Path, platform: &str, target: &str, seconds: u32) -> Result<()> {
    let artifacts = format!("fuzz/artifacts/{target}/");
    fs::create_dir_all(root.join(&artifacts)).with_context(|| format!("{artifacts} cannot be made"))?;
    let known = file_names(&root.join(&artifacts))?;
    let program = format!("fuzz/target/{platform}/release/{target}");
    let from_root = root.join(&program).display().to_string();
    let corpus = Corpus::create(target)?;
    let limits = [format!("-max_total_time={seconds}"), format!("-artifact_prefix={artifacts}")];
    let fuzzer =
        Invocation::new(from_root, &MANNERS).and(&limits).and(&[corpus.path()]).and(&seeds(root, target));
    fuzzer.run(root).with_context(|| report(root, &program, &artifacts, &known))
}

/// Folders whose files are good starting points: the target's own seeds, and the broken inputs of the crate's tests.
fn seeds(root: &Path, target: &str) -> Vec<String> {
    let folders = [format!("fuzz/seeds/{target}"), format!("crates/{target}/tests/broken")];
    folders.into_iter().filter(|folder| root.join(folder).is_dir()).collect()
}

/// Says which inputs were saved since `known` was taken down. An input that failed before is saved under its old name.
fn report(root: &Path, program: &str, artifacts: &str, known: &BTreeSet<String>) -> String {
    let now = file_names(&root.join(artifacts)).unwrap_or_default();
    match now.difference(known).next() {
        Some(name) => {
            format!("an input failed and is saved; see it again with `{program} {artifacts}{name}`")
        }
        None => format!("no new input failed; the lines above and {artifacts} say which did"),
    }
}

fn file_names(folder: &Path) -> io::Result<BTreeSet<String>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Corpus folder of the fuzzer; removed afterwards, so that every run starts from the same seeds.
struct Corpus(PathBuf);

impl Corpus {
    fn create(target: &str) -> Result<Corpus> {
        let folder = std::env::temp_dir().join(format!("undine-fuzz-{target}-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Corpus(folder))
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Corpus {
    fn drop(&mut self) {
        // A folder left behind in the temporary directory does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn seconds_are_read_and_nonsense_is_refused() {
        assert_eq!(read_seconds(&[]).unwrap(), DEFAULT_SECONDS);
        assert_eq!(read_seconds(&words("--seconds 3")).unwrap(), 3);
        for line in ["--seconds", "--seconds 0", "--seconds -1", "--seconds soon", "3", "--seconds 3 4"] {
            assert!(read_seconds(&words(line)).is_err(), "{line}");
        }
    }

    #[test]
    fn every_source_file_is_a_target() {
        let root = tempfile::tempdir().unwrap();
        assert!(targets(root.path()).is_err());
        let folder = root.path().join("fuzz/fuzz_targets");
        fs::create_dir_all(&folder).unwrap();
        assert!(targets(root.path()).is_err());
        for name in ["scene.rs", "cache.rs", "notes.md"] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(targets(root.path()).unwrap(), ["cache", "scene"]);
    }

    #[test]
    fn the_report_names_only_a_new_input() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("saved")).unwrap();
        fs::write(root.path().join("saved/crash-1"), "").unwrap();
        let known = file_names(&root.path().join("saved")).unwrap();
        assert!(report(root.path(), "scene", "saved/", &known).contains("no new input"));
        fs::write(root.path().join("saved/crash-2"), "").unwrap();
        assert!(report(root.path(), "scene", "saved/", &known).contains("`scene saved/crash-2`"));
    }

    #[test]
    fn seeds_are_the_folders_that_exist() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("crates/scene/tests/broken")).unwrap();
        assert_eq!(seeds(root.path(), "scene"), ["crates/scene/tests/broken"]);
    }

    #[test]
    fn the_corpus_is_gone_afterwards() {
        let corpus = Corpus::create("gone-afterwards").unwrap();
        let folder = corpus.0.clone();
        assert!(folder.is_dir());
        drop(corpus);
        assert!(!folder.exists());
    }
}
