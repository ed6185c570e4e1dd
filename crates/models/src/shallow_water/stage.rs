//! A stage over the whole domain: blocks of rows, distributed over the threads.

use undine_grid::{Field, par};

use super::row_block::{self, RowBlock, StageInput};
use super::update::RowSums;

/// Rows of a block. A block computes four rows of its neighbours again, so thin blocks cost more and thick ones leave
/// threads idle. The division does not depend on the number of threads.
const BLOCK_ROWS: usize = 64;

/// Sums and boundary fluxes of a stage.
pub(super) struct StageTotals {
    /// One entry for each row.
    pub rows: Vec<RowSums>,
    /// Mass flux inwards through each face of the west, east, south and north side, in m²/s.
    pub boundary_flux: [Vec<f64>; 4],
}

impl StageTotals {
    pub fn new([columns, rows]: [usize; 2]) -> StageTotals {
        let blank = |count| vec![0.0; count];
        StageTotals {
            rows: vec![RowSums::default(); rows],
            boundary_flux: [blank(rows), blank(rows), blank(columns), blank(columns)],
        }
    }
}

/// Computes a stage that reads `input` and writes `into`.
pub(super) fn compute(input: &StageInput<'_>, into: &mut [Field<f64, 2>; 3], totals: &mut StageTotals) {
    let rows = input.grid.cells()[1];
    let layout = *input.bed.layout();
    let (start, pitch) = (layout.offset([0, 0]), layout.strides()[1]);
    let state = into.each_mut().map(|field| &mut field.storage_mut()[start..start + rows * pitch]);
    let StageTotals { rows: sums, boundary_flux: [west, east, south, north] } = totals;
    let all_rows = RowBlock {
        rows: 0..rows,
        state,
        pitch,
        sums,
        boundary_flux: [west, east],
        south: Some(south),
        north: Some(north),
    };
    advance_blocks(input, all_rows);
}

/// Halves a block until it has at most [`BLOCK_ROWS`] rows, and computes the halves in parallel.
fn advance_blocks(input: &StageInput<'_>, mut block: RowBlock<'_>) {
    let blocks = block.rows.len().div_ceil(BLOCK_ROWS);
    if blocks <= 1 {
        return row_block::advance(input, &mut block);
    }
    let count = blocks / 2 * BLOCK_ROWS;
    let (low, high) = block.split_at(count);
    par::join(|| advance_blocks(input, low), || advance_blocks(input, high));
}

impl<'a> RowBlock<'a> {
    /// The first `count` rows and the others.
    fn split_at(self, count: usize) -> (RowBlock<'a>, RowBlock<'a>) {
        let RowBlock { rows, state, pitch, sums, boundary_flux: [west, east], south, north } = self;
        let middle = rows.start + count;
        let [depth, flow_x, flow_y] = state.map(|values| values.split_at_mut(count * pitch));
        let (sums, west, east) =
            (sums.split_at_mut(count), west.split_at_mut(count), east.split_at_mut(count));
        let low = RowBlock {
            rows: rows.start..middle,
            state: [depth.0, flow_x.0, flow_y.0],
            pitch,
            sums: sums.0,
            boundary_flux: [west.0, east.0],
            south,
            north: None,
        };
        let high = RowBlock {
            rows: middle..rows.end,
            state: [depth.1, flow_x.1, flow_y.1],
            pitch,
            sums: sums.1,
            boundary_flux: [west.1, east.1],
            south: None,
            north,
        };
        (low, high)
    }
}
