//! A byte reader that counts, so that an error can report the position of the decoder.

use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::FileLocation;

/// Bytes that are read.
pub(super) struct Tracked<'b> {
    cursor: Cursor<&'b [u8]>,
    mark: Mark,
}

/// Position of a byte reader.
#[derive(Clone, Default)]
pub(super) struct Mark(Arc<AtomicU64>);

impl Mark {
    /// The place in the file.
    pub fn place(&self) -> FileLocation {
        FileLocation::Byte(self.0.load(Ordering::Relaxed))
    }
}

impl<'b> Tracked<'b> {
    pub fn new(bytes: &'b [u8]) -> (Tracked<'b>, Mark) {
        let mark = Mark::default();
        (Tracked { cursor: Cursor::new(bytes), mark: mark.clone() }, mark)
    }

    fn note(&self) {
        // A jump behind the end is shown as the end.
        let at = self.cursor.position().min(self.cursor.get_ref().len() as u64);
        self.mark.0.store(at, Ordering::Relaxed);
    }
}

impl Read for Tracked<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.cursor.read(to);
        self.note();
        read
    }
}

impl BufRead for Tracked<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.cursor.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.cursor.consume(amount);
        self.note();
    }
}

impl Seek for Tracked<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = self.cursor.seek(to);
        self.note();
        at
    }
}
