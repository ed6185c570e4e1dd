//! Copy-on-write arrays shared by several frames.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, OnceLock};

use bytemuck::Pod;

/// A reference-counted copy-on-write array with a revision: arrays with equal revisions hold equal bits, so that they
/// need not be stored or uploaded again.
///
/// The revision is a hash of the bits, computed on demand and again after a change. An array over a lattice may have a
/// hash for each of its [`Tiles`], so that only those that have changed are hashed, copied or uploaded again.
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
    tiles: Option<Tiles>,
}

/// The tiles of an array over a lattice, row by row, each with a hash of its bits.
///
/// ```
/// use undine_frame::{Shared, Tiles};
/// let array = |values: Vec<f32>| {
///     let mut tiles = Tiles::new([3, 2], [2, 2]);
///     (0..tiles.count()).for_each(|tile| tiles.update(tile, &values));
///     Shared::in_tiles(values, tiles)
/// };
/// let (before, after) = (array(vec![0.0; 6]), array(vec![0.0, 0.0, 0.0, 0.0, 0.0, 9.0]));
/// assert_ne!(before.revision(), after.revision());
/// assert_eq!(after.changed_tiles(&before).unwrap().collect::<Vec<_>>(), [1]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiles {
    /// Items in a row of the lattice, and rows.
    size: [usize; 2],
    /// Items in a row of a tile, and rows.
    tile: [usize; 2],
    hashes: Vec<u64>,
}

impl Tiles {
    /// The tiles of a lattice of `size` items, each of `tile` items or cut off at the high sides. Their hashes are those of
    /// no contents until they are [updated](Tiles::update).
    pub fn new(size: [usize; 2], tile: [usize; 2]) -> Tiles {
        let tile = tile.map(|side| side.max(1));
        let count = size[0].div_ceil(tile[0]) * size[1].div_ceil(tile[1]);
        Tiles { size, tile, hashes: vec![0; count] }
    }

    /// Number of tiles.
    pub fn count(&self) -> usize {
        self.hashes.len()
    }

    /// Items in a row of the lattice, and rows.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Items in a row of a tile, and rows.
    pub fn tile(&self) -> [usize; 2] {
        self.tile
    }

    /// The items of a tile in a row, and its rows.
    pub fn extent(&self, tile: usize) -> [Range<usize>; 2] {
        let along_x = self.size[0].div_ceil(self.tile[0]).max(1);
        let at = [tile % along_x, tile / along_x];
        [0, 1].map(|axis| {
            let first = (at[axis] * self.tile[axis]).min(self.size[axis]);
            first..(first + self.tile[axis]).min(self.size[axis])
        })
    }

    /// Takes the hash of a tile anew, of an array with all the items of the lattice.
    pub fn update<T: Pod>(&mut self, tile: usize, items: &[T]) {
        let ([columns, rows], length) = (self.extent(tile), self.size[0]);
        let row = |y: usize| items.get(y * length + columns.start..y * length + columns.end).unwrap_or(&[]);
        let hashes = rows.map(|y| hash(bytemuck::cast_slice(row(y))));
        self.hashes[tile] = hashes.fold(FACTORS[1], |sum, hash| mixed(sum ^ hash));
    }

    /// The tiles whose bits differ from those of a former array; `None` unless both are of one lattice.
    pub fn changed_since<'a>(&'a self, former: &'a Tiles) -> Option<impl Iterator<Item = usize> + 'a> {
        let is_alike = self.size == former.size && self.tile == former.tile;
        let pairs = self.hashes.iter().zip(&former.hashes).enumerate();
        is_alike.then(|| pairs.filter(|(_, (own, other))| own != other).map(|(tile, _)| tile))
    }

    fn hash(&self) -> u64 {
        [self.size, self.tile]
            .as_flattened()
            .iter()
            .fold(hash(bytemuck::cast_slice(&self.hashes)), |sum, &n| mixed(sum ^ n as u64))
    }
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
        Shared(Arc::new(Contents { items, revision: OnceLock::new(), tiles: None }))
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
        (contents.revision, contents.tiles) = (OnceLock::new(), None);
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
    /// Hash of the bits: equal for equal arrays in equal tiles.
    pub fn revision(&self) -> u64 {
        *self.0.revision.get_or_init(|| match &self.0.tiles {
            Some(tiles) => tiles.hash(),
            None => hash(bytemuck::cast_slice(&self.0.items)),
        })
    }
}

impl<T> Shared<T> {
    /// An array over a lattice, with the hashes of its tiles up to date.
    pub fn in_tiles(items: Vec<T>, tiles: Tiles) -> Shared<T> {
        Shared(Arc::new(Contents { items, revision: OnceLock::new(), tiles: Some(tiles) }))
    }

    /// Its tiles, unless it has been written to since it was made of them.
    pub fn tiles(&self) -> Option<&Tiles> {
        self.0.tiles.as_ref()
    }

    /// The tiles whose bits differ from those of another array; `None` unless both are in tiles of one lattice.
    pub fn changed_tiles<'a>(&'a self, other: &'a Shared<T>) -> Option<impl Iterator<Item = usize> + 'a> {
        self.tiles()?.changed_since(other.tiles()?)
    }

    /// Whether nobody else holds the array.
    pub fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// The items and their tiles, if nobody else shares the array; else the array.
    pub fn try_into_parts(self) -> Result<(Vec<T>, Option<Tiles>), Shared<T>> {
        let contents = Arc::try_unwrap(self.0).map_err(Shared)?;
        Ok((contents.items, contents.tiles))
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

    #[test]
    fn the_tiles_of_an_array_differ_where_a_bit_does_and_are_lost_when_it_is_written_to() {
        let size = [7, 5];
        let array = |values: &[f32]| {
            let mut tiles = Tiles::new(size, [3, 2]);
            (0..tiles.count()).for_each(|tile| tiles.update(tile, values));
            Shared::in_tiles(values.to_vec(), tiles)
        };
        let values: Vec<f32> = (0..35).map(|n| n as f32).collect();
        let whole = array(&values);
        assert_eq!(whole.revision(), array(&values).revision());
        for place in 0..values.len() {
            let mut other = values.clone();
            other[place] = -other[place] - 1.0;
            let other = array(&other);
            let expected = place / 7 / 2 * 3 + place % 7 / 3;
            assert_eq!(other.changed_tiles(&whole).unwrap().collect::<Vec<_>>(), [expected]);
            assert_ne!(other.revision(), whole.revision());
        }
        let mut written = whole.clone();
        written[0] = 1.0;
        assert!(written.tiles().is_none() && written.changed_tiles(&whole).is_none() && written != whole);
        let shared = whole.clone();
        let whole = whole.try_into_parts().unwrap_err();
        drop(shared);
        assert_eq!(whole.try_into_parts().unwrap().0, values);
        assert_eq!(Tiles::new([0, 0], [0, 0]).count(), 0);
    }
}
