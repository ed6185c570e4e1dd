//! Opening a scene by path or by the name of a bundled one.

use std::path::{Path, PathBuf};

use undine_scene::{LoadOptions, Scene, SceneErrors};

pub use undine_scenes::{BundledScene, SCENES};

/// Why a scene could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file and no such bundled scene.
    #[error("there is no scene {wanted:?}: no file or folder of that name, and no bundled scene ({known})")]
    Unknown {
        /// The requested name.
        wanted: String,
        /// The bundled scenes, or the one with a similar name.
        known: String,
    },
    /// There is a file or folder of that name, but it is not a scene.
    #[error("{0:?} is no scene: it is neither a file nor a folder that holds a scene.toml")]
    NoScene(String),
    /// The scene has problems.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
}

/// Opens a scene: a file, a folder that holds a `scene.toml`, or the name of a bundled scene. Files on disk take
/// precedence.
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
        return Ok(bundled.parse(bundled.text, options)?);
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
    fn a_bundled_scene_reads_its_files_and_copies_them() {
        let valley = BundledScene {
            name: "valley",
            text: "[scene]\nduration = 1\n[[water]]\nkind = 'shallow-water'\nsize = [4, 4]\nresolution = 4\n\
                   [[terrain]]\nkind = 'file'\nfile = 'maps/heights.asc'\n",
            readme: "A valley.",
            files: &[(
                "maps/heights.asc",
                b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 2\n1 2\n3 4\n",
            )],
        };
        let ready = |scene: Result<Scene, SceneErrors>| crate::Plan::new(scene.unwrap(), None).map(|_| ());
        ready(valley.parse(valley.text, &LoadOptions::default())).unwrap();

        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("mine");
        assert_eq!(valley.copy_to(&copy).unwrap().len(), 3);
        ready(Scene::load(&copy.join("scene.toml"), &LoadOptions::default())).unwrap();
        assert!(valley.copy_to(&copy).unwrap_err().to_string().contains("exists"));
    }

    #[test]
    fn a_misspelt_name_is_answered_with_the_right_one() {
        let error = open("pnd", &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("did you mean \"pond\""), "{error}");
    }
}
