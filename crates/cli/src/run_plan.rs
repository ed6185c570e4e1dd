//! What `undine run` does: simulate a plan, and leave everything it asks for in a folder.

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use undine_export::cache::{Cache, CacheError, CacheManifest};
use undine_export::film::{FilmQuality, FilmSummary, encode_film};
use undine_export::{CacheSink, FORMATS, FormatSink, Options};
use undine_frame::{FrameRequest, Sink};
use undine_render::PictureSpec;
use undine_scene::{Scene, SceneErrors};
use undine_sim::checkpoint::{self, CheckpointError};
use undine_sim::{FrameStats, Observer, Outcome, Phases, RunError, Runner, Stopwatch, run};

use crate::records::Records;
use crate::resume::{WholeFrames, resume};
use crate::{FolderError, OutputPolicy, PictureSink, Plan, RunFolder, efforts, make_sheet, report};

/// How a plan is to be run.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The folder to write into.
    pub out: PathBuf,
    /// What to do about an earlier run there.
    pub policy: OutputPolicy,
    /// The frames to write; all when absent.
    pub frames: Option<Range<u64>>,
    /// Whether to make pictures.
    pub render: bool,
    /// The run stops, with a checkpoint, when less memory than this is free, in bytes.
    pub least_memory: u64,
}

/// What is left free for everybody else: a liquid that is poured in grows until something gives way.
const LEAST_MEMORY: u64 = 256 << 20;

impl RunSettings {
    /// Everything the scene asks for, into a folder that is new or empty.
    pub fn new(out: impl Into<PathBuf>) -> RunSettings {
        RunSettings {
            out: out.into(),
            policy: OutputPolicy::Fresh,
            frames: None,
            render: true,
            least_memory: LEAST_MEMORY,
        }
    }
}

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The frame that is done.
    pub frame: u64,
    /// The frames there will be.
    pub frames: u64,
    /// Seconds until the end at the present pace.
    pub seconds_left: f64,
    /// Cells advanced per second of simulating.
    pub cells_per_second: f64,
    /// The largest relative error of a volume ledger so far.
    pub volume_error: f64,
}

/// Whoever watches a run: a progress bar, a test, a window. `()` watches nothing.
pub trait Watcher: Send {
    /// A frame is done.
    fn frame(&mut self, _progress: &Progress) {}
    /// So many frames of a film are encoded.
    fn film(&mut self, _done: usize, _total: usize) {}
    /// Something that a person should know.
    fn note(&mut self, _text: &str) {}
    /// Whether to stop after this frame.
    fn should_stop(&self) -> bool {
        false
    }
}

impl Watcher for () {}

/// How a run ended.
#[derive(Debug)]
pub struct Done {
    /// Whether it reached its end.
    pub outcome: Outcome,
    /// The films that were made.
    pub films: Vec<PathBuf>,
    /// Their contact sheets.
    pub sheets: Vec<PathBuf>,
    /// The report, if the run came to its end.
    pub report: Option<PathBuf>,
    /// The largest relative error of a volume ledger.
    pub volume_error: f64,
    /// Bytes in the cache.
    pub cache_bytes: u64,
}

