//! Saved state in memory that is written over again and again: tiles that have not changed stay where they are.

use std::io::{self, Write};

/// The bytes of a state, and the stamps of the tiles in them.
///
/// A state is written from its beginning. While it is, the bytes beyond the cursor are still those of the former state;
/// so a list of tiles that begins where it did and has the length that it had finds its former tiles in place.
#[derive(Clone, Default)]
pub(crate) struct KeptState {
    bytes: Vec<u8>,
    at: usize,
    /// The lists of tiles in the order in which they were written, and how many of them have been this time.
    lists: Vec<TileList>,
    written: usize,
    copied: u64,
}

/// A list of tiles: where it begins, its length in bytes, and the stamps of its tiles.
#[derive(Clone, Default)]
struct TileList {
    at: usize,
    length: usize,
    stamps: Vec<u64>,
}

impl KeptState {
    pub fn with_capacity(bytes: usize) -> KeptState {
        KeptState { bytes: Vec::with_capacity(bytes), ..KeptState::default() }
    }

    /// Begins to write a state over the former one.
    pub fn begin(&mut self) {
        (self.at, self.written, self.copied) = (0, 0, 0);
    }

    /// Gives up what is left of a longer state.
    pub fn finish(&mut self) {
        self.bytes.truncate(self.at);
        self.lists.truncate(self.written);
    }

    /// The state.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Bytes that were copied for the state since it was begun.
    pub fn copied(&self) -> u64 {
        self.copied
    }

    /// Writes tiles of equal length, each with its stamp.
    pub fn write_tiles(&mut self, bytes: &[u8], stamps: &[u64]) -> io::Result<()> {
        if self.lists.len() == self.written {
            self.lists.push(TileList::default());
        }
        let mut list = std::mem::take(&mut self.lists[self.written]);
        let is_in_place = list.at == self.at
            && list.length == bytes.len()
            && list.stamps.len() == stamps.len()
            && self.at + bytes.len() <= self.bytes.len();
        if is_in_place {
            let length = bytes.len() / stamps.len().max(1);
            for (tile, (kept, stamp)) in list.stamps.iter_mut().zip(stamps).enumerate() {
                if kept != stamp {
                    let from = tile * length;
                    let place = self.at + from;
                    self.bytes[place..place + length].copy_from_slice(&bytes[from..from + length]);
                    self.copied += length as u64;
                    *kept = *stamp;
                }
            }
            self.at += bytes.len();
        } else {
            (list.at, list.length) = (self.at, bytes.len());
            list.stamps.clear();
            list.stamps.extend_from_slice(stamps);
            self.write_all(bytes)?;
        }
        self.lists[self.written] = list;
        self.written += 1;
        Ok(())
    }
}

impl Write for KeptState {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let over = bytes.len().min(self.bytes.len() - self.at);
        self.bytes[self.at..self.at + over].copy_from_slice(&bytes[..over]);
        self.bytes.extend_from_slice(&bytes[over..]);
        self.at += bytes.len();
        self.copied += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;

    /// A state whose first piece may be longer, before lists of tiles.
    fn save(to: &mut Writer<'_>, name: &str, values: &[f32], stamps: &[u64]) {
        to.text("name", name).unwrap();
        to.tiles("levels", values, stamps).unwrap();
        to.tiles("flows", values, stamps).unwrap();
        to.number("time", 1.0).unwrap();
    }

    #[test]
    fn a_state_that_is_written_over_has_the_bytes_of_a_new_one() {
        let mut kept = KeptState::default();
        let mut copied = Vec::new();
        let mut values = [0.0_f32; 12];
        for (name, changed, stamps) in [
            ("a", 0.0, [1, 1, 1]),
            ("a", 0.0, [1, 1, 1]),
            ("a", 1.0, [1, 2, 1]),
            ("longer", 1.0, [1, 2, 1]),
            ("longer", 2.0, [1, 3, 1]),
            ("b", 2.0, [1, 3, 1]),
            ("b", 3.0, [1, 4, 1]),
        ] {
            values[5] = changed;
            let mut fresh = Vec::new();
            save(&mut Writer::new(&mut fresh), name, &values, &stamps);
            save(&mut Writer::over(&mut kept), name, &values, &stamps);
            kept.finish();
            assert!(kept.bytes() == fresh, "{name} {changed}");
            copied.push(kept.copied() as usize + 96 - fresh.len());
        }
        // Bytes of tiles: all when the place is another one, else the tile that has changed, in both lists
        assert_eq!(copied, [96, 0, 32, 96, 32, 96, 32]);
    }

    #[test]
    fn a_list_that_has_moved_into_another_is_copied() {
        let mut kept = KeptState::default();
        for (first, second) in [(4, 8), (8, 4), (8, 8), (4, 4)] {
            let write = |to: &mut Writer<'_>| {
                to.tiles("first", &vec![first as f32; first], &[7]).unwrap();
                to.tiles("second", &vec![-1.0 - second as f32; second], &[7]).unwrap();
            };
            let mut fresh = Vec::new();
            write(&mut Writer::new(&mut fresh));
            write(&mut Writer::over(&mut kept));
            kept.finish();
            assert!(kept.bytes() == fresh);
        }
    }
}
