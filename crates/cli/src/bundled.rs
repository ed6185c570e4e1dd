//! The scenes that are inside the binary, and how a scene is found by name or path.

use std::path::{Path, PathBuf};

use undine_scene::{LoadOptions, Scene, SceneErrors};

/// A scene that comes with Undine.
#[derive(Debug, Clone, Copy)]
pub struct BundledScene {
    /// Its name, which is also its folder below `scenes/`.
    pub name: &'static str,
    /// Its scene file.
    pub text: &'static str,
    /// What there is to know about it.
    pub readme: &'static str,
}

macro_rules! bundled {
    ($name:literal) => {
        BundledScene {
            name: $name,
            text: include_str!(concat!("../../../scenes/", $name, "/scene.toml")),
            readme: include_str!(concat!("../../../scenes/", $name, "/README.md")),
        }
    };
}

/// Every scene that comes with Undine.
pub static SCENES: &[BundledScene] = &[
    bundled!("dam-valley"),
    bundled!("km-beach"),
    bundled!("km-hump"),
    bundled!("km-pool"),
    bundled!("km-rain"),
    bundled!("km-reflection"),
    bundled!("km-spring"),
    bundled!("lake-breeze"),
    bundled!("pond"),
    bundled!("pool-drops"),
    bundled!("swell"),
    bundled!("tsunami-bay"),
];

/// Why a scene could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file and no such bundled scene.
    #[error("there is no scene {wanted:?}: no file or folder of that name, and no bundled scene ({known})")]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// The bundled scenes, or the one that may have been meant.
        known: String,
    },
    /// There is something of that name, but no scene in it.
    #[error("{0:?} is no scene: it is neither a file nor a folder that holds a scene.toml")]
    NoScene(String),
    /// The scene has problems.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
}

/// Opens a scene: a file, a folder that holds a `scene.toml`, or the name of a bundled scene. What exists on disk goes
/// first.
///
/// ```
/// let scene = undine::open("swell", &undine::LoadOptions::default())?;
/// assert_eq!(scene.name, "swell");
/// # Ok::<(), undine::OpenError>(())
/// ```
pub fn open(scene: &str, options: &LoadOptions) -> Result<Scene, OpenError> {
    if let Some(path) = on_disk(Path::new(scene)) {
        return Ok(Scene::load(&path, options)?);
    }
    if let Some(bundled) = SCENES.iter().find(|bundled| bundled.name == scene) {
        return Ok(Scene::parse(bundled.name, bundled.text, options)?);
    }
    if Path::new(scene).exists() {
        return Err(OpenError::NoScene(scene.to_owned()));
    }
    let known = undine_scene::known_words(scene, SCENES.iter().map(|bundled| bundled.name));
    Err(OpenError::Unknown { wanted: scene.to_owned(), known })
}

fn on_disk(path: &Path) -> Option<PathBuf> {
    let inside = path.join("scene.toml");
    if path.is_file() { Some(path.to_owned()) } else { inside.is_file().then_some(inside) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_scene_opens_and_has_a_summary() {
        for bundled in SCENES {
            let scene = open(bundled.name, &LoadOptions::default()).unwrap();
            assert_eq!(scene.name, bundled.name);
            assert!(!scene.summary.is_empty() && !bundled.readme.is_empty());
        }
    }

    #[test]
    fn a_slip_in_the_name_is_answered_with_the_name() {
        let error = open("pnd", &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("did you mean \"pond\""), "{error}");
    }
}
