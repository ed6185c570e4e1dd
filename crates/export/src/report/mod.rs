//! The report of a run: a self-contained HTML page.
//!
//! The page needs no script, no network and no other file but the film and its contact sheet, which it shows by relative
//! links. Plots are inline SVG. Light or dark follows the reader's system. All text is escaped.

mod plot;
mod ticks;

use std::fmt::Write;
use std::path::Path;

use undine_frame::{AtomicFile, SinkError};

pub use self::plot::{Plot, PlotSeries, PlotStyle};

/// Contents of a report.
///
/// ```
/// use undine_export::report::Report;
/// let report = Report { title: "Pond & stone".into(), film: Some("film.mp4".into()), ..Report::default() };
/// assert!(report.html().contains("<h1>Pond &amp; stone</h1>"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Title of the scene.
    pub title: String,
    /// A sentence or two below it.
    pub summary: String,
    /// The film, relative to the report.
    pub film: Option<String>,
    /// A picture shown before the film plays, relative to the report.
    pub poster: Option<String>,
    /// The contact sheet of the film, relative to the report.
    pub sheet: Option<String>,
    /// Key figures: (name, value with unit).
    pub facts: Vec<(String, String)>,
    /// Plots, in order.
    pub plots: Vec<Plot>,
    /// Tables, in order.
    pub tables: Vec<ReportTable>,
    /// Remarks, such as volume that was lost and why.
    pub notes: Vec<String>,
    /// The scene file as it was run.
    pub scene: String,
    /// Versions of the programs involved: (name, version).
    pub versions: Vec<(String, String)>,
}

/// A table with a heading.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportTable {
    /// What it lists.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Report {
    /// Writes the page atomically.
    pub fn write(&self, path: &Path) -> Result<(), SinkError> {
        AtomicFile::write_all_to(path, self.html().as_bytes()).map_err(SinkError::at(path))
    }

    /// The page.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let style = include_str!("style.css");
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        self.header_html(&mut html);
        section(&mut html, "The film at a glance", &self.sheet_html());
        section(&mut html, "Notes", &self.notes_html());
        section(&mut html, "Plots", &self.plots.iter().map(Plot::html).collect::<String>());
        section(&mut html, "Tables", &self.tables.iter().map(ReportTable::html).collect::<String>());
        section(&mut html, "Scene", &self.scene_html());
        section(&mut html, "Versions", &self.versions_html());
        html.push_str("</main>\n</body>\n</html>\n");
        html
    }

    fn header_html(&self, html: &mut String) {
        if !self.summary.is_empty() {
            let _ = writeln!(html, "<p class=\"summary\">{}</p>", escape(&self.summary));
        }
        if let Some(film) = &self.film {
            let poster = self
                .poster
                .iter()
                .map(|picture| format!(" poster=\"{}\"", link(picture)))
                .collect::<String>();
            let film = link(film);
            let _ = writeln!(
                html,
                "<video controls loop muted playsinline preload=\"metadata\" src=\"{film}\"{poster}></video>"
            );
        }
        if !self.facts.is_empty() {
            let fact = |(what, value): &(String, String)| {
                format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(what), escape(value))
            };
            let _ = write!(html, "<dl>\n{}</dl>\n", self.facts.iter().map(fact).collect::<String>());
        }
    }

    fn sheet_html(&self) -> String {
        let Some(sheet) = self.sheet.as_deref().map(link) else { return String::new() };
        format!(
            "<a href=\"{sheet}\"><img src=\"{sheet}\" alt=\"Pictures of the film, each with its time\"></a>\n"
        )
    }

    fn notes_html(&self) -> String {
        if self.notes.is_empty() {
            return String::new();
        }
        let notes: String = self.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
        format!("<ul class=\"notes\">\n{notes}</ul>\n")
    }

    fn scene_html(&self) -> String {
        if self.scene.is_empty() {
            return String::new();
        }
        format!(
            "<details open><summary>The scene as it was run</summary>\n<pre>{}</pre></details>\n",
            escape(&self.scene)
        )
    }

    fn versions_html(&self) -> String {
        if self.versions.is_empty() {
            return String::new();
        }
        let rows = self.versions.iter().map(|(what, version)| vec![what.clone(), version.clone()]);
        ReportTable { rows: rows.collect(), ..ReportTable::default() }.html()
    }
}

