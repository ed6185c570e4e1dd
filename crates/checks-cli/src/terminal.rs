//! Exit codes and progress of the program.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::ProgressStyle;
use undine_checks::terminal::{exit_with, print_error, print_line};
use undine_scene::SceneErrors;

/// Why a command failed, which determines its exit code.
#[derive(Debug)]
pub enum CheckFailure {
    /// A measurement failed: 1.
    Failed(anyhow::Error),
    /// The command line or a scene is wrong: 2.
    Wrong(String),
    /// Checks slipped, are broken or are short, which has been printed: 3 or 4.
    ChecksFailed(u8),
}

impl CheckFailure {
    /// Prints the reason on standard error and returns the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            CheckFailure::Failed(error) => exit_with(1, format_args!("{error:#}")),
            CheckFailure::Wrong(message) => exit_with(2, message),
            CheckFailure::ChecksFailed(code) => ExitCode::from(code),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for CheckFailure {
    fn from(error: E) -> CheckFailure {
        let error = error.into();
        match error.is::<SceneErrors>() {
            true => CheckFailure::Wrong(format!("{error:#}")),
            false => CheckFailure::Failed(error),
        }
    }
}

/// Prints names: one per line, or as a JSON array.
pub fn print_names(names: &[&str], json: bool) {
    if json {
        return print_line(serde_json::Value::from(names));
    }
    names.iter().for_each(print_line);
}

/// Number of cases done: a bar on a terminal, a line every few seconds elsewhere.
pub struct CaseProgress {
    bar: indicatif::ProgressBar,
    last_line: Option<Instant>,
}

impl CaseProgress {
    /// An empty bar.
    pub fn new() -> CaseProgress {
        let bar = indicatif::ProgressBar::new(0);
        let style = ProgressStyle::with_template("{prefix:>8} {wide_bar:.cyan/blue} {pos}/{len}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        CaseProgress { bar, last_line: None }
    }

    /// Shows that `done` of `total` are done.
    pub fn step(&mut self, what: &'static str, done: usize, total: usize) {
        self.bar.set_prefix(what);
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{:.0} s left", self.bar.eta().as_secs_f64()));
        let is_due = self.last_line.is_none_or(|last| last.elapsed() > Duration::from_secs(5));
        if self.bar.is_hidden() && (is_due || done == total) {
            print_error(format_args!("{what} {done}/{total}"));
            self.last_line = Some(Instant::now());
        }
    }

    /// Prints something without breaking the bar.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
