//! The output folder of a run: locked by one run at a time, never overwritten by accident.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use undine_frame::{AtomicFile, partial_name};

/// The first line of the scene file in an output folder, which marks it as written by Undine.
const MARK: &str = "# Written by Undine: the scene of this run, as it was meant.";

/// The files and folders of a run beside pictures and films; `--overwrite` removes these and nothing else.
const RUN_FILES: &[&str] = &[
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

/// What to do with a folder that holds an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPolicy {
    /// Refuse the folder.
    Fresh,
    /// Remove the files of the earlier run.
    Overwrite,
    /// Continue the earlier run.
    Resume,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It holds a run.
    #[error("{} already holds a run; continue it with --resume, replace it with --overwrite, or choose another --out", .0.display())]
    Used(PathBuf),
    /// It holds files that Undine did not write.
    #[error("{} holds files that no run of Undine wrote; choose another --out", .0.display())]
    Foreign(PathBuf),
    /// Another process is writing into it.
    #[error("another run is writing into {}; wait for it, or choose another --out", .0.display())]
    Busy(PathBuf),
    /// It holds a run of another scene.
    #[error("{} holds a run of a different scene: {difference}; use --overwrite to restart, or undo the change", folder.display())]
    OtherScene {
        /// The folder.
        folder: PathBuf,
        /// The first line in which the scenes differ.
        difference: String,
    },
    /// An input or output error.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// A locked output folder. The lock is released when this is dropped, or when the process ends.
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
            // A file system without locks: continue without one
            Err(fs::TryLockError::Error(_)) => {}
        }
        // Files of a run that was killed while it claimed the folder
        let leftovers = [lock_path.clone(), partial_name(&root.join("scene.toml"))];
        let is_empty =
            fs::read_dir(root).map_err(io_at(root))?.flatten().all(|entry| leftovers.contains(&entry.path()));
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

    /// The resolved scene.
    pub fn scene_file(&self) -> PathBuf {
        self.root.join("scene.toml")
    }

    /// The folder of the checkpoints.
    pub fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints")
    }

    /// The folder of the cache.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// The folder of the pictures with this index and name.
    pub fn pictures(root: &Path, number: usize, name: &str) -> PathBuf {
        root.join(if number == 0 { "frames".to_owned() } else { format!("frames-{name}") })
    }

    /// Their film.
    pub fn film(root: &Path, number: usize, name: &str) -> PathBuf {
        root.join(if number == 0 { "film.mp4".to_owned() } else { format!("film-{name}.mp4") })
    }

    /// Their contact sheet.
    pub fn sheet(root: &Path, number: usize, name: &str) -> PathBuf {
        root.join(if number == 0 { "sheet.png".to_owned() } else { format!("sheet-{name}.png") })
    }

    /// Removes the files of an earlier run and nothing else. The marked scene file stays until the new one replaces it, so
    /// that the folder is still recognised after a kill in between.
    fn clear(&self) -> Result<(), FolderError> {
        let entries = fs::read_dir(&self.root).map_err(io_at(&self.root))?.flatten();
        let names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        for name in &names {
            let (path, stem) = (self.root.join(name), name.trim_end_matches(".partial"));
            // A film and a contact sheet belong to the folder of their pictures
            let film_of = stem.strip_prefix("film").and_then(|rest| rest.strip_suffix(".mp4"));
            let sheet_of = stem.strip_prefix("sheet").and_then(|rest| rest.strip_suffix(".png"));
            let is_film = film_of.or(sheet_of).is_some_and(|rest| names.contains(&format!("frames{rest}")));
            let is_frames = name == "frames" || name.starts_with("frames-");
            if path.is_dir() && (is_frames || RUN_FILES.contains(&stem)) {
                clear_numbered(&path)?;
            } else if path.is_file() && (is_film || RUN_FILES.contains(&stem)) {
                fs::remove_file(&path).map_err(io_at(&path))?;
            }
        }
        Ok(())
    }
}

/// Removes the files of a folder that are named by a frame number, and the folder if it is empty then.
fn clear_numbered(folder: &Path) -> Result<(), FolderError> {
    for entry in fs::read_dir(folder).map_err(io_at(folder))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let digits = name.chars().take_while(char::is_ascii_digit).count();
        if entry.path().is_file() && (digits >= 6 || name.trim_end_matches(".partial") == "manifest.txt") {
            fs::remove_file(entry.path()).map_err(io_at(&entry.path()))?;
        }
    }
    // Fails if it holds other files, which are kept
    let _ = fs::remove_dir(folder);
    Ok(())
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io { path, source }
}

/// The scene text of an earlier run, if the folder has the mark.
fn read_mark(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("scene.toml")).ok()?;
    text.strip_prefix(MARK)?.strip_prefix('\n').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_used_folder_is_refused_and_foreign_files_are_never_touched() {
        // Lock, earlier run, other scene
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

        // Overwrite removes files of a run and keeps others, even with similar names
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

        // A run that was killed while it wrote its first file
        let torn = temporary.path().join("torn");
        fs::create_dir_all(&torn).unwrap();
        fs::write(torn.join("scene.toml.partial"), "# Writ").unwrap();
        assert!(RunFolder::claim(&torn, OutputPolicy::Resume, "a = 1\n").is_ok());

        // A folder without the mark
        let foreign = temporary.path().join("foreign");
        fs::create_dir_all(foreign.join("frames")).unwrap();
        let refused = RunFolder::claim(&foreign, OutputPolicy::Overwrite, "");
        assert!(matches!(refused, Err(FolderError::Foreign(_))) && foreign.join("frames").exists());
    }
}
