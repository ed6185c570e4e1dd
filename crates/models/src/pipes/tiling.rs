//! The storage order: columns in tiles, so that what sleeps is not touched.
//!
//! A tile is 32 columns along x and 32 rows along y, or a single row where the water is a curve. Its values are contiguous, row by row. Tiles at
//! the high sides are padded with columns of ground that reaches to the ceiling, which no water enters.

use std::ops::Range;

use undine_grid::par;
use undine_sim::TileStamps;

/// Columns along x of a tile.
pub(super) const WIDTH: usize = 32;

/// Tiles that one task of a parallel loop takes: a group.
pub(super) const TILES_PER_TASK: usize = 8;

/// A row of a tile.
pub(super) type TileRow<T> = [T; WIDTH];

/// How a grid of columns is cut into tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tiling {
    cells: [usize; 2],
    tiles: [usize; 2],
    /// Rows of a tile.
    height: usize,
}

impl Tiling {
    pub fn new(cells: [usize; 2]) -> Tiling {
        let height = if cells[1] == 1 { 1 } else { WIDTH };
        Tiling { cells, tiles: [cells[0].div_ceil(WIDTH), cells[1].div_ceil(height)], height }
    }

    /// Columns of the grid along x and y.
    pub fn cells(&self) -> [usize; 2] {
        self.cells
    }

    /// Number of tiles.
    pub fn count(&self) -> usize {
        self.tiles[0] * self.tiles[1]
    }

    /// Rows of a tile.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns of a tile.
    pub fn tile_len(&self) -> usize {
        WIDTH * self.height
    }

    /// Columns of all tiles, with the padding.
    pub fn stored(&self) -> usize {
        self.count() * self.tile_len()
    }

    /// The tile that holds a column.
    pub fn tile_of(&self, [x, y]: [usize; 2]) -> usize {
        y / self.height * self.tiles[0] + x / WIDTH
    }

    /// Where a column is stored.
    pub fn index(&self, [x, y]: [usize; 2]) -> usize {
        self.tile_of([x, y]) * self.tile_len() + y % self.height * WIDTH + x % WIDTH
    }

