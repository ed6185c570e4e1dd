//! Rows to lanes and back.

use bytemuck::Pod;

/// Places that are turned at a time, so that what is written stays in the nearest cache until its line is full.
const BLOCK: usize = 16;

/// Writes `rows[lane][place]` to `lanes[place][lane]`; lanes without a row get `rest`.
pub(super) fn gather<T: Pod, const W: usize>(rows: &[&[T]], lanes: &mut [[T; W]], rest: T) {
    for (block, places) in lanes.chunks_mut(BLOCK).enumerate() {
        let first = block * BLOCK;
        for lane in 0..W {
            match rows.get(lane) {
                Some(row) => {
                    let row = &row[first..first + places.len()];
                    places.iter_mut().zip(row).for_each(|(place, &value)| place[lane] = value);
                }
                None => places.iter_mut().for_each(|place| place[lane] = rest),
            }
        }
    }
}

/// Writes one lane of `lanes` to a row.
pub(super) fn scatter<T: Pod, const W: usize>(lanes: &[[T; W]], lane: usize, row: &mut [T]) {
    row.iter_mut().zip(lanes).for_each(|(value, place)| *value = place[lane]);
}
