//! Walls thinner than a cell: which faces they close.
//!
//! The open share of a face comes from the distances at its corners, and a wall between them may go unnoticed. So every
//! edge of the grid between two open nodes is tested against the shapes themselves. A cell whose open nodes then fall
//! apart, because no way along its uncut edges joins them, is *torn*: it lies on both sides of a wall. It stands for the
//! side on which its centre is, and every face of it is closed if a solid lies between the two centres.
//!
//! So no way leads through a wall. Two cells that are not torn and share an open face share an open node, thus a side;
//! any other two are joined only by a stretch that no solid meets. This holds for any thickness, angle and place of
//! a wall, as long as it bends little within a cell.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, neighbour, par};

use super::placement::{along_row, corner_node};
use super::quiet_rows::QuietRows;

/// How much longer than an edge the distances at its ends may be together before no solid can lie between.
const SLACK: f64 = 1.001;

/// Closed faces and torn cells.
#[derive(Debug, Clone)]
pub(super) struct Barriers<const D: usize> {
    /// Bit `a` of a node says that the edge from it on along axis `a` is cut.
    cuts: Field<u8, D>,
    /// Rows of nodes that are open and have no cut.
    quiet: QuietRows<D>,
    torn: Field<u8, D>,
    blocked: Vec<Field<u8, D>>,
    count: usize,
}

impl<const D: usize> Barriers<D> {
    pub fn new(grid: Grid<D>) -> Result<Self, FieldError> {
        let field = |location| Field::new(grid, location, Condition::Open, 1);
        Ok(Barriers {
            cuts: field(Location::Node)?,
            quiet: QuietRows::new(grid.samples(Location::Node)),
            torn: field(Location::Center)?,
            blocked: (0..D).map(|axis| field(Location::Face(axis))).collect::<Result<_, _>>()?,
            count: 0,
        })
    }

    /// Finds them anew. `crosses` says whether a shape lies between two points in the open, `separates` whether it lies
    /// between any two points or holds one of them.
    pub fn find(
        &mut self,
        nodes: &Field<f64, D>,
        crosses: impl Fn([[f64; D]; 2]) -> bool + Sync,
        separates: impl Fn([[f64; D]; 2]) -> bool + Sync,
    ) {
        cut_edges(&mut self.cuts, nodes, crosses);
        let cuts = &self.cuts;
        let is_quiet = |at| {
            let is_open = nodes.row(at).iter().all(|&distance| distance > 0.0);
            is_open && cuts.row(at).iter().all(|&cut| cut == 0)
        };
        self.quiet.look(is_quiet);
        let quiet = &self.quiet;
        par::rows(&mut self.torn, |at, row| {
            if quiet.surround(at, None) {
                return row.fill(0);
            }
            for (x, torn) in row.iter_mut().enumerate() {
                *torn = u8::from(is_torn(nodes, cuts, along_row(at, x)));
            }
        });
        let torn = &self.torn;
        let grid = *nodes.grid();
        for (axis, blocked) in self.blocked.iter_mut().enumerate() {
            let inner = 1..grid.cells()[axis] as isize;
            par::rows(blocked, |at, row| {
                for (x, blocked) in row.iter_mut().enumerate() {
                    let high = along_row(at, x);
                    let low = neighbour(high, axis, -1);
                    let is_near = inner.contains(&high[axis]) && torn.at(low) | torn.at(high) != 0;
                    *blocked = u8::from(is_near && separates([grid.centre(low), grid.centre(high)]));
                }
            });
        }
        self.count = self.blocked.iter().map(|faces| par::sum(faces, f64::from) as usize).sum();
    }

    /// Closes the faces that are blocked.
    pub fn close(&self, open: &mut MacVelocity<f64, D>) {
        if self.count == 0 {
            return;
        }
        for (axis, blocked) in self.blocked.iter().enumerate() {
            par::rows(&mut open[axis], |at, row| {
                let shares = row.iter_mut().zip(blocked.row(at));
                shares.filter(|(_, blocked)| **blocked != 0).for_each(|(share, _)| *share = 0.0);
            });
        }
    }

    /// Whether a face across an axis is closed by a thin wall.
    #[inline]
    pub fn blocks(&self, axis: usize, face: [isize; D]) -> bool {
        self.blocked[axis].at(face) != 0
    }

    /// Whether a cell lies on both sides of a wall.
    #[inline]
    pub fn is_torn(&self, cell: [isize; D]) -> bool {
        self.torn.at(cell) != 0
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
    let (grid, size) = (*nodes.grid(), nodes.size().map(|along| along as isize));
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

/// Whether the open nodes of a cell fall apart.
fn is_torn<const D: usize>(nodes: &Field<f64, D>, cuts: &Field<u8, D>, cell: [isize; D]) -> bool {
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
    // From the first open node on along uncut edges, until nothing is added
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