impl ReportTable {
    fn html(&self) -> String {
        let mut html = String::new();
        if !self.title.is_empty() {
            let _ = writeln!(html, "<h3>{}</h3>", escape(&self.title));
        }
        html.push_str("<div class=\"scroll\"><table>\n");
        if !self.header.is_empty() {
            let cells = self.header.iter().enumerate().map(|(column, name)| self.cell("th", column, name));
            let _ = writeln!(html, "<tr>{}</tr>", cells.collect::<String>());
        }
        for row in &self.rows {
            let cells = row.iter().enumerate().map(|(column, text)| self.cell("td", column, text));
            let _ = writeln!(html, "<tr>{}</tr>", cells.collect::<String>());
        }
        html.push_str("</table></div>\n");
        html
    }

    /// A cell; columns that hold only numbers are right-aligned.
    fn cell(&self, element: &str, column: usize, text: &str) -> String {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        let numeric = !self.header.is_empty() && cells.all(|cell| cell.parse::<f64>().is_ok());
        let class = if numeric { " class=\"number\"" } else { "" };
        format!("<{element}{class}>{}</{element}>", escape(text))
    }
}

fn section(html: &mut String, heading: &str, content: &str) {
    if !content.is_empty() {
        let _ = write!(html, "<h2>{heading}</h2>\n{content}");
    }
}

/// Escapes text for HTML content and quoted attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A relative path as a URL. All but plain path characters are percent-encoded, so that no scheme or markup can occur.
fn link(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        b'\\' => "/".to_owned(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_become_markup() {
        // Hostile text in every field of a report
        let evil = "<script>alert(1)</script>\"'&\u{0}".to_owned();
        let pair = || (evil.clone(), evil.clone());
        let series = PlotSeries { name: evil.clone(), points: vec![[0.0, 1.0]] };
        let plot = Plot {
            title: evil.clone(),
            x: evil.clone(),
            y: evil.clone(),
            caption: evil.clone(),
            series: vec![series.clone(), series],
            style: PlotStyle::Lines,
        };
        let table =
            ReportTable { title: evil.clone(), header: vec![evil.clone()], rows: vec![vec![evil.clone()]] };
        let report = Report {
            title: evil.clone(),
            summary: evil.clone(),
            film: Some(evil.clone()),
            poster: Some("javascript:alert(1)".into()),
            sheet: Some("javascript:alert(2)".into()),
            facts: vec![pair()],
            plots: vec![plot],
            tables: vec![table],
            notes: vec![evil.clone()],
            scene: evil.clone(),
            versions: vec![pair()],
        };
        let html = report.html();
        assert!(!html.contains("<script") && !html.contains("javascript:") && !html.contains('\0'));
        assert_eq!(html.matches("&lt;script&gt;").count(), 19);
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        let report = Report { title: "t".into(), film: Some("my film#1.mp4".into()), ..Report::default() };
        let html = report.html();
        assert!(html.contains("src=\"my%20film%231.mp4\""));
        assert!(!html.contains("<img"));
        assert!(!html.contains("http") && !html.contains("url(") && !html.contains("@import"));
        assert!(!html.contains("<h2>"), "empty sections are left out");
    }

    #[test]
    fn the_sheet_is_shown_and_leads_to_itself() {
        let html = Report { sheet: Some("sheet a.png".into()), ..Report::default() }.html();
        assert!(html.contains("<a href=\"sheet%20a.png\"><img src=\"sheet%20a.png\" alt="), "{html}");
    }

    #[test]
    fn numbers_stand_to_the_right() {
        let rows = vec![vec!["step".to_owned(), "1.5".to_owned()]];
        let table = ReportTable { title: String::new(), header: vec!["phase".into(), "s".into()], rows };
        let html = table.html();
        assert!(
            html.contains("<td>step</td><td class=\"number\">1.5</td>") && html.contains("<th>phase</th>")
        );
    }
}
