//! File names and identifiers that file systems and formats accept.

use std::collections::HashSet;

/// Longest file name or identifier, in characters.
const LONGEST: usize = 64;

/// A portable file name made from any text: letters, digits, `_`, `-` and inner dots stay, everything else becomes `-`.
///
/// ```
/// use undine_export::file_name;
/// assert_eq!(file_name("Lake Breeze/north"), "Lake-Breeze-north");
/// assert_eq!(file_name("…"), "unnamed");
/// ```
pub fn file_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' };
    let name: String = text.chars().map(plain).take(LONGEST).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}

/// An identifier made from any text, for formats that separate names by spaces: letters, digits and `_`.
pub(crate) fn identifier(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(plain).take(LONGEST).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
        None => "unnamed".to_owned(),
    }
}

/// Replaces line breaks and other control characters by spaces, for formats where a line is a record.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Makes names unique by numbering, comparing without regard to case as some file systems do.
#[derive(Default)]
pub(crate) struct UniqueNames(HashSet<String>);

impl UniqueNames {
    /// The name itself, or the name with the first free number behind it.
    pub fn name(&mut self, wanted: String, separator: char) -> String {
        let numbered = (2u64..).map(|number| format!("{wanted}{separator}{number}"));
        let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
        let free = candidates.find(|name| self.0.insert(name.to_lowercase()));
        free.unwrap_or(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_its_folder() {
        for (text, name) in
            [("../../etc/passwd", "etc-passwd"), ("a\\b:c", "a-b-c"), ("", "unnamed"), ("..", "unnamed")]
        {
            assert_eq!(file_name(text), name);
        }
        assert!(file_name(&"x".repeat(500)).len() <= LONGEST);
    }

    #[test]
    fn identifiers_hold_no_spaces_and_start_with_a_letter() {
        assert_eq!(identifier("wave height"), "wave_height");
        assert_eq!(identifier("2nd"), "_2nd");
        assert_eq!(identifier(""), "unnamed");
    }

    #[test]
    fn equal_names_are_numbered() {
        let mut distinct = UniqueNames::default();
        let names = ["sea", "sea", "Sea", "sea-2"].map(|name| distinct.name(name.to_owned(), '-'));
        assert_eq!(names, ["sea", "sea-2", "Sea-3", "sea-2-2"]);
    }
}
