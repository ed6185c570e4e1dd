//! Marching tetrahedra.
//!
//! Each cell is divided into six tetrahedra around its diagonal, one for each order of the axes on the way from its
//! lowest to its highest corner. Neighbours agree on the diagonals of their common faces, so that there are no
//! cracks.

use super::block::{NODES, packed};

/// The corners of the six tetrahedra, and whether each is positively oriented. Bits of a corner are x, y, z.
const TETRAHEDRA: [([usize; 4], bool); 6] = [
    ([0, 1, 3, 7], true),
    ([0, 2, 6, 7], true),
    ([0, 4, 5, 7], true),
    ([0, 1, 5, 7], false),
    ([0, 2, 3, 7], false),
    ([0, 4, 6, 7], false),
];

/// Isovalue of the surface.
pub const LEVEL: f32 = 1.0;

/// The key of the edge from a node in a direction, whose bits are x, y, z. Keys are ordered like nodes.
pub fn edge_key(node: [i32; 3], direction: usize) -> u64 {
    packed(node) << 3 | direction as u64
}

/// The node at which the edge of a key begins.
pub fn edge_node(key: u64) -> u64 {
    key >> 3
}

/// Index offset of a cell's corner from its lowest, in the nodes of a block.
pub const fn corner_offset(corner: usize) -> usize {
    (corner & 1) + (corner >> 1 & 1) * NODES + (corner >> 2) * NODES * NODES
}

/// Adds the triangles of a cell with this lowest node, as keys of edges, counter-clockwise seen from outside.
pub fn add_triangles(node: [i32; 3], inside: [bool; 8], triangles: &mut Vec<[u64; 3]>) {
    for (corners, is_positive) in TETRAHEDRA {
        add_tetrahedron(node, corners, inside, is_positive, triangles);
    }
}

fn add_tetrahedron(
    node: [i32; 3],
    corners: [usize; 4],
    inside: [bool; 8],
    is_positive: bool,
    triangles: &mut Vec<[u64; 3]>,
) {
    let (order, is_even) = inside_first(corners, inside);
    let between = |one: usize, other: usize| crossing(node, order[one], order[other]);
    let mut add = |[a, b, c]: [u64; 3]| {
        triangles.push(if is_even == is_positive { [a, b, c] } else { [a, c, b] });
    };
    match corners.iter().filter(|&&corner| inside[corner]).count() {
        1 => add([between(0, 1), between(0, 2), between(0, 3)]),
        2 => {
            add([between(0, 2), between(0, 3), between(1, 3)]);
            add([between(0, 2), between(1, 3), between(1, 2)]);
        }
        3 => add([between(0, 3), between(1, 3), between(2, 3)]),
        _ => {}
    }
}

/// The corners with those inside the surface first, and whether that permutation is even.
fn inside_first(corners: [usize; 4], inside: [bool; 8]) -> ([usize; 4], bool) {
    let mut order = corners;
    order.sort_by_key(|&corner| !inside[corner]);
    let rank = |corner: usize| corners.iter().position(|&other| other == corner);
    let swaps = (0..4).flat_map(|high| (0..high).map(move |low| (low, high)));
    let swapped = swaps.filter(|&(low, high)| rank(order[low]) > rank(order[high])).count();
    (order, swapped.is_multiple_of(2))
}

/// The key of the edge between two corners of a cell, of which one can be reached from the other upwards.
fn crossing(node: [i32; 3], one: usize, other: usize) -> u64 {
    let lower = one & other;
    let begin = std::array::from_fn(|axis| node[axis] + (lower >> axis & 1) as i32);
    edge_key(begin, one ^ other)
}
