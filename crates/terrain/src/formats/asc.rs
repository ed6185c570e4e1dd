//! The ASCII grid of ESRI: a header of words and numbers, then heights row by row from the north.
//!
//! Words may be written in any case. `xllcorner`/`yllcorner` name the outer corner in the south-west, `xllcenter`/
//! `yllcenter` the middle of the sample there. `cellsize` may be split into `dx` and `dy`.

use std::fmt::Write;

use super::{Decoded, SampleLattice, checked_count, heights_with_capacity};
use crate::error::{Fault, FileLocation, TerrainError};
use crate::height_map::HeightMap;

const WORDS: [&str; 10] = [
    "ncols",
    "nrows",
    "xllcorner",
    "yllcorner",
    "xllcenter",
    "yllcenter",
    "cellsize",
    "dx",
    "dy",
    "nodata_value",
];

/// Whether some bytes begin like such a file.
pub(crate) fn is_likely(bytes: &[u8]) -> bool {
    let first = Tokens::new(bytes).next();
    first.is_some_and(|token| word_of(token.text).is_some())
}

/// Reads a grid of at most `most` samples.
pub(crate) fn decode(bytes: &[u8], most: usize) -> Result<Decoded, TerrainError> {
    let mut tokens = Tokens::new(bytes);
    let header = Header::read(&mut tokens)?;
    let (columns, rows) = (header.count("ncols")?, header.count("nrows")?);
    let count = checked_count(columns, rows, most)?;
    let lattice = header.lattice(rows)?;
    let heights = read_heights(&mut tokens, count, columns)?;
    let no_data = header.number("nodata_value");
    // Both fit: their product did.
    let (columns, rows) = (columns as usize, rows as usize);
    Ok(Decoded { lattice: Some(lattice), no_data, ..Decoded::unplaced(columns, rows, heights) })
}

fn read_heights(tokens: &mut Tokens<'_>, count: usize, columns: u64) -> Result<Vec<f64>, TerrainError> {
    // A height takes a digit and a blank at least: what cannot be there is not allocated for.
    let left = tokens.bytes.len() - tokens.at;
    if left / 2 + 1 < count {
        let what = format!("{count} heights do not fit into the {left} bytes after the header");
        return Err(TerrainError::of_file(
            Fault::Truncated(what),
            "copy the file again, or correct its header",
        ));
    }
    let mut heights = heights_with_capacity(count)?;
    for token in tokens.by_ref().take(count) {
        heights.push(token.number()?);
    }
    if heights.len() < count {
        let what = format!("{} of {count} heights are there", heights.len());
        let remedy = "copy the file again, or correct ncols and nrows";
        return Err(TerrainError::new(FileLocation::Line(tokens.line), Fault::Truncated(what), remedy));
    }
    if let Some(token) = tokens.next() {
        let what = format!("there are more than the {count} heights of the header");
        let remedy = format!("correct ncols ({columns}) and nrows");
        return Err(TerrainError::new(FileLocation::Line(token.line), Fault::Malformed(what), remedy));
    }
    Ok(heights)
}

/// The numbers of the header, in the order of [`WORDS`].
struct Header([Option<f64>; WORDS.len()]);

impl Header {
    fn read(tokens: &mut Tokens<'_>) -> Result<Header, TerrainError> {
        let mut header = Header([None; WORDS.len()]);
        loop {
            let before = *tokens;
            let Some(token) = tokens.next() else { break };
            if token.is_like_a_number() {
                *tokens = before;
                break;
            }
            let Some(word) = word_of(token.text) else {
                let what = format!("{} is no word of the header", token.quoted());
                let remedy = format!("one of {}", WORDS.join(", "));
                return Err(TerrainError::new(
                    FileLocation::Line(token.line),
                    Fault::Malformed(what),
                    remedy,
                ));
            };
            let value = tokens.next().ok_or_else(|| {
                let what = format!("nothing follows {}", WORDS[word]);
                TerrainError::new(
                    FileLocation::Line(token.line),
                    Fault::Truncated(what),
                    "copy the file again",
                )
            })?;
            header.0[word] = Some(value.number()?);
        }
        Ok(header)
    }

    fn number(&self, word: &str) -> Option<f64> {
        WORDS.iter().zip(self.0).find(|(known, _)| **known == word)?.1
    }

