//! Copy-on-write arrays shared by several frames.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use bytemuck::Pod;

/// A reference-counted copy-on-write array with a revision: arrays with equal revisions hold equal bits, so that they
/// need not be stored or uploaded again.
///
/// The revision is a hash of the bits, computed on demand and again after a change.
///
/// ```
/// use undine_frame::Shared;
/// let bed = Shared::from(vec![1.0_f32, 2.0, 3.0]);
/// let mut dug = bed.clone();
/// assert_eq!(dug.revision(), bed.revision());
/// dug[1] = 1.5;
/// assert_ne!(dug.revision(), bed.revision());
/// assert_eq!(bed[1], 2.0);
/// ```
// An `Arc<[T]>` would copy the numbers once more when a list becomes shared.
pub struct Shared<T>(Arc<Contents<T>>);

#[derive(Clone)]
struct Contents<T> {
    items: Vec<T>,
    revision: OnceLock<u64>,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(items: Vec<T>) -> Self {
        Shared(Arc::new(Contents { items, revision: OnceLock::new() }))
    }
}

impl<T> FromIterator<T> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<T> Deref for Shared<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0.items
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    /// The array for writing, copied first if it is shared.
    fn deref_mut(&mut self) -> &mut Vec<T> {
        let contents = Arc::make_mut(&mut self.0);
        contents.revision = OnceLock::new();
        &mut contents.items
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut Shared<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<'a, T> IntoIterator for &'a Shared<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.items.iter()
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.items == other.0.items
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Shared<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == other.as_slice()
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.items.fmt(f)
    }
}

impl<T: Pod> Shared<T> {
    /// Hash of the bits: equal for equal arrays.
    pub fn revision(&self) -> u64 {
        *self.0.revision.get_or_init(|| hash(bytemuck::cast_slice(&self.0.items)))
    }
}

/// Odd constants with well mixed bits: digits of √2, √3, √5 and √7.
const FACTORS: [u64; 4] =
    [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];

/// A 64-bit hash in four lanes, so that it runs as fast as memory; the same on every machine.
fn hash(bytes: &[u8]) -> u64 {
    let mut lanes = FACTORS.map(|factor| factor ^ bytes.len() as u64);
    let mut chunks = bytes.chunks_exact(32);
    for chunk in &mut chunks {
        for (lane, word) in lanes.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *lane = mixed(*lane ^ u64::from_le_bytes(*word));
        }
    }
    let mut rest = [0; 32];
    rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    for (lane, word) in lanes.iter_mut().zip(rest.as_chunks::<8>().0) {
        *lane = mixed(*lane ^ u64::from_le_bytes(*word));
    }
    lanes.into_iter().fold(0, |sum, lane| mixed(sum ^ lane))
}

fn mixed(word: u64) -> u64 {
    let word = word.wrapping_mul(FACTORS[0]);
    (word ^ (word >> 29)).wrapping_mul(FACTORS[1]).rotate_left(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_differ_wherever_a_bit_does() {
        let values: Vec<f32> = (0..1000).map(|n| (n as f32 * 0.1).sin()).collect();
        let whole = Shared::from(values.clone());
        assert_eq!(whole.revision(), Shared::from(values.clone()).revision());
        let mut seen = vec![whole.revision()];
        for place in 0..values.len() {
            let mut other = whole.clone();
            other[place] = f32::from_bits(other[place].to_bits() ^ 1);
            seen.push(other.revision());
            seen.push(Shared::from(values[..place].to_vec()).revision());
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert_ne!(Shared::from(vec![0.0_f32]).revision(), Shared::from(vec![-0.0_f32]).revision());
    }
}
