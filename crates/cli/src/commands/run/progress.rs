//! The progress bar of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressStyle;
use undine::{ProgressReporter, RunProgress};

use crate::terminal::{amount, print_error, seconds};

/// Shows frame, time left, cells per second and volume error: as a bar on a terminal, else as a line every few seconds.
pub struct RunProgressBar {
    bar: indicatif::ProgressBar,
    stop: Arc<AtomicBool>,
    filming: Arc<AtomicBool>,
    last_line: Option<Instant>,
}

impl RunProgressBar {
    /// A bar for a run that stops when `stop` is set.
    pub fn new(stop: Arc<AtomicBool>) -> RunProgressBar {
        let bar = indicatif::ProgressBar::new(0);
        let style = ProgressStyle::with_template("{prefix:>8} {wide_bar:.cyan/blue} {pos}/{len}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix("water");
        RunProgressBar { bar, stop, filming: Arc::default(), last_line: None }
    }

    /// A flag that is set while a film is encoded.
    pub fn is_filming(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.filming)
    }

    /// Shows that `done` of `total` pictures or films are finished.
    pub fn step(&mut self, what: &'static str, done: usize, total: usize) {
        self.bar.set_prefix(what);
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{} left", seconds(self.bar.eta().as_secs_f64())));
        self.line(&format!("{what} {done}/{total}"), done == total);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// A line for logs and pipes, at most every five seconds.
    fn line(&mut self, text: &str, is_last: bool) {
        let is_due = self.last_line.is_none_or(|last| last.elapsed() > Duration::from_secs(5));
        if self.bar.is_hidden() && (is_due || is_last) {
            print_error(text);
            self.last_line = Some(Instant::now());
        }
    }
}

/// The error of the ledger, unless particles are merely counted, and the seen volume of liquids.
fn volume(progress: &RunProgress) -> String {
    let error = progress.volume_error.map(|error| format!("volume error {error:.1e}"));
    let seen = progress.held_and_seen.map(|[held, seen]| {
        let drift = if held > 0.0 { 100.0 * (seen / held - 1.0) } else { 0.0 };
        format!("held {held:.4} m³, seen {drift:+.1} %")
    });
    error.into_iter().chain(seen).collect::<Vec<_>>().join(" · ")
}

impl ProgressReporter for RunProgressBar {
    fn frame(&mut self, progress: &RunProgress) {
        let text = match progress.cells_per_second > 0.0 {
            true => format!(
                "{} left · {}cells/s · {}",
                seconds(progress.seconds_left),
                amount(progress.cells_per_second),
                volume(progress)
            ),
            false => format!("{} left", seconds(progress.seconds_left)),
        };
        self.bar.set_length(progress.frames);
        self.bar.set_position(progress.frame + 1);
        self.line(
            &format!("frame {}/{} · {text}", progress.frame + 1, progress.frames),
            progress.frame + 1 == progress.frames,
        );
        self.bar.set_message(text);
    }

    fn film(&mut self, done: usize, total: usize) {
        self.filming.store(done < total, Ordering::SeqCst);
        self.step("film", done, total);
    }

    fn note(&mut self, text: &str) {
        self.bar.suspend(|| print_error(format_args!("note: {text}")));
    }

    fn warn(&mut self, text: &str) {
        self.bar.suspend(|| print_error(format_args!("warning: {text}")));
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
