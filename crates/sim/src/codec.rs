//! State to bytes and back, little-endian, for checkpoints, snapshots and live edits.
//!
//! State is a sequence of named pieces. A piece is the length of its name (`u8`), the name, the letter of its element
//! type (see [`Element`]), for lists the number of elements (`u64`), and the elements themselves. So a reader that has
//! lost step with the writer says which piece it missed instead of taking one number for another.
//!
//! Lists and fields are streamed: no copy of them is made on the way, and what is read goes straight into the memory that
//! the water already has. A length is trusted only as far as there are bytes for it.

use std::io::{self, Read, Write};

use bytemuck::{Pod, Zeroable};
use undine_grid::{Field, Value};

use crate::kept_state::KeptState;

/// Bytes that a list may grow by before they have been seen to exist.
const PORTION: usize = 1 << 20;

/// The letter of a single whole number, of a single real number, and of a text.
const INTEGER: u8 = b'i';
const NUMBER: u8 = b'n';
const TEXT: u8 = b't';

/// Element type of a list: `u8`, `u32`, `i32`, `u64`, `f32` or `f64`.
pub trait Element: Pod + Default {
    /// The letter that stands for it in saved state.
    const LETTER: u8;
}

impl Element for u8 {
    const LETTER: u8 = b'b';
}
impl Element for u32 {
    const LETTER: u8 = b'w';
}
/// Two's complement: read as `u32`.
impl Element for i32 {
    const LETTER: u8 = b'w';
}
impl Element for u64 {
    const LETTER: u8 = b'l';
}
impl Element for f32 {
    const LETTER: u8 = b'f';
}
impl Element for f64 {
    const LETTER: u8 = b'd';
}

/// The letter of what a field holds.
fn letter_of<T: Value>() -> u8 {
    match (T::IS_LABEL, size_of::<T>()) {
        (true, _) => u8::LETTER,
        (_, 4) => f32::LETTER,
        _ => f64::LETTER,
    }
}

/// Writes named pieces of state.
///
/// ```
/// use undine_sim::{Reader, Writer};
/// let mut bytes = Vec::new();
/// Writer::new(&mut bytes).values("levels", &[0.5, 0.25])?;
/// let mut levels = [0.0; 2];
/// Reader::new(&bytes).values_into("levels", &mut levels)?;
/// assert_eq!(levels, [0.5, 0.25]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Writer<'a> {
    to: WriteTarget<'a>,
}

enum WriteTarget<'a> {
    Stream(&'a mut dyn Write),
    Kept(&'a mut KeptState),
}

impl<'a> Writer<'a> {
    /// Writes into `to`.
    pub fn new(to: &'a mut dyn Write) -> Self {
        Writer { to: WriteTarget::Stream(to) }
    }

    /// Writes over a state that was kept before, which leaves out tiles that have not changed.
    pub(crate) fn over(kept: &'a mut KeptState) -> Self {
        kept.begin();
        Writer { to: WriteTarget::Kept(kept) }
    }

    /// A list of values in tiles of equal length, each with the [stamp](crate::next_stamp) of its last change. Where the
    /// state is written over an earlier one, as at the beginning of every frame, tiles with the stamps that they had then
    /// are not copied. They are read as any list is.
    pub fn tiles<T: Element>(&mut self, name: &str, values: &[T], stamps: &[u64]) -> io::Result<()> {
        let length = values.len() / stamps.len().max(1);
        let is_even = length > 0 && length * stamps.len() == values.len();
        self.begin_list(name, T::LETTER, values.len())?;
        match &mut self.to {
            WriteTarget::Kept(kept) if is_even && cfg!(target_endian = "little") => {
                kept.write_tiles(bytemuck::cast_slice(values), stamps)
            }
            _ => self.elements(values),
        }
    }

    /// A text.
    pub fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.begin_list(name, TEXT, text.len())?;
        self.bytes(text.as_bytes())
    }

    /// A whole number.
    pub fn integer(&mut self, name: &str, value: u64) -> io::Result<()> {
        self.begin(name, INTEGER)?;
        self.bytes(&value.to_le_bytes())
    }

    /// A real number, bit by bit.
    pub fn number(&mut self, name: &str, value: f64) -> io::Result<()> {
        self.begin(name, NUMBER)?;
        self.bytes(&value.to_bits().to_le_bytes())
    }

    /// A list of values, bit by bit.
    pub fn values<T: Element>(&mut self, name: &str, values: &[T]) -> io::Result<()> {
        self.begin_list(name, T::LETTER, values.len())?;
        self.elements(values)
    }

    /// The samples of a field without ghosts, x fastest, row by row.
    pub fn field<T: Value, const D: usize>(&mut self, name: &str, field: &Field<T, D>) -> io::Result<()> {
        self.begin_list(name, letter_of::<T>(), field.len())?;
        field.rows().try_for_each(|(_, row)| self.elements(row))
    }

    /// A list of records of `N` values each, as they come.
    pub fn records<T: Element, const N: usize>(
        &mut self,
        name: &str,
        records: impl ExactSizeIterator<Item = [T; N]>,
    ) -> io::Result<()> {
        self.begin_list(name, T::LETTER, N * records.len())?;
        let mut records = records;
        records.try_for_each(|record| self.elements(&record))
    }

    fn elements<T: Pod>(&mut self, values: &[T]) -> io::Result<()> {
        let bytes = bytemuck::cast_slice(values);
        match &mut self.to {
            _ if cfg!(target_endian = "little") => self.bytes(bytes),
            WriteTarget::Stream(to) => write_reversed(*to, bytes, size_of::<T>()),
            WriteTarget::Kept(kept) => write_reversed(*kept, bytes, size_of::<T>()),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.to {
            WriteTarget::Stream(to) => to.write_all(bytes),
            WriteTarget::Kept(kept) => kept.write_all(bytes),
        }
    }

    fn begin_list(&mut self, name: &str, letter: u8, count: usize) -> io::Result<()> {
        self.begin(name, letter)?;
        self.bytes(&(count as u64).to_le_bytes())
    }

    fn begin(&mut self, name: &str, letter: u8) -> io::Result<()> {
        let length = u8::try_from(name.len()).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidInput, "the name of a piece of state is too long")
        })?;
        self.bytes(&[length])?;
        self.bytes(name.as_bytes())?;
        self.bytes(&[letter])
    }
}

