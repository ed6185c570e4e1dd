//! Small repositories on which the rules are tested.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::Finding;
use super::tree::Tree;

/// A repository in a temporary folder.
pub struct SampleRepository(TempDir);

/// One crate of each kind that the rules check, one scene, one case, one citation.
const SOUND: &[(&str, &str)] = &[
    (".ci/run", "#!/usr/bin/env bash\nset -euo pipefail\nexec cargo xtask ci\n"),
    (".gitignore", "/target\n"),
    (
        "ARCHITECTURE.md",
        "# Architecture\n\n    crates/cli\n    crates/models  waves/\n    crates/scenes\n\n## Planned\n\n    crates/gpu\n",
    ),
    ("CHANGELOG.md", "# Changes\n\n## Unreleased\n"),
    ("README.md", "# Undine\n\n    cargo run --release -- run dam-break\n    cargo xtask ci\n"),
    ("crates/cli/Cargo.toml", "[package]\n"),
    ("crates/scenes/src/lib.rs", "static SCENES: &[Bundled] = &[bundled!(\"pond\")];\n"),
    (
        "crates/models/src/waves/validation.rs",
        "const CASE: &str = \"waves/dispersion\";\n\
         const EXPECTED: &str = include_str!(\"../../../../validation/waves/dispersion/expected.csv\");\n",
    ),
    ("crates/models/Cargo.toml", "[package]\n"),
    (
        "crates/models/src/lib.rs",
        "pub mod waves;\n\npub static MODELS: &[&ModelEntry] = &[\n    // the oldest\n    &waves::ENTRY,\n];\n",
    ),
    (
        "crates/models/src/waves/mod.rs",
        "//! Sine waves after [airy1845].\n\nstatic ENTRY: ModelEntry = ModelEntry {\n    \
         name: \"sine-waves\",\n    folder: \"waves\",\n    \
         cites: &[\"airy1845\"],\n};\n",
    ),
    ("references.bib", "@article{airy1845,\n  title = {Tides and waves},\n}\n"),
    ("scenes/pond/README.md", "# Pond\n"),
    ("scenes/pond/golden.png", "a picture\n"),
    ("scenes/pond/scene.toml", "[scene]\n"),
    ("validation/waves/dispersion/README.md", "The numbers are in `expected.csv`.\n"),
    ("validation/waves/dispersion/expected.csv", "k,omega\n"),
];

impl SampleRepository {
    /// No file at all.
    pub fn empty() -> SampleRepository {
        SampleRepository(tempfile::tempdir().unwrap())
    }

    /// Every rule holds.
    pub fn sound() -> SampleRepository {
        let sample =
            SOUND.iter().fold(SampleRepository::empty(), |sample, (path, text)| sample.with(path, text));
        sample.make_executable(".ci/run");
        sample
    }

    /// No rule holds.
    pub fn unsound() -> SampleRepository {
        SampleRepository::empty()
            .with(
                "crates/models/src/ocean/utils.rs",
                "//! TODO after [nobody1999], see /home/me/paper.pdf \n",
            )
            .with(
                "crates/models/src/ocean/mod.rs",
                "static ENTRY: ModelEntry = ModelEntry { name: \"ocean\" };\n",
            )
            .with("crates/cli/src/lib.rs", "const MODEL: &str = \"ocean\";\n")
            .with("scenes/pond/README.md", "# Pond\n")
            .with("validation/waves/dispersion/notes.md", "none\n")
    }

    /// The same with this file.
    pub fn with(self, path: &str, text: &str) -> SampleRepository {
        self.with_bytes(path, text.as_bytes())
    }

    /// The same with this file, which need not be text.
    pub fn with_bytes(self, path: &str, bytes: &[u8]) -> SampleRepository {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
        self
    }

    /// The same without this file.
    pub fn without(self, path: &str) -> SampleRepository {
        fs::remove_file(self.root().join(path)).unwrap();
        self
    }

    /// The same with `from`, which must be there, replaced by `to` in a file.
    pub fn edited(self, path: &str, from: &str, to: &str) -> SampleRepository {
        let text = fs::read_to_string(self.root().join(path)).unwrap();
        assert!(text.contains(from), "{path} does not say {from:?}");
        self.with(path, &text.replace(from, to))
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// Its tree of files.
    pub fn tree(&self) -> Tree {
        Tree::read(self.root()).unwrap()
    }

    /// The findings of a rule.
    pub fn findings(&self, check: fn(&Tree) -> Vec<Finding>) -> Vec<String> {
        check(&self.tree()).iter().map(Finding::to_string).collect()
    }

    /// Asserts that a rule finds one thing, in these words.
    pub fn fails_only_with(&self, check: fn(&Tree) -> Vec<Finding>, words: &[&str]) {
        let findings = self.findings(check);
        assert_eq!(findings.len(), 1, "{findings:#?}");
        for word in words {
            assert!(findings[0].contains(word), "{:?} does not say {word:?}", findings[0]);
        }
    }

    #[cfg(unix)]
    fn make_executable(&self, path: &str) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.root().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[cfg(not(unix))]
    fn make_executable(&self, _path: &str) {}
}
