//! The sink that exports every n-th frame of a run.

use std::path::PathBuf;

use undine_frame::{Frame, FrameRequest, Schedule, Sink, SinkError};

use crate::formats::{ExportFormat, Options};

/// Exports frames to one format, into a folder of its own: `<folder>/000012-water.ply`.
pub struct FormatSink {
    format: &'static ExportFormat,
    folder: PathBuf,
    every: u64,
    options: Options,
    frames: u64,
    files: u64,
}

impl FormatSink {
    /// A sink that writes every `every`-th frame below `out`, in a folder named after the format.
    pub fn new(format: &'static ExportFormat, out: impl Into<PathBuf>, every: u64, options: Options) -> Self {
        let folder = out.into().join(format.name);
        FormatSink { format, folder, every, options, frames: 0, files: 0 }
    }
}

impl Sink for FormatSink {
    fn name(&self) -> &'static str {
        self.format.name
    }

    fn due(&self) -> Schedule {
        Schedule::Every(self.every)
    }

    fn request(&self) -> FrameRequest {
        self.format.request.clone()
    }

    fn write(&mut self, frame: &Frame) -> Result<(), SinkError> {
        let stem = self.folder.join(format!("{:06}", frame.index));
        self.files += self.format.write(frame, &stem, &self.options)?.len() as u64;
        self.frames += 1;
        Ok(())
    }

    /// Returns an error when frames were written but none held anything for the format, so that no file exists.
    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        let (name, frames) = (self.format.name, self.frames);
        if frames > 0 && self.files == 0 {
            let holds = self.format.summary;
            return Err(SinkError::Unsuited(format!("{frames} frames had nothing for {name} ({holds})")));
        }
        Ok(())
    }
}