/// Reads named pieces of state back in the order in which they were written.
pub struct Reader<'a> {
    from: ReadSource<'a>,
}

enum ReadSource<'a> {
    Bytes(&'a [u8]),
    Stream(&'a mut dyn Read),
}

impl<'a> Reader<'a> {
    /// Reads from `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { from: ReadSource::Bytes(bytes) }
    }

    /// Reads from a file or another stream, in small portions: wrap it into a buffer if it has none.
    pub fn from_stream(stream: &'a mut dyn Read) -> Self {
        Reader { from: ReadSource::Stream(stream) }
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> io::Result<String> {
        let count = self.expect_list(name, TEXT)?;
        let mut bytes = Vec::new();
        self.append(name, count, &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| broken(name, "is not text"))
    }

    /// A whole number.
    pub fn integer(&mut self, name: &str) -> io::Result<u64> {
        self.expect(name, INTEGER)?;
        self.eight_bytes(name).map(u64::from_le_bytes)
    }

    /// A real number.
    pub fn number(&mut self, name: &str) -> io::Result<f64> {
        self.expect(name, NUMBER)?;
        self.eight_bytes(name).map(f64::from_le_bytes)
    }

    /// A list of exactly as many values as `into` has.
    pub fn values_into<T: Element>(&mut self, name: &str, into: &mut [T]) -> io::Result<()> {
        self.expect_count(name, T::LETTER, into.len())?;
        self.elements(name, into)
    }

    /// A list of exactly `N` values.
    pub fn array<T: Element, const N: usize>(&mut self, name: &str) -> io::Result<[T; N]> {
        let mut values = [T::zeroed(); N];
        self.values_into(name, &mut values)?;
        Ok(values)
    }

    /// A list of any length in place of what `into` holds; its memory is used again.
    pub fn list_into<T: Element>(&mut self, name: &str, into: &mut Vec<T>) -> io::Result<()> {
        let count = self.expect_list(name, T::LETTER)?;
        into.clear();
        self.append(name, count, into)
    }

    /// The samples of a field; its ghosts stay as they were.
    pub fn field<T: Value, const D: usize>(&mut self, name: &str, field: &mut Field<T, D>) -> io::Result<()> {
        self.expect_count(name, letter_of::<T>(), field.len())?;
        field.rows_mut().try_for_each(|(_, row)| self.elements(name, row))
    }

    /// Hands every record of `N` values to `take`.
    pub fn records<T: Element, const N: usize>(
        &mut self,
        name: &str,
        mut take: impl FnMut([T; N]),
    ) -> io::Result<()> {
        let count = self.expect_list(name, T::LETTER)?;
        if count % N.max(1) as u64 != 0 {
            return Err(broken(name, &format!("should hold records of {N} values and has {count} values")));
        }
        for _ in 0..count / N.max(1) as u64 {
            let mut record = [T::zeroed(); N];
            self.elements(name, &mut record)?;
            take(record);
        }
        Ok(())
    }

    /// Passes over a list.
    pub fn skip<T: Element>(&mut self, name: &str) -> io::Result<()> {
        let count = self.expect_list(name, T::LETTER)?;
        let mut left = count.checked_mul(size_of::<T>() as u64).ok_or_else(|| broken(name, "is cut off"))?;
        let mut portion = [0; 4096];
        while left > 0 {
            let length = left.min(portion.len() as u64);
            self.fill(name, &mut portion[..length as usize])?;
            left -= length;
        }
        Ok(())
    }

    /// Refuses state that goes on.
    pub fn finish(&mut self) -> io::Result<()> {
        let is_finished = match &mut self.from {
            ReadSource::Bytes(rest) => rest.is_empty(),
            ReadSource::Stream(stream) => stream.read(&mut [0])? == 0,
        };
        if is_finished {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "the saved state holds more than this scene"))
    }

    /// Appends `count` elements, never asking for much more memory than there is to read.
    fn append<T: Element>(&mut self, name: &str, count: u64, into: &mut Vec<T>) -> io::Result<()> {
        let count = usize::try_from(count).map_err(|_| broken(name, "has an impossible length"))?;
        let portion = match &self.from {
            ReadSource::Bytes(rest) if rest.len() / size_of::<T>() < count => {
                return Err(broken(name, "is cut off"));
            }
            ReadSource::Bytes(_) => count,
            ReadSource::Stream(_) => PORTION / size_of::<T>(),
        };
        while into.len() < count {
            let start = into.len();
            into.resize(count.min(start + portion), T::default());
            self.elements(name, &mut into[start..])?;
        }
        Ok(())
    }

    fn elements<T: Pod>(&mut self, name: &str, into: &mut [T]) -> io::Result<()> {
        let bytes = bytemuck::cast_slice_mut(into);
        self.fill(name, bytes)?;
        if cfg!(target_endian = "big") {
            bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        }
        Ok(())
    }

    fn expect_count(&mut self, name: &str, letter: u8, wanted: usize) -> io::Result<()> {
        let count = self.expect_list(name, letter)?;
        if count == wanted as u64 {
            return Ok(());
        }
        Err(broken(name, &format!("has {count} values, where this scene has {wanted}")))
    }

    fn expect_list(&mut self, name: &str, letter: u8) -> io::Result<u64> {
        self.expect(name, letter)?;
        self.eight_bytes(name).map(u64::from_le_bytes)
    }

    /// Reads the head of a piece, which must have this name and this type.
    fn expect(&mut self, name: &str, letter: u8) -> io::Result<()> {
        let mut length = [0];
        self.fill(name, &mut length)?;
        let mut found = [0; u8::MAX as usize];
        let found = &mut found[..usize::from(length[0])];
        self.fill(name, found)?;
        if found != name.as_bytes() {
            let found = String::from_utf8_lossy(found);
            return Err(broken(name, &format!("was expected, but {found:?} was found")));
        }
        let mut found = [0];
        self.fill(name, &mut found)?;
        if found != [letter] {
            let (found, letter) = (char::from(found[0]), char::from(letter));
            return Err(broken(name, &format!("is of type {found:?}, where {letter:?} was expected")));
        }
        Ok(())
    }

    fn eight_bytes(&mut self, name: &str) -> io::Result<[u8; 8]> {
        let mut bytes = <[u8; 8]>::zeroed();
        self.fill(name, &mut bytes).map(|()| bytes)
    }

    fn fill(&mut self, name: &str, into: &mut [u8]) -> io::Result<()> {
        match &mut self.from {
            ReadSource::Bytes(rest) => {
                let (taken, left) =
                    rest.split_at_checked(into.len()).ok_or_else(|| broken(name, "is cut off"))?;
                into.copy_from_slice(taken);
                *rest = left;
                Ok(())
            }
            ReadSource::Stream(stream) => stream.read_exact(into).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => broken(name, "is cut off"),
                _ => error,
            }),
        }
    }
}

