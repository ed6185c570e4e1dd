//! What the window asks of the water.

use std::path::PathBuf;

use undine::FrameRequest;
use undine::scene::Edit;
use undine::sim::ActionKind;

/// Where a scene comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A scene that comes with Undine, by its name.
    Bundled(String),
    /// A file on disk.
    File(PathBuf),
    /// A text that was typed or loaded, under a name; the bundled scene or folder that it came from lends it its files.
    Text {
        /// What it is called.
        name: String,
        /// The scene file.
        text: String,
        /// Where the files that it names are looked for.
        beside: Option<Box<Source>>,
    },
}

impl Source {
    /// The name to show.
    pub fn name(&self) -> String {
        match self {
            Source::Bundled(name) | Source::Text { name, .. } => name.clone(),
            Source::File(path) => path.display().to_string(),
        }
    }
}

/// One wish of the window. Orders are done in the order in which they are given.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Open a scene, and stand at its first frame.
    Open(Source),
    /// Run, or stand still.
    Play(bool),
    /// Go on by one frame and stand still.
    Step,
    /// Begin again, without what was done by hand.
    Reset,
    /// Begin again and do everything again that was done by hand.
    Replay,
    /// Run this many times as fast as the scene's own clock; infinite for as fast as it goes.
    Speed(f64),
    /// Disturb the water or change the scene while it runs.
    Act(ActionKind),
    /// Actions from here on belong together, until the next such order: they are taken back together.
    BeginStroke,
    /// Change the scene: while it runs if it can be, else with a new start.
    Change(Edit),
    /// Several changes that belong together.
    ChangeAll(Vec<Edit>),
    /// Take back the last action or stroke: the water returns to the moment before it.
    Undo,
    /// Do again what was taken back.
    Redo,
    /// Run another model on the same scene beside the first, or no longer.
    Compare(Option<String>),
    /// What the panes show, so that nobody makes what nobody looks at.
    Want(Wanted),
    /// Write a scene file that does everything again.
    SaveScene(PathBuf),
    /// Write something of the present frame, or a film of the whole.
    Export(Export),
    /// Stop a film that is being made.
    StopExport,
}

/// What the panes look at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wanted {
    /// The parts of a frame that they show.
    pub frame: FrameRequest,
    /// The greatest divergence, for its plot: a pass over all cells.
    pub has_divergence: bool,
    /// Pictures drawn without a graphics card, for each pane.
    pub pictures: Vec<CpuRender>,
}

impl Wanted {
    /// Surfaces, bodies and particles, without fields.
    pub fn surfaces() -> Wanted {
        let frame = FrameRequest { surfaces: true, clouds: true, ..FrameRequest::default() };
        Wanted { frame, ..Wanted::default() }
    }

    /// What is wanted here or there.
    pub fn or(mut self, other: Wanted) -> Wanted {
        self.frame = self.frame.or(other.frame);
        self.has_divergence |= other.has_divergence;
        self.pictures.extend(other.pictures);
        self
    }
}

/// A picture that the water's own thread draws, where there is no graphics card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuRender {
    /// Which of the runs.
    pub run: usize,
    /// Pixels along and down.
    pub size: [u32; 2],
    /// Eye and target, in metres, and the vertical angle of view in degrees; `None` for the scene's own.
    pub eye: Option<([f32; 3], [f32; 3], f32)>,
}

/// What can be written.
#[derive(Debug, Clone, PartialEq)]
pub enum Export {
    /// The meshes or maps of the present frame, in a format of `undine::export::FORMATS`.
    Frame {
        /// Name of the format.
        format: String,
        /// The folder or file.
        to: PathBuf,
    },
    /// The pictures that the scene asks for, of the present frame.
    Still {
        /// The file.
        to: PathBuf,
    },
    /// A run from the first frame, with everything done by hand, into a folder: film, report and all.
    Film {
        /// The folder.
        to: PathBuf,
        /// Whether paths of light are left out for speed.
        is_preview: bool,
    },
}
