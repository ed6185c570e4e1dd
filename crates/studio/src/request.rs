//! Requests from the window to the session.

use std::path::PathBuf;

use undine::FrameRequest;
use undine::scene::Edit;
use undine::sim::ActionKind;

/// Where a scene comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SceneSource {
    /// A bundled scene, by its name.
    Bundled(String),
    /// A file on disk.
    File(PathBuf),
    /// A text from the editor or from a file that was dropped on the window.
    Text {
        /// Its name.
        name: String,
        /// The scene file.
        text: String,
        /// The bundled scene or file relative to which the files named in the text are resolved.
        relative_to: Option<Box<SceneSource>>,
    },
}

impl SceneSource {
    /// The name to show.
    pub fn name(&self) -> String {
        match self {
            SceneSource::Bundled(name) | SceneSource::Text { name, .. } => name.clone(),
            SceneSource::File(path) => path.display().to_string(),
        }
    }
}

/// A request to the session. Requests are carried out in the order in which they are sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Open a scene at its first frame.
    Open(SceneSource),
    /// Run or pause.
    Play(bool),
    /// Advance by one frame and pause.
    Step,
    /// Restart without the interactive actions.
    Reset,
    /// Restart and repeat all interactive actions at their times.
    Replay,
    /// Simulated seconds per second of wall-clock time; infinite for no limit.
    Speed(f64),
    /// Disturb the water or edit the scene while it runs.
    Apply(ActionKind),
    /// Actions from here to the next request of this kind are undone together.
    BeginUndoGroup,
    /// Edit the scene: while it runs if every key is live, else with a restart.
    Edit(Edit),
    /// Several edits that are undone together.
    EditAll(Vec<Edit>),
    /// Undo the last group: restores the snapshot taken before it.
    Undo,
    /// Redo the last group that was undone.
    Redo,
    /// Run another model on the same scene beside the first; `None` to stop it.
    Compare(Option<String>),
    /// What the panes show; nothing else is captured.
    Display(DisplayRequest),
    /// Write a scene file that includes all actions.
    SaveScene(PathBuf),
    /// Write files of the current frame, or a film of the whole scene.
    Export(Export),
    /// Cancel a film in progress.
    StopExport,
}

/// What the panes show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DisplayRequest {
    /// The parts of a frame to capture.
    pub frame: FrameRequest,
    /// Whether max |∇·u| is recorded for its plot: a pass over all cells.
    pub has_divergence: bool,
    /// Pictures rendered on the CPU: one per pane without a GPU, or with a picture that the GPU cannot render.
    pub pictures: Vec<CpuRender>,
}

impl DisplayRequest {
    /// Surfaces, bodies and particles, without fields.
    pub fn surfaces() -> DisplayRequest {
        let frame = FrameRequest { surfaces: true, clouds: true, ..FrameRequest::default() };
        DisplayRequest { frame, ..DisplayRequest::default() }
    }

    /// The union of two requests.
    pub fn or(mut self, other: DisplayRequest) -> DisplayRequest {
        self.frame = self.frame.or(other.frame);
        self.has_divergence |= other.has_divergence;
        self.pictures.extend(other.pictures);
        self
    }
}

/// A picture that the session renders on the CPU, where there is no GPU or where it cannot render the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuRender {
    /// Index of the run.
    pub run: usize,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Eye and target in metres and the vertical field of view in degrees; `None` for the camera of the scene.
    pub eye: Option<([f32; 3], [f32; 3], f32)>,
}

/// What is exported.
#[derive(Debug, Clone, PartialEq)]
pub enum Export {
    /// Meshes or maps of the current frame, in a format of `undine::export::FORMATS`.
    Frame {
        /// Name of the format.
        format: String,
        /// The folder.
        to: PathBuf,
    },
    /// The first picture of the scene, of the current frame.
    Still {
        /// The file.
        to: PathBuf,
    },
    /// A run from the first frame, with all actions, into a run folder: film, report, cache.
    Film {
        /// The folder.
        to: PathBuf,
        /// Whether traced pictures are drawn by the preview rasteriser instead.
        is_preview: bool,
    },
}