    /// The stamps of all tiles, for the lattices of a view.
    pub fn stamps<'a>(&self, stamps: &'a [u64]) -> TileStamps<'a> {
        TileStamps { tile: [WIDTH, self.height], stamps }
    }

    /// The column that is stored at an index.
    pub fn cell_of(&self, index: usize) -> [usize; 2] {
        let [x, y] = self.corner(index / self.tile_len());
        let local = index % self.tile_len();
        [x + local % WIDTH, y + local / WIDTH]
    }

    /// Coordinates of the first column of a tile.
    pub fn corner(&self, tile: usize) -> [usize; 2] {
        [tile % self.tiles[0] * WIDTH, tile / self.tiles[0] * self.height]
    }

    /// The columns of a tile that belong to the grid, along x and along y.
    pub fn extent(&self, tile: usize) -> [Range<usize>; 2] {
        let [x, y] = self.corner(tile);
        [x..(x + WIDTH).min(self.cells[0]), y..(y + self.height).min(self.cells[1])]
    }

    /// The tile beside a tile, if there is one.
    pub fn neighbour(&self, tile: usize, offset: [isize; 2]) -> Option<usize> {
        let at = [tile % self.tiles[0], tile / self.tiles[0]];
        let moved =
            |axis: usize| at[axis].checked_add_signed(offset[axis]).filter(|&index| index < self.tiles[axis]);
        Some(moved(1)? * self.tiles[0] + moved(0)?)
    }

    /// A tile and those beside it, also across the corners.
    pub fn around(&self, tile: usize) -> impl Iterator<Item = usize> + use<> {
        let tiling = *self;
        (0..9).filter_map(move |index| tiling.neighbour(tile, [index % 3 - 1, index / 3 - 1]))
    }

    /// The columns of a tile on the side, or at the corner, that faces a tile beside it.
    pub fn facing(&self, tile: usize, beside: usize) -> impl Iterator<Item = [usize; 2]> + use<> {
        let ([columns, rows], to) = (self.extent(tile), self.corner(beside));
        let edge = |range: Range<usize>, to: usize| match to {
            to if to < range.start => range.start..range.start + 1,
            to if to >= range.end => range.end - 1..range.end,
            _ => range,
        };
        let (columns, rows) = (edge(columns, to[0]), edge(rows, to[1]));
        rows.flat_map(move |y| columns.clone().map(move |x| [x, y]))
    }

    /// The column beside a column, if the grid has it.
    pub fn beside(&self, at: [usize; 2], offset: [isize; 2]) -> Option<[usize; 2]> {
        let moved =
            |axis: usize| at[axis].checked_add_signed(offset[axis]).filter(|&index| index < self.cells[axis]);
        Some([moved(0)?, moved(1)?])
    }

    /// The tiles that overlap a box of columns.
    pub fn tiles_in(&self, columns: Range<usize>, rows: Range<usize>) -> impl Iterator<Item = usize> {
        let (along_x, height) = (self.tiles[0], self.height);
        let tile_rows = rows.start / height..rows.end.div_ceil(height);
        let tile_columns = columns.start / WIDTH..columns.end.div_ceil(WIDTH);
        tile_rows.flat_map(move |row| tile_columns.clone().map(move |column| row * along_x + column))
    }

    /// The row of a tile in an array of stored values.
    #[inline(always)]
    pub fn row<'a, T>(&self, values: &'a [T], tile: usize, row: usize) -> &'a TileRow<T> {
        row_at(values, tile * self.tile_len() + row * WIDTH)
    }

    /// The values one column further by `offset` (−1, 0 or 1 along x and y) than those of a row of a tile; `outside` where
    /// there is no tile. `values` answers the row of a tile.
    #[inline(always)]
    pub fn shifted_row<'a, T: Copy + 'a>(
        &self,
        values: impl Fn(usize, usize) -> &'a TileRow<T>,
        tile: usize,
        row: usize,
        offset: [isize; 2],
        outside: T,
    ) -> TileRow<T> {
        let moved = row as isize + offset[1];
        let tile_row = moved.div_euclid(self.height as isize);
        let row = moved.rem_euclid(self.height as isize) as usize;
        let beside = |column| self.neighbour(tile, [column, tile_row]).map(|tile| values(tile, row));
        let mut shifted = [outside; WIDTH];
        let middle = beside(0);
        match (offset[0], middle) {
            (0, Some(middle)) => shifted.copy_from_slice(middle),
            (-1, Some(middle)) => shifted[1..].copy_from_slice(&middle[..WIDTH - 1]),
            (1, Some(middle)) => shifted[..WIDTH - 1].copy_from_slice(&middle[1..]),
            _ => {}
        }
        if offset[0] == -1
            && let Some(west) = beside(-1)
        {
            shifted[0] = west[WIDTH - 1];
        }
        if offset[0] == 1
            && let Some(east) = beside(1)
        {
            shifted[WIDTH - 1] = east[0];
        }
        shifted
    }

    /// Works on the values of every tile, `per_tile` of them, in parallel, together with a record of each tile.
    pub fn for_each_with<T: Send, R: Send>(
        &self,
        values: &mut [T],
        per_tile: usize,
        records: &mut [[R; TILES_PER_TASK]],
        work: impl Fn(usize, &mut [T], &mut R) + Sync,
    ) {
        par::for_each_chunk_with(values, per_tile * TILES_PER_TASK, records, |first, chunk, records| {
            let tiles = chunk.chunks_exact_mut(per_tile).zip(records);
            tiles
                .enumerate()
                .for_each(|(index, (tile, record))| work(first / per_tile + index, tile, record));
        });
    }

    /// Works on the values of the tiles of some groups in several arrays together, `per_tile` of them in each, in parallel.
    pub fn for_each_of<T: Send, const N: usize>(
        &self,
        groups: &[usize],
        arrays: [&mut [T]; N],
        per_tile: usize,
        work: impl Fn(usize, [&mut [T]; N]) + Sync,
    ) {
        // Records of nothing, which take no memory
        let mut records = vec![[(); TILES_PER_TASK]; self.count().div_ceil(TILES_PER_TASK)];
        self.for_each_of_with(groups, arrays, per_tile, &mut records, |tile, values, ()| work(tile, values));
    }

    /// Works on the values of the tiles of some groups in several arrays together, `per_tile` of them in each, in parallel,
    /// together with a record of each tile.
    pub fn for_each_of_with<T: Send, R: Send, const N: usize>(
        &self,
        groups: &[usize],
        arrays: [&mut [T]; N],
        per_tile: usize,
        records: &mut [[R; TILES_PER_TASK]],
        work: impl Fn(usize, [&mut [T]; N], &mut R) + Sync,
    ) {
        let per_task = per_tile * TILES_PER_TASK;
        par::for_chosen_chunks(arrays, per_task, records, groups, |first, mut chunks, records| {
            let count = chunks.first().map_or(0, |chunk| chunk.len() / per_tile);
            for (index, record) in records.iter_mut().enumerate().take(count) {
                let values = index * per_tile..(index + 1) * per_tile;
                let tiles = chunks.each_mut().map(|chunk| &mut chunk[values.clone()]);
                work(first / per_tile + index, tiles, record);
            }
        });
    }
}

/// The row of a tile that begins at `start`.
#[inline(always)]
pub(super) fn row_at<T>(values: &[T], start: usize) -> &TileRow<T> {
    values[start..].first_chunk().expect("tiles are stored in whole rows")
}

/// The row of a tile that begins at `start`.
#[inline(always)]
pub(super) fn row_at_mut<T>(values: &mut [T], start: usize) -> &mut TileRow<T> {
    values[start..].first_chunk_mut().expect("tiles are stored in whole rows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_place_and_its_neighbours_are_found() {
        for cells in [[70, 40], [32, 32], [5, 100], [90, 1], [1, 1]] {
            let tiling = Tiling::new(cells);
            let mut values = vec![(usize::MAX, usize::MAX); tiling.stored()];
            for y in 0..cells[1] {
                for x in 0..cells[0] {
                    assert_eq!(values[tiling.index([x, y])].0, usize::MAX);
                    values[tiling.index([x, y])] = (x, y);
                    assert_eq!(tiling.cell_of(tiling.index([x, y])), [x, y]);
                }
            }
            for tile in 0..tiling.count() {
                let [columns, rows] = tiling.extent(tile);
                for y in rows {
                    for offset in [[-1, 0], [1, 0], [0, -1], [0, 1], [-1, -1], [1, -1], [-1, 1], [1, 1]] {
                        let beside = tiling.shifted_row(
                            |tile, row| tiling.row(&values, tile, row),
                            tile,
                            y % tiling.height(),
                            offset,
                            (usize::MAX, 0),
                        );
                        for x in columns.clone() {
                            let expected = (x as isize + offset[0], y as isize + offset[1]);
                            let is_inside = (0..cells[0] as isize).contains(&expected.0)
                                && (0..cells[1] as isize).contains(&expected.1);
                            let found = beside[x % WIDTH];
                            if is_inside {
                                assert_eq!((found.0 as isize, found.1 as isize), expected);
                            } else {
                                assert_eq!(found.0, usize::MAX);
                            }
                        }
                    }
                }
            }
        }
    }
}
