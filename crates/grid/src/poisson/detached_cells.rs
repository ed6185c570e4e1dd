//! Cells that a wall cuts off from the rest of their coarse cell.
//!
//! A coarse cell has one value. Where a thin wall runs through it that value cannot serve both sides, and if it tried,
//! the coarse grid would not see the wall at all: the jump of p across it would then be left to relaxation. So a coarse
//! cell stands for the largest connected group of its fine cells. The others are detached cells: each follows the
//! coarse cell beside it that it is coupled to the most, and their faces count for no coarse coupling. The wall moves
//! by less than a coarse cell, and stays closed.

use super::PoissonError;
use super::checkered::Checkered;
use super::coarsening::{fall_off, merged_weight};
use super::matrix::Matrix;
use super::row_vectors::WIDTH;
use super::spans::BlockSpan;
use super::stencil::BlockKind;
use super::transfer::RED;
use crate::boundary::Condition;
use crate::field::Field;
use crate::grid::Grid;
use crate::location::Location;
use crate::par;
use crate::value::Real;

/// The detached cells between two grids.
#[derive(Debug, Clone)]
pub(super) struct DetachedCells<const D: usize> {
    merged: [bool; D],
    /// Of each coarse cell the fine ones that are cut off, a bit each.
    cut_off: Field<u8, D>,
    all: Vec<[isize; D]>,
    led: Vec<Led<D>>,
}

/// A red stray, the coarse cell that it follows, and how far.
#[derive(Debug, Clone, Copy)]
struct Led<const D: usize> {
    at: [isize; D],
    home: [isize; D],
    fraction: f64,
}

impl<const D: usize> DetachedCells<D> {
    /// Memory for those between two grids.
    pub fn new(coarse: [usize; D], merged: [bool; D]) -> Result<Self, PoissonError> {
        let grid = Grid::new(coarse, [1.0; D], [0.0; D])?;
        let cut_off = Field::new(grid, Location::Center, Condition::Open, 1)?;
        Ok(DetachedCells { merged, cut_off, all: Vec::new(), led: Vec::new() })
    }

    /// Finds them.
    pub fn find<T: Real>(&mut self, fine: &Matrix<T, D>) {
        let family = Family { fine, merged: self.merged };
        par::rows(&mut self.cut_off, |at, row| {
            row.fill(0);
            if fine.couplings.is_some() {
                family.cut_off_in_row(at, row);
            }
        });
        self.all.clear();
        for (row, bits) in self.cut_off.rows() {
            for x in (0..bits.len()).filter(|&x| bits[x] != 0) {
                let parent = along_row(row, x);
                let children = (0..8_usize).filter(|child| bits[x] >> child & 1 == 1);
                self.all.extend(children.map(|child| family.child(parent, child)));
            }
        }
        self.led.clear();
        for &at in self.all.iter().filter(|at| at.iter().sum::<isize>() as usize & 1 == RED) {
            let home = self.home(fine, at);
            let fraction = fine
                .extra
                .as_ref()
                .map_or(1.0, |extra| fall_off(extra.get(at).to_f64(), merged_weight(fine, self.merged)));
            self.led.extend(home.map(|home| Led { at, home, fraction }));
        }
    }

    /// The coarse cell that a fine one lies in.
    fn parent(&self, at: [isize; D]) -> [isize; D] {
        std::array::from_fn(|axis| if self.merged[axis] { at[axis] >> 1 } else { at[axis] })
    }

    fn is_stray(&self, at: [isize; D]) -> bool {
        let merged = self.merged;
        let child =
            (0..D).filter(|&axis| merged[axis] && at[axis] & 1 == 1).map(|axis| 1 << axis).sum::<u32>();
        self.cut_off.at(self.parent(at)) >> child & 1 == 1
    }

    /// The coarse cell of the neighbour that a stray is coupled to the most and that is no stray itself.
    fn home<T: Real>(&self, fine: &Matrix<T, D>, at: [isize; D]) -> Option<[isize; D]> {
        let mut best = (0.0, None);
        for (axis, side) in (0..2 * D).map(|face| (face / 2, face as isize % 2)) {
            let adjacent = crate::neighbour(at, axis, 2 * side - 1);
            if !(0..fine.cells()[axis] as isize).contains(&adjacent[axis]) || self.is_stray(adjacent) {
                continue;
            }
            let coupling = fine.coupling(axis, crate::neighbour(at, axis, side));
            if coupling > best.0 {
                best = (coupling, Some(self.parent(adjacent)));
            }
        }
        best.1
    }

    /// Removes the faces of detached cells from the couplings of the coarse grid.
    pub fn mend<T: Real>(&self, fine: &Matrix<T, D>, couplings: &mut [Checkered<T, D>; D]) {
        let family = Family { fine, merged: self.merged };
        for &at in &self.all {
            for (axis, side) in (0..2 * D).map(|face| (face / 2, face as isize % 2)) {
                let (face, above) =
                    (crate::neighbour(at, axis, side), self.parent(crate::neighbour(at, axis, side)));
                let is_inside = (1..fine.cells()[axis] as isize).contains(&face[axis]);
                let is_between = !self.merged[axis] || face[axis] & 1 == 0;
                if is_inside && is_between && fine.coupling(axis, face) > 0.0 {
                    let sum = family.coupling_without(axis, above, |end| self.is_stray(end));
                    couplings[axis].put(above, T::from_f64(sum));
                }
            }
        }
    }

    /// The red detached cells, which take no part in what others do.
    pub fn red(&self) -> impl Iterator<Item = [isize; D]> {
        self.all.iter().copied().filter(|at| at.iter().sum::<isize>() as usize & 1 == RED)
    }

