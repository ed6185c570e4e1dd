//! The pipes between neighbouring columns: which neighbours, how wide and long, and what flows in them.
//!
//! With four neighbours a pipe is as wide as the face of its cells. With eight, widths are such that long waves have the
//! speed √(g d) in all directions: κ = width/length of the pipes along an axis and along the diagonals satisfy
//! κ_x + 2 κ_d = Δy/Δx and κ_y + 2 κ_d = Δx/Δy, with κ_d = 1/6; on squares that is 2/3 Δx and √2/6 Δx wide.

use super::tiling::{TileRow, Tiling, WIDTH, row_at};
use super::units::CEILING;

/// κ of a diagonal pipe.
const DIAGONAL: f64 = 1.0 / 6.0;

/// A family of pipes: from the neighbour at `offset` to every column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Direction {
    /// Where the neighbour is, in columns along x and y.
    pub offset: [isize; 2],
    /// Width in metres.
    pub width: f64,
    /// κ: width divided by length.
    pub conductance: f64,
    /// Unit vector from the neighbour to the column.
    pub along: [f64; 2],
}

impl Direction {
    /// The pipes along the axes, or those and the diagonal ones; in a single row only those along x.
    pub fn all(spacing: [f64; 2], has_diagonals: bool, is_curve: bool) -> Vec<Direction> {
        let [dx, dy] = spacing;
        let share = if has_diagonals && !is_curve { 2.0 * DIAGONAL } else { 0.0 };
        let pipe = |offset: [isize; 2], conductance: f64| {
            let way = [-offset[0] as f64 * dx, -offset[1] as f64 * dy];
            let length = way[0].hypot(way[1]);
            Direction {
                offset,
                width: conductance * length,
                conductance,
                along: way.map(|part| part / length),
            }
        };
        let mut directions = vec![pipe([-1, 0], dy / dx - share)];
        if !is_curve {
            directions.push(pipe([0, -1], dx / dy - share));
        }
        if share > 0.0 {
            directions.extend([pipe([-1, -1], DIAGONAL), pipe([1, -1], DIAGONAL)]);
        }
        directions
    }

    /// The offset of the column for which this column is the neighbour.
    pub fn opposite(&self) -> [isize; 2] {
        self.offset.map(|step| -step)
    }
}

/// All pipes of one direction. The pipe of a column comes from its neighbour; what flows into the column is positive.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PipeSet {
    pub direction: Direction,
    /// Tile by tile first the flows in units per second, then the transfers of the last step: flow times dt plus the
    /// remainder of the step before, not yet rounded. What was moved is the nearest whole number, and the difference
    /// from it is carried to the next step.
    pub values: Vec<f32>,
}

impl PipeSet {
    pub fn new(direction: Direction, tiling: &Tiling) -> PipeSet {
        PipeSet { direction, values: vec![0.0; 2 * tiling.stored()] }
    }

    /// The transfers of the pipes to a row of columns.
    #[inline(always)]
    pub fn transfers(&self, tiling: &Tiling, tile: usize, row: usize) -> &TileRow<f32> {
        row_at(&self.values, (2 * tile + 1) * tiling.tile_len() + row * WIDTH)
    }

    /// The transfers of the pipes for which the columns of a row are the neighbours: what they receive is negative.
    #[inline(always)]
    pub fn opposite_transfers(&self, tiling: &Tiling, tile: usize, row: usize) -> TileRow<f32> {
        let transfers = |tile, row| self.transfers(tiling, tile, row);
        tiling.shifted_row(transfers, tile, row, self.direction.opposite(), 0.0)
    }

    /// Where the flow of a stored column's pipe is.
    pub fn flow_index(tiling: &Tiling, index: usize) -> usize {
        let length = tiling.tile_len();
        index / length * 2 * length + index % length
    }
}

/// The whole number of units that a transfer moves: the nearest one, halves to even. Transfers stay below the headroom of a
/// column; what is beyond 2³⁰, or no number, moves nothing.
///
/// A cast saturates, which compilers do one number at a time. This vectorises: adding 1.5 · 2²³ rounds to a whole number
/// that is then in the low bits, of the multiple of 2¹² first and of the rest after it.
#[inline(always)]
pub(super) fn moved(transfer: f32) -> i32 {
    const ROUNDER: f32 = 12_582_912.0;
    const PART: f32 = 4096.0;
    let transfer = if transfer.abs() <= CEILING as f32 { transfer } else { 0.0 };
    let whole = |rounded: f32| rounded.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32;
    let multiple = transfer * (1.0 / PART) + ROUNDER;
    let rest = (transfer - (multiple - ROUNDER) * PART) + ROUNDER;
    whole(multiple) * PART as i32 + whole(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_give_the_continuum_in_all_directions() {
        for spacing in [[1.0, 1.0], [0.5, 0.52]] {
            for has_diagonals in [false, true] {
                // Σ κ L² (n·e)² over half of the neighbours is the area of a cell, for every direction e
                for angle in [0.0_f64, 0.3, 0.785, 1.3] {
                    let sum: f64 = Direction::all(spacing, has_diagonals, false)
                        .iter()
                        .map(|pipe| {
                            let length = pipe.width / pipe.conductance;
                            let part = pipe.along[0] * angle.cos() + pipe.along[1] * angle.sin();
                            pipe.conductance * (length * part).powi(2)
                        })
                        .sum();
                    assert!((sum - spacing[0] * spacing[1]).abs() < 1e-12, "{spacing:?} {angle}: {sum}");
                }
            }
        }
        let [axis, _, diagonal, _] = Direction::all([1.0, 1.0], true, false)[..] else { panic!() };
        assert!((axis.width - 2.0 / 3.0).abs() < 1e-15 && (diagonal.width - 2f64.sqrt() / 6.0).abs() < 1e-15);
    }

    #[test]
    fn transfers_move_the_nearest_whole_number_of_units() {
        let whole = |transfer: f32| transfer.round_ties_even() as i32;
        let mut transfer = 1e-3_f32;
        while transfer < CEILING as f32 {
            let half = transfer.floor() + 0.5;
            for value in [transfer, transfer.floor(), half, half.next_up(), half.next_down()] {
                assert_eq!([value, -value].map(moved), [value, -value].map(whole), "{value}");
            }
            transfer *= 1.000_37;
        }
        assert_eq!([0.0, -0.0, CEILING as f32, -(CEILING as f32)].map(moved), [0, 0, CEILING, -CEILING]);
        assert_eq!([f32::NAN, f32::INFINITY, f32::MIN].map(moved), [0; 3]);
    }

    #[test]
    fn a_curve_has_pipes_along_x_only() {
        let pipes = Direction::all([0.5, 3.0], true, true);
        assert_eq!(pipes.len(), 1);
        assert!((pipes[0].width - 3.0).abs() < 1e-12);
    }
}
