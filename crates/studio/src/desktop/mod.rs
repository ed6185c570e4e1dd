//! The studio as a desktop program: arguments, window, page server.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "output before there is a window")]

mod arguments;
mod page;
mod window;

use std::process::ExitCode;

use arguments::{Arguments, Task};

/// Runs the program.
pub fn main(words: Vec<String>) -> ExitCode {
    let arguments = match Arguments::read(words) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("undine-studio: {problem}\n\n{}", arguments::HELP);
            return ExitCode::from(2);
        }
    };
    let done = match &arguments.task {
        Task::Help => {
            println!("{}", arguments::HELP);
            Ok(())
        }
        Task::Version => {
            println!("undine-studio {}", undine::VERSION);
            Ok(())
        }
        Task::Window => window::open(&arguments),
        Task::Page => page::serve(&arguments),
        Task::Bench => crate::bench::run(|line| println!("{line}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("undine-studio: {problem}");
            ExitCode::FAILURE
        }
    }
}