    /// Adds to the coarse right-hand side what detached cells have left of b − A x.
    pub fn restrict<T: Real>(
        &self,
        fine: &Matrix<T, D>,
        part: T,
        b: &Checkered<T, D>,
        x: &Checkered<T, D>,
        coarse: &mut Checkered<T, D>,
    ) {
        for led in &self.led {
            let pulls = (0..2 * D).map(|face| {
                let (axis, side) = (face / 2, face as isize % 2);
                let adjacent = crate::neighbour(led.at, axis, 2 * side - 1);
                fine.coupling(axis, crate::neighbour(led.at, axis, side)) * x.get(adjacent).to_f64()
            });
            let applied = fine.diagonal.get(led.at).to_f64() * x.get(led.at).to_f64() - pulls.sum::<f64>();
            let given = part.to_f64() * led.fraction * (b.get(led.at).to_f64() - applied);
            coarse.put(led.home, T::from_f64(coarse.get(led.home).to_f64() + given));
        }
    }

    /// Adds the corrections of the coarse cells that detached cells follow.
    pub fn prolong<T: Real>(&self, coarse: &Checkered<T, D>, x: &mut Checkered<T, D>) {
        for led in &self.led {
            let correction = led.fraction * coarse.get(led.home).to_f64();
            x.put(led.at, T::from_f64(x.get(led.at).to_f64() + correction));
        }
    }
}

fn along_row<const D: usize>(mut row: [isize; D], x: usize) -> [isize; D] {
    row[0] = x as isize;
    row
}

/// A fine grid and how its cells are merged.
struct Family<'a, T, const D: usize> {
    fine: &'a Matrix<T, D>,
    merged: [bool; D],
}

impl<T: Real, const D: usize> Family<'_, T, D> {
    /// A fine cell of a coarse one, by its number: a bit for each axis.
    fn child(&self, parent: [isize; D], child: usize) -> [isize; D] {
        std::array::from_fn(|axis| match self.merged[axis] {
            true => 2 * parent[axis] + (child >> axis & 1) as isize,
            false => parent[axis],
        })
    }

    /// The numbers of the fine cells that a coarse one has.
    fn children(&self, parent: [isize; D]) -> impl Iterator<Item = usize> {
        let (merged, cells) = (self.merged, self.fine.cells());
        (0..1_usize << D).filter(move |child| {
            (0..D).all(|axis| {
                let upper = child >> axis & 1 == 1;
                !upper || merged[axis] && 2 * parent[axis] + 1 < cells[axis] as isize
            })
        })
    }

    /// Only general blocks can hold walls.
    fn cut_off_in_row(&self, at: [isize; D], row: &mut [u8]) {
        let per_block = if self.merged[0] { WIDTH } else { 2 * WIDTH };
        let rows = || self.children(at).filter(|child| child & 1 == 0).map(|child| self.child(at, child));
        let span = rows().fold(BlockSpan::default(), |span, row| span.and(self.fine.span(row)));
        for block in span.blocks() {
            if !rows()
                .any(|row| (0..2).any(|colour| self.fine.kind(colour, row, block) == BlockKind::General))
            {
                continue;
            }
            let cells = block * per_block..row.len().min((block + 1) * per_block);
            for x in cells {
                row[x] = self.cut_off(along_row(at, x));
            }
        }
    }

    /// The fine cells of a coarse one that are not connected within it to the largest group of them.
    fn cut_off(&self, parent: [isize; D]) -> u8 {
        let (mut unknown, mut adjacency) = (0_u8, [0_u8; 8]);
        for child in self.children(parent) {
            let at = self.child(parent, child);
            if self.fine.is_unknown(at) {
                unknown |= 1 << child;
            }
            for axis in (0..D).filter(|axis| child >> axis & 1 == 1) {
                if self.fine.coupling(axis, at) > 0.0 {
                    let other = child ^ 1 << axis;
                    adjacency[child] |= 1 << other;
                    adjacency[other] |= 1 << child;
                }
            }
        }
        unknown & !largest_group(unknown, adjacency)
    }

    /// The coupling of a coarse cell to the one below, from the fine faces without an end that is left out.
    fn coupling_without(&self, axis: usize, at: [isize; D], is_out: impl Fn([isize; D]) -> bool) -> f64 {
        let merged_axes = self.merged.iter().filter(|&&merged| merged).count() as i32;
        let faces = f64::from(1 << merged_axes) / if self.merged[axis] { 2.0 } else { 1.0 };
        let scale = if self.merged[axis] { 0.25 } else { 1.0 } / faces;
        let lower = self.children(at).filter(|child| child >> axis & 1 == 0);
        let ends = lower.map(|child| self.child(at, child));
        let counted = ends.filter(|&end| !is_out(end) && !is_out(crate::neighbour(end, axis, -1)));
        scale * counted.map(|end| self.fine.coupling(axis, end)).sum::<f64>()
    }
}

/// The largest connected group of some bits; the first of them when several are as large.
fn largest_group(all: u8, adjacency: [u8; 8]) -> u8 {
    let (mut rest, mut largest) = (all, 0_u8);
    while rest != 0 {
        let mut group = 1 << rest.trailing_zeros();
        loop {
            let near = (0..8)
                .filter(|child| group >> child & 1 == 1)
                .fold(group, |near, child| near | adjacency[child]);
            if near == group {
                break;
            }
            group = near;
        }
        if group.count_ones() > largest.count_ones() {
            largest = group;
        }
        rest &= !group;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_group_is_found() {
        let chain = [2, 1, 0, 0, 0x60, 0x10, 0x10, 0];
        assert_eq!(largest_group(0xff, chain), 0x70);
        assert_eq!(largest_group(0x8f, chain), 0x03);
        assert_eq!(largest_group(0x84, chain), 0x04);
        assert_eq!(largest_group(0, chain), 0);
    }
}
