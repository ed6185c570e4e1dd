//! The scenes compiled into the binary, and opening a scene by name or path.

use std::io;
use std::path::{Path, PathBuf};

use undine_frame::AtomicFile;
use undine_scene::{LoadOptions, Scene, SceneErrors};

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
    bundled!("dam-pillar"),
    bundled!("dam-pillar-2d"),
    bundled!("dam-valley"),
    bundled!("double-dam"),
    bundled!("drop-in-pool"),
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
