//! A file that a scene names: on disk, or one that came with the scene's text.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A file that a scene may read.
///
/// ```
/// use undine_scene::{Key, LoadOptions, Scene};
///
/// static WALL: &[Key] = &[Key::file("paper")];
///
/// let files: [(&str, &[u8]); 1] = [("roses.png", b"petals")];
/// let text = "[scene]\nduration = 1\n[wall]\npaper = 'roses.png'\n";
/// let scene = Scene::parse_with_files("room", text, &files, &LoadOptions::default())?;
/// let wall = scene.section("wall").read(&[WALL])?;
/// assert_eq!(wall.file("paper").name(), "roses.png");
/// assert_eq!(*wall.file("paper").read(100)?, *b"petals");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneFile {
    path: PathBuf,
    bytes: Option<Arc<[u8]>>,
}

impl SceneFile {
    pub(crate) fn on_disk(path: PathBuf) -> SceneFile {
        SceneFile { path, bytes: None }
    }

    /// Its real path on disk; for a file that came with the scene, its name there.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last part of its path, for messages.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Its bytes, if it came with the scene, so that no disk is needed.
    pub fn carried(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }

    /// All its bytes, wherever they are; refused when there are more than `most`.
    pub fn read(&self, most: u64) -> Result<Cow<'_, [u8]>> {
        let bytes = match &self.bytes {
            Some(bytes) => Cow::Borrowed(&**bytes),
            None => Cow::Owned(read_from_disk(&self.path, most)?),
        };
        if bytes.len() as u64 > most {
            let message = format!("it is larger than {most} bytes");
            return Err(Error::new(ErrorKind::FileTooLarge, message));
        }
        Ok(bytes)
    }
}

/// At most one byte more than `most`.
fn read_from_disk(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The files that came with a scene's text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Carried(Vec<SceneFile>);

impl Carried {
    pub fn new(files: &[(&str, &[u8])]) -> Carried {
        let file = |(name, bytes): &(&str, &[u8])| SceneFile {
            path: PathBuf::from(name),
            bytes: Some(Arc::from(*bytes)),
        };
        Carried(files.iter().map(file).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The file of a path that starts from a folder of the scene.
    pub fn find(&self, folder: &Path, typed: &str) -> Option<SceneFile> {
        let wanted = plain(&folder.join(typed))?;
        self.0.iter().find(|file| file.path == wanted).cloned()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|file| file.path.to_str())
    }
}

/// A relative path without `.` and `..`; none when it leads out of the scene's folder.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => plain.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        let plain = |path: &str| plain(Path::new(path)).map(|path| path.to_string_lossy().replace('\\', "/"));
        assert_eq!(plain("./parts/../room.png").as_deref(), Some("room.png"));
        assert_eq!(plain("parts/bed.txt").as_deref(), Some("parts/bed.txt"));
        assert_eq!(plain("../room.png"), None);
        assert_eq!(plain("/room.png"), None);
    }

    #[test]
    fn more_bytes_than_allowed_are_refused() {
        let carried = Carried::new(&[("a", b"abc")]).find(Path::new(""), "a").unwrap();
        assert!(carried.read(3).is_ok());
        assert_eq!(carried.read(2).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
