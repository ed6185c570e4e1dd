//! Level of detail: a lattice in square tiles, each drawn as coarsely as its distance and shape allow.
//!
//! A tile has 32 × 32 cells and is drawn with every vertex, or every 2nd, 4th, … 32nd. Along an edge to a coarser tile
//! its vertices are snapped to the vertices of that tile, so that there are no cracks.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use undine_render::preview::PinholeCamera;

/// Cells along the side of a tile.
pub const CELLS: u32 = 32;
/// Levels of detail: steps of 1, 2, 4, … 32 cells.
pub const LOD_LEVELS: u32 = 6;
/// Thresholds on a GPU, where vertices are expensive, and on a software rasteriser, where small triangles are.
pub const LOD_THRESHOLDS: [LodThreshold; 2] = [
    LodThreshold { cell_pixels: 2.0, error_pixels: 0.6 },
    LodThreshold { cell_pixels: 6.0, error_pixels: 2.5 },
];

/// A tile is refined while its cells are wider than `cell_pixels` and its error is larger than `error_pixels`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LodThreshold {
    /// Width of a cell on the screen, in pixels.
    pub cell_pixels: f32,
    /// Distance of omitted vertices from the drawn surface, in pixels of a picture of 720 rows.
    pub error_pixels: f32,
}

/// Errors of each tile at every level of detail, in metres.
pub type Errors = Vec<[f32; LOD_LEVELS as usize]>;

/// Instance data of a tile: its first column and row, and five packed fields of four bits: its own level of detail and
/// those along its western, eastern, southern and northern edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct TileInstance {
    first: [i32; 2],
    steps: i32,
    spare: i32,
}

/// What a tile may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TileContents {
    /// Water.
    pub has_water: bool,
    /// Dry ground.
    pub has_land: bool,
    /// Foam.
    pub has_foam: bool,
}

impl TileContents {
    /// Anything.
    pub const ANY: TileContents = TileContents { has_water: true, has_land: true, has_foam: true };
}

/// A range of tiles with the same contents and level of detail.
#[derive(Debug, Clone, PartialEq)]
pub struct TileRun {
    /// What they contain.
    pub contents: TileContents,
    /// Their level of detail.
    pub lod: u32,
    /// Their range in the instance buffer.
    pub tiles: Range<u32>,
}

/// The index buffer of a tile at all levels of detail, and where each level begins.
pub fn indices() -> (Vec<u16>, [u32; LOD_LEVELS as usize + 1]) {
    let (mut all, mut starts) = (Vec::new(), [0; LOD_LEVELS as usize + 1]);
    for lod in 0..LOD_LEVELS {
        let step = 1 << lod;
        let number = |column: u32, row: u32| (row * step * (CELLS + 1) + column * step) as u16;
        for cell in 0..(CELLS / step).pow(2) {
            let (column, row) = (cell % (CELLS / step), cell / (CELLS / step));
            let (southwest, southeast) = (number(column, row), number(column + 1, row));
            let (northwest, northeast) = (number(column, row + 1), number(column + 1, row + 1));
            all.extend_from_slice(&if (column + row) % 2 == 0 {
                [southwest, southeast, northeast, southwest, northeast, northwest]
            } else {
                [southwest, southeast, northwest, southeast, northeast, northwest]
            });
        }
        starts[lod as usize + 1] = all.len() as u32;
    }
    (all, starts)
}

/// The extent of a lattice and its division into tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct TileGrid {
    /// Samples along both axes.
    pub samples: [u32; 2],
    /// Lowest corner.
    pub low: Vec3,
    /// Highest corner.
    pub high: Vec3,
    /// Bounding boxes of the tiles of a displaced sheet; empty for a regular lattice.
    pub boxes: Vec<[Vec3; 2]>,
    /// Contents of the tiles; empty if any of them may contain anything.
    pub contents: Vec<TileContents>,
}

