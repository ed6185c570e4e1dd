//! Rows of nodes in which nothing happens, so that what lies between them need not be looked at one by one.

use undine_grid::par;

/// One mark for every row of nodes along x.
#[derive(Debug, Clone)]
pub(super) struct QuietRows<const D: usize> {
    are_quiet: Vec<bool>,
    size: [usize; D],
}

impl<const D: usize> QuietRows<D> {
    /// For nodes of this number along each axis; none is quiet yet.
    pub fn new(size: [usize; D]) -> QuietRows<D> {
        QuietRows { are_quiet: vec![false; size[1..].iter().product()], size }
    }

    /// Looks at every row anew, by its first node.
    pub fn look(&mut self, is_quiet: impl Fn([isize; D]) -> bool + Sync) {
        let size = self.size;
        par::for_each_chunk(&mut self.are_quiet, 16, |first, marks| {
            for (row, mark) in (first..).zip(marks) {
                let (mut at, mut rest) = ([0; D], row);
                for axis in 1..D {
                    at[axis] = (rest % size[axis]) as isize;
                    rest /= size[axis];
                }
                *mark = is_quiet(at);
            }
        });
    }

    /// Whether all rows of nodes around a row of cells are quiet; of faces, give the axis that they lie across.
    pub fn surround(&self, at: [isize; D], across: Option<usize>) -> bool {
        let reach = |axis: usize| 0..if axis >= D || across == Some(axis) { 1 } else { 2 };
        let place = |axis: usize, by: usize| at.get(axis).map_or(0, |along| *along as usize + by);
        let rows = self.size.get(1).copied().unwrap_or(1);
        reach(2).all(|up| reach(1).all(|on| self.are_quiet[place(1, on) + rows * place(2, up)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loud_row_is_heard_by_what_touches_it() {
        let mut rows = QuietRows::new([5, 4, 4]);
        rows.look(|at| at != [0, 2, 1]);
        assert!(rows.surround([0, 0, 0], None) && rows.surround([0, 1, 2], None));
        assert!(!rows.surround([0, 1, 0], None) && !rows.surround([0, 2, 1], None));
        assert!(rows.surround([0, 1, 0], Some(1)) && !rows.surround([0, 2, 0], Some(1)));
        assert!(rows.surround([0, 1, 0], Some(2)) && !rows.surround([0, 1, 1], Some(2)));
        let mut flat = QuietRows::new([5, 4]);
        flat.look(|at| at != [0, 2]);
        assert!(
            flat.surround([0, 0], None) && !flat.surround([0, 1], None) && flat.surround([0, 1], Some(1))
        );
    }
}
