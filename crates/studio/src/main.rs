//! `undine-studio`: the window, the server of the page, or the benchmark.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program prints to its terminal"
)]

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    undine_studio::desktop::main(std::env::args().skip(1).collect())
}

/// The page starts the studio through its script instead.
#[cfg(target_arch = "wasm32")]
fn main() {}
