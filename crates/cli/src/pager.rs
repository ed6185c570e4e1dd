//! Long pages go through a pager when standard output is a terminal.
//!
//! The pager is `$UNDINE_PAGER`, else `$PAGER`, else `less`, else `more`. A page that fits the terminal is printed at
//! once, and so is every page with `--no-pager`, with a pager that is empty or `cat`, and into a pipe or a file.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use crate::terminal::{print_error, print_line};

/// Pager flags, for the commands that print long pages.
#[derive(clap::Args)]
pub struct PagerArgs {
    /// Print without a pager
    #[arg(long)]
    no_pager: bool,
}

/// Options of `less` where the user has set none: exit if all fits on one screen, keep colours and the screen.
const LESS: &str = "FRX";

/// Size of a terminal that does not report it.
const DEFAULT_SIZE: TerminalSize = TerminalSize { columns: 80, rows: 24 };

/// Columns and rows of a terminal.
#[derive(Debug, Clone, Copy)]
struct TerminalSize {
    columns: usize,
    rows: usize,
}

/// What the choice of a pager depends on.
#[derive(Debug, Default)]
struct PagerEnvironment {
    /// The size of the terminal, if standard output is one that can page.
    terminal: Option<TerminalSize>,
    /// The user's pager, if one is named.
    named: Option<String>,
}

impl PagerEnvironment {
    fn read() -> PagerEnvironment {
        let variable = |name| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let is_capable = io::stdout().is_terminal() && variable("TERM").is_none_or(|term| term != "dumb");
        let size = || match terminal_size::terminal_size() {
            Some((columns, rows)) => TerminalSize { columns: columns.0.into(), rows: rows.0.into() },
            None => DEFAULT_SIZE,
        };
        PagerEnvironment {
            terminal: is_capable.then(size),
            named: variable("UNDINE_PAGER").or_else(|| variable("PAGER")),
        }
    }

    /// The pagers to try for a page, in this order; none if it is printed directly.
    fn pagers(&self, page: &str) -> Vec<Vec<String>> {
        let Some(size) = self.terminal else { return Vec::new() };
        if height(page, size.columns) < size.rows {
            return Vec::new();
        }
        let words = |command: &str| command.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        match self.named.as_deref().map(words) {
            None => vec![words("less -R"), words("more")],
            Some(named) if named.is_empty() || named == ["cat"] => Vec::new(),
            Some(named) => vec![named],
        }
    }
}

/// Rows of a page on a terminal of this width, which wraps longer lines.
fn height(page: &str, columns: usize) -> usize {
    page.lines().map(|line| line.chars().count().div_ceil(columns.max(1)).max(1)).sum()
}

/// Shows a page: through a pager if it is longer than the terminal.
pub fn show(page: &str, args: &PagerArgs) {
    let environment = if args.no_pager { PagerEnvironment::default() } else { PagerEnvironment::read() };
    for pager in environment.pagers(page) {
        match page_through(&pager, page) {
            Ok(()) => return,
            Err(error) if environment.named.is_some() => {
                print_error(format_args!("cannot start the pager {}: {error}", pager[0]));
            }
            // The usual pagers may be missing
            Err(_) => {}
        }
    }
    print_line(page.trim_end());
}

/// Pipes a page into a pager and waits until it exits; fails only if it does not start.
fn page_through(pager: &[String], page: &str) -> io::Result<()> {
    let mut command = Command::new(&pager[0]);
    command.args(&pager[1..]).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let mut running = command.spawn()?;
    // Ctrl-C goes to the pager: if this process exited first, the shell and the pager would both read the terminal
    let _ = ctrlc::set_handler(|| {});
    if let Some(mut input) = running.stdin.take() {
        // The pager closes the pipe early when the user quits
        let _ = input.write_all(page.as_bytes());
    }
    let _ = running.wait();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pagers(lines: usize, terminal: Option<[usize; 2]>, named: Option<&str>) -> Vec<String> {
        let terminal = terminal.map(|[columns, rows]| TerminalSize { columns, rows });
        let environment = PagerEnvironment { terminal, named: named.map(str::to_owned) };
        environment.pagers(&"a line\n".repeat(lines)).into_iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn only_long_pages_on_a_terminal_are_paged() {
        let terminal = Some([80, 24]);
        assert_eq!(pagers(24, terminal, None), ["less -R", "more"]);
        assert!(pagers(23, terminal, None).is_empty());
        assert!(pagers(500, None, None).is_empty() && pagers(500, None, Some("less")).is_empty());
        // A wrapped line counts once per row
        assert_eq!(pagers(12, Some([3, 24]), None).len(), 2);
    }

    #[test]
    fn the_pager_is_the_named_one_or_none() {
        let named = |pager| pagers(500, Some([80, 24]), Some(pager));
        assert_eq!(named("most -s"), ["most -s"]);
        assert!(named("").is_empty() && named(" ").is_empty() && named("cat").is_empty());
    }
}