/// Why a run did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunPlanError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The waters cannot be built again.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
    /// No checkpoint can be written or used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Physics or an output failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A table cannot be written.
    #[error(transparent)]
    Table(#[from] undine_export::csv::CsvError),
    /// The cache cannot be written.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The frames in the cache cannot be gone on with.
    #[error(
        "the cache of the earlier run does not fit: {reason}; start again with --overwrite, or go on with the Undine and the scene that made it"
    )]
    OtherCache {
        /// Why not.
        reason: String,
    },
    /// The film cannot be made.
    #[error(transparent)]
    Film(#[from] undine_export::film::FilmError),
    /// The contact sheet cannot be made.
    #[error(transparent)]
    Sheet(#[from] undine_export::png::PngError),
    /// A record or the report cannot be written.
    #[error(transparent)]
    Report(undine_frame::SinkError),
}

/// Simulates a plan and writes everything it asks for.
///
/// ```no_run
/// use undine::{LoadOptions, Plan, RunSettings, run_plan};
///
/// let plan = Plan::new(undine::open("pond", &LoadOptions::default())?, None)?;
/// let done = run_plan(plan, &RunSettings::new("out/pond"), &mut ())?;
/// assert!(done.films[0].ends_with("film.mp4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_plan(plan: Plan, settings: &RunSettings, watcher: &mut dyn Watcher) -> Result<Done, RunPlanError> {
    let Plan { scene, mut runner, gauges, tessellation, mut pictures, efforts, outputs } = plan;
    let folder = RunFolder::claim(&settings.out, settings.policy, scene.resolved())?;
    let all = 0..runner.frame_count();
    let frames = settings.frames.clone().unwrap_or(all.clone());
    let frames = frames.start..frames.end.min(all.end);
    let is_resumed = settings.policy == OutputPolicy::Resume;
    let efforts = if settings.render { efforts } else { Vec::new() };
    let efforts =
        efforts::settle(folder.root(), is_resumed, &mut pictures, &efforts).map_err(RunPlanError::Report)?;
    for (number, effort) in &efforts {
        let name = pictures.get(*number).map_or("", |picture| &picture.name);
        let since = if is_resumed { "as chosen when the run began" } else { "chosen for this machine" };
        watcher.note(&format!("picture {name}: {effort}, {since}"));
    }
    let rendered: &[PictureSpec] = if settings.render { &pictures } else { &[] };
    let kept_cache =
        if is_resumed && outputs.cache { cache_to_continue(&folder.cache(), &scene)? } else { None };
    let resumed = match settings.policy {
        OutputPolicy::Resume => {
            let mut whole = WholeFrames::find(folder.root(), rendered, &outputs, &frames);
            if outputs.cache && kept_cache.is_none() {
                whole.forget_cached();
            }
            resume(&folder, &scene, &mut runner, watcher, &whole)?
        }
        OutputPolicy::Fresh | OutputPolicy::Overwrite => None,
    };

    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    for (number, picture) in rendered.iter().enumerate() {
        let into = RunFolder::pictures(folder.root(), number, &picture.name);
        sinks.push(Box::new(PictureSink::new(picture.clone(), into)));
    }
    for format in FORMATS.iter().filter(|format| outputs.formats.contains(&format.name)) {
        sinks.push(Box::new(FormatSink::new(
            format,
            folder.root(),
            outputs.every,
            Options { grey_range: outputs.grey_range },
        )));
    }
    let cache = match (outputs.cache, kept_cache.filter(|_| resumed.is_some())) {
        (false, _) => None,
        (true, Some(kept)) => Some(kept),
        (true, None) => Some(Cache::create(&folder.cache(), manifest_of(&scene))?),
    };
    sinks.extend(cache.iter().map(|cache| Box::new(CacheSink::new(cache.clone(), 1)) as Box<dyn Sink>));

    let mut log = RunLog {
        records: Records::open(folder.root(), &runner, gauges, resumed)?,
        folder: &folder,
        scene: scene.resolved(),
        watcher: &mut *watcher,
        first: runner.frame() + u64::from(resumed.is_some()),
        last: frames.end.saturating_sub(1),
        started: Stopwatch::start(),
        simulated: 0.0,
        worked: 0,
        since_checkpoint: Stopwatch::start(),
        checkpoint_every: outputs.checkpoint_every,
        volume_error: 0.0,
        least_memory: settings.least_memory,
    };
    let capture = |runner: &Runner, request: &FrameRequest| crate::capture(runner, request, &tessellation);
    let outcome = run(&mut runner, frames.clone(), resumed.is_some(), &capture, &mut sinks, &mut log)?;
    for sink in sinks {
        sink.finish().map_err(RunError::from)?;
    }

    let mut done = Done {
        outcome,
        films: Vec::new(),
        sheets: Vec::new(),
        report: None,
        volume_error: report::worst_volume_error(folder.root()).map_err(RunPlanError::Report)?,
        cache_bytes: cache.map_or(Ok(0), |cache| cache.size())?,
    };
    if outcome == Outcome::Finished {
        for (number, picture) in rendered.iter().enumerate().filter(|_| outputs.film) {
            let pictures = RunFolder::pictures(folder.root(), number, &picture.name);
            let film = RunFolder::film(folder.root(), number, &picture.name);
            make_film(&pictures, frames.clone(), scene.fps * outputs.speed, &film, watcher)?;
            done.films.push(film);
        }
        let times: Vec<(u64, f64)> = frames.clone().map(|frame| (frame, scene.frame_time(frame))).collect();
        for (number, picture) in rendered.iter().enumerate().filter(|_| outputs.sheet) {
            let pictures = RunFolder::pictures(folder.root(), number, &picture.name);
            let sheet = RunFolder::sheet(folder.root(), number, &picture.name);
            make_sheet(&scene.name, &pictures, &times, &sheet)?;
            done.sheets.push(sheet);
        }
        let report = report::write(folder.root(), &scene, &runner, frames.start, rendered, &done);
        done.report = Some(report.map_err(RunPlanError::Report)?);
    }
    Ok(done)
}

