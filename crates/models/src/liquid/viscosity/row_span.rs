//! The span of a row that has unknowns.

use undine_grid::Field;

/// The cells of a row from the first to the last unknown; empty without any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowSpan {
    /// The first.
    pub start: usize,
    /// One past the last.
    pub end: usize,
}

impl RowSpan {
    /// From the first to the last value for which `is_true` holds.
    pub fn where_true(values: &[f32], is_true: impl Fn(&f32) -> bool) -> RowSpan {
        match values.iter().position(&is_true) {
            Some(start) => {
                let last = values.iter().rposition(is_true).unwrap_or(start);
                RowSpan { start, end: last + 1 }
            }
            None => RowSpan::default(),
        }
    }

    /// Extended by a cell below and two above, within the width of the row.
    pub fn dilated(self, width: usize) -> RowSpan {
        match self.is_empty() {
            true => self,
            false => RowSpan { start: self.start.saturating_sub(1), end: (self.end + 2).min(width) },
        }
    }

    /// The smallest span that contains both.
    pub fn hull(self, other: RowSpan) -> RowSpan {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => RowSpan { start: self.start.min(other.start), end: self.end.max(other.end) },
        }
    }

    /// Whether there are no cells.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The indices of its cells.
    pub fn cells(self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}

/// The index of a row among all rows of a lattice.
pub(super) fn row_index<const D: usize>(field: &Field<f32, D>, at: [isize; D]) -> usize {
    let size = field.size();
    (1..D).rev().fold(0, |index, axis| index * size[axis] + at[axis] as usize)
}
