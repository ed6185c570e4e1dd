//! Did you mean: the known word nearest to the one that was typed.

/// Longer words are not typing errors, and comparing them costs the square of their length.
const LONGEST: usize = 64;

/// The nearest of the known words, if it is near enough to be meant.
pub(crate) fn nearest<'w>(typed: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    if typed.len() > LONGEST {
        return None;
    }
    let typed = folded(typed);
    let allowed = 1 + typed.chars().count() / 4;
    let distance = |word: &&str| strsim::damerau_levenshtein(&typed, &folded(word));
    let nearest =
        known.into_iter().map(|word| (distance(&word), word)).min_by_key(|(distance, _)| *distance)?;
    (nearest.0 <= allowed && nearest.0 < typed.chars().count().max(1)).then_some(nearest.1)
}

/// Case, and whether words are joined by `-`, `_` or a blank, is a matter of habit.
fn folded(word: &str) -> String {
    word.to_lowercase().replace(['_', ' '], "-")
}

/// The help line for a word that is not known: the known ones, and the one that may be meant.
pub fn remedy<'w>(typed: &str, known: impl IntoIterator<Item = &'w str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let listed = match known.as_slice() {
        [] => "nothing can stand here".to_owned(),
        [only] => format!("only {only} can stand here"),
        several => format!("one of {}", several.join(", ")),
    };
    match nearest(typed, known.iter().copied()) {
        Some(word) => format!("{listed}; did you mean {word:?}?"),
        None => listed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: [&str; 4] = ["wall", "open", "periodic", "value"];

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        assert_eq!(nearest("opn", SIDES), Some("open"));
        assert_eq!(nearest("preiodic", SIDES), Some("periodic"));
        assert_eq!(nearest("Wall", SIDES), Some("wall"));
        assert_eq!(nearest("banana", SIDES), None);
        assert_eq!(nearest("", SIDES), None);
        assert_eq!(nearest("x", SIDES), None);
        assert_eq!(nearest(&"w".repeat(100_000), SIDES), None);
    }

    #[test]
    fn the_remedy_lists_what_is_known() {
        assert_eq!(remedy("opn", SIDES), "one of wall, open, periodic, value; did you mean \"open\"?");
        assert_eq!(remedy("opn", []), "nothing can stand here");
    }
}
