//! Which blocks are drawn from a viewpoint: a restricted quadtree.
//!
//! A block is split while its error is larger than a pixel allows, or its shoreline coarser than pixels. Then further
//! blocks are split until blocks that share an edge differ by one level at most.

use glam::{Vec2, Vec3};

use super::QuadtreeView;
use super::pyramid::{Block, BlockLevel, CELLS};

/// Greatest error of the drawn surface, in pixels.
pub const ERROR_PIXELS: f32 = 0.5;
/// Cells narrower than this, in pixels, are not split whatever their error.
const LEAST_PIXELS: f32 = 1.0;
/// Width of a cell with a shoreline, in pixels, as the square root of its area on the screen.
const SHORE_PIXELS: f32 = 1.5;
/// How much coarser blocks outside the picture are, which are seen in reflections and cast shadows.
const OUTSIDE: f32 = 16.0;
/// Least sine of the angle at which a cell is taken to be seen.
const LEAST_SINE: f32 = 0.08;

/// A block that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// Its level; its cells have 2^level steps of the lattice.
    pub level: usize,
    /// Its column and row among the blocks of the level.
    pub at: [usize; 2],
    /// Whether the neighbour to the west, east, south and north is one level coarser.
    pub coarser: [bool; 4],
}

/// Which blocks of each level are split.
struct Splits<'p> {
    levels: &'p [BlockLevel],
    is_split: Vec<Vec<bool>>,
}

/// The leaves of the restricted quadtree as seen from `view`; `corners` gives the ends of a block along x and y.
pub fn select(
    levels: &[BlockLevel],
    view: &QuadtreeView,
    step: f32,
    corners: impl Fn(usize, [usize; 2]) -> [Vec2; 2],
) -> Vec<Leaf> {
    let is_split = levels.iter().map(|level| vec![false; level.blocks.len()]).collect();
    let mut splits = Splits { levels, is_split };
    splits.refine(levels.len() - 1, [0, 0], &|level, at| {
        let block = &levels[level].blocks[at[1] * levels[level].size[0] + at[0]];
        needs_split(block, step * (1_u32 << level.min(31)) as f32, corners(level, at), view)
    });
    splits.balance();
    let mut leaves = Vec::new();
    splits.collect(levels.len() - 1, [0, 0], &mut leaves);
    leaves
}

fn needs_split(block: &Block, cell: f32, [low, high]: [Vec2; 2], view: &QuadtreeView) -> bool {
    let [bottom, top] = block.range;
    if bottom > top {
        return false; // No finite height
    }
    let corners = [low.extend(bottom), high.extend(top)];
    let nearest = view.eye.clamp(corners[0], corners[1]);
    let distance = nearest.distance(view.eye);
    let tolerance = if view.may_see(corners) { 1.0 } else { OUTSIDE };
    let pixel = view.pixel_angle * distance * tolerance;
    if cell <= LEAST_PIXELS * pixel {
        return false;
    }
    // Foreshortening of level cells
    let sine = ((view.eye.z - nearest.z).abs() / distance.max(1e-6)).clamp(LEAST_SINE, 1.0);
    block.error > ERROR_PIXELS * pixel || (block.has.is_mixed() && cell * sine.sqrt() > SHORE_PIXELS * pixel)
}

impl Splits<'_> {
    fn refine(&mut self, level: usize, at: [usize; 2], needs: &impl Fn(usize, [usize; 2]) -> bool) {
        if level == 0 || !needs(level, at) {
            return;
        }
        self.split(level, at);
        for child in self.children(level, at) {
            self.refine(level - 1, child, needs);
        }
    }

    /// Splits blocks, level by level, until the neighbours of every split block exist.
    fn balance(&mut self) {
        for level in 1..self.levels.len().saturating_sub(1) {
            let [columns, rows] = self.levels[level].size;
            for row in 0..rows {
                for column in 0..columns {
                    if !self.is_split[level][row * columns + column] {
                        continue;
                    }
                    // The block itself and those that share an edge with it
                    self.split(level + 1, [column / 2, row / 2]);
                    for side in 0..4 {
                        if let Some([x, y]) = self.neighbour(level, [column, row], side) {
                            self.split(level + 1, [x / 2, y / 2]);
                        }
                    }
                }
            }
        }
    }

    fn collect(&self, level: usize, at: [usize; 2], leaves: &mut Vec<Leaf>) {
        if self.is_split(level, at) {
            self.children(level, at).for_each(|child| self.collect(level - 1, child, leaves));
            return;
        }
        let is_coarser = |side: usize| {
            let neighbour = self.neighbour(level, at, side);
            neighbour.is_some_and(|[x, y]| !self.is_split(level + 1, [x / 2, y / 2]))
        };
        leaves.push(Leaf { level, at, coarser: [0, 1, 2, 3].map(is_coarser) });
    }

    fn split(&mut self, level: usize, at: [usize; 2]) {
        let columns = self.levels[level].size[0];
        self.is_split[level][at[1] * columns + at[0]] = true;
    }

    fn is_split(&self, level: usize, at: [usize; 2]) -> bool {
        self.is_split[level][at[1] * self.levels[level].size[0] + at[0]]
    }

    fn children(&self, level: usize, [x, y]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [columns, rows] = self.levels[level - 1].size;
        let children = [[2 * x, 2 * y], [2 * x + 1, 2 * y], [2 * x, 2 * y + 1], [2 * x + 1, 2 * y + 1]];
        children.into_iter().filter(move |[x, y]| *x < columns && *y < rows)
    }

    fn neighbour(&self, level: usize, [x, y]: [usize; 2], side: usize) -> Option<[usize; 2]> {
        let [columns, rows] = self.levels[level].size;
        match side {
            0 => x.checked_sub(1).map(|x| [x, y]),
            1 => (x + 1 < columns).then_some([x + 1, y]),
            2 => y.checked_sub(1).map(|y| [x, y]),
            _ => (y + 1 < rows).then_some([x, y + 1]),
        }
    }
}

/// Vertices of a leaf along x or y: numbers of lattice lines.
pub fn line(level: usize, block: usize, index: usize, last: usize) -> usize {
    ((block * CELLS + index) << level).min(last)
}

impl QuadtreeView {
    /// Whether a box may be in the picture: not when all its corners are beyond one side of the view.
    fn may_see(&self, [low, high]: [Vec3; 2]) -> bool {
        let mut beyond = [true; 5];
        for corner in 0..8 {
            let pick = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
            let offset = Vec3::new(pick(0), pick(1), pick(2)) - self.eye;
            let [x, y, z] = [self.right, self.up, self.forward].map(|axis| axis.dot(offset));
            let reach = self.half_extent * z;
            let tests = [z < 0.0, x < -reach.x, x > reach.x, y < -reach.y, y > reach.y];
            beyond = std::array::from_fn(|side| beyond[side] && tests[side]);
        }
        !beyond.contains(&true)
    }
}
