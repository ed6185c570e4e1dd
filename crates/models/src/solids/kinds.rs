//! What samples are: in a solid, beside one, or neither.

use undine_grid::{Field, neighbour};

/// This bit of a sample's kind says that it lies in an obstacle.
pub const SOLID: u8 = 1;

/// The bit of a sample's kind that says that its neighbour along an axis, on the low or high side, lies in an obstacle.
#[inline]
pub const fn towards_solid(axis: usize, is_high: bool) -> u8 {
    2 << (2 * axis + is_high as usize)
}

/// Adds to every open sample which of its neighbours are solid. Samples beyond the sides are not.
pub(super) fn name_neighbours<const D: usize>(kinds: &mut Field<u8, D>) {
    let size = kinds.size().map(|along| along as isize);
    let rows = size.iter().skip(1).product::<isize>();
    for row in 0..rows {
        let mut start = [0; D];
        let mut rest = row;
        for axis in 1..D {
            start[axis] = rest % size[axis];
            rest /= size[axis];
        }
        for x in 0..size[0] {
            start[0] = x;
            name_one(kinds, start, size);
        }
    }
}

fn name_one<const D: usize>(kinds: &mut Field<u8, D>, at: [isize; D], size: [isize; D]) {
    let place = at.map(|along| along as usize);
    if kinds[place] & SOLID != 0 {
        return;
    }
    let mut kind = 0;
    for axis in 0..D {
        let is_solid = |by: isize| {
            let beside = neighbour(at, axis, by);
            (0..size[axis]).contains(&beside[axis]) && kinds.at(beside) & SOLID != 0
        };
        kind |= u8::from(is_solid(-1)) * towards_solid(axis, false);
        kind |= u8::from(is_solid(1)) * towards_solid(axis, true);
    }
    kinds[place] = kind;
}
