//! `undine-studio`: the window, the page, or a measurement of either.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that is started in a terminal talks to it"
)]

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    undine_studio::desktop::main(std::env::args().skip(1).collect())
}

/// A page starts by its own script.
#[cfg(target_arch = "wasm32")]
fn main() {}
