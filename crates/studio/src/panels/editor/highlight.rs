//! Colours for the text of a scene file: headers, keys, strings and comments.

use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, FontId, TextStyle, Ui};

use crate::panels::theme;

/// The colours of the parts of a line.
struct Palette {
    plain: Color32,
    key: Color32,
    text: Color32,
    comment: Color32,
    header: Color32,
    error: Color32,
}

/// What a piece of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Plain,
    Key,
    Text,
    Comment,
    Header,
}

/// The text in colours. Lines with troubles (counted from 1) have a ground of their own.
pub fn highlight(ui: &Ui, text: &str, troubled: &[usize]) -> LayoutJob {
    let font = TextStyle::Monospace.resolve(ui.style());
    let palette = palette(ui);
    let mut job = LayoutJob::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let is_troubled = troubled.contains(&(index + 1));
        for (part, piece) in parts(line) {
            job.append(piece, 0.0, format(&palette, part, &font, is_troubled));
        }
    }
    if job.text.is_empty() {
        job.append("", 0.0, format(&palette, Part::Plain, &font, false));
    }
    job.wrap.max_width = f32::INFINITY;
    job
}

fn format(palette: &Palette, part: Part, font: &FontId, is_troubled: bool) -> TextFormat {
    let color = match part {
        Part::Plain => palette.plain,
        Part::Key => palette.key,
        Part::Text => palette.text,
        Part::Comment => palette.comment,
        Part::Header => palette.header,
    };
    let background = if is_troubled { palette.error.gamma_multiply(0.18) } else { Color32::TRANSPARENT };
    TextFormat { font_id: font.clone(), color, background, ..TextFormat::default() }
}

fn palette(ui: &Ui) -> Palette {
    let visuals = ui.visuals();
    let (text, key) = if visuals.dark_mode {
        (Color32::from_rgb(160, 200, 140), Color32::from_rgb(205, 205, 215))
    } else {
        (Color32::from_rgb(52, 112, 40), Color32::from_rgb(40, 44, 60))
    };
    Palette {
        plain: visuals.text_color(),
        key,
        text,
        comment: visuals.weak_text_color(),
        header: theme::accent(visuals),
        error: visuals.error_fg_color,
    }
}

/// A line cut into its parts, which together are the line.
fn parts(line: &str) -> Vec<(Part, &str)> {
    let start = line.trim_start();
    if start.starts_with('[') && !line.contains('=') {
        let header = line.find('#').unwrap_or(line.len());
        return vec![(Part::Header, &line[..header]), (Part::Comment, &line[header..])];
    }
    let mut parts = Vec::new();
    let mut rest = line;
    if let Some(equals) = line.find('=').filter(|at| !line[..*at].contains(['#', '"', '\''])) {
        parts.push((Part::Key, &line[..equals]));
        rest = &line[equals..];
    }
    while let Some(at) = rest.find(['#', '"', '\'']) {
        parts.push((Part::Plain, &rest[..at]));
        rest = &rest[at..];
        let quote = rest.as_bytes()[0];
        if quote == b'#' {
            parts.push((Part::Comment, rest));
            return parts;
        }
        let end = closing(rest, quote);
        parts.push((Part::Text, &rest[..end]));
        rest = &rest[end..];
    }
    parts.push((Part::Plain, rest));
    parts
}

/// Where the string that begins the text ends.
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
    fn parts_are_found_and_make_the_line_again() {
        for line in
            ["[scene] # x\n", "a = \"b # c\" # d\n", "x = '\\' # y", "é = \"ü\\\"\" \n", "\"broken", ""]
        {
            assert_eq!(parts(line).into_iter().map(|(_, piece)| piece).collect::<String>(), line);
        }
        let found = parts("a = \"b # c\" # d");
        assert!(found.contains(&(Part::Text, "\"b # c\"")) && found.contains(&(Part::Comment, "# d")));
        assert_eq!(parts("[[water]]")[0], (Part::Header, "[[water]]"));
    }
}
