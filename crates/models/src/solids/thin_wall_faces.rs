//! Faces closed by walls thinner than a cell.
//!
//! The open fraction of a face follows from the distances at its corners, which do not resolve a wall between them. So
//! every grid edge between two open nodes is tested for intersection with the shapes. A cell whose open nodes are not
//! connected by uncut edges is *split*: it lies on both sides of a wall. It represents the side of its centre, and each
//! of its faces is closed if a solid separates the two adjacent cell centres.
//!
//! Hence no path of open faces crosses a wall: two cells that are not split and share an open face share an open node,
//! thus a side; any other two are connected only by a segment that no solid intersects. This holds for any thickness,
//! orientation and position of a wall, as long as its curvature radius is large compared with a cell.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, neighbour, par};

use super::immersed_solids::{along_row, corner_node};
use super::row_mask::RowMask;

/// An edge can only be cut if the distances at its two ends sum to at most this many edge lengths.
const SLACK: f64 = 1.001;

/// Faces blocked by thin walls, and split cells.
#[derive(Debug, Clone)]
pub(super) struct ThinWallFaces<const D: usize> {
    /// Bit `a` of a node: the edge from it in the positive direction of axis `a` is cut.
    cuts: Field<u8, D>,
    /// Rows of nodes that are all open and without a cut edge.
    uniform_rows: RowMask<D>,
    split: Field<u8, D>,
    blocked: Vec<Field<u8, D>>,
    count: usize,
}

impl<const D: usize> ThinWallFaces<D> {
    pub fn new(grid: Grid<D>) -> Result<Self, FieldError> {
        let field = |location| Field::new(grid, location, Condition::Open, 1);
        Ok(ThinWallFaces {
            cuts: field(Location::Node)?,
            uniform_rows: RowMask::new(grid.samples(Location::Node)),
            split: field(Location::Center)?,
            blocked: (0..D).map(|axis| field(Location::Face(axis))).collect::<Result<_, _>>()?,
            count: 0,
        })
    }

    /// Recomputes them from the node distances. `crosses` tells whether a shape intersects a segment between two open
    /// points, `separates` whether it intersects any segment or contains one of its ends.
    pub fn find(
        &mut self,
        nodes: &Field<f64, D>,
        crosses: impl Fn([[f64; D]; 2]) -> bool + Sync,
        separates: impl Fn([[f64; D]; 2]) -> bool + Sync,
    ) {
        // Edges that a shape intersects, and the rows of nodes where nothing is to be done
        cut_edges(&mut self.cuts, nodes, crosses);
        let cuts = &self.cuts;
        let is_uniform = |at| {
            let is_open = nodes.row(at).iter().all(|&distance| distance > 0.0);
            is_open && cuts.row(at).iter().all(|&cut| cut == 0)
        };
        self.uniform_rows.update(is_uniform);
        let uniform_rows = &self.uniform_rows;
        // Cells whose open nodes are disconnected
        par::rows(&mut self.split, |at, row| {
            if uniform_rows.covers(at, None) {
                return row.fill(0);
            }
            for (x, split) in row.iter_mut().enumerate() {
                *split = u8::from(is_split(nodes, cuts, along_row(at, x)));
            }
        });
        // Faces of split cells with a solid between the adjacent centres
        let split = &self.split;
        let grid = *nodes.grid();
        for (axis, blocked) in self.blocked.iter_mut().enumerate() {
            let inner = 1..grid.cells()[axis] as isize;
            par::rows(blocked, |at, row| {
                for (x, blocked) in row.iter_mut().enumerate() {
                    let high = along_row(at, x);
                    let low = neighbour(high, axis, -1);
                    let is_near = inner.contains(&high[axis]) && split.at(low) | split.at(high) != 0;
                    *blocked = u8::from(is_near && separates([grid.centre(low), grid.centre(high)]));
                }
            });
        }
        self.count = self.blocked.iter().map(|faces| par::sum(faces, f64::from) as usize).sum();
    }

    /// Sets the open fraction of the blocked faces to zero.
    pub fn close(&self, open: &mut MacVelocity<f64, D>) {
        if self.count == 0 {
            return;
        }
        for (axis, blocked) in self.blocked.iter().enumerate() {
            par::rows(&mut open[axis], |at, row| {
                let shares = row.iter_mut().zip(blocked.row(at));
                shares.filter(|(_, blocked)| **blocked != 0).for_each(|(fraction, _)| *fraction = 0.0);
            });
        }
    }

    /// Whether the face normal to an axis is closed by a thin wall.
    #[inline]
    pub fn blocks(&self, axis: usize, face: [isize; D]) -> bool {
        self.blocked[axis].at(face) != 0
    }

    /// Whether a cell lies on both sides of a wall.
    #[inline]
    pub fn is_split(&self, cell: [isize; D]) -> bool {
        self.split.at(cell) != 0
    }

    /// Number of faces that are closed.
    pub fn count(&self) -> usize {
        self.count
    }
}

fn cut_edges<const D: usize>(
    cuts: &mut Field<u8, D>,
    nodes: &Field<f64, D>,
    crosses: impl Fn([[f64; D]; 2]) -> bool + Sync,
) {
    let (grid, size) = (*nodes.grid(), nodes.size().map(|n| n as isize));
    let farthest = SLACK * grid.spacing().into_iter().fold(0.0, f64::max);
    par::rows(cuts, |at, row| {
        for (x, cuts) in row.iter_mut().enumerate() {
            *cuts = 0;
            let node = along_row(at, x);
            let here = nodes.at(node);
            if here <= 0.0 || here > farthest {
                continue;
            }
            for axis in 0..D {
                let next = neighbour(node, axis, 1);
                if next[axis] < size[axis] {
                    let there = nodes.at(next);
                    let is_near = there > 0.0 && here + there <= SLACK * grid.spacing()[axis];
                    *cuts |= u8::from(is_near && crosses([grid.node(node), grid.node(next)])) << axis;
                }
            }
        }
    });
}

/// Whether the open nodes of a cell are disconnected: a flood fill along its uncut edges.
fn is_split<const D: usize>(nodes: &Field<f64, D>, cuts: &Field<u8, D>, cell: [isize; D]) -> bool {
    let (mut open, mut cut) = (0u8, 0);
    for corner in 0..1 << D {
        let node = corner_node(cell, corner);
        open |= u8::from(nodes.at(node) > 0.0) << corner;
        cut |= cuts.at(node);
    }
    let all = (1u16 << (1 << D)) - 1;
    if open == 0 || (cut == 0 && u16::from(open) == all) {
        return false;
    }
    // Flood from the first open node along uncut edges until nothing is added
    let mut reached = open & open.wrapping_neg();
    loop {
        let before = reached;
        for corner in 0..1 << D {
            for axis in (0..D).filter(|axis| corner >> axis & 1 == 0) {
                let pair = 1 << corner | 1 << (corner | 1 << axis);
                let is_uncut = cuts.at(corner_node(cell, corner)) >> axis & 1 == 0;
                if open & pair == pair && reached & pair != 0 && is_uncut {
                    reached |= pair;
                }
            }
        }
        if reached == before {
            return reached != open;
        }
    }
}
