//! Frames to pictures on disk.

use std::path::{Path, PathBuf};

use undine_export::png::write_rgb8;
use undine_frame::{Frame, Sink, SinkError, Wants};
use undine_render::{PictureSpec, draw};

/// Draws every frame and writes it as a PNG.
pub struct PictureSink {
    spec: PictureSpec,
    folder: PathBuf,
}

impl PictureSink {
    /// Pictures as `spec` asks for them, into `folder`.
    pub fn new(spec: PictureSpec, folder: PathBuf) -> Self {
        PictureSink { spec, folder }
    }

    /// The file of a frame's picture.
    pub fn file(folder: &Path, frame: u64) -> PathBuf {
        folder.join(format!("{frame:06}.png"))
    }
}

impl Sink for PictureSink {
    fn name(&self) -> &'static str {
        "picture"
    }

    fn wants(&self) -> Wants {
        self.spec.wants()
    }

    fn write(&mut self, frame: &Frame) -> Result<(), SinkError> {
        let picture = draw(&self.spec, frame).map_err(|error| SinkError::Unsuited(error.to_string()))?;
        let path = PictureSink::file(&self.folder, frame.index);
        write_rgb8(&path, picture.width, picture.height, &picture.rgb)
            .map_err(|error| SinkError::Unsuited(error.to_string()))
    }
}
