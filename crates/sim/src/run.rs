//! The time loop.

use std::ops::{ControlFlow, Range};

use undine_frame::{Frame, FrameRequest, Sink, SinkError};

use crate::{FrameStats, Phases, Runner, StepFailure, Stopwatch};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The last frame was reached.
    Finished,
    /// The observer asked to stop; everything up to this frame is written.
    Stopped {
        /// The last frame that is whole.
        frame: u64,
    },
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The physics failed.
    #[error(transparent)]
    Step(#[from] StepFailure),
    /// An output could not be written.
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// A checkpoint, metric or other record could not be written.
    #[error("cannot keep the records of the run: {0}")]
    Records(#[from] std::io::Error),
}

/// Watches a run: progress, metrics, checkpoints, Ctrl-C.
pub trait Observer {
    /// Called after every frame has been given to all sinks. `stats` is what it took to get there, and `outputs`
    /// where the time went afterwards. `Break` ends the run here.
    fn after_frame(
        &mut self,
        runner: &Runner,
        stats: &FrameStats,
        outputs: &Phases,
    ) -> Result<ControlFlow<()>, RunError>;
}

/// Advances `runner` from where it is to the end of `frames` and gives every frame in `frames` to the sinks.
///
/// `capture` turns what the waters show into a [`Frame`] with the parts that are wanted. With `is_resumed`, the frame
/// at which the runner stands has been written before and is not written again.
pub fn run(
    runner: &mut Runner,
    frames: Range<u64>,
    is_resumed: bool,
    capture: &dyn Fn(&Runner, &FrameRequest) -> Frame,
    sinks: &mut [Box<dyn Sink>],
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    let mut stats = runner.empty_stats();
    let mut is_written = is_resumed;
    loop {
        if !is_written {
            let mut outputs = Phases::default();
            if frames.contains(&runner.frame()) {
                write_frame(runner, capture, sinks, &mut outputs)?;
            }
            if observer.after_frame(runner, &stats, &outputs)?.is_break() {
                return Ok(Outcome::Stopped { frame: runner.frame() });
            }
        }
        if runner.frame() + 1 >= frames.end {
            return Ok(Outcome::Finished);
        }
        stats = runner.next_frame()?;
        is_written = false;
    }
}

/// Captures the frame once, with all that the sinks due now want, and gives it to each of them.
fn write_frame(
    runner: &Runner,
    capture: &dyn Fn(&Runner, &FrameRequest) -> Frame,
    sinks: &mut [Box<dyn Sink>],
    outputs: &mut Phases,
) -> Result<(), RunError> {
    let is_due = |sink: &dyn Sink| sink.due().includes(runner.frame());
    let due = sinks.iter().filter(|sink| is_due(sink.as_ref()));
    let request = due.fold(FrameRequest::default(), |request, sink| request.or(sink.request()));
    let frame = outputs.time("surface", || capture(runner, &request));
    for sink in sinks.iter_mut().filter(|sink| is_due(sink.as_ref())) {
        let watch = Stopwatch::start();
        sink.write(&frame)?;
        outputs.add(sink.name(), watch.seconds());
    }
    Ok(())
}
