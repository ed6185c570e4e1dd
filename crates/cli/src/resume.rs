//! Resuming a run that was stopped or killed.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use undine_frame::Schedule;
use undine_models::MODELS;
use undine_render::PictureSpec;
use undine_scene::Scene;
use undine_sim::Runner;
use undine_sim::checkpoint::{self, CheckpointError};

use crate::{Outputs, ProgressReporter, RunFolder, RunPlanError, report};

/// Restores the newest checkpoint before which no output is missing, and reports those that could not be used. Without
/// one, the runner is built anew and the result is `None`.
pub(crate) fn resume(
    folder: &RunFolder,
    scene: &Scene,
    runner: &mut Runner,
    reporter: &mut dyn ProgressReporter,
    complete: &CompleteFrames,
) -> Result<Option<u64>, RunPlanError> {
    // A run keeps its two highest-numbered checkpoints: a skipped one must be removed, or it would displace a new one
    let remove = |path: &Path| {
        let removed = std::fs::remove_file(path);
        removed.map_err(|source| CheckpointError::Io { path: path.to_owned(), source })
    };
    for path in checkpoint::list(&folder.checkpoints()) {
        match checkpoint::restore(&path, scene.resolved(), runner) {
            Ok(()) => match (0..=runner.frame()).find(|&frame| !complete.contains(frame)) {
                None => return Ok(Some(runner.frame())),
                Some(gap) => reporter.note(&format!("an output of frame {gap} is missing and is made again")),
            },
            Err(error @ CheckpointError::Broken { .. }) => reporter.note(&error.to_string()),
            Err(error) => return Err(error.into()),
        }
        remove(&path)?;
    }
    reporter.note("no usable checkpoint; starting at frame 0");
    // An unusable checkpoint may have left the runner in a partial state
    *runner = Runner::new(scene, MODELS, None)?;
    Ok(None)
}

/// The frames of an earlier run whose outputs are complete.
pub(crate) struct CompleteFrames {
    /// Frames with a row in the metrics.
    measured: HashSet<u64>,
    /// For every folder with a file per frame: the frames it should have, and those it has.
    folders: Vec<(Schedule, HashSet<u64>)>,
    /// The frames in the cache, if the run has one.
    cached: Option<HashSet<u64>>,
    written: Range<u64>,
}

impl CompleteFrames {
    /// Scans the folder of a run that is to write the frames `written`.
    pub fn find(
        root: &Path,
        pictures: &[PictureSpec],
        outputs: &Outputs,
        written: &Range<u64>,
    ) -> CompleteFrames {
        let drawn = pictures.iter().enumerate().map(|(number, picture)| {
            (Schedule::Every(1), frames_in(&RunFolder::pictures(root, number, &picture.name)))
        });
        let formats =
            outputs.formats.iter().map(|name| (Schedule::Every(outputs.every), frames_in(&root.join(name))));
        CompleteFrames {
            measured: report::measured_frames(root),
            folders: drawn.chain(formats).collect(),
            cached: outputs.cache.then(|| frames_in(&root.join("cache"))),
            written: written.clone(),
        }
    }

    /// Treats all frames of the cache as missing.
    pub fn ignore_cache(&mut self) {
        self.cached.iter_mut().for_each(HashSet::clear);
    }

    fn contains(&self, frame: u64) -> bool {
        let is_there =
            |(due, found): &(Schedule, HashSet<u64>)| !due.includes(frame) || found.contains(&frame);
        let is_cached = || self.cached.as_ref().is_none_or(|cached| cached.contains(&frame));
        self.measured.contains(&frame)
            && (!self.written.contains(&frame) || (self.folders.iter().all(is_there) && is_cached()))
    }
}

/// The frames for which a folder has complete files, by their names.
fn frames_in(folder: &Path) -> HashSet<u64> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let complete = names.filter(|name| !name.ends_with(".partial"));
    complete
        .filter_map(|name| name.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok())
        .collect()
}
