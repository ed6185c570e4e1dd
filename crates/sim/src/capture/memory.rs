//! Arrays of former captures, so that of a water that knows its tiles only those that have changed are copied.
//!
//! An array that nobody else holds any more is brought up to date in place. One that a frame still holds is copied as a
//! whole, and what has changed is written over the copy; where nothing has changed, frames share the array.

use bytemuck::Pod;
use undine_frame::{Shared, Tiles};
use undine_grid::par;

use crate::{Lattice, TiledLattice};

/// Captures after which an array that nobody has asked for is given up.
const MOST_IDLE: u64 = 8;

/// Arrays of one lattice: one for the frame, and one for the next while that one is held.
const MOST_KEPT: usize = 2;

/// A lattice of a runner: number of the water, and of the lattice in its view.
pub(super) type LatticeKey = [usize; 2];

/// The arrays of the last captures.
#[derive(Default)]
pub(crate) struct CaptureMemory {
    scalars: Vec<Kept<f32>>,
    vectors: Vec<Kept<[f32; 2]>>,
    captures: u64,
    copied: u64,
}

/// An array, and the stamps of the tiles from which it was copied.
struct Kept<T> {
    key: LatticeKey,
    components: usize,
    used: u64,
    stamps: Vec<u64>,
    array: Shared<T>,
}

impl CaptureMemory {
    /// Begins a capture, and gives up what has long not been asked for.
    pub fn begin(&mut self) {
        self.captures += 1;
        let now = self.captures;
        self.scalars.retain(|kept| now - kept.used <= MOST_IDLE);
        self.vectors.retain(|kept| now - kept.used <= MOST_IDLE);
    }

    /// Tiles that have been copied so far.
    pub fn copied(&self) -> u64 {
        self.copied
    }

    /// The values of a lattice, components side by side; `None` if it does not know its tiles.
    pub fn scalars(&mut self, key: LatticeKey, lattice: &dyn Lattice) -> Option<Shared<f32>> {
        let (array, copied) = shared(&mut self.scalars, key, lattice.tiled()?, self.captures);
        self.copied += copied;
        Some(array)
    }

    /// The values of a lattice of two components; `None` if it does not know its tiles.
    pub fn vectors(&mut self, key: LatticeKey, lattice: &dyn Lattice) -> Option<Shared<[f32; 2]>> {
        let tiled = lattice.tiled().filter(|tiled| tiled.components() == 2)?;
        let (array, copied) = shared(&mut self.vectors, key, tiled, self.captures);
        self.copied += copied;
        Some(array)
    }
}

/// The array of a lattice, and the number of tiles that were copied for it.
fn shared<T: Pod>(
    memory: &mut Vec<Kept<T>>,
    key: LatticeKey,
    lattice: &dyn TiledLattice,
    now: u64,
) -> (Shared<T>, u64) {
    let ([columns, rows, _], stamps, components) = (lattice.size(), lattice.stamps(), lattice.components());
    let [width, height] = stamps.tile;
    // Items of the array in a sample: its components, or one of all
    let items = components * size_of::<f32>() / size_of::<T>();
    let layout = Tiles::new([columns * items, rows], [width * items, height]);
    let fits = |kept: &Kept<T>| {
        let has_tiles = |tiles: &Tiles| tiles.size() == layout.size() && tiles.tile() == layout.tile();
        kept.components == components && kept.array.tiles().is_some_and(has_tiles)
    };
    memory.retain(|kept| kept.key != key || fits(kept));
    let own = |kept: &Kept<T>| kept.key == key;
    // Nothing has moved
    if let Some(same) = memory.iter_mut().find(|kept| own(kept) && kept.stamps == stamps.stamps) {
        same.used = now;
        return (same.array.clone(), 0);
    }
    // The array that is the most alike among those that nobody else holds, else a copy of the most alike
    let distance = |kept: &Kept<T>| kept.stamps.iter().zip(stamps.stamps).filter(|(a, b)| a != b).count();
    let (mut items, mut tiles, known) = match take_free(memory, own, distance) {
        Some(found) => found,
        None => match memory.iter().filter(|kept| own(kept)).min_by_key(|kept| distance(kept)) {
            Some(kept) => {
                let tiles = kept.array.tiles().cloned().unwrap_or(layout);
                (kept.array.to_vec(), tiles, kept.stamps.clone())
            }
            None => (vec![T::zeroed(); columns * rows * items], layout, vec![0; stamps.stamps.len()]),
        },
    };
    let is_stale = |tile: usize| known[tile] != stamps.stamps[tile];
    copy_tiles(lattice, [width, height], bytemuck::cast_slice_mut(&mut items), is_stale);
    let stale: Vec<usize> = (0..tiles.count()).filter(|&tile| is_stale(tile)).collect();
    stale.iter().for_each(|&tile| tiles.update(tile, &items));
    let array = Shared::in_tiles(items, tiles);
    while memory.iter().filter(|kept| own(kept)).count() >= MOST_KEPT {
        let oldest =
            (0..memory.len()).filter(|&index| own(&memory[index])).min_by_key(|&index| memory[index].used);
        oldest.map(|index| memory.swap_remove(index));
    }
    memory.push(Kept { key, components, used: now, stamps: stamps.stamps.to_vec(), array: array.clone() });
    (array, stale.len() as u64)
}

/// Takes an array that nobody else holds out of the memory: its items, tiles and stamps.
fn take_free<T: Pod>(
    memory: &mut Vec<Kept<T>>,
    own: impl Fn(&Kept<T>) -> bool,
    distance: impl Fn(&Kept<T>) -> usize,
) -> Option<(Vec<T>, Tiles, Vec<u64>)> {
    let mut candidates: Vec<usize> = (0..memory.len()).filter(|&index| own(&memory[index])).collect();
    candidates.sort_by_key(|&index| distance(&memory[index]));
    let free = candidates.into_iter().find(|&index| memory[index].array.is_unshared())?;
    let Kept { stamps, array, .. } = memory.swap_remove(free);
    let (items, tiles) = array.try_into_parts().ok()?;
    Some((items, tiles?, stamps))
}

/// Copies the stale tiles of a lattice into all of its values.
fn copy_tiles(
    lattice: &dyn TiledLattice,
    [width, height]: [usize; 2],
    values: &mut [f32],
    is_stale: impl Fn(usize) -> bool + Sync,
) {
    let ([columns, ..], components) = (lattice.size(), lattice.components());
    let (row_values, along_x) = (columns * components, columns.div_ceil(width));
    if row_values == 0 {
        return;
    }
    par::for_each_chunk(values, row_values * height, |first, band| {
        let first_row = first / row_values;
        for column in (0..along_x).filter(|column| is_stale(first_row / height * along_x + column)) {
            let samples = column * width..((column + 1) * width).min(columns);
            for (row, values) in band.chunks_exact_mut(row_values).enumerate() {
                let values = &mut values[samples.start * components..samples.end * components];
                lattice.write_row([samples.start, first_row + row], values);
            }
        }
    });
}
