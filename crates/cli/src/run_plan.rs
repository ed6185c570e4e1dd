//! `undine run`: simulates a plan and writes all of its outputs into a folder.

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

use crate::resume::{CompleteFrames, resume};
use crate::seen_volume::{DriftWatch, SeenVolumes, WaterVolumes};
use crate::tables::RunTables;
use crate::{FolderError, OutputPolicy, PictureSink, Plan, RunFolder, efforts, make_contact_sheet, report};

/// Settings of a run.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The folder to write into.
    pub out: PathBuf,
    /// What to do with an earlier run there.
    pub policy: OutputPolicy,
    /// The frames to write; all when absent.
    pub frames: Option<Range<u64>>,
    /// Whether to make pictures.
    pub render: bool,
    /// The run stops with a checkpoint when less memory than this is free, in bytes.
    pub min_free_memory: u64,
}

/// Memory left to the rest of the system: the particles of a liquid with an inflow may grow without bound.
const MIN_FREE_MEMORY: u64 = 256 << 20;

impl RunSettings {
    /// All outputs of the scene, into a new or empty folder.
    pub fn new(out: impl Into<PathBuf>) -> RunSettings {
        RunSettings {
            out: out.into(),
            policy: OutputPolicy::Fresh,
            frames: None,
            render: true,
            min_free_memory: MIN_FREE_MEMORY,
        }
    }
}

/// Progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunProgress {
    /// The frame that was finished last.
    pub frame: u64,
    /// Total number of frames.
    pub frames: u64,
    /// Estimated seconds to the end.
    pub seconds_left: f64,
    /// Cells advanced per second of simulating.
    pub cells_per_second: f64,
    /// The largest relative error of a volume ledger so far; none where particles are merely counted.
    pub volume_error: Option<f64>,
    /// Volume held by all liquids, and inside their drawn surfaces, in m³; none without liquids.
    pub held_and_seen: Option<[f64; 2]>,
}

/// Receives the progress of a run: a progress bar, a test, a window. `()` ignores it.
pub trait ProgressReporter: Send {
    /// A frame is finished.
    fn frame(&mut self, _progress: &RunProgress) {}
    /// `done` of `total` frames of a film are encoded.
    fn film(&mut self, _done: usize, _total: usize) {}
    /// A message to the user.
    fn note(&mut self, _text: &str) {}
    /// A warning: the run goes on, but its result is not what was asked for.
    fn warn(&mut self, text: &str) {
        self.note(text);
    }
    /// Whether to stop after this frame.
    fn should_stop(&self) -> bool {
        false
    }
}

impl ProgressReporter for () {}

/// Result of a run.
#[derive(Debug)]
pub struct RunSummary {
    /// Whether it reached its end.
    pub outcome: Outcome,
    /// The films that were made.
    pub films: Vec<PathBuf>,
    /// Their contact sheets.
    pub sheets: Vec<PathBuf>,
    /// The report, if the run finished.
    pub report: Option<PathBuf>,
    /// The largest relative error of a volume ledger.
    pub volume_error: f64,
    /// The volumes of each water at the end.
    pub volumes: Vec<VolumeSummary>,
    /// Bytes in the cache.
    pub cache_bytes: u64,
}

/// The volumes of a water at the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeSummary {
    /// The water.
    pub water: String,
    /// Volume held in m³.
    pub held: f64,
    /// Volume inside its drawn surface in m³; none for waters that are no liquid.
    pub seen: Option<f64>,
    /// The greatest seen/held − 1 of any frame, by its absolute value.
    pub worst_drift: Option<f64>,
    /// Inflow in m³ that found no room; none for waters that cannot be full.
    pub refused: Option<f64>,
    /// Whether its particles are merely counted, so that its ledger cannot fail.
    pub counts_particles: bool,
}

impl VolumeSummary {
    /// seen/held − 1 at the end.
    pub fn drift(&self) -> Option<f64> {
        WaterVolumes { held: self.held, seen: self.seen }.drift()
    }
}

