//! The sink that draws frames and writes pictures.

use std::path::{Path, PathBuf};

use undine_export::exr::write_passes;
use undine_export::png::write_rgb8;
use undine_frame::{Frame, FrameRequest, Sink, SinkError};
use undine_render::{PictureSpec, PictureWithPasses, draw_with_passes};

/// Draws every frame and writes it as PNG, with its render passes, if any, as an EXR of the same name.
pub struct PictureSink {
    spec: PictureSpec,
    folder: PathBuf,
}

impl PictureSink {
    /// A sink for pictures of this specification, into `folder`.
    pub fn new(spec: PictureSpec, folder: PathBuf) -> Self {
        PictureSink { spec, folder }
    }

    /// The specification, which may change between frames.
    pub fn spec_mut(&mut self) -> &mut PictureSpec {
        &mut self.spec
    }

    /// The file of a frame's picture.
    pub fn file(folder: &Path, frame: u64) -> PathBuf {
        folder.join(format!("{frame:06}.png"))
    }

    /// Draws a frame into a file, with its render passes, if any, beside it.
    pub fn write_to(&self, frame: &Frame, path: &Path) -> Result<(), SinkError> {
        let drawn = draw_with_passes(&self.spec, frame);
        let PictureWithPasses { picture, passes } =
            drawn.map_err(|error| SinkError::Unsuited(error.to_string()))?;
        if !passes.is_empty() {
            let file = path.with_extension("exr");
            write_passes(&file, &passes, frame.time).map_err(SinkError::at(&file))?;
        }
        write_rgb8(path, picture.width, picture.height, &picture.rgb)
            .map_err(|error| SinkError::Unsuited(error.to_string()))
    }
}

impl Sink for PictureSink {
    fn name(&self) -> &'static str {
        "picture"
    }

    fn request(&self) -> FrameRequest {
        self.spec.request()
    }

    fn write(&mut self, frame: &Frame) -> Result<(), SinkError> {
        self.write_to(frame, &PictureSink::file(&self.folder, frame.index))
    }
}
