//! What the water tells the window.

use std::collections::VecDeque;
use std::sync::Arc;

use undine::Frame;
use undine::render::Picture;
use undine::scene::{Place, Scene};
use undine::sim::{Budget, Count, FieldInfo, SectionReader};

use crate::order::Source;

/// How many frames the plots look back.
pub const REMEMBERED: usize = 2000;

/// Everything that the window knows of the water at one moment.
#[derive(Clone, Default)]
pub struct News {
    /// Counts the news, so that old ones are told from new ones.
    pub number: u64,
    /// The scene that is open; `None` before the first, or when it could not be opened.
    pub open: Option<Arc<Opened>>,
    /// What is to be seen of each run: one, or two side by side.
    pub frames: Vec<Arc<Frame>>,
    /// Pictures that were asked for, in that order; `None` for one that could not be drawn.
    pub pictures: Vec<Option<Arc<Picture>>>,
    /// Numbers of each run.
    pub runs: Vec<RunNews>,
    /// Whether it is running.
    pub is_playing: bool,
    /// Times as fast as the scene's own clock that is asked for.
    pub speed: f64,
    /// How many actions have been done, and how many strokes can be taken back and done again.
    pub actions: usize,
    /// Strokes that can be taken back.
    pub undo: usize,
    /// Strokes that can be done again.
    pub redo: usize,
    /// Something to tell the person, with a number that changes when it is said anew.
    pub message: Option<Message>,
    /// A film or picture that is being made: what, and the share that is done.
    pub export: Option<(String, f32)>,
    /// The scene file that does everything again, as it is now. Kept up while nothing runs and when something is done.
    pub script: Arc<str>,
}

/// A scene that is open.
#[derive(Clone)]
pub struct Opened {
    /// Where it came from.
    pub source: Source,
    /// The scene as it is now, with the changes made by hand.
    pub scene: Scene,
    /// The sections that its waters read, with the dimension of each water: found once for each `scene`.
    pub readers: Vec<SectionReader>,
    /// The names of the fields that its waters show.
    pub fields: Vec<FieldInfo>,
    /// Whether any of them has a surface in space.
    pub has_surface: bool,
    /// Models that read the same sections and can run the same scene.
    pub comparable_models: Vec<&'static str>,
    /// The model that runs beside the first, for comparison.
    pub compared_model: Option<&'static str>,
}

/// Numbers of a run.
#[derive(Debug, Clone, Default)]
pub struct RunNews {
    /// The model, or the names of several.
    pub model: String,
    /// The frame that has been reached.
    pub frame: u64,
    /// Its time in seconds.
    pub time: f64,
    /// Frames of the whole scene.
    pub frame_count: u64,
    /// Cells and particles.
    pub count: Count,
    /// Steps taken since the start.
    pub steps: u64,
    /// Seconds that the last frame took to compute.
    pub compute_seconds: f64,
    /// Frames computed per second on the clock, lately.
    pub frames_per_second: f64,
    /// Steps computed per second of computing, lately.
    pub steps_per_second: f64,
    /// The budget of all waters together.
    pub budget: Budget,
    /// Largest relative error of a volume ledger in the last frame.
    pub volume_error: f64,
    /// What was measured in the frames so far.
    pub history: Arc<History>,
}

/// Numbers of frames past, for plots.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Names of the columns after the time: volume, energies, divergence, gauges.
    pub columns: Vec<Column>,
    /// Times of the frames in seconds.
    pub times: VecDeque<f64>,
    /// Seconds per phase of computing: the name and one number per frame.
    pub phases: Vec<(String, VecDeque<f64>)>,
}

/// One number over time.
#[derive(Debug, Clone, Default)]
pub struct Column {
    /// Which plot it belongs to: `volume`, `energy`, `divergence`, or the name of a gauge.
    pub plot: String,
    /// Its own name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// One number per frame.
    pub values: VecDeque<f64>,
}

/// Something told to the person.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Changes with every message.
    pub number: u64,
    /// What kind of message it is.
    pub kind: MessageKind,
    /// The text.
    pub text: String,
    /// Places in the scene file that it is about, for the editor: the place and what is wrong there.
    pub places: Vec<(Place, String)>,
}

/// What kind of message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// Something was done.
    Note,
    /// Something was done otherwise than asked, such as with a new start.
    Warning,
    /// Something could not be done.
    Error,
}
