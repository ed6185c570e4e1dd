//! The span of unknowns in each row of a grid, so that air and solids are skipped.
//!
//! A span reaches from the first to the last block of a row that holds unknowns of either colour. Every vector is zero
//! outside the spans; when unknowns move on, what they leave behind is set to zero once.

use std::ops::Range;

use super::checkered::Checkered;
use super::row_vectors::WIDTH;
use crate::field::Field;
use crate::par;
use crate::value::{Real, Value};

/// Some blocks of a row; none when both are equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BlockSpan {
    start: u32,
    end: u32,
}

impl BlockSpan {
    /// All blocks of a row of `width` cells.
    pub fn full(width: usize) -> BlockSpan {
        BlockSpan::around(0..width)
    }

    /// The blocks that hold some cells of a row.
    pub fn around(cells: Range<usize>) -> BlockSpan {
        match cells.is_empty() {
            true => BlockSpan::default(),
            false => BlockSpan {
                start: (cells.start / (2 * WIDTH)) as u32,
                end: cells.end.div_ceil(2 * WIDTH) as u32,
            },
        }
    }

    /// From the first to the last unknown of a row.
    pub fn of_labels(labels: &[u8]) -> BlockSpan {
        // Whole blocks are tested together
        let (blocks, rest) = labels.as_chunks::<{ 2 * WIDTH }>();
        let is_used = |block: &[u8]| block.iter().fold(0, |all, label| all | label) != 0;
        let has_rest = is_used(rest);
        let first = blocks.iter().position(|block| is_used(block));
        let end = if has_rest { Some(blocks.len()) } else { blocks.iter().rposition(|block| is_used(block)) };
        match (first.or(has_rest.then_some(blocks.len())), end) {
            (Some(first), Some(last)) => BlockSpan { start: first as u32, end: last as u32 + 1 },
            _ => BlockSpan::default(),
        }
    }

    /// Whether there is no block.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The numbers of the blocks.
    #[inline(always)]
    pub fn blocks(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The cells of one colour in a row of `width` cells of that colour.
    #[inline(always)]
    pub fn cells(self, length: usize) -> Range<usize> {
        self.start as usize * WIDTH..length.min(self.end as usize * WIDTH)
    }

    /// The cells of both colours in a row of `width` cells.
    #[inline(always)]
    pub fn natural(self, width: usize) -> Range<usize> {
        2 * WIDTH * self.start as usize..width.min(2 * WIDTH * self.end as usize)
    }

    /// Both, and what lies between.
    pub fn and(self, other: BlockSpan) -> BlockSpan {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => BlockSpan { start: self.start.min(other.start), end: self.end.max(other.end) },
        }
    }

    /// The span in a row of half the width.
    pub fn halved(self) -> BlockSpan {
        BlockSpan { start: self.start / 2, end: self.end.div_ceil(2) }
    }

    fn contains(self, other: BlockSpan) -> bool {
        other.is_empty() || (self.start <= other.start && other.end <= self.end)
    }
}

/// The spans within which some vectors may be other than zero.
#[derive(Debug, Clone, Default)]
pub(super) struct ActiveSpans {
    spans: Vec<BlockSpan>,
}

impl ActiveSpans {
    /// Sets new spans, and zeroes what is now outside of them.
    pub fn renew<'a, T: Real, const D: usize>(
        &mut self,
        spans: &[BlockSpan],
        vectors: impl IntoIterator<Item = &'a mut Checkered<T, D>>,
    ) {
        for vector in vectors {
            vector.halves.iter_mut().for_each(|half| clear(half, &self.spans, spans));
        }
        self.spans.clear();
        self.spans.extend_from_slice(spans);
    }

    /// The same for vectors of one colour.
    pub fn renew_halves<T: Real, const D: usize>(&mut self, spans: &[BlockSpan], halves: &mut [Field<T, D>]) {
        halves.iter_mut().for_each(|half| clear(half, &self.spans, spans));
        self.spans.clear();
        self.spans.extend_from_slice(spans);
    }
}

/// Sets rows of one colour to zero within `before` where that is not within `now`.
pub(super) fn clear<T: Value, const D: usize>(
    half: &mut Field<T, D>,
    before: &[BlockSpan],
    now: &[BlockSpan],
) {
    if before.len() != now.len() || before.iter().zip(now).all(|(before, now)| now.contains(*before)) {
        return;
    }
    let size = half.size();
    par::rows(half, |at, row| {
        let number = row_number(size, at);
        if !now[number].contains(before[number]) {
            row[before[number].cells(size[0])].fill(T::zeroed());
        }
    });
}

/// Index of a row among all of a grid of these cells; the first component does not matter.
#[inline]
pub(super) fn row_number<const D: usize>(size: [usize; D], at: [isize; D]) -> usize {
    (1..D).rev().fold(0, |number, axis| number * size[axis] + at[axis] as usize)
}

/// First coordinates of the row with a number.
#[inline]
pub(super) fn row_at<const D: usize>(size: [usize; D], mut number: usize) -> [isize; D] {
    let mut at = [0; D];
    for axis in 1..D {
        at[axis] = (number % size[axis]) as isize;
        number /= size[axis];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_hold_what_they_are_made_around() {
        for (first, last) in [(0, 0), (3, 40), (16, 31), (15, 16), (47, 49), (49, 49)] {
            let mut labels = [0_u8; 50];
            (labels[first], labels[last]) = (1, 1);
            let span = BlockSpan::of_labels(&labels);
            assert_eq!(span, BlockSpan::around(first..last + 1));
            let natural = span.natural(50);
            assert!(natural.contains(&first) && natural.contains(&last) && natural.start.is_multiple_of(16));
            assert_eq!(span.cells(25), natural.start / 2..natural.end.div_ceil(2));
        }
        assert!(BlockSpan::of_labels(&[0; 50]).is_empty() && BlockSpan::around(4..4).is_empty());
        assert_eq!(BlockSpan::around(20..70).halved(), BlockSpan::around(10..35));
        assert_eq!(BlockSpan::around(0..3).and(BlockSpan::around(40..41)), BlockSpan::around(0..41));
        assert_eq!(BlockSpan::default().and(BlockSpan::around(40..41)), BlockSpan::around(40..41));
    }

    #[test]
    fn what_is_left_behind_is_cleared() {
        let mut vector = Checkered::<f32, 2>::new([64, 2]).unwrap();
        vector.set(|_| |_| 1.0);
        let mut extent = ActiveSpans { spans: vec![BlockSpan::full(64); 2] };
        extent.renew(&[BlockSpan::around(20..30), BlockSpan::full(64)], [&mut vector]);
        let (first, second) = (vector.halves[0].row([0, 0]), vector.halves[0].row([0, 1]));
        assert!(first.iter().all(|&value| value == 0.0) && second.iter().all(|&value| value == 1.0));
    }
}
