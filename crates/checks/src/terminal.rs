//! Output of the command lines that share these arguments: lines, errors and exit codes.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// Prints a line. A closed pipe is not an error; a full disk is.
pub fn print_line(text: impl Display) {
    if let Err(error) = writeln!(std::io::stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
    {
        print_failure(format_args!("cannot write the result: {error}"));
        std::process::exit(1);
    }
}

/// Prints a line on standard error; a failure to do so is ignored.
pub fn print_error(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints why a command failed on standard error and returns its exit code.
pub fn exit_with(code: u8, reason: impl Display) -> ExitCode {
    print_failure(reason);
    ExitCode::from(code)
}

fn print_failure(reason: impl Display) {
    let mark = if std::io::stderr().is_terminal() { "\x1b[1;31merror:\x1b[0m" } else { "error:" };
    print_error(format_args!("{mark} {reason}"));
}
