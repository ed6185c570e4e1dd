//! Development tasks of the repository.
//!
//! [`COMMANDS`] is the list; `cargo xtask` alone prints it. [`ci::STEPS`] is what `cargo xtask ci` runs.

// A development tool prints to the terminal; it is not a library.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod ci;
mod fuzz;
mod invocation;
mod licences;
mod needs;
mod tidy;
mod web;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use invocation::Invocation;

/// A command of `cargo xtask`.
struct XtaskCommand {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    run: fn(&Path, &[String]) -> Result<()>,
}

/// The commands of `cargo xtask`.
static COMMANDS: &[XtaskCommand] = &[
    XtaskCommand {
        name: "ci",
        arguments: "[STEP…]",
        summary: "every check, in order, up to the first that fails; or only the steps named",
        run: ci::run,
    },
    XtaskCommand {
        name: "test",
        arguments: "[ARGUMENT…]",
        summary: "cargo test on the whole workspace; arguments go to cargo test",
        run: |root, arguments| Invocation::cargo(&["test", "--workspace"]).and(arguments).run(root),
    },
    XtaskCommand {
        name: "tidy",
        arguments: "",
        summary: "holds the repository to its own rules: crates, scenes, citations, text",
        run: |root, arguments| alone(arguments).and_then(|()| tidy::run(root)),
    },
    XtaskCommand {
        name: "licences",
        arguments: "",
        summary: "refuses dependencies that are not under a permissive licence",
        run: |root, arguments| alone(arguments).and_then(|()| licences::run(root)),
    },
    XtaskCommand {
        name: "validate",
        arguments: "",
        summary: "the quick validation cases; targets may be short as validation/SHORT.md lists them",
        run: |root, arguments| alone(arguments).and_then(|()| ci::validate(root)),
    },
    XtaskCommand {
        name: "fuzz",
        arguments: "[--seconds N]",
        summary: "feeds broken input to every fuzz target, 20 seconds each",
        run: fuzz::run,
    },
    XtaskCommand {
        name: "bless",
        arguments: "[SCENES | validation [CASES | --quick]]",
        summary: "rewrites the golden pictures, all or some; or the baselines and pages of validation",
        run: bless,
    },
    XtaskCommand {
        name: "web",
        arguments: "[--dev] [--out FOLDER]",
        summary: "builds the studio as a web page into a folder that any web server can host",
        run: web::run,
    },
    XtaskCommand {
        name: "web-test",
        arguments: "[--no-build] [--backend webgl|webgpu]",
        summary: "builds the page and tests it in Chromium, by WebGL 2 and by WebGPU",
        run: web::test::run,
    },
    XtaskCommand {
        name: "needs",
        arguments: "",
        summary: "installs what the checks need and is missing, or says what to install",
        run: |root, arguments| alone(arguments).and_then(|()| needs::run(root)),
    },
    XtaskCommand {
        name: "help",
        arguments: "",
        summary: "this list",
        run: |_, _| {
            print!("{}", help());
            Ok(())
        },
    },
];

fn main() -> ExitCode {
    match obey(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn obey(words: Vec<String>) -> Result<()> {
    let here = std::env::current_dir().context("the current folder is gone")?;
    let root = root_above(&here).context("run this inside the repository")?;
    let (name, arguments) = match words.split_first() {
        Some((name, arguments)) => (name.as_str(), arguments),
        None => ("help", [].as_slice()),
    };
    (find(name)?.run)(&root, arguments)
}

fn find(name: &str) -> Result<&'static XtaskCommand> {
    let name = if matches!(name, "--help" | "-h") { "help" } else { name };
    let known = || COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(", ");
    COMMANDS
        .iter()
        .find(|command| command.name == name)
        .with_context(|| format!("there is no command {name:?}; one of {}", known()))
}

/// The repository that `folder` is in: the nearest folder above that has an `xtask`.
fn root_above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|above| above.join("xtask/Cargo.toml").is_file()).map(Path::to_owned)
}

fn alone(arguments: &[String]) -> Result<()> {
    match arguments.first() {
        Some(argument) => bail!("unexpected argument {argument:?}; this command takes none"),
        None => Ok(()),
    }
}

fn bless(root: &Path, scenes: &[String]) -> Result<()> {
    if let Some((first, cases)) = scenes.split_first()
        && first == "validation"
    {
        return ci::bless_validation(root, cases);
    }
    let chosen = if scenes.is_empty() { String::from("all") } else { scenes.join(",") };
    Invocation::cargo(&["test", "-p", "undine", "--test", "golden"]).with("UNDINE_BLESS", &chosen).run(root)
}

fn help() -> String {
    let mut page = String::from("cargo xtask COMMAND\n\n");
    for command in COMMANDS {
        let usage = format!("{} {}", command.name, command.arguments);
        page += &format!("  {usage:<24} {}\n", command.summary);
    }
    let steps: Vec<_> = ci::STEPS.iter().map(|step| step.name).collect();
    page + &format!("\nsteps of ci: {}\n", steps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_each_name_once_and_help_shows_all() {
        let page = help();
        for (index, command) in COMMANDS.iter().enumerate() {
            assert!(
                COMMANDS[..index].iter().all(|other| other.name != command.name),
                "{} twice",
                command.name
            );
            assert!(page.contains(command.summary), "{} is not in the help", command.name);
        }
    }

    #[test]
    fn an_unknown_command_is_answered_with_the_known_ones() {
        let error = find("tydi").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("tydi") && error.contains("tidy"), "{error}");
        assert_eq!(find("--help").map(|command| command.name).ok(), Some("help"));
    }

    #[test]
    fn the_root_is_found_from_any_depth() {
        let repository = tempfile::tempdir().unwrap();
        let deep = repository.path().join("crates/grid/src");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(root_above(&deep), None);
        std::fs::create_dir(repository.path().join("xtask")).unwrap();
        std::fs::write(repository.path().join("xtask/Cargo.toml"), "").unwrap();
        assert_eq!(root_above(&deep).as_deref(), Some(repository.path()));
    }

    #[test]
    fn a_command_without_arguments_refuses_them() {
        assert!(alone(&[]).is_ok());
        assert!(alone(&["--quick".to_owned()]).unwrap_err().to_string().contains("--quick"));
    }
}
