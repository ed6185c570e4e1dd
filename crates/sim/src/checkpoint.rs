//! Checkpoints: the complete state of a run in one file, from which it resumes with the same bits.
//!
//! A file is the magic word, a format version, and a zstd stream with a checksum that holds the scene as it was meant
//! and the state. The scene is compared on resume: a checkpoint continues the run that
//! wrote it and no other.
//!
//! ```
//! use undine_scene::{LoadOptions, Scene};
//! use undine_sim::{Runner, checkpoint};
//! # let folder = std::env::temp_dir().join(format!("undine-checkpoint-{}", std::process::id()));
//! let text = "[scene]\nduration = 1\n[[water]]\nkind = 'sine-waves'\nresolution = 4";
//! let scene = Scene::parse("calm", text, &LoadOptions::default())?;
//! let mut runner = Runner::new(&scene, undine_models::MODELS, None)?;
//! runner.next_frame()?;
//! let path = folder.join(checkpoint::file_name(runner.frame()));
//! checkpoint::write(&path, scene.resolved(), &runner)?;
//!
//! let mut resumed = Runner::new(&scene, undine_models::MODELS, None)?;
//! checkpoint::restore(&path, scene.resolved(), &mut resumed)?;
//! assert_eq!(resumed.frame(), 1);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use undine_frame::AtomicFile;

use crate::{Reader, Runner, Writer};

const MAGIC: &[u8; 8] = b"UNDINECK";

/// Version of the checkpoint format. Raised whenever a model or the runner writes its state differently.
pub const VERSION: u32 = 6;

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read or written.
    #[error("cannot access the checkpoint {path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is no checkpoint, or damaged.
    #[error("{path} is not a whole checkpoint ({reason}); an earlier one or the start is used", path = path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It was written by another version.
    #[error(
        "{path} has checkpoint format {found}, this Undine reads {VERSION}; go on with the Undine that wrote it, or start \
         again with --overwrite",
        path = path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
    },
    /// It belongs to another scene.
    #[error("{path} was written for a different scene: {difference}; use --overwrite to start again, or undo the change", path = path.display())]
    OtherScene {
        /// The file.
        path: PathBuf,
        /// The first line in which the scenes differ.
        difference: String,
    },
}

/// The name of the checkpoint of a frame.
pub fn file_name(frame: u64) -> String {
    format!("{frame:06}.checkpoint")
}

/// The checkpoints in a folder, newest first.
pub fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let is_checkpoint = path.extension().is_some_and(|extension| extension == "checkpoint");
            let frame = path.file_stem()?.to_str()?.parse().ok()?;
            is_checkpoint.then_some((frame, path))
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

/// Writes the state of `runner` to `path`.
pub fn write(path: &Path, scene: &str, runner: &Runner) -> Result<(), CheckpointError> {
    let at = |source| CheckpointError::Io { path: path.to_owned(), source };
    let mut file = AtomicFile::create(path).map_err(at)?;
    let mut encode = || -> io::Result<()> {
        file.write_all(MAGIC)?;
        file.write_all(&VERSION.to_le_bytes())?;
        let mut stream = zstd::Encoder::new(&mut file, 3)?;
        stream.include_checksum(true)?;
        let mut writer = Writer::new(&mut stream);
        writer.text("scene", scene)?;
        runner.save(&mut writer)?;
        stream.finish()?;
        Ok(())
    };
    encode().map_err(at)?;
    file.commit().map_err(at)
}

/// Puts `runner`, built from the scene with this text, into the state that `path` holds. The file is read twice, to check
/// all of it before the first water changes: it is never in memory as a whole.
pub fn restore(path: &Path, scene: &str, runner: &mut Runner) -> Result<(), CheckpointError> {
    let broken =
        |error: io::Error| CheckpointError::Broken { path: path.to_owned(), reason: error.to_string() };
    let mut file = open(path)?;
    let start = file.stream_position().map_err(broken)?;
    let checked = decoder(&mut file).and_then(|mut stream| io::copy(&mut stream, &mut io::sink()));
    checked.map_err(broken)?;

    file.seek(io::SeekFrom::Start(start)).map_err(broken)?;
    let mut stream = BufReader::with_capacity(1 << 16, decoder(&mut file).map_err(broken)?);
    let mut reader = Reader::from_stream(&mut stream);
    let written_for = reader.text("scene").map_err(broken)?;
    if written_for != scene {
        let difference = first_difference(&written_for, scene);
        return Err(CheckpointError::OtherScene { path: path.to_owned(), difference });
    }
    runner.restore(&mut reader).map_err(broken)
}

/// Opens a checkpoint of this version and reads up to where its stream begins.
fn open(path: &Path) -> Result<BufReader<File>, CheckpointError> {
    let broken = |reason: &str| CheckpointError::Broken { path: path.to_owned(), reason: reason.to_owned() };
    let file = File::open(path).map_err(|source| CheckpointError::Io { path: path.to_owned(), source })?;
    let mut file = BufReader::new(file);
    let (mut magic, mut version) = ([0; 8], [0; 4]);
    let begins_like_one = file.read_exact(&mut magic).is_ok() && magic == *MAGIC;
    if !begins_like_one {
        return Err(broken("it does not begin like one"));
    }
    file.read_exact(&mut version).map_err(|_| broken("it is cut off"))?;
    match u32::from_le_bytes(version) {
        VERSION => Ok(file),
        found => Err(CheckpointError::OtherVersion { path: path.to_owned(), found }),
    }
}

fn decoder(file: &mut BufReader<File>) -> io::Result<zstd::Decoder<'static, &mut BufReader<File>>> {
    zstd::Decoder::with_buffer(file)
}

/// The first line in which two scenes differ, for a person to read.
pub fn first_difference(before: &str, now: &str) -> String {
    let mut lines = (before.lines(), now.lines());
    loop {
        match (lines.0.next(), lines.1.next()) {
            (Some(then), Some(today)) if then == today => {}
            (then, today) => {
                return format!(
                    "it had `{}`, now there is `{}`",
                    then.unwrap_or("nothing"),
                    today.unwrap_or("nothing")
                );
            }
        }
    }
}