/// Errors of the tiles of a height field at every level of detail.
pub fn errors(samples: [u32; 2], height: impl Fn(usize) -> f32 + Sync) -> Errors {
    let tiles = samples.map(|samples| samples.saturating_sub(1).div_ceil(CELLS));
    let of_tile = |tile: u32| {
        let first = [tile % tiles[0] * CELLS, tile / tiles[0] * CELLS];
        let at = |column: u32, row: u32| {
            let column = (first[0] + column).min(samples[0] - 1);
            height(((first[1] + row).min(samples[1] - 1) * samples[0] + column) as usize)
        };
        let mut errors = [0.0_f32; LOD_LEVELS as usize];
        for lod in 1..LOD_LEVELS {
            // Vertices that this level omits, compared with the mean of their neighbours
            let step = 1 << (lod - 1);
            let mut most = 0.0_f32;
            for row in (0..=CELLS).step_by(step) {
                for column in (0..=CELLS).step_by(step) {
                    let (x, y) = (column & step as u32, row & step as u32);
                    let neighbours = [at(column - x, row - y), at(column + x, row + y)];
                    let mean = 0.5 * (neighbours[0] + neighbours[1]);
                    most = most.max((at(column, row) - mean).abs());
                }
            }
            errors[lod as usize] = errors[lod as usize - 1] + most;
        }
        errors
    };
    (0..tiles[0] * tiles[1]).into_par_iter().with_min_len(8).map(of_tile).collect()
}

/// Contents of the tiles of a lattice with these depths and amounts of foam; water is deeper than `dry`.
pub fn tile_contents(
    samples: [u32; 2],
    dry: f32,
    depth: impl Fn(usize) -> f32 + Sync,
    foam: impl Fn(usize) -> f32 + Sync,
) -> Vec<TileContents> {
    let tiles = samples.map(|samples| samples.saturating_sub(1).div_ceil(CELLS));
    let of_tile = |tile: u32| {
        // Textures are filtered, so samples near the tile count too
        let nearby = |axis: usize, tile: u32| {
            (tile * CELLS).saturating_sub(2)..(tile * CELLS + CELLS + 3).min(samples[axis])
        };
        let mut contents = TileContents { has_water: false, has_land: false, has_foam: false };
        for row in nearby(1, tile / tiles[0]) {
            for column in nearby(0, tile % tiles[0]) {
                let sample = (row * samples[0] + column) as usize;
                let is_wet = depth(sample) > dry;
                contents.has_water |= is_wet;
                contents.has_land |= !is_wet;
                contents.has_foam |= foam(sample) > 0.0;
            }
        }
        contents
    };
    (0..tiles[0] * tiles[1]).into_par_iter().with_min_len(8).map(of_tile).collect()
}

/// Bounding boxes of the tiles of a displaced sheet.
pub fn boxes(positions: &[[f32; 3]], [columns, rows]: [u32; 2]) -> Vec<[Vec3; 2]> {
    let tiles = [columns, rows].map(|samples| samples.saturating_sub(1).div_ceil(CELLS));
    let of_tile = |tile: u32| {
        let (first, start) = (tile % tiles[0] * CELLS, tile / tiles[0] * CELLS);
        let rows = start..(start + CELLS + 1).min(rows);
        let columns_of =
            |row: u32| (first..(first + CELLS + 1).min(columns)).map(move |column| (column, row));
        let inside = rows.flat_map(columns_of);
        inside.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], (column, row)| {
            let at = Vec3::from(positions[row as usize * columns as usize + column as usize]);
            [low.min(at), high.max(at)]
        })
    };
    (0..tiles[0] * tiles[1]).map(of_tile).collect()
}

impl TileGrid {
    fn tiles(&self) -> [u32; 2] {
        self.samples.map(|samples| samples.saturating_sub(1).div_ceil(CELLS))
    }

    fn corners(&self, tile: [u32; 2]) -> [Vec3; 2] {
        if let Some(&corners) = self.boxes.get((tile[1] * self.tiles()[0] + tile[0]) as usize) {
            return corners;
        }
        let fraction = |index: u32, axis: usize| {
            (index * CELLS) as f32 / self.samples[axis].saturating_sub(1).max(1) as f32
        };
        let at = |x: u32, y: u32| {
            let fraction = Vec2::new(fraction(x, 0), fraction(y, 1)).min(Vec2::ONE);
            self.low.truncate() + (self.high - self.low).truncate() * fraction
        };
        let (low, high) = (at(tile[0], tile[1]), at(tile[0] + 1, tile[1] + 1));
        [low.extend(self.low.z), high.extend(self.high.z)]
    }