/// Writes elements of `size` bytes each with their bytes in the other order.
fn write_reversed(to: &mut dyn Write, bytes: &[u8], size: usize) -> io::Result<()> {
    let mut portion = [0; 4096];
    for bytes in bytes.chunks(portion.len()) {
        let portion = &mut portion[..bytes.len()];
        portion.copy_from_slice(bytes);
        portion.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        to.write_all(portion)?;
    }
    Ok(())
}

fn broken(name: &str, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the piece {name:?} of the saved state {what}"))
}

#[cfg(test)]
mod tests {
    use undine_grid::{Condition, Grid, Location};

    use super::*;

    fn field(start: f64) -> Field<f64, 2> {
        let grid = Grid::new([5, 3], [1.0; 2], [0.0; 2]).unwrap();
        let mut field = Field::new(grid, Location::Center, Condition::Wall, 2).unwrap();
        field.fill(-7.0);
        field.copy_from(&(0..15).map(|n| start + f64::from(n)).collect::<Vec<_>>()).unwrap();
        field
    }

    fn state() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        writer.number("time", f64::from_bits(0x7ff8_0000_0000_0001)).unwrap();
        writer.values("levels", &[-0.0, 1.5]).unwrap();
        writer.field("depth", &field(0.5)).unwrap();
        writer.records("pours", [[1_u32, 2], [3, 4]].into_iter()).unwrap();
        writer.text("name", "größe").unwrap();
        bytes
    }

    type Pieces = (u64, Vec<f64>, Field<f64, 2>, Vec<[u32; 2]>, String);

    fn read(mut reader: Reader<'_>) -> io::Result<Pieces> {
        let time = reader.number("time")?.to_bits();
        let mut levels = vec![9.0; 7];
        reader.list_into("levels", &mut levels)?;
        let mut depth = field(100.0);
        reader.field("depth", &mut depth)?;
        let mut pours = Vec::new();
        reader.records("pours", |pour| pours.push(pour))?;
        let name = reader.text("name")?;
        reader.finish()?;
        Ok((time, levels, depth, pours, name))
    }

    #[test]
    fn pieces_come_back_bit_by_bit_from_memory_and_from_a_stream() {
        let bytes = state();
        for reader in [Reader::new(&bytes), Reader::from_stream(&mut &bytes[..])] {
            let (time, levels, depth, pours, name) = read(reader).unwrap();
            assert_eq!(time, 0x7ff8_0000_0000_0001);
            assert_eq!((levels[0].to_bits(), levels.len()), ((-0.0_f64).to_bits(), 2));
            assert_eq!(depth.to_dense(), field(0.5).to_dense());
            assert_eq!(depth.at([-1, 0]), -7.0, "a ghost was written");
            assert_eq!((pours, name.as_str()), (vec![[1, 2], [3, 4]], "größe"));
        }
    }

    #[test]
    fn a_reader_out_of_step_says_what_it_found() {
        let bytes = state();
        let error = Reader::new(&bytes).number("depths").unwrap_err().to_string();
        assert_eq!(error, "the piece \"depths\" of the saved state was expected, but \"time\" was found");
        let error = Reader::new(&bytes).integer("time").unwrap_err().to_string();
        assert_eq!(error, "the piece \"time\" of the saved state is of type 'n', where 'i' was expected");
        let mut reader = Reader::new(&bytes);
        reader.number("time").unwrap();
        let error = reader.array::<f64, 3>("levels").unwrap_err().to_string();
        assert_eq!(error, "the piece \"levels\" of the saved state has 2 values, where this scene has 3");
    }

    #[test]
    fn every_cut_is_noticed_and_so_is_more() {
        let mut bytes = state();
        for cut in 0..bytes.len() {
            assert!(read(Reader::new(&bytes[..cut])).is_err(), "cut at {cut}");
            assert!(read(Reader::from_stream(&mut &bytes[..cut])).is_err(), "cut at {cut}");
        }
        bytes.push(0);
        assert!(read(Reader::new(&bytes)).is_err() && read(Reader::from_stream(&mut &bytes[..])).is_err());
    }

    #[test]
    fn a_length_that_is_not_there_asks_for_no_memory() {
        for count in [u64::MAX, u64::MAX / 8, 1 << 50] {
            let mut bytes = Vec::new();
            Writer::new(&mut bytes).values("levels", &[1.0, 2.0]).unwrap();
            let place = bytes.len() - 24;
            bytes[place..place + 8].copy_from_slice(&count.to_le_bytes());
            for mut reader in [Reader::new(&bytes), Reader::from_stream(&mut &bytes[..])] {
                let mut levels: Vec<f64> = Vec::new();
                assert!(reader.list_into("levels", &mut levels).is_err());
                assert!(levels.capacity() <= PORTION / 8, "{} values of room", levels.capacity());
            }
            assert!(Reader::new(&bytes).skip::<f64>("levels").is_err());
        }
    }

    #[test]
    fn the_other_order_of_bytes_is_the_reverse_of_each_element() {
        let values: Vec<u32> = (0..3000).map(|n| n * 65_537).collect();
        let mut reversed = Vec::new();
        write_reversed(&mut reversed, bytemuck::cast_slice(&values), 4).unwrap();
        let swapped: Vec<u8> = values.iter().flat_map(|value| value.swap_bytes().to_ne_bytes()).collect();
        assert_eq!(reversed, swapped);
    }
}
