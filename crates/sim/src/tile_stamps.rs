//! Stamps of tiles: which parts of a state have changed since somebody last saw it.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other change in this process has.
///
/// A water gives each of its tiles the stamp of its last change. Who has a copy of the state, and the stamps that it had,
/// copies again only what has another stamp: equal stamps of a tile mean equal bits, also after the state has been
/// restored or the water built anew. Stamps never enter a result.
///
/// ```
/// use undine_sim::next_stamp;
/// assert!(next_stamp() < next_stamp());
/// ```
pub fn next_stamp() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The stamps of the tiles of a lattice, row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TileStamps<'a> {
    /// Samples along x and y of a tile; those at the high sides may be cut off.
    pub tile: [usize; 2],
    /// A stamp for each tile, never 0.
    pub stamps: &'a [u64],
}
