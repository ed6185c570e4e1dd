//! Locations in the scene text: sources, spans in them, and the line and column that a problem shows.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Longest piece of a source line that a problem shows, in characters.
const SHOWN: usize = 160;
/// How much of a long line is shown before the marked part, in characters.
const LEAD: usize = 60;
/// Bytes between two counts of characters.
const BLOCK: usize = 1024;

/// One text with a name: a scene file, an included file, or an override from the command line.
pub(crate) struct SourceText {
    pub name: String,
    pub text: String,
    /// The folder that paths typed in this text start from; none for a scene that came without a file.
    pub folder: Option<PathBuf>,
    /// Order of sources: problems of the scene file come before those of its includes and overrides.
    rank: u32,
    line_starts: Vec<usize>,
    /// How many characters start before each block of [`BLOCK`] bytes: columns in endless lines stay cheap.
    characters_before: Vec<usize>,
}

impl SourceText {
    pub fn new(rank: u32, name: String, text: &str, folder: Option<PathBuf>) -> Arc<SourceText> {
        // A byte order mark is not part of the text, and would shift the columns of the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let ends = text.match_indices('\n').map(|(offset, _)| offset + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        let blocks = text.as_bytes().chunks(BLOCK).scan(0, |before, block| {
            *before += characters(block);
            Some(*before)
        });
        let characters_before = std::iter::once(0).chain(blocks).collect();
        Arc::new(SourceText { name, text, folder, rank, line_starts, characters_before })
    }

    /// How many characters start before an offset.
    fn count_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.characters_before[block] + characters(&self.text.as_bytes()[block * BLOCK..offset])
    }

    /// The number of the line that holds `offset`, from 0, and its range without the line end.
    pub fn line_around(&self, offset: usize) -> (usize, Range<usize>) {
        let line = self.line_starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.line_starts[line];
        let next = self.line_starts.get(line + 1).copied();
        let end = next.map_or(self.text.len(), |next| next - 1);
        let without_return = self.text[start..end].trim_end_matches('\r').len();
        (line, start..start + without_return)
    }

    /// The end of the last line that says something.
    pub fn end(self: &Arc<SourceText>) -> Span {
        let end = self.text.trim_end().len();
        Span { source: self.clone(), range: end..end }
    }
}

impl fmt::Debug for SourceText {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Source({})", self.name)
    }
}

/// A piece of a source, in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub source: Arc<SourceText>,
    pub range: Range<usize>,
}

impl Span {
    pub fn new(source: &Arc<SourceText>, range: Range<usize>) -> Span {
        Span { source: source.clone(), range }
    }

    /// The marked text itself.
    pub fn text(&self) -> &str {
        self.source.text.get(self.range.clone()).unwrap_or("")
    }

    /// Works out line and column.
    pub fn place(&self) -> SourceLocation {
        let text = &self.source.text;
        let offset = text.floor_char_boundary(self.range.start);
        let end = text.floor_char_boundary(self.range.end).max(offset);
        let (line, around) = self.source.line_around(offset);
        // A mark on the line end itself is drawn just behind the line.
        let start = offset.min(around.end);
        let (shown, mark) = excerpt(&text[around.clone()], start - around.start);
        SourceLocation {
            source: self.source.name.clone(),
            line: small(line + 1),
            column: small(self.source.count_before(start) - self.source.count_before(around.start) + 1),
            offset: small(offset),
            length: small(end - offset),
            text: shown,
            mark: small(mark),
            rank: self.source.rank,
        }
    }
}

/// How many characters start in some bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Sources are far smaller than 4 GiB; places are kept small because results carry them.
fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Location of a problem: the source, line and column, and the line itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// Name of the file, or of the override (`--set 1`).
    pub source: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Start in the source, in bytes.
    pub offset: u32,
    /// Length in bytes; it may reach over several lines.
    pub length: u32,
    /// The source line, or the part of it around the problem when it is very long.
    pub text: String,
    /// Where in `text` the underline starts, in bytes.
    mark: u32,
    rank: u32,
}

