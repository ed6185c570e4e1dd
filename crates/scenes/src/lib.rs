//! The scenes that come with Undine, compiled into the programs that open them by name.
//!
//! Each is a folder below `scenes/` with its scene file, its page and the files that it refers to.

#[cfg(feature = "checks")]
mod validation;

use std::io;
use std::path::{Path, PathBuf};

use undine_frame::AtomicFile;
use undine_scene::{LoadOptions, Scene, SceneErrors};

/// Validation cases of the scenes.
#[cfg(feature = "checks")]
pub static SUITES: &[undine_checks::Suite] =
    &[undine_checks::Suite { cases: validation::CASES, benches: &[] }];

/// A scene that comes with Undine.
#[derive(Debug, Clone, Copy)]
pub struct BundledScene {
    /// Its name, which is also its folder below `scenes/`.
    pub name: &'static str,
    /// Its scene file.
    pub text: &'static str,
    /// Its README.
    pub readme: &'static str,
    /// The files that it refers to, each with its path below the folder.
    pub files: &'static [(&'static str, &'static [u8])],
}

/// A scene of the folder `scenes/`, with the files that it reads: `bundled!("candle", "room.png")`.
macro_rules! bundled {
    ($name:literal $(, $file:literal)*) => {
        BundledScene {
            name: $name,
            text: include_str!(concat!("../../../scenes/", $name, "/scene.toml")),
            readme: include_str!(concat!("../../../scenes/", $name, "/README.md")),
            files: &[$(($file, include_bytes!(concat!("../../../scenes/", $name, "/", $file)))),*],
        }
    };
}

/// Every scene that comes with Undine.
pub static SCENES: &[BundledScene] = &[
    bundled!("candle", "room.png"),
    bundled!("cavity"),
    bundled!("coffee", "cup.png"),
    bundled!("cornell-water"),
    bundled!("dam-break"),
    bundled!("dam-break-2d"),
    bundled!("dam-build"),
    bundled!("dam-pillar"),
    bundled!("dam-pillar-2d"),
    bundled!("dam-valley"),
    bundled!("double-dam"),
    bundled!("drop-in-pool"),
    bundled!("fm-cans-water"),
    bundled!("fm-drop"),
    bundled!("fm-explicit"),
    bundled!("fm-jet"),
    bundled!("fm-marble-soup"),
    bundled!("fm-moonlight-cove"),
    bundled!("fm-sluice"),
    bundled!("fm-wind-waves"),
    bundled!("glass-of-water", "glass.obj"),
    bundled!("honey"),
    bundled!("ink"),
    bundled!("karman"),
    bundled!("km-beach"),
    bundled!("km-hump"),
    bundled!("km-pool"),
    bundled!("km-rain"),
    bundled!("km-reflection"),
    bundled!("km-spring"),
    bundled!("lake-breeze"),
    bundled!("pipes-downhill"),
    bundled!("pipes-multiple-downhill"),
    bundled!("pipes-rough"),
    bundled!("pipes-step"),
    bundled!("pipes-trivial"),
    bundled!("pond"),
    bundled!("pool-drops"),
    bundled!("pour-glass", "glass.obj"),
    bundled!("smoke-3d"),
    bundled!("stir"),
    bundled!("stirred-tank"),
    bundled!("swell"),
    bundled!("swimming-pool"),
    bundled!("thin-wall"),
    bundled!("tropical-beach"),
    bundled!("tsunami-bay"),
    bundled!("underwater"),
    bundled!("valley-river"),
    bundled!("wave-tank", "beach.obj"),
];

impl BundledScene {
    /// Parses a text as this scene: it can refer to the bundled files.
    pub fn parse(&self, text: &str, options: &LoadOptions) -> Result<Scene, SceneErrors> {
        Scene::parse_with_files(self.name, text, self.files, options)
    }

    /// Writes the scene into a folder: its scene file, its README and the files that it refers to. Existing files are not
    /// overwritten.
    pub fn copy_to(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let texts = [("scene.toml", self.text.as_bytes()), ("README.md", self.readme.as_bytes())];
        let files = || texts.iter().chain(self.files).map(|(name, bytes)| (folder.join(name), *bytes));
        if let Some((existing, _)) = files().find(|(path, _)| path.exists()) {
            let message = format!("{} exists", existing.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        files().try_for_each(|(path, bytes)| AtomicFile::write_all_to(path, bytes))?;
        Ok(files().map(|(path, _)| path).collect())
    }
}

#[cfg(test)]
mod tests {
    use undine_models::MODELS;
    use undine_sim::conformance::ledger_of_run;

    use super::*;

    /// The scenes that take less than a second at this scale; `undine validate scenes` runs all of them at three scales.
    #[test]
    fn small_scenes_end_with_their_ledger_in_order() {
        for name in ["cavity", "dam-break-2d", "km-hump", "km-pool", "pond", "pour-glass", "wave-tank"] {
            let bundled = SCENES.iter().find(|bundled| bundled.name == name).unwrap();
            let options = LoadOptions { scale: 0.2, ..LoadOptions::default() };
            let scene = bundled.parse(bundled.text, &options).unwrap();
            let ledger =
                ledger_of_run(&scene, MODELS, |_| ()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(ledger <= 1.0, "{name}: {ledger} of the tolerance");
        }
    }

    #[test]
    fn a_scene_that_cannot_be_run_to_its_end_says_why() {
        let text = "[scene]\nduration = 1\n[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 8\nlevel = 1\n\
                    [[source]]\nkind = 'spring'\nat = [0, 0]\nradius = 1\nrate = '1/(t - 0.4321)'\n";
        let scene = Scene::parse("pole", text, &LoadOptions::default()).unwrap();
        let error = ledger_of_run(&scene, MODELS, |_| ()).unwrap_err();
        assert!(error.contains("pole:12:8: rate must be"), "{error}");
    }
}
