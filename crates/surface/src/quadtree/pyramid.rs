//! Pyramid of blocks over a height water: how high each reaches, how wet it is, and the error of drawing it coarsely.
//!
//! A block of level l has `CELLS` × `CELLS` cells of 2ˡ steps of the lattice. All vertices of a coarser level are vertices
//! of the finer ones, and by the chequered diagonals of their cells both diagonals of a coarse cell are edges of the
//! finer level. So two levels differ most at a vertex that the coarser one omits, and the sum of these differences bounds
//! the distance of a block's triangles from those of the finest level.

use undine_grid::par;

use super::vertices::VertexHeights;

/// Cells along the side of a block; even, so that every second vertex of an edge can be left out.
pub const CELLS: usize = 16;

/// What a block covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Greatest vertical distance of its triangles from those of the finest level, in metres.
    pub error: f32,
    /// Lowest and highest ground or water.
    pub range: [f32; 2],
    /// Whether any vertex is wet, and whether any is dry.
    pub has: Contents,
}

/// Which kinds of vertices there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contents {
    /// Whether any is wet.
    pub wet: bool,
    /// Whether any is dry.
    pub dry: bool,
}

impl Contents {
    /// Whether there is a shoreline.
    pub fn is_mixed(self) -> bool {
        self.wet && self.dry
    }
}

/// The blocks of one level.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockLevel {
    /// Number of blocks along x and y.
    pub size: [usize; 2],
    /// The blocks, column fastest.
    pub blocks: Vec<Block>,
}

/// All levels, the finest first; the last one has a single block.
pub fn pyramid(vertices: &VertexHeights<'_>) -> Vec<BlockLevel> {
    let mut levels = vec![finest(vertices)];
    while let Some(finer) = levels.last().filter(|finer| finer.size != [1, 1]) {
        let next = coarser(vertices, finer, levels.len());
        levels.push(next);
    }
    levels
}

const EMPTY: Block =
    Block { error: 0.0, range: [f32::INFINITY, f32::NEG_INFINITY], has: Contents { wet: false, dry: false } };

fn finest(vertices: &VertexHeights<'_>) -> BlockLevel {
    let last = vertices.last();
    let size = last.map(|last| last.div_ceil(CELLS).max(1));
    fill(size, |x, y| {
        let mut block = EMPTY;
        for j in y * CELLS..=(y * CELLS + CELLS).min(last[1]) {
            for i in x * CELLS..=(x * CELLS + CELLS).min(last[0]) {
                let column = vertices.simulated([i, j]);
                // NaN is dry and has no extent
                let top = if column.is_wet { column.water } else { column.ground };
                block.range = [block.range[0].min(column.ground), block.range[1].max(top)];
                block.has.wet |= column.is_wet;
                block.has.dry |= !column.is_wet;
            }
        }
        block
    })
}

fn coarser(vertices: &VertexHeights<'_>, finer: &BlockLevel, level: usize) -> BlockLevel {
    let size = finer.size.map(|count| count.div_ceil(2));
    fill(size, |x, y| {
        let mut block = EMPTY;
        for row in 2 * y..(2 * y + 2).min(finer.size[1]) {
            for column in 2 * x..(2 * x + 2).min(finer.size[0]) {
                let part = finer.blocks[row * finer.size[0] + column];
                block.error = block.error.max(part.error);
                block.range = [block.range[0].min(part.range[0]), block.range[1].max(part.range[1])];
                block.has.wet |= part.has.wet;
                block.has.dry |= part.has.dry;
            }
        }
        block.error += OmittedVertices::new(vertices, level, [x, y]).error();
        block
    })
}

fn fill(size: [usize; 2], block: impl Fn(usize, usize) -> Block + Sync) -> BlockLevel {
    let mut blocks = vec![EMPTY; size[0] * size[1]];
    par::for_each_chunk(&mut blocks, 1, |index, chunk| chunk[0] = block(index % size[0], index / size[0]));
    BlockLevel { size, blocks }
}

/// Vertices along the side of a block of the next finer level.
const SIDE: usize = 2 * CELLS + 1;

/// The vertices of a block as the next finer level has them.
struct OmittedVertices {
    ground: [[f32; SIDE]; SIDE],
    water: [[f32; SIDE]; SIDE],
    is_wet: [[bool; SIDE]; SIDE],
    /// Weight of the next vertex in the mean of the neighbours of an odd one, along x and y.
    weights: [[f32; SIDE]; 2],
}

impl OmittedVertices {
    fn new(vertices: &VertexHeights<'_>, level: usize, [x, y]: [usize; 2]) -> Self {
        let last = vertices.last();
        let line = |axis: usize, first: usize, index: usize| {
            ((first * 2 * CELLS + index) << (level - 1)).min(last[axis])
        };
        let mut of = OmittedVertices {
            ground: [[0.0; SIDE]; SIDE],
            water: [[0.0; SIDE]; SIDE],
            is_wet: [[false; SIDE]; SIDE],
            weights: [[0.5; SIDE]; 2],
        };
        for row in 0..SIDE {
            for column in 0..SIDE {
                let at = vertices.simulated([line(0, x, column), line(1, y, row)]);
                of.ground[row][column] = at.ground;
                of.water[row][column] = at.water;
                of.is_wet[row][column] = at.is_wet;
            }
        }
        // Lines are evenly spaced but for those on the border
        let lines = [&vertices.lattice.columns, &vertices.lattice.rows];
        for (axis, first) in [x, y].into_iter().enumerate() {
            for odd in (1..SIDE - 1).step_by(2) {
                let [low, here, high] =
                    [odd - 1, odd, odd + 1].map(|index| lines[axis][line(axis, first, index)].position);
                of.weights[axis][odd] = if high > low { (here - low) / (high - low) } else { 0.0 };
            }
        }
        of
    }

    /// The greatest distance of an omitted vertex from the coarser surface.
    fn error(&self) -> f32 {
        let mut most = 0.0_f32;
        for row in 0..SIDE {
            for column in 0..SIDE {
                match (column % 2, row % 2) {
                    (0, 0) => {}
                    (odd_x, odd_y) => {
                        let error = self.deviation([column, row], [odd_x, odd_y]);
                        most = most.max(error);
                    }
                }
            }
        }
        most
    }

    /// Distance of an omitted vertex from the edge or diagonal of the coarser level that it lies above.
    fn deviation(&self, [column, row]: [usize; 2], [odd_x, odd_y]: [usize; 2]) -> f32 {
        let weight = if odd_x == 1 { self.weights[0][column] } else { self.weights[1][row] };
        // In the middle of a cell, its diagonal: the western end is in the south for even cells
        let is_rising = (column / 2 + row / 2).is_multiple_of(2);
        let (low, high) = match (odd_x, odd_y) {
            (1, 1) if is_rising => ([column - 1, row - 1], [column + 1, row + 1]),
            (1, 1) => ([column - 1, row + 1], [column + 1, row - 1]),
            _ => ([column - odd_x, row - odd_y], [column + odd_x, row + odd_y]),
        };
        let distance = |values: &[[f32; SIDE]; SIDE]| {
            let (low, high) = (values[low[1]][low[0]], values[high[1]][high[0]]);
            (values[row][column] - (low + (high - low) * weight)).abs()
        };
        let is_wet = |[column, row]: [usize; 2]| self.is_wet[row][column];
        // Where only some are wet the shoreline decides
        let water =
            if is_wet([column, row]) && is_wet(low) && is_wet(high) { distance(&self.water) } else { 0.0 };
        distance(&self.ground).max(water)
    }
}
