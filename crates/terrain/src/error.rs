//! Errors of height files, with location and remedy.

use std::fmt;

/// Why a height file cannot be read or written: which file, where in it, what is wrong, and a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}\n  = help: {remedy}", self.message())]
pub struct TerrainError {
    /// Name of the file; empty for bytes that came without one.
    pub file: String,
    /// Where in it.
    pub place: FileLocation,
    /// What is wrong.
    pub fault: Fault,
    /// What would help.
    pub remedy: String,
}

/// Where in a file something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLocation {
    /// Nowhere in particular.
    Whole,
    /// In this line, counted from 1.
    Line(u64),
    /// At this byte, counted from 0.
    Byte(u64),
}

/// What is wrong with a height file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The content is of no format that is known.
    #[error("this is no height map of a known format")]
    UnknownFormat,
    /// The file contradicts its format.
    #[error("{0}")]
    Malformed(String),
    /// The file ends too early.
    #[error("the file is cut short: {0}")]
    Truncated(String),
    /// The file is sound, but of a variant that is not read or cannot be written.
    #[error("{0}")]
    Unsupported(String),
    /// More samples than are accepted.
    #[error("{columns} × {rows} samples are more than the {most} that are accepted")]
    TooLarge {
        /// Samples from west to east.
        columns: u64,
        /// Samples from north to south.
        rows: u64,
        /// Most samples in all.
        most: u64,
    },
    /// The machine has no memory for the samples.
    #[error("there is no memory for {0} samples")]
    Memory(u64),
    /// The request does not fit the file.
    #[error("{0}")]
    Request(String),
    /// Not one sample holds a height.
    #[error("every sample is marked as no data")]
    NoData,
    /// Some samples hold no height, and that was not allowed.
    #[error("{0} samples are marked as no data")]
    SomeNoData(u64),
    /// The file cannot be opened or read at all.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
}

impl TerrainError {
    /// A fault at a place, with its remedy; [`TerrainError::named`] adds the file.
    pub(crate) fn new(place: FileLocation, fault: Fault, remedy: impl Into<String>) -> TerrainError {
        TerrainError { file: String::new(), place, fault, remedy: remedy.into() }
    }

    /// A fault of the whole file.
    pub(crate) fn of_file(fault: Fault, remedy: impl Into<String>) -> TerrainError {
        TerrainError::new(FileLocation::Whole, fault, remedy)
    }

    /// The same error with the name of the file.
    pub fn named(self, file: &str) -> TerrainError {
        TerrainError { file: file.to_owned(), ..self }
    }

    /// File, place and fault in one line, without the remedy.
    pub fn message(&self) -> String {
        let file = if self.file.is_empty() { "the height map" } else { &self.file };
        format!("{file}{}: {}", self.place, self.fault)
    }
}

impl fmt::Display for FileLocation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileLocation::Whole => Ok(()),
            FileLocation::Line(line) => write!(to, ":{line}"),
            FileLocation::Byte(byte) => write!(to, ", byte {byte}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_file_place_fault_and_remedy() {
        let fault = Fault::Truncated("3 of 12 heights are there".into());
        let error = TerrainError::new(FileLocation::Line(7), fault, "copy the file again").named("hill.asc");
        let wanted =
            "hill.asc:7: the file is cut short: 3 of 12 heights are there\n  = help: copy the file again";
        assert_eq!(error.to_string(), wanted);
        let nameless = TerrainError::of_file(Fault::NoData, "choose another file");
        assert_eq!(nameless.message(), "the height map: every sample is marked as no data");
    }
}