    /// The tiles in the view frustum, sorted by contents and level of detail.
    pub fn visible(
        &self,
        camera: &PinholeCamera,
        threshold: LodThreshold,
        errors: &Errors,
    ) -> (Vec<TileInstance>, Vec<TileRun>) {
        let [columns, rows] = self.tiles();
        // Levels of detail of all tiles
        let steps: Vec<u32> = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| [column, row]))
            .map(|tile| self.lod(camera, tile, threshold, errors))
            .collect();
        let step = |column: i64, row: i64, own: u32| {
            let inside = (0..i64::from(columns)).contains(&column) && (0..i64::from(rows)).contains(&row);
            if inside { steps[(row * i64::from(columns) + column) as usize].max(own) } else { own }
        };
        // Visible tiles; an edge has the coarser level of the two tiles that share it
        let mut sorted: BTreeMap<(TileContents, u32), Vec<TileInstance>> = BTreeMap::new();
        for row in 0..rows {
            for column in 0..columns {
                let own = steps[(row * columns + column) as usize];
                if !is_in_frustum(camera, self.corners([column, row])) {
                    continue;
                }
                let (x, y) = (i64::from(column), i64::from(row));
                let edges =
                    [step(x - 1, y, own), step(x + 1, y, own), step(x, y - 1, own), step(x, y + 1, own)];
                let packed = edges.iter().rev().fold(0, |packed, &edge| packed << 4 | edge) << 4 | own;
                let first = [column * CELLS, row * CELLS].map(|first| first as i32);
                let contents = self
                    .contents
                    .get((row * columns + column) as usize)
                    .copied()
                    .unwrap_or(TileContents::ANY);
                let tile = TileInstance { first, steps: packed as i32, spare: 0 };
                sorted.entry((contents, own)).or_default().push(tile);
            }
        }
        // One instance buffer, in runs that are drawn together
        let (mut tiles, mut runs) = (Vec::new(), Vec::new());
        for ((contents, lod), these) in sorted {
            let first = tiles.len() as u32;
            tiles.extend(these);
            runs.push(TileRun { contents, lod, tiles: first..tiles.len() as u32 });
        }
        (tiles, runs)
    }

    /// All tiles at one level of detail.
    pub fn all(&self, lod: u32) -> (Vec<TileInstance>, Vec<TileRun>) {
        let own = lod.min(LOD_LEVELS - 1);
        let [columns, rows] = self.tiles();
        let tile = |index: u32| TileInstance {
            first: [index % columns * CELLS, index / columns * CELLS].map(|first| first as i32),
            steps: (own * 0x11111) as i32,
            spare: 0,
        };
        let run = TileRun { contents: TileContents::ANY, lod: own, tiles: 0..columns * rows };
        ((0..columns * rows).map(tile).collect(), vec![run])
    }

    fn lod(&self, camera: &PinholeCamera, tile: [u32; 2], threshold: LodThreshold, errors: &Errors) -> u32 {
        let [low, high] = self.corners(tile);
        let nearest = camera.position.clamp(low, high.max(low));
        let distance = nearest.distance(camera.position).max(1e-3);
        let cell = (high - low).truncate() / CELLS as f32;
        let pixels = camera.focal_length() / distance;
        let rows = 2.0 * camera.focal_length() * camera.half_extent().y;
        let allowed = threshold.error_pixels * rows / 720.0;
        let narrow = (threshold.cell_pixels / (cell.max_element() * pixels).max(1e-6)).log2().max(0.0) as u32;
        let known = errors.get((tile[1] * self.tiles()[0] + tile[0]) as usize);
        let is_true = |lod: &u32| known.is_some_and(|errors| errors[*lod as usize] * pixels <= allowed);
        let exact = (1..LOD_LEVELS).take_while(is_true).last().unwrap_or(0);
        narrow.max(exact).min(LOD_LEVELS - 1)
    }
}

