//! CSV tables: append-only logs that survive a killed run, and fields sample by sample.
//!
//! Numbers are written in their shortest round-trip form, so that a table has the same bytes on every machine.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use undine_frame::{AtomicFile, Curves, Raster};

use crate::number::Shortest;
use crate::raster_image::component_names;

/// One cell of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CsvCell<'a> {
    /// A real number.
    Real(f64),
    /// An integer.
    Whole(u64),
    /// Text; line breaks in it become spaces.
    Text(&'a str),
    /// Nothing: what is measured does not exist here.
    Empty,
}

impl From<f64> for CsvCell<'_> {
    fn from(value: f64) -> Self {
        CsvCell::Real(value)
    }
}

impl From<Option<f64>> for CsvCell<'_> {
    fn from(value: Option<f64>) -> Self {
        value.map_or(CsvCell::Empty, CsvCell::Real)
    }
}

impl From<u64> for CsvCell<'_> {
    fn from(value: u64) -> Self {
        CsvCell::Whole(value)
    }
}

impl<'a> From<&'a str> for CsvCell<'a> {
    fn from(text: &'a str) -> Self {
        CsvCell::Text(text)
    }
}

impl CsvCell<'_> {
    fn text(self) -> String {
        match self {
            CsvCell::Real(value) => Shortest(value).to_string(),
            CsvCell::Whole(value) => value.to_string(),
            CsvCell::Text(text) => quoted(&crate::names::one_line(text)),
            CsvCell::Empty => String::new(),
        }
    }
}

/// Why a table could not be written or continued.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The file could not be written or read.
    #[error("cannot write or read {path}: {source}", path = path.display())]
    Io {
        /// The table.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The table on disk has other columns than the run that would continue it.
    #[error("{path} has the columns \"{found}\", but this run writes \"{expected}\"; start again with --overwrite", path = path.display())]
    Header {
        /// The table.
        path: PathBuf,
        /// Its first line.
        found: String,
        /// The first line it would have now.
        expected: String,
    },
    /// A row has more or fewer cells than the table has columns.
    #[error("a row of {cells} cells for the {columns} columns of {path}", path = path.display())]
    Row {
        /// The table.
        path: PathBuf,
        /// Cells of the row.
        cells: usize,
        /// Columns of the table.
        columns: usize,
    },
}

/// A table that grows by one row at a time; each row is handed to the operating system before the next is made.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("undine-csv-{}", std::process::id()));
/// use undine_export::csv::CsvLog;
/// let path = folder.join("metrics.csv");
/// let mut log = CsvLog::create(&path, &["frame", "volume"])?;
/// log.row(&[0u64.into(), 1.5.into()])?;
/// log.row(&[1u64.into(), 1.25.into()])?;
/// // Killed here; the run goes on after frame 0, so that frame 1 is made again.
/// let mut log = CsvLog::resume(&path, &["frame", "volume"], 0)?;
/// log.row(&[1u64.into(), 1.25.into()])?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "frame,volume\n0,1.5\n1,1.25\n");
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), undine_export::csv::CsvError>(())
/// ```
pub struct CsvLog {
    path: PathBuf,
    file: File,
    columns: usize,
}

impl CsvLog {
    /// Starts a table with these columns; an older one of the same name is replaced.
    pub fn create(path: &Path, header: &[&str]) -> Result<CsvLog, CsvError> {
        CsvLog::start(path, header, "")
    }

    /// Continues a table: keeps the complete rows whose first cell is at most `last` and drops what a killed run wrote after
    /// them. Creates the table if there is none.
    pub fn resume(path: &Path, header: &[&str], last: u64) -> Result<CsvLog, CsvError> {
        let at_path = |source| CsvError::Io { path: path.to_owned(), source };
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(at_path(error)),
        };
        let expected = line(header.iter().map(|name| quoted(name)));
        let Some((found, rows)) = text.split_once('\n') else { return CsvLog::create(path, header) };
        if found != expected.trim_end() {
            let (found, expected) = (found.to_owned(), expected.trim_end().to_owned());
            return Err(CsvError::Header { path: path.to_owned(), found, expected });
        }
        let kept = rows.split_inclusive('\n').filter(|row| is_kept(row, header.len(), last));
        CsvLog::start(path, header, &kept.collect::<String>())
    }

    fn start(path: &Path, header: &[&str], rows: &str) -> Result<CsvLog, CsvError> {
        let open = || {
            let header = line(header.iter().map(|name| quoted(name)));
            AtomicFile::write_all_to(path, [header.as_str(), rows].concat().as_bytes())?;
            OpenOptions::new().append(true).open(path)
        };
        let file = open().map_err(|source| CsvError::Io { path: path.to_owned(), source })?;
        Ok(CsvLog { path: path.to_owned(), file, columns: header.len() })
    }

    /// Appends a row.
    pub fn row(&mut self, cells: &[CsvCell<'_>]) -> Result<(), CsvError> {
        if cells.len() != self.columns {
            return Err(CsvError::Row { path: self.path.clone(), cells: cells.len(), columns: self.columns });
        }
        let row = line(cells.iter().map(|cell| cell.text()));
        // One write per row: a killed run leaves at most one incomplete row, at the end.
        let written = self.file.write_all(row.as_bytes());
        written.map_err(|source| CsvError::Io { path: self.path.clone(), source })
    }
}

