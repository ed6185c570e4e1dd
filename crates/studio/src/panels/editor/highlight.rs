//! Syntax highlighting of scene files: headers, keys, strings and comments.

use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, FontId, TextStyle, Ui};

use crate::panels::theme;

/// The colour of each kind of token.
struct TokenColours {
    plain: Color32,
    key: Color32,
    text: Color32,
    comment: Color32,
    header: Color32,
    error: Color32,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Plain,
    Key,
    Text,
    Comment,
    Header,
}

/// The highlighted text. Marked lines (counted from 1) have the background of an error.
pub fn highlight(ui: &Ui, text: &str, marked: &[usize]) -> LayoutJob {
    let font = TextStyle::Monospace.resolve(ui.style());
    let colours = colours(ui);
    let mut job = LayoutJob::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let is_marked = marked.contains(&(index + 1));
        for (kind, text) in tokens(line) {
            job.append(text, 0.0, format(&colours, kind, &font, is_marked));
        }
    }
    if job.text.is_empty() {
        job.append("", 0.0, format(&colours, TokenKind::Plain, &font, false));
    }
    job.wrap.max_width = f32::INFINITY;
    job
}

fn format(colours: &TokenColours, kind: TokenKind, font: &FontId, is_marked: bool) -> TextFormat {
    let color = match kind {
        TokenKind::Plain => colours.plain,
        TokenKind::Key => colours.key,
        TokenKind::Text => colours.text,
        TokenKind::Comment => colours.comment,
        TokenKind::Header => colours.header,
    };
    let background = if is_marked { colours.error.gamma_multiply(0.18) } else { Color32::TRANSPARENT };
    TextFormat { font_id: font.clone(), color, background, ..TextFormat::default() }
}

fn colours(ui: &Ui) -> TokenColours {
    let visuals = ui.visuals();
    let (text, key) = if visuals.dark_mode {
        (Color32::from_rgb(160, 200, 140), Color32::from_rgb(205, 205, 215))
    } else {
        (Color32::from_rgb(52, 112, 40), Color32::from_rgb(40, 44, 60))
    };
    TokenColours {
        plain: visuals.text_color(),
        key,
        text,
        comment: visuals.weak_text_color(),
        header: theme::accent(visuals),
        error: visuals.error_fg_color,
    }
}

/// The tokens of a line, whose texts concatenate to the line.
fn tokens(line: &str) -> Vec<(TokenKind, &str)> {
    let start = line.trim_start();
    if start.starts_with('[') && !line.contains('=') {
        let header = line.find('#').unwrap_or(line.len());
        return vec![(TokenKind::Header, &line[..header]), (TokenKind::Comment, &line[header..])];
    }
    let mut tokens = Vec::new();
    let mut rest = line;
    if let Some(equals) = line.find('=').filter(|at| !line[..*at].contains(['#', '"', '\''])) {
        tokens.push((TokenKind::Key, &line[..equals]));
        rest = &line[equals..];
    }
    while let Some(at) = rest.find(['#', '"', '\'']) {
        tokens.push((TokenKind::Plain, &rest[..at]));
        rest = &rest[at..];
        let quote = rest.as_bytes()[0];
        if quote == b'#' {
            tokens.push((TokenKind::Comment, rest));
            return tokens;
        }
        let end = closing(rest, quote);
        tokens.push((TokenKind::Text, &rest[..end]));
        rest = &rest[end..];
    }
    tokens.push((TokenKind::Plain, rest));
    tokens
}

/// Length of the quoted string at the beginning of the text.
fn closing(text: &str, quote: u8) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if quote == b'"' => is_escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_and_concatenate_to_the_line() {
        for line in
            ["[scene] # x\n", "a = \"b # c\" # d\n", "x = '\\' # y", "é = \"ü\\\"\" \n", "\"broken", ""]
        {
            assert_eq!(tokens(line).into_iter().map(|(_, text)| text).collect::<String>(), line);
        }
        let found = tokens("a = \"b # c\" # d");
        assert!(
            found.contains(&(TokenKind::Text, "\"b # c\"")) && found.contains(&(TokenKind::Comment, "# d"))
        );
        assert_eq!(tokens("[[water]]")[0], (TokenKind::Header, "[[water]]"));
    }
}
