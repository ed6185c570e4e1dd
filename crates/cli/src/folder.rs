//! The folder into which a run writes: claimed by one run at a time, never overwritten by accident.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use undine_frame::{AtomicFile, partial_name};

/// The first line of the scene file in an output folder, by which the folder is known to be ours.
const MARK: &str = "# Written by Undine: the scene of this run, as it was meant.";

/// Everything a run may leave in its folder; `--overwrite` removes these and nothing else.
const OURS: &[&str] = &[
    "cache",
    "checkpoints",
    "metrics.csv",
    "timings.csv",
    "pictures.csv",
    "report.html",
    "ply",
    "obj",
    "exr",
    "png16",
    "csv",
];

/// What to do about a folder that a run has used before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPolicy {
    /// Refuse it.
    Fresh,
    /// Remove what the earlier run left.
    Overwrite,
    /// Go on where the earlier run stopped.
    Resume,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A run has been here.
    #[error("{} already holds a run; continue it with --resume, replace it with --overwrite, or choose another --out", .0.display())]
    Used(PathBuf),
    /// Somebody else's files are here.
    #[error("{} holds files that no run of Undine wrote; choose another --out", .0.display())]
    Foreign(PathBuf),
    /// Another process is writing here.
    #[error("another run is writing into {}; wait for it, or choose another --out", .0.display())]
    Busy(PathBuf),
    /// It holds a run of another scene.
    #[error("{} holds a run of a different scene: {difference}; use --overwrite to start again, or undo the change", folder.display())]
    OtherScene {
        /// The folder.
        folder: PathBuf,
        /// The first line in which the scenes differ.
        difference: String,
    },
    /// The system refused.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A claimed folder. It is free again when this is dropped, or when the process dies.
pub struct RunFolder {
    root: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Claims `root` for a run of the scene with this text.
    pub fn claim(root: &Path, policy: OutputPolicy, scene: &str) -> Result<RunFolder, FolderError> {
        fs::create_dir_all(root).map_err(io_at(root))?;
        let lock_path = root.join(".undine-lock");
        let had_lock = lock_path.exists();
        let lock = File::create(&lock_path).map_err(io_at(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(FolderError::Busy(root.to_owned())),
            // A file system without locks: better unguarded than unusable.
            Err(fs::TryLockError::Error(_)) => {}
        }
        // What a run leaves that was killed while it claimed the folder
        let beginnings = [lock_path.clone(), partial_name(&root.join("scene.toml"))];
        let is_empty = fs::read_dir(root)
            .map_err(io_at(root))?
            .flatten()
            .all(|entry| beginnings.contains(&entry.path()));
        let before = read_mark(root);
        if before.is_none() && !is_empty {
            if !had_lock {
                let _ = fs::remove_file(&lock_path);
            }
            return Err(FolderError::Foreign(root.to_owned()));
        }
        let folder = RunFolder { root: root.to_owned(), _lock: lock };
        match (policy, before) {
            (_, None) => {}
            (OutputPolicy::Fresh, Some(_)) => return Err(FolderError::Used(root.to_owned())),
            (OutputPolicy::Overwrite, Some(_)) => folder.clear()?,
            (OutputPolicy::Resume, Some(before)) if before == scene => return Ok(folder),
            (OutputPolicy::Resume, Some(before)) => {
                let difference = undine_sim::checkpoint::first_difference(&before, scene);
                return Err(FolderError::OtherScene { folder: root.to_owned(), difference });
            }
        }
        let mark = folder.scene_file();
        AtomicFile::write_all_to(&mark, format!("{MARK}\n{scene}").as_bytes()).map_err(io_at(&mark))?;
        Ok(folder)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The scene as it was meant.
    pub fn scene_file(&self) -> PathBuf {
        self.root.join("scene.toml")
    }

    /// Where the checkpoints are.
    pub fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints")
    }

    /// Where the frames are kept.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Where the pictures with this number and name go.
    pub fn pictures(root: &Path, number: usize, name: &str) -> PathBuf {
        root.join(if number == 0 { "frames".to_owned() } else { format!("frames-{name}") })
    }

    /// Where the film of them goes.
    pub fn film(root: &Path, number: usize, name: &str) -> PathBuf {
        root.join(if number == 0 { "film.mp4".to_owned() } else { format!("film-{name}.mp4") })
    }

    /// Where their contact sheet goes.
    pub fn sheet(root: &Path, number: usize, name: &str) -> PathBuf {
        root.join(if number == 0 { "sheet.png".to_owned() } else { format!("sheet-{name}.png") })
    }

    /// Removes what an earlier run left, and nothing that only looks like it. The mark stays until the new one replaces
    /// it, so that a kill in between leaves the folder known.
    fn clear(&self) -> Result<(), FolderError> {
        let entries = fs::read_dir(&self.root).map_err(io_at(&self.root))?.flatten();
        let names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        for name in &names {
            let (path, whole) = (self.root.join(name), name.trim_end_matches(".partial"));
            // A film and a sheet belong to the folder of pictures from which they were made.
            let film_of = whole.strip_prefix("film").and_then(|rest| rest.strip_suffix(".mp4"));
            let sheet_of = whole.strip_prefix("sheet").and_then(|rest| rest.strip_suffix(".png"));
            let is_film = film_of.or(sheet_of).is_some_and(|rest| names.contains(&format!("frames{rest}")));
            let is_frames = name == "frames" || name.starts_with("frames-");
            if path.is_dir() && (is_frames || OURS.contains(&whole)) {
                clear_numbered(&path)?;
            } else if path.is_file() && (is_film || OURS.contains(&whole)) {
                fs::remove_file(&path).map_err(io_at(&path))?;
            }
        }
        Ok(())
    }
}

/// Removes the files of a folder that are named after a frame, and the folder if nothing else is in it.
fn clear_numbered(folder: &Path) -> Result<(), FolderError> {
    for entry in fs::read_dir(folder).map_err(io_at(folder))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let digits = name.chars().take_while(char::is_ascii_digit).count();
        if entry.path().is_file() && (digits >= 6 || name.trim_end_matches(".partial") == "manifest.txt") {
            fs::remove_file(entry.path()).map_err(io_at(&entry.path()))?;
        }
    }
    // Whatever else is in it is not ours.
    let _ = fs::remove_dir(folder);
    Ok(())
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io { path, source }
}

