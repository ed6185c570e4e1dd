//! Where a run that was stopped or killed goes on.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use undine_frame::Schedule;
use undine_models::MODELS;
use undine_render::PictureSpec;
use undine_scene::Scene;
use undine_sim::Runner;
use undine_sim::checkpoint::{self, CheckpointError};

use crate::{Outputs, RunFolder, RunPlanError, Watcher, report};

/// Puts the runner into the newest checkpoint before which nothing is missing, and says which ones could not be used.
/// Without one, the runner is as new.
pub(crate) fn resume(
    folder: &RunFolder,
    scene: &Scene,
    runner: &mut Runner,
    watcher: &mut dyn Watcher,
    whole: &WholeFrames,
) -> Result<Option<u64>, RunPlanError> {
    // A run keeps its two highest-numbered checkpoints: one that is passed over must go, or it would push out its own.
    let remove = |path: &Path| {
        let removed = std::fs::remove_file(path);
        removed.map_err(|source| CheckpointError::Io { path: path.to_owned(), source })
    };
    for path in checkpoint::list(&folder.checkpoints()) {
        match checkpoint::restore(&path, scene.resolved(), runner) {
            Ok(()) => match (0..=runner.frame()).find(|&frame| !whole.contains(frame)) {
                None => return Ok(Some(runner.frame())),
                Some(gap) => {
                    watcher.note(&format!("what belongs to frame {gap} is missing and is made again"))
                }
            },
            Err(error @ CheckpointError::Broken { .. }) => watcher.note(&error.to_string()),
            Err(error) => return Err(error.into()),
        }
        remove(&path)?;
    }
    watcher.note("there is no checkpoint to go on from; starting at frame 0");
    // What an unusable checkpoint left in the runner must not be continued.
    *runner = Runner::new(scene, MODELS, None)?;
    Ok(None)
}

/// The frames of an earlier run of which nothing is missing.
pub(crate) struct WholeFrames {
    /// Frames with a row in the metrics.
    measured: HashSet<u64>,
    /// For every folder in which frames leave files: which of them it should have, and which it has.
    folders: Vec<(Schedule, HashSet<u64>)>,
    /// The same for the cache, if there is to be one.
    cached: Option<HashSet<u64>>,
    written: Range<u64>,
}

impl WholeFrames {
    /// Looks through the folder of a run that is to write the frames `written`.
    pub fn find(
        root: &Path,
        pictures: &[PictureSpec],
        outputs: &Outputs,
        written: &Range<u64>,
    ) -> WholeFrames {
        let drawn = pictures.iter().enumerate().map(|(number, picture)| {
            (Schedule::Every(1), frames_in(&RunFolder::pictures(root, number, &picture.name)))
        });
        let formats =
            outputs.formats.iter().map(|name| (Schedule::Every(outputs.every), frames_in(&root.join(name))));
        WholeFrames {
            measured: report::measured_frames(root),
            folders: drawn.chain(formats).collect(),
            cached: outputs.cache.then(|| frames_in(&root.join("cache"))),
            written: written.clone(),
        }
    }

    /// Takes no account of what is in the cache.
    pub fn forget_cached(&mut self) {
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

/// The frames after which whole files of a folder are named.
fn frames_in(folder: &Path) -> HashSet<u64> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let whole = names.filter(|name| !name.ends_with(".partial"));
    whole
        .filter_map(|name| name.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok())
        .collect()
}
