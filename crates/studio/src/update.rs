//! Updates from the session to the window.

use std::collections::VecDeque;
use std::sync::Arc;

use undine::Frame;
use undine::render::Picture;
use undine::scene::{Scene, SourceLocation};
use undine::sim::{Budget, Count, FieldInfo, SectionReader};

use crate::request::{CpuRender, SceneSource};

/// Frames that the plots keep.
pub const HISTORY_FRAMES: usize = 2000;

/// The state of the session, as the window sees it.
#[derive(Clone, Default)]
pub struct SessionUpdate {
    /// Sequence number.
    pub number: u64,
    /// The open scene; `None` before the first one has been opened.
    pub open: Option<Arc<OpenScene>>,
    /// The captured frame of each run: one, or two side by side.
    pub frames: Vec<Arc<Frame>>,
    /// Those pictures of [`crate::request::DisplayRequest::pictures`] that could be rendered.
    pub pictures: Vec<CpuPicture>,
    /// Statistics of each run.
    pub runs: Vec<RunStatus>,
    /// Whether it is running.
    pub is_playing: bool,
    /// Requested speed: simulated seconds per second of wall-clock time.
    pub speed: f64,
    /// Actions applied so far.
    pub actions: usize,
    /// Undo groups that can be undone.
    pub undo: usize,
    /// Undo groups that can be redone.
    pub redo: usize,
    /// The last message to the user.
    pub message: Option<Message>,
    /// An export in progress: its label and the fraction done.
    pub export: Option<(String, f32)>,
    /// The scene file including all actions so far.
    pub script: Arc<str>,
}

/// A picture that the session has rendered on the CPU.
#[derive(Clone)]
pub struct CpuPicture {
    /// What was requested.
    pub request: CpuRender,
    /// The picture.
    pub picture: Arc<Picture>,
    /// Lowest and highest corner of what it shows, in metres, if it is a page.
    pub window: Option<[[f64; 2]; 2]>,
}

/// A scene that is open.
#[derive(Clone)]
pub struct OpenScene {
    /// Where it came from.
    pub source: SceneSource,
    /// The scene including all edits.
    pub scene: Scene,
    /// The sections that its waters read, with the dimension of each water: found once for each `scene`.
    pub readers: Vec<SectionReader>,
    /// The fields that its waters offer.
    pub fields: Vec<FieldInfo>,
    /// Whether any of them has a surface in space.
    pub has_surface: bool,
    /// Models that read the same sections and can run the same scene.
    pub comparable_models: Vec<&'static str>,
    /// The model that runs beside the first.
    pub compared_model: Option<&'static str>,
}

/// Statistics of a run.
#[derive(Debug, Clone, Default)]
pub struct RunStatus {
    /// The model, or the names of several.
    pub model: String,
    /// Index of the current frame.
    pub frame: u64,
    /// Its time in seconds.
    pub time: f64,
    /// Frames of the whole scene.
    pub frame_count: u64,
    /// Cells and particles.
    pub count: Count,
    /// Time steps since the start.
    pub steps: u64,
    /// Seconds of computing for the last frame.
    pub compute_seconds: f64,
    /// Frames per second of wall-clock time, averaged over recent frames.
    pub frames_per_second: f64,
    /// Time steps per second of computing, averaged over recent frames.
    pub steps_per_second: f64,
    /// The sum of the budgets of all waters.
    pub budget: Budget,
    /// Largest relative error of a volume ledger in the last frame.
    pub volume_error: f64,
    /// Measurements of the frames so far.
    pub history: Arc<History>,
}

/// Time series for the plots.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// One per plotted quantity: volume, energies, divergence, gauges.
    pub columns: Vec<HistoryColumn>,
    /// Times of the frames in seconds.
    pub times: VecDeque<f64>,
    /// Seconds per phase of a step: the name and one value per frame.
    pub phases: Vec<(String, VecDeque<f64>)>,
}

/// A quantity over time.
#[derive(Debug, Clone, Default)]
pub struct HistoryColumn {
    /// The plot it belongs to: `volume`, `energy`, `divergence`, or the name of a gauge.
    pub plot: String,
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// One value per frame.
    pub values: VecDeque<f64>,
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Sequence number.
    pub number: u64,
    /// Its severity.
    pub kind: MessageKind,
    /// The text.
    pub text: String,
    /// Diagnostics for the editor: a place in the scene file and the problem there.
    pub places: Vec<(SourceLocation, String)>,
}

/// Severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// A request was carried out.
    Note,
    /// A request was carried out differently, such as with a restart.
    Warning,
    /// A request failed.
    Error,
}