/// The scene text of an earlier run, if the folder is ours.
fn read_mark(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("scene.toml")).ok()?;
    text.strip_prefix(MARK)?.strip_prefix('\n').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_used_folder_is_refused_and_foreign_files_are_never_touched() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("out");
        let first = RunFolder::claim(&root, OutputPolicy::Fresh, "a = 1\n").unwrap();
        assert!(matches!(
            RunFolder::claim(&root, OutputPolicy::Resume, "a = 1\n"),
            Err(FolderError::Busy(_))
        ));
        drop(first);
        assert!(matches!(RunFolder::claim(&root, OutputPolicy::Fresh, "a = 1\n"), Err(FolderError::Used(_))));
        let error = RunFolder::claim(&root, OutputPolicy::Resume, "a = 2\n").err().unwrap().to_string();
        assert!(error.contains("it had `a = 1`, now there is `a = 2`"), "{error}");

        fs::write(root.join("metrics.csv"), "frame\n").unwrap();
        fs::write(root.join("notes.txt"), "mine").unwrap();
        for (folder, file) in
            [("frames", "000001.png"), ("frames-of-a-friend", "dog.png"), ("ply", "000001-water.ply")]
        {
            fs::create_dir_all(root.join(folder)).unwrap();
            fs::write(root.join(folder).join(file), "").unwrap();
        }
        for name in ["film.mp4", "sheet.png", "pictures.csv", "film-holiday.mp4", "sheet-holiday.png"] {
            fs::write(root.join(name), "").unwrap();
        }
        RunFolder::claim(&root, OutputPolicy::Overwrite, "a = 2\n").unwrap();
        assert!(
            ["notes.txt", "film-holiday.mp4", "sheet-holiday.png", "frames-of-a-friend/dog.png"]
                .iter()
                .all(|name| root.join(name).exists())
        );
        let gone = ["metrics.csv", "frames", "ply", "film.mp4", "sheet.png", "pictures.csv"];
        assert!(gone.iter().all(|name| !root.join(name).exists()));

        let torn = temporary.path().join("torn");
        fs::create_dir_all(&torn).unwrap();
        fs::write(torn.join("scene.toml.partial"), "# Writ").unwrap();
        assert!(RunFolder::claim(&torn, OutputPolicy::Resume, "a = 1\n").is_ok());

        let foreign = temporary.path().join("foreign");
        fs::create_dir_all(foreign.join("frames")).unwrap();
        let refused = RunFolder::claim(&foreign, OutputPolicy::Overwrite, "");
        assert!(matches!(refused, Err(FolderError::Foreign(_))) && foreign.join("frames").exists());
    }
}
