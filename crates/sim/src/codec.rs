//! Plain numbers to bytes and back, little-endian, for checkpoints.
//!
//! Every piece is preceded by its name, so that a reader that has lost step with the writer says which piece it
//! missed instead of taking one number for another.

use std::io::{self, Write};

/// Writes named pieces of state.
///
/// ```
/// use undine_sim::{Reader, Writer};
/// let mut bytes = Vec::new();
/// Writer::new(&mut bytes).numbers("levels", &[0.5, 0.25])?;
/// assert_eq!(Reader::new(&bytes).numbers("levels")?, [0.5, 0.25]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Writer<'a> {
    to: &'a mut dyn Write,
}

/// Reads named pieces of state back in the order in which they were written.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Writer<'a> {
    /// Writes into `to`.
    pub fn new(to: &'a mut dyn Write) -> Self {
        Writer { to }
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.name(name)?;
        self.to.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.to.write_all(bytes)
    }

    /// A text.
    pub fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.bytes(name, text.as_bytes())
    }

    /// A whole number.
    pub fn integer(&mut self, name: &str, value: u64) -> io::Result<()> {
        self.name(name)?;
        self.to.write_all(&value.to_le_bytes())
    }

    /// A real number, bit by bit.
    pub fn number(&mut self, name: &str, value: f64) -> io::Result<()> {
        self.integer(name, value.to_bits())
    }

    /// Real numbers, bit by bit.
    pub fn numbers(&mut self, name: &str, values: &[f64]) -> io::Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(name, &bytes)
    }

    /// Single-precision numbers, bit by bit.
    pub fn singles(&mut self, name: &str, values: &[f32]) -> io::Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(name, &bytes)
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        let length = u8::try_from(name.len()).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidInput, "the name of a piece of state is too long")
        })?;
        self.to.write_all(&[length])?;
        self.to.write_all(name.as_bytes())
    }
}

impl<'a> Reader<'a> {
    /// Reads from `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, name: &str) -> io::Result<&'a [u8]> {
        let length = self.integer(name)?;
        let length = usize::try_from(length).map_err(|_| broken(name, "has an impossible length"))?;
        self.take(name, length)
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> io::Result<&'a str> {
        std::str::from_utf8(self.bytes(name)?).map_err(|_| broken(name, "is not text"))
    }

    /// A whole number.
    pub fn integer(&mut self, name: &str) -> io::Result<u64> {
        self.expect_name(name)?;
        let bytes = self.take(name, 8)?;
        Ok(u64::from_le_bytes(std::array::from_fn(|index| bytes[index])))
    }

    /// A real number.
    pub fn number(&mut self, name: &str) -> io::Result<f64> {
        self.integer(name).map(f64::from_bits)
    }

    /// Real numbers, as many as there are.
    pub fn numbers(&mut self, name: &str) -> io::Result<Vec<f64>> {
        let (values, rest) = self.bytes(name)?.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(broken(name, "does not hold whole numbers"));
        }
        Ok(values.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    /// Single-precision numbers, as many as there are.
    pub fn singles(&mut self, name: &str) -> io::Result<Vec<f32>> {
        let (values, rest) = self.bytes(name)?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(broken(name, "does not hold whole numbers"));
        }
        Ok(values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    /// Single-precision numbers into a slice of exactly their count.
    pub fn singles_into(&mut self, name: &str, into: &mut [f32]) -> io::Result<()> {
        let (values, rest) = self.bytes(name)?.as_chunks::<4>();
        if !rest.is_empty() || values.len() != into.len() {
            return Err(broken(name, "has another size than this scene"));
        }
        for (to, bytes) in into.iter_mut().zip(values) {
            *to = f32::from_le_bytes(*bytes);
        }
        Ok(())
    }

    /// Whether everything has been read.
    pub fn is_finished(&self) -> bool {
        self.rest.is_empty()
    }

    fn expect_name(&mut self, name: &str) -> io::Result<()> {
        let length = self.take(name, 1)?[0];
        let found = self.take(name, usize::from(length))?;
        if found == name.as_bytes() {
            return Ok(());
        }
        let found = String::from_utf8_lossy(found);
        Err(broken(name, &format!("was expected, but {found:?} stands there")))
    }

    fn take(&mut self, name: &str, count: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| broken(name, "is cut off"))?;
        self.rest = rest;
        Ok(taken)
    }
}

fn broken(name: &str, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the piece {name:?} of the saved state {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_bit_by_bit_and_in_step() {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        writer.number("time", f64::from_bits(0x7ff8_0000_0000_0001)).unwrap();
        writer.numbers("levels", &[-0.0, 1.5]).unwrap();
        writer.singles("speeds", &[0.1, 0.2]).unwrap();

        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.number("time").unwrap().to_bits(), 0x7ff8_0000_0000_0001);
        assert_eq!(reader.numbers("levels").unwrap()[0].to_bits(), (-0.0f64).to_bits());
        let error = reader.number("depths").unwrap_err().to_string();
        assert_eq!(
            error,
            "the piece \"depths\" of the saved state was expected, but \"speeds\" stands there"
        );
    }

    #[test]
    fn every_cut_is_noticed() {
        let mut bytes = Vec::new();
        Writer::new(&mut bytes).numbers("levels", &[1.0, 2.0]).unwrap();
        for cut in 0..bytes.len() {
            assert!(Reader::new(&bytes[..cut]).numbers("levels").is_err(), "cut at {cut}");
        }
    }
}
