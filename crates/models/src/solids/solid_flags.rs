//! Flags of samples: inside a solid, and which neighbours are inside a solid.

use undine_grid::{Field, neighbour};

/// Flag: the sample lies inside an obstacle.
pub const SOLID: u8 = 1;

/// Flag: the neighbour along an axis, on the low or high side, lies inside an obstacle.
#[inline]
pub const fn solid_neighbour_flag(axis: usize, is_high: bool) -> u8 {
    2 << (2 * axis + is_high as usize)
}

/// Sets the flags of solid neighbours at every open sample. Samples outside the grid count as open.
pub(super) fn flag_solid_neighbours<const D: usize>(kinds: &mut Field<u8, D>) {
    let size = kinds.size().map(|n| n as isize);
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
            flag_neighbours_of(kinds, start, size);
        }
    }
}

fn flag_neighbours_of<const D: usize>(kinds: &mut Field<u8, D>, at: [isize; D], size: [isize; D]) {
    let place = at.map(|x| x as usize);
    if kinds[place] & SOLID != 0 {
        return;
    }
    let mut kind = 0;
    for axis in 0..D {
        let is_solid = |by: isize| {
            let adjacent = neighbour(at, axis, by);
            (0..size[axis]).contains(&adjacent[axis]) && kinds.at(adjacent) & SOLID != 0
        };
        kind |= u8::from(is_solid(-1)) * solid_neighbour_flag(axis, false);
        kind |= u8::from(is_solid(1)) * solid_neighbour_flag(axis, true);
    }
    kinds[place] = kind;
}
