//! Which files a scene may read: regular ones below its own folder, unless the user allows more.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::file::{Carried, SceneFile};
use crate::phrase::quoted;
use crate::suggest;

/// Largest scene file or include, in bytes.
pub(crate) const LARGEST: u64 = 16 << 20;
/// Number of files beside a missing one that are searched for a similar name.
const NEIGHBOURS: usize = 1000;

const FROM_WHERE: &str = "paths start from the folder of the file in which they are written";

/// The folder a scene lives in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fence {
    /// The scene's folder without links; none for a scene that came without a file.
    root: Option<PathBuf>,
    allow_outside: bool,
    /// What came with a scene that has no folder.
    carried: Carried,
}

/// What is wrong with a path, and what would be right.
pub(crate) struct PathRefusal {
    pub message: String,
    pub remedy: String,
}

fn refuse<T>(message: impl Into<String>, remedy: impl Into<String>) -> Result<T, PathRefusal> {
    Err(PathRefusal { message: message.into(), remedy: remedy.into() })
}

impl Fence {
    pub fn around(folder: &Path, allow_outside: bool) -> Result<Fence, PathRefusal> {
        match fs::canonicalize(folder) {
            Ok(root) => Ok(Fence { root: Some(root), allow_outside, carried: Carried::default() }),
            Err(error) => refuse(
                format!("cannot open the folder {}: {}", quoted(&folder.to_string_lossy()), error.kind()),
                "",
            ),
        }
    }

    /// The fence of a scene without a folder: it may read what came with it, and nothing else.
    pub fn carrying(files: &[(&str, &[u8])]) -> Fence {
        Fence { root: None, allow_outside: false, carried: Carried::new(files) }
    }

    /// The file that was typed in a text of this folder, if it may be read.
    pub fn admit(&self, folder: Option<&Path>, typed: &str) -> Result<SceneFile, PathRefusal> {
        match (&self.root, folder) {
            (Some(root), Some(folder)) => self.admit_from_disk(root, folder, typed).map(SceneFile::on_disk),
            (_, folder) => self.admit_carried(folder.unwrap_or(Path::new("")), typed),
        }
    }

    fn admit_carried(&self, folder: &Path, typed: &str) -> Result<SceneFile, PathRefusal> {
        if self.carried.is_empty() {
            return refuse(
                format!("{} cannot be read: this scene has no folder", quoted(typed)),
                "put the scene into a file to let it read others",
            );
        }
        let message = || format!("{} did not come with this scene", quoted(typed));
        let remedy = || suggest::remedy(typed, self.carried.names());
        self.carried.find(folder, typed).ok_or_else(|| PathRefusal { message: message(), remedy: remedy() })
    }

    fn admit_from_disk(&self, root: &Path, folder: &Path, typed: &str) -> Result<PathBuf, PathRefusal> {
        if typed.is_empty() {
            return refuse("the name of the file is empty", "");
        }
        if Path::new(typed).is_absolute() && !self.allow_outside {
            return refuse(
                format!("{} is an absolute path", quoted(typed)),
                "write it relative to this file, or allow it with --allow-outside",
            );
        }
        let path = match fs::canonicalize(folder.join(typed)) {
            Ok(path) => path,
            Err(error) => return refuse(cannot(typed, error.kind()), self.similar(root, folder, typed)),
        };
        if !self.allow_outside && !path.starts_with(root) {
            return refuse(
                format!("{} lies outside the scene's folder", quoted(typed)),
                "move it below the folder, or allow it with --allow-outside",
            );
        }
        readable(&path, typed).map(|_| path)
    }

    /// A file beside it with a similar name, if the folder may be read.
    fn similar(&self, root: &Path, folder: &Path, typed: &str) -> String {
        let wanted = folder.join(typed);
        let parent = wanted.parent().and_then(|parent| fs::canonicalize(parent).ok());
        let (Some(parent), Some(name)) =
            (parent.filter(|parent| parent.starts_with(root)), wanted.file_name())
        else {
            return FROM_WHERE.to_owned();
        };
        let entries = fs::read_dir(parent).into_iter().flatten().take(NEIGHBOURS).flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        let near = suggest::nearest(&name.to_string_lossy(), names.iter().map(String::as_str));
        near.map_or_else(|| FROM_WHERE.to_owned(), |near| format!("did you mean {near:?}?"))
    }
}

fn cannot(typed: &str, kind: ErrorKind) -> String {
    match kind {
        ErrorKind::NotFound => format!("cannot find {}", quoted(typed)),
        kind => format!("cannot read {}: {kind}", quoted(typed)),
    }
}

/// Opens a regular file; others, like pipes, could keep the reader waiting for ever.
fn readable(path: &Path, typed: &str) -> Result<File, PathRefusal> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return refuse(format!("{} is a folder, not a file", quoted(typed)), "");
        }
        Ok(found) if !found.is_file() => {
            return refuse(format!("{} is not a regular file", quoted(typed)), "");
        }
        _ => {}
    }
    File::open(path).or_else(|error| refuse(cannot(typed, error.kind()), ""))
}

/// Reads an include, from wherever it is.
pub(crate) fn read_admitted(file: &SceneFile, typed: &str) -> Result<Vec<u8>, PathRefusal> {
    match file.carried() {
        Some(bytes) if bytes.len() as u64 <= LARGEST => Ok(bytes.to_vec()),
        Some(_) => too_large(typed),
        None => read(file.path(), typed),
    }
}

fn too_large<T>(typed: &str) -> Result<T, PathRefusal> {
    refuse(
        format!("{} is larger than 16 MiB", quoted(typed)),
        "a scene file names its large data, it does not hold them",
    )
}

/// Reads a scene file or include from disk.
pub(crate) fn read(path: &Path, typed: &str) -> Result<Vec<u8>, PathRefusal> {
    let mut bytes = Vec::new();
    let file = readable(path, typed)?;
    if let Err(error) = file.take(LARGEST + 1).read_to_end(&mut bytes) {
        return refuse(cannot(typed, error.kind()), "");
    }
    if bytes.len() as u64 > LARGEST { too_large(typed) } else { Ok(bytes) }
}
