//! The name of a scene. It becomes that of its output folder, so it must not be a path.

use std::path::Path;

/// Longest name, in characters.
const LONGEST: usize = 100;

/// The stem of the file's name, or the folder's name for a file called `scene.toml`.
pub(crate) fn of_file(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let real = std::fs::canonicalize(path).unwrap_or_default();
    let folder = real.parent().and_then(Path::file_name).map(|folder| folder.to_string_lossy().into_owned());
    if stem == "scene" { folder.unwrap_or(stem) } else { stem }
}

/// A default name, changed until it is a valid folder name.
pub(crate) fn made_fit(name: &str) -> String {
    let plain = name.chars().map(|character| if is_plain(character) { character } else { '-' });
    let plain: String = plain.skip_while(|character| *character == '.').take(LONGEST).collect();
    if is_fit(&plain) { plain } else { "scene".to_owned() }
}

/// Whether a name can name a folder, here and on other systems.
pub(crate) fn is_fit(name: &str) -> bool {
    let is_short = name.chars().count() <= LONGEST;
    is_short && !name.trim().is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

fn is_plain(character: char) -> bool {
    !character.is_control() && !r#"/\:*?"<>|"#.contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_not_fit() {
        for name in ["", " ", ".", "..", "a/b", "..\\x", "/etc", "C:", "a\0", "a\n"] {
            assert!(!is_fit(name), "{name:?}");
            assert!(is_fit(&made_fit(name)), "{name:?}");
        }
        assert!(is_fit("lake breeze 2") && is_fit("Teich-ä") && !is_fit(&"a".repeat(101)));
    }

    #[test]
    fn a_fit_name_is_not_changed() {
        assert_eq!(made_fit("lake breeze 2.1"), "lake breeze 2.1");
        assert_eq!(made_fit("scenes/pond"), "scenes-pond");
    }

    #[test]
    fn a_file_lends_its_name() {
        assert_eq!(of_file(Path::new("scenes/pond.toml")), "pond");
    }
}
