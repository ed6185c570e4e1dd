//! Atomic file writes: a file appears complete or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The name under which a file is written before it is renamed: `film.mp4` becomes `film.mp4.partial`.
pub fn partial_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".partial");
    PathBuf::from(name)
}

/// A file that appears under its name only when [`commit`](AtomicFile::commit) has succeeded, so that a killed
/// process never leaves half a file that looks like a whole one. Dropped without commit, it leaves nothing.
///
/// ```
/// use std::io::Write;
/// # let folder = std::env::temp_dir().join(format!("undine-atomic-{}", std::process::id()));
/// let path = folder.join("depths.csv");
/// let mut file = undine_frame::AtomicFile::create(&path)?;
/// writeln!(file, "x,depth")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert!(path.exists());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct AtomicFile {
    writer: Option<BufWriter<File>>,
    path: PathBuf,
}

impl AtomicFile {
    /// Opens `path` for writing under its partial name, making its folder if need be.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = File::create(partial_name(&path))?;
        Ok(AtomicFile { writer: Some(BufWriter::with_capacity(1 << 16, file)), path })
    }

    /// Writes `bytes` to `path` in one go.
    pub fn write_all_to(path: impl Into<PathBuf>, bytes: &[u8]) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(bytes)?;
        file.commit()
    }

    /// Flushes and syncs the file, then renames it to its final name.
    pub fn commit(mut self) -> io::Result<()> {
        let writer = self.writer.take().expect("a file is committed once");
        let partial = partial_name(&self.path);
        let finish = || {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_data()?;
            drop(file);
            fs::rename(&partial, &self.path)
        };
        finish().inspect_err(|_| drop(fs::remove_file(&partial)))
    }

    fn open(&mut self) -> &mut BufWriter<File> {
        self.writer.as_mut().expect("the file is open until it is committed")
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open().flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.open().seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // An error cannot be returned from `drop`; at least no half-written file is left behind.
            let _ = fs::remove_file(partial_name(&self.path));
        }
    }
}
