//! What is printed, and the code that the program ends with: as `undine` does.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::ProgressStyle;
use undine_scene::SceneErrors;

/// Why a command ends early, and the code it ends with.
#[derive(Debug)]
pub enum Exit {
    /// A measurement failed: 1.
    Failed(anyhow::Error),
    /// The command line or a scene is wrong: 2.
    Wrong(String),
    /// A validation check failed; everything has been said: 3.
    ChecksFailed,
}

impl Exit {
    /// Says why on standard error and gives the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Exit::Failed(error) => {
                complain(format_args!("{} {error:#}", error_mark()));
                ExitCode::from(1)
            }
            Exit::Wrong(message) => {
                complain(format_args!("{} {message}", error_mark()));
                ExitCode::from(2)
            }
            Exit::ChecksFailed => ExitCode::from(3),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Exit {
    fn from(error: E) -> Exit {
        let error = error.into();
        if error.is::<SceneErrors>() { Exit::Wrong(format!("{error:#}")) } else { Exit::Failed(error) }
    }
}

fn error_mark() -> &'static str {
    if std::io::stderr().is_terminal() { "\x1b[1;31merror:\x1b[0m" } else { "error:" }
}

/// Prints a line. A reader that has gone away is no error; a disk that is full is one.
pub fn say(text: impl Display) {
    if let Err(error) = writeln!(std::io::stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
    {
        complain(format_args!("{} cannot write the result: {error}", error_mark()));
        std::process::exit(1);
    }
}

/// Prints names: one a line, or as a JSON array.
pub fn say_list(names: &[&str], json: bool) {
    if json {
        return say(serde_json::Value::from(names));
    }
    names.iter().for_each(say);
}

/// Says something on standard error. When even that fails there is nobody to tell.
fn complain(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// How many cases are done: a bar on a terminal, a line now and then elsewhere.
pub struct ProgressBar {
    bar: indicatif::ProgressBar,
    last_line: Option<Instant>,
}

impl ProgressBar {
    /// An empty bar.
    pub fn new() -> ProgressBar {
        let bar = indicatif::ProgressBar::new(0);
        let style = ProgressStyle::with_template("{prefix:>8} {wide_bar:.cyan/blue} {pos}/{len}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        ProgressBar { bar, last_line: None }
    }

    /// So many are done.
    pub fn step(&mut self, what: &'static str, done: usize, total: usize) {
        self.bar.set_prefix(what);
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{:.0} s left", self.bar.eta().as_secs_f64()));
        let is_due = self.last_line.is_none_or(|last| last.elapsed() > Duration::from_secs(5));
        if self.bar.is_hidden() && (is_due || done == total) {
            complain(format_args!("{what} {done}/{total}"));
            self.last_line = Some(Instant::now());
        }
    }

    /// Prints something without breaking the bar.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Leaves the terminal clean.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
