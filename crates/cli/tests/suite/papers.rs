//! Every command of the pages of papers runs, small.

use std::process::Command;

use undine::SCENES;

const PAGE: &str = include_str!("../../../../docs/papers/002.md");

/// Options that make a command small, by its first word.
const SMALL: &[(&str, &[&str])] = &[
    ("run", &["--scale", "0.3", "--frames", "0..2", "--size", "48x28", "--overwrite"]),
    ("keys", &[]),
    ("models", &[]),
];

/// The commands of a page: indented lines that begin with `undine`.
fn commands(page: &str) -> Vec<&str> {
    page.lines().filter_map(|line| line.strip_prefix("    undine ")).collect()
}

/// The words of a command as a shell divides them, single quotes removed.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in command.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_of_the_page_of_foster_and_metaxas_runs() {
    let folder = tempfile::tempdir().unwrap();
    let commands = commands(PAGE);
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        let words = words(command);
        let known = SMALL.iter().find(|(first, _)| *first == words[0]);
        let (_, small) = known.unwrap_or_else(|| panic!("no small form of {command:?}"));
        let run = Command::new(env!("CARGO_BIN_EXE_undine"))
            .args(&words)
            .args(*small)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn the_page_of_foster_and_metaxas_names_its_scenes() {
    let ours = SCENES.iter().filter(|scene| scene.name.starts_with("fm-"));
    for scene in ours {
        assert!(PAGE.contains(&format!("undine run {}", scene.name)), "{} is not on the page", scene.name);
    }
}