    fn count(&self, word: &str) -> Result<u64, TerrainError> {
        let remedy = format!("write a line `{word} 100` at the top of the file");
        let number = self.number(word).ok_or_else(|| {
            TerrainError::of_file(Fault::Malformed(format!("the header has no {word}")), &remedy)
        })?;
        if number.fract() != 0.0 || !(0.0..1e18).contains(&number) {
            let fault = Fault::Malformed(format!("{word} is {number}, which is no number of samples"));
            return Err(TerrainError::of_file(fault, remedy));
        }
        Ok(number as u64)
    }

    fn lattice(&self, rows: u64) -> Result<SampleLattice, TerrainError> {
        let step = |word: &str| self.number(word).or_else(|| self.number("cellsize"));
        let (Some(dx), Some(dy)) = (step("dx"), step("dy")) else {
            let fault = Fault::Malformed("the header has no cellsize".into());
            return Err(TerrainError::of_file(fault, "write a line `cellsize 10` with the spacing"));
        };
        let middle = |center: &str, corner: &str, step: f64| {
            let from_corner = || self.number(corner).unwrap_or(0.0) + 0.5 * step;
            self.number(center).unwrap_or_else(from_corner)
        };
        let south = middle("yllcenter", "yllcorner", dy);
        let first = [middle("xllcenter", "xllcorner", dx), south + (rows - 1) as f64 * dy];
        Ok(SampleLattice { first, step: [dx, -dy], unit: None })
    }
}

fn word_of(text: &[u8]) -> Option<usize> {
    WORDS.iter().position(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// The words of a text with the lines they stand in.
#[derive(Clone, Copy)]
struct Tokens<'b> {
    bytes: &'b [u8],
    at: usize,
    line: u64,
}

struct AscToken<'b> {
    text: &'b [u8],
    line: u64,
}

impl<'b> Tokens<'b> {
    fn new(bytes: &'b [u8]) -> Tokens<'b> {
        Tokens { bytes: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), at: 0, line: 1 }
    }
}

impl<'b> Iterator for Tokens<'b> {
    type Item = AscToken<'b>;

    fn next(&mut self) -> Option<AscToken<'b>> {
        while self.bytes.get(self.at)?.is_ascii_whitespace() {
            self.line += u64::from(self.bytes[self.at] == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        Some(AscToken { text: &rest[..length], line: self.line })
    }
}

impl AscToken<'_> {
    /// Whether it begins as a number does, or is one that begins otherwise, such as `nan`.
    fn is_like_a_number(&self) -> bool {
        let begins = |first: &u8| first.is_ascii_digit() || b"+-.,".contains(first);
        self.text.first().is_some_and(begins) || self.number().is_ok()
    }

    fn number(&self) -> Result<f64, TerrainError> {
        let number = std::str::from_utf8(self.text).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| {
            let remedy = match self.text.contains(&b',') {
                true => "write decimals with a point",
                false => "write numbers like 12.5 with blanks between them",
            };
            let fault = Fault::Malformed(format!("{} is not a number", self.quoted()));
            TerrainError::new(FileLocation::Line(self.line), fault, remedy)
        })
    }

    /// The text, shortened and without what would steer a terminal.
    fn quoted(&self) -> String {
        let shown = &self.text[..self.text.len().min(40)];
        format!("{:?}", String::from_utf8_lossy(shown))
    }
}

/// Writes a height map as a grid; samples without a height become `no_data`.
pub(crate) fn encode(map: &HeightMap, no_data: f64) -> Vec<u8> {
    let ([dx, dy], [x, y]) = (map.spacing(), map.origin());
    let mut text = format!("ncols {}\nnrows {}\nxllcorner {x}\nyllcorner {y}\n", map.columns(), map.rows());
    // A text takes whatever is written to it.
    let _ = match dx == dy {
        true => writeln!(text, "cellsize {dx}"),
        false => writeln!(text, "dx {dx}\ndy {dy}"),
    };
    let _ = writeln!(text, "NODATA_value {no_data}");
    for row in map.heights().chunks_exact(map.columns()).rev() {
        for (column, height) in row.iter().enumerate() {
            let blank = if column == 0 { "" } else { " " };
            let height = if height.is_nan() { no_data } else { *height };
            let _ = write!(text, "{blank}{height}");
        }
        text.push('\n');
    }
    text.into_bytes()
}