/// Why a run did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunPlanError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The waters cannot be built.
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
    /// The cache of the earlier run does not belong to this scene.
    #[error(
        "the cache of the earlier run does not match: {reason}; restart with --overwrite, or resume with the version of Undine and the scene that made it"
    )]
    OtherCache {
        /// The difference.
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

/// Simulates a plan and writes its outputs.
///
/// ```no_run
/// use undine::{LoadOptions, Plan, RunSettings, run_plan};
///
/// let plan = Plan::new(undine::open("pond", &LoadOptions::default())?, None)?;
/// let done = run_plan(plan, &RunSettings::new("out/pond"), &mut ())?;
/// assert!(done.films[0].ends_with("film.mp4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_plan(
    plan: Plan,
    settings: &RunSettings,
    reporter: &mut dyn ProgressReporter,
) -> Result<RunSummary, RunPlanError> {
    // Claim the folder; settle the frames to write and the effort of the pictures
    let Plan { scene, mut runner, gauges, tessellation, mut pictures, efforts, outputs } = plan;
    let folder = RunFolder::claim(&settings.out, settings.policy, scene.resolved())?;
    let all = 0..runner.frame_count();
    let frames = settings.frames.clone().unwrap_or(all.clone());
    let frames = frames.start..frames.end.min(all.end);
    let is_resumed = settings.policy == OutputPolicy::Resume;
    let efforts = if settings.render { efforts } else { Vec::new() };
    let efforts =
        efforts::resolve(folder.root(), is_resumed, &mut pictures, &efforts).map_err(RunPlanError::Report)?;
    for (number, effort) in &efforts {
        let name = pictures.get(*number).map_or("", |picture| &picture.name);
        let origin = if is_resumed { "as chosen when the run began" } else { "chosen for this machine" };
        reporter.note(&format!("picture {name}: {effort}, {origin}"));
    }
    let rendered: &[PictureSpec] = if settings.render { &pictures } else { &[] };
    // Resume: restore the newest checkpoint before which no output is missing
    let kept_cache =
        if is_resumed && outputs.cache { cache_to_continue(&folder.cache(), &scene)? } else { None };
    let resumed = match settings.policy {
        OutputPolicy::Resume => {
            let mut complete = CompleteFrames::find(folder.root(), rendered, &outputs, &frames);
            if outputs.cache && kept_cache.is_none() {
                complete.ignore_cache();
            }
            resume(&folder, &scene, &mut runner, reporter, &complete)?
        }
        OutputPolicy::Fresh | OutputPolicy::Overwrite => None,
    };

    // The sinks: pictures, formats, cache
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

    // Simulate: `RunLog` writes the tables and checkpoints after every frame
    let seen = SeenVolumes::new(&tessellation);
    let mut log = RunLog {
        seen: &seen,
        drift: DriftWatch::default(),
        volumes: Vec::new(),
        notices: runner.waters().iter().map(|water| water.simulation.notices().len()).collect(),
        tables: RunTables::open(folder.root(), &runner, gauges, resumed)?,
        folder: &folder,
        scene: scene.resolved(),
        reporter: &mut *reporter,
        first: runner.frame() + u64::from(resumed.is_some()),
        last: frames.end.saturating_sub(1),
        started: Stopwatch::start(),
        simulation_seconds: 0.0,
        cells_advanced: 0,
        since_checkpoint: Stopwatch::start(),
        checkpoint_every: outputs.checkpoint_every,
        volume_error: 0.0,
        min_free_memory: settings.min_free_memory,
    };
    let capture = |runner: &Runner, request: &FrameRequest| {
        let frame = crate::capture(runner, request, &tessellation);
        seen.take(&frame, request);
        frame
    };
    let outcome = run(&mut runner, frames.clone(), resumed.is_some(), &capture, &mut sinks, &mut log)?;
    for sink in sinks {
        sink.finish().map_err(RunError::from)?;
    }

    // After the last frame: films, contact sheets and the report
    let mut done = RunSummary {
        outcome,
        films: Vec::new(),
        sheets: Vec::new(),
        report: None,
        volume_error: report::worst_volume_error(folder.root()).map_err(RunPlanError::Report)?,
        volumes: report::final_volumes(folder.root(), &runner).map_err(RunPlanError::Report)?,
        cache_bytes: cache.map_or(Ok(0), |cache| cache.size())?,
    };
    if outcome == Outcome::Finished {
        for (number, picture) in rendered.iter().enumerate().filter(|_| outputs.film) {
            let pictures = RunFolder::pictures(folder.root(), number, &picture.name);
            let film = RunFolder::film(folder.root(), number, &picture.name);
            make_film(&pictures, frames.clone(), scene.fps * outputs.speed, &film, reporter)?;
            done.films.push(film);
        }
        let times: Vec<(u64, f64)> = frames.clone().map(|frame| (frame, scene.frame_time(frame))).collect();
        for (number, picture) in rendered.iter().enumerate().filter(|_| outputs.sheet) {
            let pictures = RunFolder::pictures(folder.root(), number, &picture.name);
            let sheet = RunFolder::sheet(folder.root(), number, &picture.name);
            make_contact_sheet(&scene.name, &pictures, &times, &sheet)?;
            done.sheets.push(sheet);
        }
        let report = report::write(folder.root(), &scene, &runner, frames.start, rendered, &done);
        done.report = Some(report.map_err(RunPlanError::Report)?);
    }
    Ok(done)
}

/// The manifest of the cache of a run.
pub(crate) fn manifest_of(scene: &Scene) -> CacheManifest {
    CacheManifest {
        undine: crate::VERSION.to_owned(),
        name: scene.name.clone(),
        fps: scene.fps,
        scene: scene.resolved().to_owned(),
    }
}

/// The cache that a resumed run continues; `None` if it has no manifest, so that its frames are written again. A manifest
/// of another scene is refused rather than replaced, since it describes the frames that are there.
fn cache_to_continue(folder: &Path, scene: &Scene) -> Result<Option<Cache>, RunPlanError> {
    let manifest = manifest_of(scene);
    let reason = match Cache::open(folder) {
        Ok(cache) if cache.manifest().scene != manifest.scene => {
            checkpoint::first_difference(&cache.manifest().scene, &manifest.scene)
        }
        Ok(cache) if cache.manifest().fps != manifest.fps => {
            format!("it has {} frames per second, the scene now has {}", cache.manifest().fps, manifest.fps)
        }
        Ok(cache) => return Ok(Some(cache)),
        Err(CacheError::NotACache { .. }) => return Ok(None),
        Err(error) => error.to_string(),
    };
    Err(RunPlanError::OtherCache { reason })
}