/// What the cache of a run says about itself.
fn manifest_of(scene: &Scene) -> CacheManifest {
    CacheManifest {
        undine: crate::VERSION.to_owned(),
        name: scene.name.clone(),
        fps: scene.fps,
        scene: scene.resolved().to_owned(),
    }
}

/// The cache that a resumed run goes on with; none when there is no manifest: frames that nothing is known about are made
/// again. A manifest that is there stays, and one that does not fit is refused: it tells the truth about its frames.
fn cache_to_continue(folder: &Path, scene: &Scene) -> Result<Option<Cache>, RunPlanError> {
    let manifest = manifest_of(scene);
    let reason = match Cache::open(folder) {
        Ok(cache) if cache.manifest().scene != manifest.scene => {
            checkpoint::first_difference(&cache.manifest().scene, &manifest.scene)
        }
        Ok(cache) if cache.manifest().fps != manifest.fps => {
            format!("it has {} frames per second, now there are {}", cache.manifest().fps, manifest.fps)
        }
        Ok(cache) => return Ok(Some(cache)),
        Err(CacheError::NotACache { .. }) => return Ok(None),
        Err(error) => error.to_string(),
    };
    Err(RunPlanError::OtherCache { reason })
}

/// Joins the pictures of these frames to a film.
pub fn make_film(
    pictures: &Path,
    frames: impl Iterator<Item = u64>,
    fps: f64,
    film: &Path,
    watcher: &mut dyn Watcher,
) -> Result<FilmSummary, undine_export::film::FilmError> {
    let files: Vec<PathBuf> = frames.map(|frame| PictureSink::file(pictures, frame)).collect();
    encode_film(&files, fps, film, FilmQuality::GOOD, |done, total| watcher.film(done, total))
}

/// Keeps the records of a run.
struct RunLog<'a> {
    records: Records,
    folder: &'a RunFolder,
    scene: &'a str,
    watcher: &'a mut dyn Watcher,
    first: u64,
    last: u64,
    started: Stopwatch,
    /// Seconds spent simulating, and cells advanced in them.
    simulated: f64,
    worked: u64,
    since_checkpoint: Stopwatch,
    checkpoint_every: f64,
    volume_error: f64,
    least_memory: u64,
}

impl RunLog<'_> {
    fn progress(&self, frame: u64) -> Progress {
        let done = (frame + 1).saturating_sub(self.first);
        let pace = self.started.seconds() / done.max(1) as f64;
        Progress {
            frame,
            frames: self.last + 1,
            seconds_left: pace * self.last.saturating_sub(frame) as f64,
            cells_per_second: if self.simulated > 0.0 { self.worked as f64 / self.simulated } else { 0.0 },
            volume_error: self.volume_error,
        }
    }

    /// Whether memory is running out, which is said.
    fn is_short_of_memory(&mut self) -> bool {
        let Some(free) = crate::available_memory().filter(|free| *free < self.least_memory) else {
            return false;
        };
        let left = free >> 20;
        self.watcher.note(&format!(
            "memory is running out ({left} MiB free): stopped with a checkpoint; make room, then go on with --resume"
        ));
        true
    }

    /// Writes a checkpoint and forgets all but this and the one before.
    fn checkpoint(&mut self, runner: &Runner) -> Result<(), CheckpointError> {
        let folder = self.folder.checkpoints();
        checkpoint::write(&folder.join(checkpoint::file_name(runner.frame())), self.scene, runner)?;
        for old in checkpoint::list(&folder).into_iter().skip(2) {
            // A checkpoint too many does no harm.
            let _ = std::fs::remove_file(old);
        }
        self.since_checkpoint = Stopwatch::start();
        Ok(())
    }
}

impl Observer for RunLog<'_> {
    fn after_frame(
        &mut self,
        runner: &Runner,
        stats: &FrameStats,
        outputs: &Phases,
    ) -> Result<ControlFlow<()>, RunError> {
        let as_record =
            |error: &dyn std::error::Error| RunError::Records(std::io::Error::other(error.to_string()));
        self.records.add(runner, stats, outputs).map_err(|error| as_record(&error))?;
        self.volume_error = self.volume_error.max(stats.volume_error);
        self.simulated += stats.seconds;
        self.worked += stats.steps * runner.cells() / runner.waters().len().max(1) as u64;
        self.watcher.frame(&self.progress(runner.frame()));

        let is_last = runner.frame() >= self.last;
        let should_stop = !is_last && (self.watcher.should_stop() || self.is_short_of_memory());
        if should_stop || is_last || self.since_checkpoint.seconds() >= self.checkpoint_every {
            self.checkpoint(runner).map_err(|error| as_record(&error))?;
        }
        Ok(if should_stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
