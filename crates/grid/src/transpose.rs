//! Transposition of rows to SIMD lanes and back.

use bytemuck::Pod;

/// Rows and columns that are turned in registers at a time.
const TILE: usize = 4;

/// Columns that are turned before the next, so that what is written stays in the nearest cache until its lines are full.
const BAND: usize = 16;

/// Writes `from[row · pitch + column]` to `to[column · to_pitch + row]`.
///
/// # Panics
/// When the matrix does not fit into either slice.
pub(crate) fn transpose<T: Pod>(
    from: &[T],
    pitch: usize,
    to: &mut [T],
    to_pitch: usize,
    [rows, columns]: [usize; 2],
) {
    let (whole_rows, whole_columns) = (rows - rows % TILE, columns - columns % TILE);
    for left in (0..whole_columns).step_by(BAND) {
        for top in (0..whole_rows).step_by(TILE) {
            for column in (left..whole_columns.min(left + BAND)).step_by(TILE) {
                let (source, target) = (&from[top * pitch + column..], &mut to[column * to_pitch + top..]);
                turn_tile(source, pitch, target, to_pitch);
            }
        }
    }
    // What does not fill a tile, at the right and at the bottom.
    for row in 0..rows {
        for column in if row < whole_rows { whole_columns } else { 0 }..columns {
            to[column * to_pitch + row] = from[row * pitch + column];
        }
    }
}

/// Turns four by four values.
#[inline(always)]
fn turn_tile<T: Pod>(from: &[T], pitch: usize, to: &mut [T], to_pitch: usize) {
    let (from, to) = (&from[..3 * pitch + TILE], &mut to[..3 * to_pitch + TILE]);
    #[cfg(target_arch = "x86_64")]
    if size_of::<T>() == size_of::<f32>() {
        // SAFETY: the slices reach from the first of the values to the last, and hold numbers of this size.
        return unsafe { turn_singles(from.as_ptr().cast(), pitch, to.as_mut_ptr().cast(), to_pitch) };
    }
    for column in 0..TILE {
        for row in 0..TILE {
            to[column * to_pitch + row] = from[row * pitch + column];
        }
    }
}

/// With shuffles, which compilers do not find by themselves. Every x86-64 machine has these.
///
/// # Safety
/// Four values from `from + row · pitch` on must be valid to read, and four from `to + column · to_pitch` on to write,
/// for `row` and `column` from 0 to 3.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turn_singles(from: *const f32, pitch: usize, to: *mut f32, to_pitch: usize) {
    use std::arch::x86_64::{
        _mm_loadu_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_storeu_ps, _mm_unpackhi_ps, _mm_unpacklo_ps,
    };
    // SAFETY: the caller has promised that these values are there.
    unsafe {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| _mm_loadu_ps(from.add(row * pitch)));
        let (low_ab, high_ab) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let (low_cd, high_cd) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        _mm_storeu_ps(to, _mm_movelh_ps(low_ab, low_cd));
        _mm_storeu_ps(to.add(to_pitch), _mm_movehl_ps(low_cd, low_ab));
        _mm_storeu_ps(to.add(2 * to_pitch), _mm_movelh_ps(high_ab, high_cd));
        _mm_storeu_ps(to.add(3 * to_pitch), _mm_movehl_ps(high_cd, high_ab));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_turned_and_turned_back() {
        for rows in [1, 3, 4, 7, 16] {
            for columns in [1, 4, 15, 16, 17, 50] {
                let from: Vec<f32> = (0..rows * (columns + 3)).map(|index| index as f32).collect();
                let mut turned = vec![-1.0; columns * 16];
                transpose(&from, columns + 3, &mut turned, 16, [rows, columns]);
                for row in 0..rows {
                    for column in 0..columns {
                        assert_eq!(turned[column * 16 + row], from[row * (columns + 3) + column]);
                    }
                }
                assert!(turned.iter().enumerate().all(|(at, &value)| at % 16 < rows || value == -1.0));
                let mut back = vec![0.0; from.len()];
                transpose(&turned, 16, &mut back, columns + 3, [columns, rows]);
                assert!(back.iter().zip(&from).all(|(back, from)| back == from || *back == 0.0));
                assert_eq!(back[columns - 1], from[columns - 1]);
            }
        }
    }
}
