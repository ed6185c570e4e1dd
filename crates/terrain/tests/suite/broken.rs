//! Every file in `tests/broken` is refused with exactly the message that lies beside it.
//!
//! Raw files are read as 4 × 3 samples of 16 bits. After a deliberate change of messages run the test with
//! `UNDINE_BLESS=1`, and read the difference.

use std::fs;
use std::path::{Path, PathBuf};

use undine_terrain::{DecodeOptions, HeightMap, RawLayout, SampleType};

const FOLDER: &str = "tests/broken";

fn files() -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn is_expectation(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "expected")
}

/// The message that belongs to a file: `cut.tif.expected`.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".expected");
    PathBuf::from(name)
}

fn refusal(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let is_raw = name.ends_with(".raw");
    let layout = RawLayout {
        columns: 4,
        rows: 3,
        sample: SampleType::U16,
        is_big_endian: false,
        header: 0,
        is_bottom_up: false,
    };
    let options = DecodeOptions { name, raw: is_raw.then_some(layout), ..DecodeOptions::default() };
    let found = HeightMap::decode(&fs::read(path).unwrap(), &options);
    found.expect_err(&format!("{} should be refused", path.display())).to_string() + "\n"
}

#[test]
fn every_broken_file_gives_its_expected_message() {
    let bless = std::env::var_os("UNDINE_BLESS").is_some();
    let mut differing = Vec::new();
    for path in files().iter().filter(|path| !is_expectation(path)) {
        let (found, beside) = (refusal(path), beside(path));
        if bless {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if found != expected {
            differing.push(format!("--- {}\nexpected:\n{expected}\nfound:\n{found}", path.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn every_expectation_has_its_file_and_there_are_enough() {
    let expectations: Vec<PathBuf> = files().into_iter().filter(|path| is_expectation(path)).collect();
    assert!(expectations.iter().all(|path| path.with_extension("").is_file()));
    assert!(expectations.len() >= 30, "{}", expectations.len());
}
