//! Checks a TIFF before it is decoded: the values of its first directory lie inside the file, and its size is sane.
//!
//! The decoder allocates memory for the lengths of the directory without a check of its own.

use crate::error::{Fault, FileLocation, TerrainError};

const IMAGE_WIDTH: u16 = 256;
const IMAGE_LENGTH: u16 = 257;
const SAMPLES_PER_PIXEL: u16 = 277;

/// The size that a directory states; zero where it does not.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DirectorySize {
    pub columns: u64,
    pub rows: u64,
    pub bands: u64,
}

/// Checks every entry of the first directory and gives the size of the picture.
pub(super) fn check(bytes: &[u8]) -> Result<DirectorySize, TerrainError> {
    let file = TiffFile { bytes, is_big_endian: bytes.starts_with(b"MM"), is_wide: false };
    let file = TiffFile { is_wide: file.number(2, 2)? == 43, ..file };
    // BigTIFF has offsets of eight bytes, counts of eight, and entries of twenty.
    let (word, counter, entry) = if file.is_wide { (8, 8, 20) } else { (4, 2, 12) };
    let directory = file.number(word, word)?;
    let count = file.number(directory, counter)?;
    let mut size = DirectorySize { bands: 1, ..DirectorySize::default() };
    for number in 0..count {
        let at = number.checked_mul(entry).and_then(|skip| directory.checked_add(counter)?.checked_add(skip));
        let at = at.ok_or_else(|| cut_short(bytes.len() as u64))?;
        let (tag, value) = (file.number(at, 2)? as u16, file.check_entry(at, word)?);
        match tag {
            IMAGE_WIDTH => size.columns = value,
            IMAGE_LENGTH => size.rows = value,
            SAMPLES_PER_PIXEL => size.bands = value,
            _ => {}
        }
    }
    Ok(size)
}

struct TiffFile<'b> {
    bytes: &'b [u8],
    is_big_endian: bool,
    is_wide: bool,
}

impl TiffFile<'_> {
    /// A number of 1 to 8 bytes without sign.
    fn number(&self, at: u64, length: u64) -> Result<u64, TerrainError> {
        let range =
            usize::try_from(at).ok().and_then(|start| Some(start..start.checked_add(length as usize)?));
        let found = range.and_then(|range| self.bytes.get(range));
        let found = found.ok_or_else(|| cut_short(at.min(self.bytes.len() as u64)))?;
        let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Ok(match self.is_big_endian {
            true => found.iter().fold(0, join),
            false => found.iter().rev().fold(0, join),
        })
    }

    /// Checks that the values of an entry are in the file; gives the first of them when it is a whole number.
    fn check_entry(&self, at: u64, word: u64) -> Result<u64, TerrainError> {
        let kind = self.number(at + 2, 2)?;
        let count = self.number(at + 4, word)?;
        let length = match kind {
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 | 16 | 17 | 18 => 8,
            _ => 1,
        };
        let place = at + 4 + word;
        let all = u64::checked_mul(count, length).ok_or_else(|| cut_short(at))?;
        if all <= word {
            return self.number(place, length);
        }
        let start = self.number(place, word)?;
        if start.checked_add(all).is_none_or(|end| end > self.bytes.len() as u64) {
            return Err(cut_short(at));
        }
        self.number(start, length)
    }
}

fn cut_short(at: u64) -> TerrainError {
    let what = "the directory names values that are not in the file".to_owned();
    TerrainError::new(FileLocation::Byte(at), Fault::Truncated(what), "copy the file again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_bytes_are_read() {
        let little = b"II*\0\x08\0\0\0\x01\0\x00\x01\x03\0\x01\0\0\0\x07\0\0\0\0\0\0\0";
        assert_eq!(check(little).unwrap(), DirectorySize { columns: 7, rows: 0, bands: 1 });
        let big = b"MM\0*\0\0\0\x08\0\x01\x01\x01\0\x04\0\0\0\x01\0\0\x01\0\0\0\0\0";
        assert_eq!(check(big).unwrap(), DirectorySize { columns: 0, rows: 256, bands: 1 });
    }

    #[test]
    fn values_outside_the_file_are_refused_wherever_it_is_cut() {
        let text = b"II*\0\x08\0\0\0\x01\0\x0e\x01\x02\0\xff\xff\xff\x7f\x1a\0\0\0\0\0\0\0";
        let error = check(text).unwrap_err();
        assert!(matches!((error.place, error.fault), (FileLocation::Byte(10), Fault::Truncated(_))));
        for length in 0..20 {
            assert!(check(&text[..length]).is_err(), "{length}");
        }
        let far = b"II+\0\x08\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff";
        assert!(check(far).is_err());
    }
}
