//! Triangles of the blocks that are drawn, without T-junctions.
//!
//! Along an edge to a coarser block every second vertex is moved to the one before it, so that both blocks have the same
//! edges there. Vertices beyond the border of the lattice are moved onto it.

use super::pyramid::CELLS;
use super::select::{Leaf, line};
use super::vertices::{Vertex, VertexHeights};

/// Vertices along the side of a leaf.
const SIDE: usize = CELLS + 1;

/// Vertices of a leaf, and triangles that name them by index.
pub struct LeafTriangles {
    /// Numbers of the vertices that triangles use.
    pub vertices: Vec<Vertex>,
    /// Counter-clockwise seen from above.
    pub triangles: Vec<[u32; 3]>,
}

impl LeafTriangles {
    /// The triangles of a leaf.
    pub fn new(vertices: &VertexHeights<'_>, leaf: &Leaf) -> Self {
        let last = vertices.last();
        // The first index at the last line stands for all after it
        let ends = [0, 1].map(|axis| {
            (0..CELLS).find(|&index| line(leaf.level, leaf.at[axis], index, last[axis]) == last[axis])
        });
        let ends = ends.map(|end| end.unwrap_or(CELLS));
        let [west, east, south, north] = leaf.coarser;
        let corner = |column: usize, row: usize| -> [usize; 2] {
            let at_edge =
                |index: usize, low: bool, high: bool| (index == 0 && low) || (index == CELLS && high);
            let column_moves = at_edge(row, south, north);
            let row_moves = at_edge(column, west, east);
            let moved = |index: usize, moves: bool| if moves { index - index % 2 } else { index };
            [moved(column, column_moves).min(ends[0]), moved(row, row_moves).min(ends[1])]
        };
        let mut numbers = [[u32::MAX; SIDE]; SIDE];
        let mut of = LeafTriangles { vertices: Vec::new(), triangles: Vec::new() };
        for cell in 0..CELLS * CELLS {
            let (column, row) = (cell % CELLS, cell / CELLS);
            let southwest = corner(column, row);
            let southeast = corner(column + 1, row);
            let northwest = corner(column, row + 1);
            let northeast = corner(column + 1, row + 1);
            let triangles = if (column + row).is_multiple_of(2) {
                [[southwest, southeast, northeast], [southwest, northeast, northwest]]
            } else {
                [[southwest, southeast, northwest], [southeast, northeast, northwest]]
            };
            for triangle in triangles {
                if is_flat(triangle) {
                    continue;
                }
                let numbered = triangle.map(|[column, row]| {
                    let number = &mut numbers[row][column];
                    if *number == u32::MAX {
                        *number = of.vertices.len() as u32;
                        of.vertices.push([
                            line(leaf.level, leaf.at[0], column, last[0]),
                            line(leaf.level, leaf.at[1], row, last[1]),
                        ]);
                    }
                    *number
                });
                of.triangles.push(numbered);
            }
        }
        of
    }
}

/// Whether the corners of a triangle lie on one line, as where a vertex was moved along an edge.
fn is_flat([a, b, c]: [[usize; 2]; 3]) -> bool {
    let along = |from: [usize; 2], to: [usize; 2], axis: usize| to[axis] as i64 - from[axis] as i64;
    along(a, b, 0) * along(a, c, 1) == along(a, b, 1) * along(a, c, 0)
}