/// Encodes the pictures of these frames as a film.
pub fn make_film(
    pictures: &Path,
    frames: impl Iterator<Item = u64>,
    fps: f64,
    film: &Path,
    reporter: &mut dyn ProgressReporter,
) -> Result<FilmSummary, undine_export::film::FilmError> {
    let files: Vec<PathBuf> = frames.map(|frame| PictureSink::file(pictures, frame)).collect();
    encode_film(&files, fps, film, FilmQuality::GOOD, |done, total| reporter.film(done, total))
}

/// Writes the tables and checkpoints of a run, and reports its progress.
struct RunLog<'a> {
    tables: RunTables,
    folder: &'a RunFolder,
    scene: &'a str,
    reporter: &'a mut dyn ProgressReporter,
    first: u64,
    last: u64,
    started: Stopwatch,
    /// Seconds of simulation, and cell updates in them.
    simulation_seconds: f64,
    cells_advanced: u64,
    since_checkpoint: Stopwatch,
    checkpoint_every: f64,
    volume_error: f64,
    min_free_memory: u64,
    seen: &'a SeenVolumes<'a>,
    drift: DriftWatch,
    /// Volumes of the waters at the last frame.
    volumes: Vec<WaterVolumes>,
    /// Notices of each water that were reported.
    notices: Vec<usize>,
}

impl RunLog<'_> {
    fn progress(&self, runner: &Runner) -> RunProgress {
        let frame = runner.frame();
        let done = (frame + 1).saturating_sub(self.first);
        let seconds_per_frame = self.started.seconds() / done.max(1) as f64;
        RunProgress {
            frame,
            frames: self.last + 1,
            seconds_left: seconds_per_frame * self.last.saturating_sub(frame) as f64,
            cells_per_second: if self.simulation_seconds > 0.0 {
                self.cells_advanced as f64 / self.simulation_seconds
            } else {
                0.0
            },
            volume_error: (!runner.waters().iter().all(|water| water.simulation.counts_particles()))
                .then_some(self.volume_error),
            held_and_seen: self.volumes.iter().fold(None, |sum: Option<[f64; 2]>, one| match one.seen {
                Some(seen) => sum.or(Some([0.0; 2])).map(|[held, all]| [held + one.held, all + seen]),
                None => sum,
            }),
        }
    }

    /// Reports what the waters have to tell, and drifts of the seen volume that last.
    fn report_warnings(&mut self, runner: &Runner) {
        for (number, water) in runner.waters().iter().enumerate() {
            let notices = water.simulation.notices();
            for notice in notices.iter().skip(self.notices[number]) {
                self.reporter.warn(&notice.text);
            }
            self.notices[number] = self.notices[number].max(notices.len());
            let volumes = self.volumes.get(number);
            let drift =
                volumes.and_then(|volumes| self.drift.warning(number, &water.name, runner.time(), volumes));
            if let Some(text) = drift {
                self.reporter.warn(&text);
            }
        }
    }

    /// Whether less than the minimum of memory is free, which is reported.
    fn is_short_of_memory(&mut self) -> bool {
        let Some(free) = crate::available_memory().filter(|free| *free < self.min_free_memory) else {
            return false;
        };
        let left = free >> 20;
        self.reporter.note(&format!(
            "memory is running out ({left} MiB free): stopped with a checkpoint; free some, then continue with --resume"
        ));
        true
    }

    /// Writes a checkpoint and removes all but this and the one before.
    fn checkpoint(&mut self, runner: &Runner) -> Result<(), CheckpointError> {
        let folder = self.folder.checkpoints();
        checkpoint::write(&folder.join(checkpoint::file_name(runner.frame())), self.scene, runner)?;
        for old in checkpoint::list(&folder).into_iter().skip(2) {
            // An old checkpoint that stays does no harm
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
        let to_run_error =
            |error: &dyn std::error::Error| RunError::Records(std::io::Error::other(error.to_string()));
        self.volumes = self.seen.measure(runner);
        self.tables.add(runner, stats, outputs, &self.volumes).map_err(|error| to_run_error(&error))?;
        self.report_warnings(runner);
        self.volume_error = self.volume_error.max(stats.volume_error);
        self.simulation_seconds += stats.seconds;
        self.cells_advanced += stats.steps * runner.cells() / runner.waters().len().max(1) as u64;
        self.reporter.frame(&self.progress(runner));

        let is_last = runner.frame() >= self.last;
        let should_stop = !is_last && (self.reporter.should_stop() || self.is_short_of_memory());
        if should_stop || is_last || self.since_checkpoint.seconds() >= self.checkpoint_every {
            self.checkpoint(runner).map_err(|error| to_run_error(&error))?;
        }
        Ok(if should_stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
