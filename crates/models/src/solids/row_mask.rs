//! A mask of rows of nodes that satisfy a condition throughout, so that the cells between them can be filled at once.

use undine_grid::par;

/// One flag for every row of nodes along x.
#[derive(Debug, Clone)]
pub(super) struct RowMask<const D: usize> {
    mask: Vec<bool>,
    size: [usize; D],
}

impl<const D: usize> RowMask<D> {
    /// For a grid of `size` nodes; no row is set.
    pub fn new(size: [usize; D]) -> RowMask<D> {
        RowMask { mask: vec![false; size[1..].iter().product()], size }
    }

    /// Sets the flag of every row to the condition at its first node.
    pub fn update(&mut self, is_uniform: impl Fn([isize; D]) -> bool + Sync) {
        let size = self.size;
        par::for_each_chunk(&mut self.mask, 16, |first, marks| {
            for (row, mark) in (first..).zip(marks) {
                let (mut at, mut rest) = ([0; D], row);
                for axis in 1..D {
                    at[axis] = (rest % size[axis]) as isize;
                    rest /= size[axis];
                }
                *mark = is_uniform(at);
            }
        });
    }

    /// Whether all rows of nodes around a row of cells are set; for a row of faces, `across` is the axis they are
    /// normal to.
    pub fn covers(&self, at: [isize; D], across: Option<usize>) -> bool {
        let reach = |axis: usize| 0..if axis >= D || across == Some(axis) { 1 } else { 2 };
        let place = |axis: usize, by: usize| at.get(axis).map_or(0, |x| *x as usize + by);
        let rows = self.size.get(1).copied().unwrap_or(1);
        reach(2).all(|up| reach(1).all(|on| self.mask[place(1, on) + rows * place(2, up)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cleared_row_affects_the_cells_and_faces_beside_it() {
        let mut rows = RowMask::new([5, 4, 4]);
        rows.update(|at| at != [0, 2, 1]);
        assert!(rows.covers([0, 0, 0], None) && rows.covers([0, 1, 2], None));
        assert!(!rows.covers([0, 1, 0], None) && !rows.covers([0, 2, 1], None));
        assert!(rows.covers([0, 1, 0], Some(1)) && !rows.covers([0, 2, 0], Some(1)));
        assert!(rows.covers([0, 1, 0], Some(2)) && !rows.covers([0, 1, 1], Some(2)));
        let mut flat = RowMask::new([5, 4]);
        flat.update(|at| at != [0, 2]);
        assert!(flat.covers([0, 0], None) && !flat.covers([0, 1], None) && flat.covers([0, 1], Some(1)));
    }
}
