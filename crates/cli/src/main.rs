//! The command line of Undine.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program prints to its terminal"
)]

mod commands;
mod pager;
mod terminal;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use undine_checks::args::{BenchArgs, ValidateArgs};

use commands::{check, checks, export, keys, models, render, run, scenes, studio, terrain};

/// Water simulation: one scene file in; a film, meshes, fields and a report out.
#[derive(Parser)]
#[command(name = "undine", version, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  undine scenes                               list the bundled scenes
  undine run pond                             simulate a bundled scene; the film is out/pond/film.mp4
  undine run my/scene.toml --scale 0.5        your own scene, at half the resolution
  undine run swell --set scene.duration=4     change any key of a scene
  undine run dam-break --trace                path traced: many times slower
  undine run pond --resume                    continue after Ctrl-C or a crash
  undine render out/pond --camera top --look tropical
                                              new pictures without simulating again
  undine export out/pond --format ply         meshes for other programs
  undine studio pond                          interact with the water in a window

CommandError codes:
  0    success
  1    the run, an output or a file failed
  2    the command line or the scene is wrong; nothing was done
  3    a validation check failed
  130  stopped by Ctrl-C; `--resume` continues the run";

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Scenes(scenes::Args),
    Models(models::Args),
    Keys(keys::Args),
    Check(check::Args),
    Render(render::Args),
    Export(export::Args),
    Terrain(terrain::Args),
    Studio(studio::Args),
    Validate(ValidateArgs),
    Bench(BenchArgs),
    /// Print a completion script for your shell
    ///
    /// Example: undine completions bash > ~/.local/share/bash-completion/completions/undine
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Scenes(args) => scenes::run(&args),
        Command::Models(args) => models::run(&args),
        Command::Keys(args) => keys::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Terrain(args) => terrain::run(&args),
        Command::Studio(args) => studio::run(&args),
        Command::Validate(_) | Command::Bench(_) => checks::run(),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "undine", &mut script);
            terminal::print_line(String::from_utf8_lossy(&script).trim_end());
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.report(),
    }
}