impl SourceLocation {
    /// Sort key of problems.
    pub(crate) fn order(&self) -> (u32, u32, u32) {
        (self.rank, self.offset, self.length)
    }

    /// The source line with its number, and the underline below it.
    pub(crate) fn draw(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gutter = self.line.to_string().len();
        let (before, rest) = self.text.split_at(self.text.floor_char_boundary(self.mark as usize));
        let marked = &rest[..rest.floor_char_boundary(self.length as usize)];
        let (before, marked) = (columns(before), columns(marked).max(1));
        writeln!(to, "{:gutter$} |", "")?;
        writeln!(to, "{} | {}", self.line, printable(&self.text))?;
        write!(to, "{:gutter$} | {:before$}{:^<marked$}", "", "", "")
    }

    /// How far the lines below the source line are indented.
    pub(crate) fn indent(&self) -> usize {
        self.line.to_string().len() + 1
    }
}

/// Cuts a very long line to the part around the mark, and says where the mark is then.
fn excerpt(line: &str, mark: usize) -> (String, usize) {
    if line.chars().nth(SHOWN).is_none() {
        return (line.to_owned(), mark);
    }
    let start = line[..mark].char_indices().rev().take(LEAD).last().map_or(mark, |(at, _)| at);
    let end = line[start..].char_indices().nth(SHOWN).map_or(line.len(), |(at, _)| start + at);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    (format!("{before}{}{after}", &line[start..end]), mark - start + before.len())
}

/// Four blanks for a tab, and a mark for characters that would steer the terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => shown.push_str("    "),
            hidden if steers_terminal(hidden) => shown.push(char::REPLACEMENT_CHARACTER),
            plain => shown.push(plain),
        }
    }
    shown
}

/// Control characters, and those that turn the direction of writing.
fn steers_terminal(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// How many columns a terminal gives to a text.
fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Combining marks take no column, East Asian characters and emoji two, a tab four as it is drawn here.
fn columns_of(character: char) -> usize {
    match character {
        '\t' => 4,
        '\u{0300}'..='\u{036f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}' => 2,
        '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}' => 2,
        '\u{1f300}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}' | '\u{1f900}'..='\u{1f9ff}' => 2,
        '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, marked: &str) -> SourceLocation {
        let source = SourceText::new(0, "a.toml".into(), text, None);
        let start = source.text.find(marked).unwrap();
        Span::new(&source, start..start + marked.len()).place()
    }

    struct Drawn(SourceLocation);
    impl fmt::Display for Drawn {
        fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.draw(to)
        }
    }

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let found = place("a = 1\r\nnäme = 'x' # bad\r\n", "'x'");
        assert_eq!((found.line, found.column, found.length), (2, 8, 3));
        assert_eq!(found.text, "näme = 'x' # bad");
    }

    #[test]
    fn the_underline_stands_below_tabs_and_wide_characters() {
        assert_eq!(Drawn(place("\ta = 1", "1")).to_string(), "  |\n1 |     a = 1\n  |         ^");
        assert_eq!(Drawn(place("\"水\" = 12", "12")).to_string(), "  |\n1 | \"水\" = 12\n  |        ^^");
    }

    #[test]
    fn a_mark_over_several_lines_stops_at_the_first_end() {
        assert!(Drawn(place("a = [1,\n2]", "[1,\n2]")).to_string().ends_with("  |     ^^^"));
    }

    #[test]
    fn a_byte_order_mark_does_not_shift_the_first_line() {
        assert_eq!(place("\u{feff}a = 1", "1").column, 5);
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = format!("a = [{} 77 {}]", "1, ".repeat(1000), ", 2".repeat(1000));
        let found = place(&text, "77");
        assert!(found.text.chars().count() <= SHOWN + 2);
        assert!(found.text[found.mark as usize..].starts_with("77"));
        assert_eq!(found.column, 3007);
        let text = format!("a = ['{}', 77]", "ä€水🌊".repeat(1000));
        assert_eq!(place(&text, "77").column, 4010);
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert!(!Drawn(place("a = \u{1b}[31m 1", "1")).to_string().contains('\u{1b}'));
    }
}
