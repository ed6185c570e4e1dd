//! Blocks of the lattice, each with the balls within reach.

use std::ops::Range;

use super::balls::{BallCloud, Metaball};

/// Cells along an edge of a block.
pub const CELLS: i32 = 16;
/// Nodes along an edge; neighbours share the nodes between them.
pub const NODES: usize = CELLS as usize + 1;
/// Bits of a coordinate in the key of a block or an edge.
const BITS: u32 = 20;

/// A block within reach of some balls.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticeBlock {
    /// Its packed coordinates, x fastest.
    pub key: u64,
    /// Its balls: a range of the list that comes with the blocks.
    pub balls: Range<usize>,
}

/// Packs coordinates into one key that orders them by z, then y, then x.
pub fn packed(at: [i32; 3]) -> u64 {
    at.iter().rev().fold(0, |key, &x| key << BITS | u64::from(x.unsigned_abs()))
}

/// The coordinates of a [`packed`] key.
pub fn unpacked(key: u64) -> [i32; 3] {
    [0, 1, 2].map(|axis| (key >> (BITS * axis) & ((1 << BITS) - 1)) as i32)
}

impl LatticeBlock {
    /// Its first node.
    pub fn first(&self) -> [i32; 3] {
        unpacked(self.key).map(|x| x * CELLS)
    }
}

/// All blocks in the order of their keys, and the indices of the balls of each in rising order.
pub fn blocks(cloud: &BallCloud) -> (Vec<LatticeBlock>, Vec<u32>) {
    let mut pairs: Vec<(u64, u32)> = Vec::new();
    for (number, ball) in (0u32..).zip(&cloud.balls) {
        let [x, y, z] = [0, 1, 2].map(|axis| reached(ball, axis));
        for at in z.flat_map(|z| y.clone().map(move |y| [y, z])) {
            pairs.extend(x.clone().map(|x| (packed([x, at[0], at[1]]), number)));
        }
    }
    pairs.sort_unstable();
    let mut blocks: Vec<LatticeBlock> = Vec::new();
    for together in pairs.chunk_by(|a, b| a.0 == b.0) {
        let start = blocks.last().map_or(0, |last| last.balls.end);
        blocks.push(LatticeBlock { key: together[0].0, balls: start..start + together.len() });
    }
    (blocks, pairs.into_iter().map(|(_, ball)| ball).collect())
}

/// The blocks along an axis that hold a node within a ball's reach, shared nodes counted twice.
fn reached(ball: &Metaball, axis: usize) -> Range<i32> {
    let (first, last) = ball.range(axis);
    (first - 1).max(0) / CELLS..last / CELLS + 1
}

/// The potential at the nodes of a block, x fastest. Shared nodes get the same bits in every block: the balls within
/// reach come in the same order, and all others add zero.
pub fn potential<'b>(first: [i32; 3], balls: impl Iterator<Item = &'b Metaball>) -> Vec<f32> {
    let mut potential = vec![0.0; NODES.pow(3)];
    for ball in balls {
        let [_, ys, zs] = [0, 1, 2].map(|axis| within(ball.range(axis), first[axis]));
        for (z, y) in zs.flat_map(|z| ys.clone().map(move |y| (z, y))) {
            let across = squared(ball, 1, first[1] + y as i32) + squared(ball, 2, first[2] + z as i32);
            let left = ball.falloff.reach_squared - across;
            if left > 0.0 {
                let row = &mut potential[(z * NODES + y) * NODES..][..NODES];
                add_to_row(row, ball, first[0], across, left.sqrt());
            }
        }
    }
    potential
}

/// Adds the potential of a ball to the nodes of a row that are at most `half` away along it, and to a few more, where
/// it is exactly zero.
#[inline]
fn add_to_row(row: &mut [f32], ball: &Metaball, first: i32, across: f32, half: f32) {
    let half = half.ceil() as i32;
    let reach = within((ball.node[0] - half, ball.node[0] + half + 1), first);
    let start = first + reach.start as i32 - ball.node[0];
    for (node, value) in (start..).zip(&mut row[reach]) {
        let offset = node as f32 - ball.fraction[0];
        *value += ball.falloff.at(offset * offset + across).0;
    }
}

/// The part of a range of nodes, both ends included, that lies in a block.
fn within((low, high): (i32, i32), first: i32) -> Range<usize> {
    let inside = |node: i32| (node - first).clamp(0, CELLS + 1) as usize;
    inside(low)..inside(high + 1)
}

fn squared(ball: &Metaball, axis: usize, node: i32) -> f32 {
    let offset = (node - ball.node[axis]) as f32 - ball.fraction[axis];
    offset * offset
}