fn is_kept(row: &str, columns: usize, last: u64) -> bool {
    let first = row.split(',').next().and_then(|cell| cell.trim().parse::<f64>().ok());
    row.ends_with('\n') && count_cells(row) == columns && first.is_some_and(|first| first <= last as f64)
}

fn count_cells(row: &str) -> usize {
    let mut inside_quotes = false;
    let mut commas = 0;
    for c in row.chars() {
        inside_quotes ^= c == '"';
        commas += usize::from(c == ',' && !inside_quotes);
    }
    commas + 1
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let mut line = cells.collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

fn quoted(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Writes a raster sample by sample: position in metres, then its components. Refuses one that is empty or
/// inconsistent.
pub fn write_raster(raster: &Raster, mut writer: impl Write) -> io::Result<()> {
    let empty = raster.values.is_empty().then(|| "a raster without samples".to_owned());
    if let Some(fault) = raster.inconsistency().or(empty) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, fault));
    }
    let unit = if raster.unit.is_empty() { String::new() } else { format!(" [{}]", raster.unit) };
    let names = component_names(raster).into_iter().map(|name| quoted(&format!("{name}{unit}")));
    let positions = ["x [m]", "y [m]", "z [m]"].map(str::to_owned).into_iter();
    writer.write_all(line(positions.chain(names)).as_bytes())?;
    let [columns, rows, layers] = raster.size;
    let indices = (0..layers).flat_map(|k| (0..rows).flat_map(move |j| (0..columns).map(move |i| [i, j, k])));
    for (index, sample) in indices.zip(raster.values.chunks_exact(raster.components as usize)) {
        let at = |axis: usize| raster.origin[axis] + f64::from(index[axis]) * raster.spacing[axis];
        write!(writer, "{},{},{}", Shortest(at(0)), Shortest(at(1)), Shortest(at(2)))?;
        sample.iter().try_for_each(|&value| write!(writer, ",{}", Shortest(value)))?;
        writer.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes curves point by point: the number of the curve, counted from 0, and the position in metres.
pub fn write_curves(curves: &Curves, mut writer: impl Write) -> io::Result<()> {
    if let Some(fault) = curves.inconsistency() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, fault));
    }
    writer.write_all(b"curve,x [m],y [m]\n")?;
    for (number, curve) in curves.iter().enumerate() {
        for [x, y] in curve {
            writeln!(writer, "{number},{},{}", Shortest(*x), Shortest(*y))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[&str] = &["frame", "phase", "seconds"];

    fn log_of(path: &Path, rows: u64) {
        let mut log = CsvLog::create(path, HEADER).unwrap();
        for frame in 0..rows {
            log.row(&[frame.into(), "step, then \"draw\"".into(), (0.1 * frame as f64).into()]).unwrap();
        }
    }

    #[test]
    fn a_killed_log_goes_on_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("timings.csv");
        log_of(&path, 6);
        let whole = fs::read_to_string(&path).unwrap();
        // Cut anywhere: after a resume at frame 2 the first three rows are there as they were, and nothing else.
        let kept: String = whole.split_inclusive('\n').take(4).collect();
        for cut in kept.len()..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            drop(CsvLog::resume(&path, HEADER, 2).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), kept, "cut at {cut}");
        }
    }

    #[test]
    fn a_torn_or_absent_header_starts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        drop(CsvLog::resume(&path, HEADER, 9).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "frame,phase,seconds\n");
        fs::write(&path, "fra").unwrap();
        drop(CsvLog::resume(&path, HEADER, 9).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "frame,phase,seconds\n");
    }

    #[test]
    fn other_columns_and_rows_of_the_wrong_length_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.csv");
        log_of(&path, 1);
        let message = CsvLog::resume(&path, &["frame", "volume"], 3).err().unwrap().to_string();
        assert!(message.contains("\"frame,phase,seconds\"") && message.contains("--overwrite"), "{message}");
        let mut log = CsvLog::resume(&path, HEADER, 3).unwrap();
        assert!(matches!(log.row(&[1u64.into()]), Err(CsvError::Row { cells: 1, columns: 3, .. })));
    }

    #[test]
    fn curves_are_listed_point_by_point() {
        let loops = [vec![[0.0, 0.5], [1.0, 0.25]], vec![[2.0, 0.0]]];
        let curves = Curves::new(loops, [[0.0; 2], [3.0, 1.0]], 0.1);
        let mut file = Vec::new();
        write_curves(&curves, &mut file).unwrap();
        let expected = "curve,x [m],y [m]\n0,0,0.5\n0,1,0.25\n1,2,0\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }

    #[test]
    fn rasters_are_listed_with_their_places() {
        let raster = Raster {
            name: "flow".into(),
            unit: "m/s".into(),
            size: [2, 1, 1],
            components: 2,
            origin: [0.5, 1.0, 0.0],
            spacing: [0.25, 1.0, 1.0],
            values: vec![0.1, 0.2, 0.3, f32::NAN].into(),
            ..Raster::default()
        };
        let mut file = Vec::new();
        write_raster(&raster, &mut file).unwrap();
        let expected = "x [m],y [m],z [m],flow.x [m/s],flow.y [m/s]\n0.5,1,0,0.1,0.2\n0.75,1,0,0.3,NaN\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }
}
