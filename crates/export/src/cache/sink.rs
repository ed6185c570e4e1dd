//! The sink that caches every n-th frame of a run.

use undine_frame::{Frame, FrameRequest, Schedule, Sink, SinkError};

use super::Cache;

/// Stores frames in a cache.
pub struct CacheSink {
    cache: Cache,
    every: u64,
}

impl CacheSink {
    /// A sink that stores every `every`-th frame.
    pub fn new(cache: Cache, every: u64) -> Self {
        CacheSink { cache, every }
    }
}

impl Sink for CacheSink {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn due(&self) -> Schedule {
        Schedule::Every(self.every)
    }

    fn request(&self) -> FrameRequest {
        // Meshes are tessellated again from the shapes
        FrameRequest { meshes: false, liquid_meshes: false, ..FrameRequest::ALL }
    }

    fn write(&mut self, frame: &Frame) -> Result<(), SinkError> {
        self.cache.write(frame)?;
        Ok(())
    }
}