// Conservative frustum test: a box is outside if all its corners are beyond one side of the frustum.
fn is_in_frustum(camera: &PinholeCamera, [low, high]: [Vec3; 2]) -> bool {
    let margin = 0.1 * (high - low).max_element();
    let (low, high) = (low - margin, high + margin);
    let half = camera.half_extent();
    let mut beyond = [true; 5];
    for corner in 0..8 {
        let pick = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
        let at = camera.to_view_space(Vec3::new(pick(0), pick(1), pick(2)));
        let extent = Vec2::new(at.z * half.x, at.z * half.y);
        let tests = [at.z < 0.0, at.x < -extent.x, at.x > extent.x, at.y < -extent.y, at.y > extent.y];
        beyond = std::array::from_fn(|side| beyond[side] && tests[side]);
    }
    !beyond.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen_from(height: f32) -> (Vec<TileInstance>, [u32; 6]) {
        let high = Vec3::new(100.0, 80.0, 1.0);
        let tile_grid =
            TileGrid { samples: [257, 200], low: Vec3::ZERO, high, boxes: Vec::new(), contents: Vec::new() };
        let (tiles, runs) = tile_grid.visible(
            &PinholeCamera::new(Vec3::new(50.0, -20.0, height), Vec3::new(50.0, 40.0, 0.0), 0.8, 640, 360),
            LodThreshold { cell_pixels: 8.0, error_pixels: 0.6 },
            &Vec::new(),
        );
        let mut counts = [0; 6];
        runs.iter().for_each(|run| counts[run.lod as usize] += run.tiles.len() as u32);
        (tiles, counts)
    }

    #[test]
    fn far_tiles_are_coarse_and_near_ones_fine() {
        let (tiles, near) = seen_from(3.0);
        assert!(near[0] > 0 && near[2..].iter().sum::<u32>() > 0, "{near:?}");
        assert_eq!(tiles.len() as u32, near.iter().sum::<u32>());
        let (_, far) = seen_from(3000.0);
        assert_eq!(far[..5].iter().sum::<u32>(), 0, "{far:?}");
    }

    #[test]
    fn edges_are_as_coarse_as_the_coarser_neighbour() {
        let (tiles, _) = seen_from(3.0);
        let own = |tile: &TileInstance| tile.steps & 15;
        for tile in &tiles {
            let east =
                tiles.iter().find(|other| other.first == [tile.first[0] + CELLS as i32, tile.first[1]]);
            if let Some(east) = east {
                assert_eq!(tile.steps >> 8 & 15, own(tile).max(own(east)));
                assert_eq!(east.steps >> 4 & 15, own(tile).max(own(east)));
            }
        }
    }

    #[test]
    fn flat_tiles_are_coarse_at_any_distance() {
        let high = Vec3::new(64.0, 32.0, 1.0);
        let tile_grid =
            TileGrid { samples: [65, 33], low: Vec3::ZERO, high, boxes: Vec::new(), contents: Vec::new() };
        // The first tile is a slope, the second has a bump
        let errors =
            errors([65, 33], |sample| if sample % 65 == 47 { 1.0 } else { 0.1 * (sample % 65) as f32 });
        assert!(errors[0][5] < 1e-5 && errors[1][1] > 0.5, "{errors:?}");
        let camera =
            PinholeCamera::new(Vec3::new(32.0, -2.0, 3.0), Vec3::new(32.0, 10.0, 0.0), 0.8, 640, 360);
        let (_, runs) = tile_grid.visible(&camera, LOD_THRESHOLDS[0], &errors);
        let lods: Vec<u32> = runs.iter().map(|run| run.lod).collect();
        assert_eq!(lods, [0, 5]);
    }

    #[test]
    fn tile_contents_include_nearby_samples() {
        // Land from column 64 on, foam on the last row
        let depth = |sample: usize| if sample % 97 < 64 { 1.0 } else { -1.0 };
        let foam = |sample: usize| if sample / 97 == 64 { 1.0 } else { -0.5 };
        let contents = tile_contents([97, 65], 1e-3, depth, foam);
        let row = [(true, false), (true, true), (true, true)];
        let found: Vec<(bool, bool)> =
            contents.iter().map(|contents| (contents.has_water, contents.has_land)).collect();
        assert_eq!(found, [row, row].concat());
        assert_eq!(contents.iter().filter(|contents| contents.has_foam).count(), 3);
    }

    #[test]
    fn tiles_behind_the_camera_are_not_drawn() {
        let high = Vec3::new(10.0, 10.0, 1.0);
        let tile_grid =
            TileGrid { samples: [65, 65], low: Vec3::ZERO, high, boxes: Vec::new(), contents: Vec::new() };
        let camera =
            PinholeCamera::new(Vec3::new(5.0, -20.0, 3.0), Vec3::new(5.0, -40.0, 3.0), 0.8, 640, 360);
        assert!(tile_grid.visible(&camera, LOD_THRESHOLDS[0], &Vec::new()).0.is_empty());
        let empty = TileGrid { samples: [0, 1], ..tile_grid };
        assert!(empty.visible(&camera, LOD_THRESHOLDS[0], &Vec::new()).0.is_empty());
    }
}
