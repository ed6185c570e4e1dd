//! Compartments: the connected parts of the open space of a box.
//!
//! Two neighbouring cells belong to the same compartment if the face between them is open, A > 0. Union–find over the
//! cells in the order of memory: each is united with its lower neighbours, then the roots are numbered in that order.
//! Cells without any open face are solid and belong to none.

/// The label of cells that belong to no compartment.
const NONE: u32 = u32::MAX;

/// The compartments of a box.
#[derive(Debug, Clone)]
pub(crate) struct Compartments<const D: usize> {
    cells: [usize; D],
    /// The number of the compartment of each cell, x fastest; empty while the whole box is one.
    labels: Vec<u32>,
    count: usize,
}

impl<const D: usize> Compartments<D> {
    /// A box without solids: one compartment.
    pub fn whole(cells: [usize; D]) -> Self {
        Compartments { cells, labels: Vec::new(), count: 1 }
    }

    /// Finds the compartments of a box in which `is_open` tells whether the face across an axis is open; a face has the
    /// coordinates of the cell above it. The box continues at the opposite side along periodic axes.
    pub fn find(&mut self, is_periodic: [bool; D], is_open: impl Fn(usize, [usize; D]) -> bool) {
        let count: usize = self.cells.iter().product();
        self.labels.clear();
        // More cells than labels would need more memory than any machine has
        self.labels.extend((0..count).map(|index| index as u32));
        let mut cell = [0; D];
        for index in 0..count {
            let mut stride = 1;
            let mut has_open_face = false;
            for axis in 0..D {
                let mut above = cell;
                above[axis] += 1;
                let is_open_below = is_open(axis, cell);
                has_open_face |= is_open_below || is_open(axis, above);
                if is_open_below && cell[axis] > 0 {
                    self.unite(index, index - stride);
                } else if is_open_below && is_periodic[axis] {
                    self.unite(index, index + (self.cells[axis] - 1) * stride);
                }
                stride *= self.cells[axis];
            }
            if !has_open_face {
                self.labels[index] = NONE;
            }
            step(&mut cell, self.cells);
        }
        self.number();
    }

    fn root(&mut self, mut index: usize) -> usize {
        while self.labels[index] as usize != index {
            // Path halving
            let parent = self.labels[index] as usize;
            self.labels[index] = self.labels[parent];
            index = self.labels[index] as usize;
        }
        index
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.labels[a.max(b)] = a.min(b) as u32;
    }

    /// Replaces roots by consecutive numbers. A root comes before all cells united with it.
    fn number(&mut self) {
        self.count = 0;
        for index in 0..self.labels.len() {
            self.labels[index] = match self.labels[index] {
                NONE => NONE,
                root if root as usize == index => {
                    self.count += 1;
                    self.count as u32 - 1
                }
                parent => self.labels[parent as usize],
            };
        }
    }

    /// The number of compartments.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The compartment of a cell; `None` in solids.
    #[inline]
    pub fn of(&self, cell: [usize; D]) -> Option<usize> {
        if self.labels.is_empty() {
            return Some(0);
        }
        let index = (0..D).rev().fold(0, |index, axis| index * self.cells[axis] + cell[axis]);
        Some(self.labels[index]).filter(|&label| label != NONE).map(|label| label as usize)
    }

    /// Calls `work` with every cell outside solids and the number of its compartment.
    pub fn for_each(&self, mut work: impl FnMut([usize; D], usize)) {
        let mut cell = [0; D];
        for _ in 0..self.cells.iter().product() {
            if let Some(number) = self.of(cell) {
                work(cell, number);
            }
            step(&mut cell, self.cells);
        }
    }
}

/// The next cell, x fastest.
fn step<const D: usize>(cell: &mut [usize; D], cells: [usize; D]) {
    for axis in 0..D {
        cell[axis] += 1;
        if cell[axis] < cells[axis] {
            return;
        }
        cell[axis] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_makes_two_and_a_gap_joins_them() {
        // A wall of closed faces at x = 4, with a gap at y = 6 in the second case
        for gap in [99, 6] {
            let mut parts = Compartments::whole([9, 7, 2]);
            assert_eq!((parts.count(), parts.of([8, 6, 1])), (1, Some(0)));
            parts.find([false; 3], |axis, face| axis != 0 || face[0] != 4 || face[1] == gap);
            let [west, east] = [parts.of([3, 0, 0]), parts.of([4, 0, 0])];
            assert_eq!((parts.count(), west == east), if gap == 6 { (1, true) } else { (2, false) });
            let mut cells = 0;
            parts.for_each(|at, number| cells += usize::from((at[0] < 4) == (Some(number) == west)));
            assert_eq!(cells, if gap == 6 { 4 * 7 * 2 } else { 9 * 7 * 2 });
        }
    }

    #[test]
    fn solid_cells_belong_to_none_and_periodic_sides_join() {
        // Column 2 is solid: with periodic sides the rest is still one
        let is_open = |axis: usize, face: [usize; 2]| match axis {
            0 => face[0] != 2 && face[0] != 3,
            _ => face[0] != 2,
        };
        for (is_periodic, count) in [(false, 2), (true, 1)] {
            let mut parts = Compartments::whole([5, 3]);
            parts.find([is_periodic, false], is_open);
            assert_eq!((parts.count(), parts.of([2, 1])), (count, None));
        }
    }
}
