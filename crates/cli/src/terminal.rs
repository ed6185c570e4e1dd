//! Output of the command line: exit codes, formatted numbers, JSON lines.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use undine::OpenError;
use undine::export::cache::CacheError;
use undine::scene::{Problem, SceneErrors};
use undine_checks::terminal::exit_with;

pub use undine_checks::terminal::{print_error, print_line};

/// Why a command failed, which determines its exit code.
#[derive(Debug)]
pub enum CommandError {
    /// A run, an output or a file failed: 1.
    Failed(anyhow::Error),
    /// The command line or the scene is wrong: 2.
    Wrong(String),
    /// Stopped by Ctrl-C: 130.
    Interrupted,
}

impl CommandError {
    /// Prints the reason on standard error and returns the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            CommandError::Failed(error) => exit_with(1, format_args!("{error:#}")),
            CommandError::Wrong(message) => exit_with(2, message),
            CommandError::Interrupted => ExitCode::from(130),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        let error = error.into();
        let is_no_cache = matches!(error.downcast_ref(), Some(CacheError::NotACache { .. }));
        if error.is::<SceneErrors>() || error.is::<OpenError>() || is_no_cache {
            CommandError::Wrong(format!("{error:#}"))
        } else {
            CommandError::Failed(error)
        }
    }
}

/// Limit on the width of a line of a list.
#[cfg(test)]
pub const MAX_COLUMNS: usize = 100;

/// A table as text, each column as wide as its widest cell.
pub fn aligned<const COLUMNS: usize>(rows: &[[&str; COLUMNS]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |row: &[&str; COLUMNS]| {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Prints a hint about the next command, on a terminal only; a pipe gets only the result.
pub fn hint(text: &str) {
    if std::io::stdout().is_terminal() {
        print_line(format_args!("\n{text}"));
    }
}

/// Prints one JSON value on a line.
pub fn print_json(value: &serde_json::Value) {
    print_line(value);
}

/// A path as text for JSON.
pub fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Paths for JSON.
pub fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| text(path)).collect()
}

/// A problem of a scene as JSON.
pub fn problem_json(problem: &Problem) -> serde_json::Value {
    let place = problem.place.as_ref();
    serde_json::json!({
        "message": problem.message,
        "remedy": problem.remedy,
        "file": place.map(|place| &place.source),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
    })
}

/// 1536 → "1.5 KiB".
pub fn bytes(count: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = (count.max(1).ilog2() / 10).min(4);
    let value = count as f64 / (1u64 << (10 * power)) as f64;
    if power == 0 { format!("{count} B") } else { format!("{value:.1} {}", units[power as usize]) }
}

/// 75.0 → "1 min 15 s".
pub fn seconds(time: f64) -> String {
    match time {
        time if !time.is_finite() => "unknown".to_owned(),
        time if time < 1.0 => format!("{:.0} ms", time * 1e3),
        time if time < 60.0 => format!("{time:.1} s"),
        time if time < 3600.0 => format!("{:.0} min {:02.0} s", (time / 60.0).floor(), time % 60.0),
        time => format!("{:.0} h {:02.0} min", (time / 3600.0).floor(), (time % 3600.0 / 60.0).floor()),
    }
}

/// 12_300_000.0 → "12.3 M".
pub fn amount(value: f64) -> String {
    match value {
        value if value >= 1e9 => format!("{:.1} G", value / 1e9),
        value if value >= 1e6 => format!("{:.1} M", value / 1e6),
        value if value >= 1e3 => format!("{:.1} k", value / 1e3),
        value => format!("{value:.0} "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        assert_eq!(aligned(&[["a", "bé", "long"], ["abc", "d", ""]]), "a    bé  long\nabc  d");
        assert_eq!(aligned::<2>(&[]), "");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
        assert_eq!(seconds(75.0), "1 min 15 s");
        assert_eq!(seconds(f64::INFINITY), "unknown");
        assert_eq!(amount(12_300_000.0), "12.3 M");
    }
}
