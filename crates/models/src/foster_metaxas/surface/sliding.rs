//! Straight motion of a particle between obstacles, which are whole cells: in front of a face it slides along the face.

use undine_frame::CellKind;

use super::super::cells::Cells;

/// Distance that a stopped particle keeps from the face, in cells.
pub const FACE_MARGIN: f64 = 1e-9;

/// A particle nearer to a face than this lies on it, in cells.
pub const ON_FACE: f64 = 1e-6;

/// The cell that holds a point, both in cells.
#[inline]
pub fn cell_of<const D: usize>(point: [f64; D]) -> [isize; D] {
    // Rounds down, without the call that `floor` is on processors of the oldest kind; coordinates fit into 32 bits
    point.map(|x| {
        let towards_zero = x as i32;
        (i64::from(towards_zero) - i64::from(x < f64::from(towards_zero))) as isize
    })
}

/// Where a particle at `from` comes to by a displacement `by`, both in cells, when cells of the kinds that `blocks` names
/// stop what crosses their faces. It stays when the displacement is not a number.
///
/// The axes are taken one after the other, and at most one cell at a time, so that from a cell that does not block none
/// that does is entered.
#[inline]
pub fn slide<const D: usize>(
    cells: &Cells<D>,
    from: [f64; D],
    by: [f64; D],
    blocks: impl Fn(CellKind) -> bool,
) -> [f64; D] {
    let target: [f64; D] = std::array::from_fn(|axis| from[axis] + by[axis]);
    if !by.iter().sum::<f64>().is_finite() {
        return from;
    }
    if cell_of(target) == cell_of(from) {
        return target;
    }
    slide_far(cells, from, by, blocks)
}

/// The same into other cells.
fn slide_far<const D: usize>(
    cells: &Cells<D>,
    from: [f64; D],
    by: [f64; D],
    blocks: impl Fn(CellKind) -> bool,
) -> [f64; D] {
    // Nothing needs to go farther than through the whole domain
    let size = cells.grid().cells();
    let by: [f64; D] = std::array::from_fn(|axis| by[axis].clamp(-(size[axis] as f64), size[axis] as f64));
    let longest = by.iter().fold(0.0_f64, |longest, x| longest.max(x.abs()));
    let pieces = longest.ceil().max(1.0);
    let mut point = from;
    for _ in 0..pieces as usize {
        for axis in 0..D {
            point = move_along(cells, point, axis, by[axis] / pieces, &blocks);
        }
    }
    point
}

/// Moves a point along one axis by at most one cell.
fn move_along<const D: usize>(
    cells: &Cells<D>,
    point: [f64; D],
    axis: usize,
    by: f64,
    blocks: &impl Fn(CellKind) -> bool,
) -> [f64; D] {
    let (mut moved, cell) = (point, cell_of(point));
    moved[axis] += by;
    let after = cell_of(moved);
    if after[axis] != cell[axis] && blocks(cells.kind(after)) {
        moved[axis] = match by > 0.0 {
            true => (cell[axis] + 1) as f64 - FACE_MARGIN,
            false => cell[axis] as f64 + FACE_MARGIN,
        };
    }
    moved
}

/// A displacement without what leads away from or into the faces of blocking cells on which the point lies: there a
/// particle of a surface moves along the face only.
pub fn along_faces<const D: usize>(
    cells: &Cells<D>,
    point: [f64; D],
    mut by: [f64; D],
    blocks: impl Fn(CellKind) -> bool,
) -> [f64; D] {
    let cell = cell_of(point);
    for axis in 0..D {
        let fraction = point[axis] - cell[axis] as f64;
        let mut beyond = cell;
        if fraction < ON_FACE {
            beyond[axis] -= 1;
        } else if fraction > 1.0 - ON_FACE {
            beyond[axis] += 1;
        }
        if beyond != cell && blocks(cells.kind(beyond)) {
            by[axis] = 0.0;
        }
    }
    by
}

/// A point that lies in a cell that blocks, moved onto the nearest face beside a cell that does not; one that has no such
/// face stays.
pub fn push_out<const D: usize>(
    cells: &Cells<D>,
    point: [f64; D],
    blocks: impl Fn(CellKind) -> bool,
) -> [f64; D] {
    let cell = cell_of(point);
    if !blocks(cells.kind(cell)) {
        return point;
    }
    let (mut nearest, mut least) = (point, f64::INFINITY);
    for axis in 0..D {
        for high in [false, true] {
            let mut beyond = cell;
            beyond[axis] += if high { 1 } else { -1 };
            let face = (cell[axis] + isize::from(high)) as f64;
            let distance = (point[axis] - face).abs();
            if distance < least && !blocks(cells.kind(beyond)) {
                (nearest, least) = (point, distance);
                nearest[axis] = if high { face + FACE_MARGIN } else { face - FACE_MARGIN };
            }
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use undine_grid::Grid;

    use super::*;

    fn is_solid(kind: CellKind) -> bool {
        kind == CellKind::Solid
    }

    fn room() -> Cells<2> {
        let mut cells = Cells::new(Grid::new([4, 4], [1.0; 2], [0.0; 2]).unwrap());
        cells.set(cells.index([2, 1]), CellKind::Solid);
        cells
    }

    #[test]
    fn a_particle_stops_at_a_face_and_goes_on_along_it() {
        let cells = room();
        let point = slide(&cells, [1.5, 1.5], [0.8, 0.4], is_solid);
        assert_eq!(point, [2.0 - FACE_MARGIN, 1.9]);
        // At once through the whole domain: it stops at the walls
        assert_eq!(slide(&cells, [0.5, 0.5], [1e300, -1e300], is_solid), [4.0 - FACE_MARGIN, FACE_MARGIN]);
        for by in [[f64::NAN, 0.0], [f64::NAN, 1.0], [f64::INFINITY, f64::NEG_INFINITY]] {
            assert_eq!(slide(&cells, [0.5, 0.5], by, is_solid), [0.5, 0.5]);
        }
    }

    #[test]
    fn a_particle_in_a_solid_comes_out_at_the_nearest_face() {
        let cells = room();
        assert_eq!(push_out(&cells, [2.2, 1.5], is_solid), [2.0 - FACE_MARGIN, 1.5]);
        assert_eq!(push_out(&cells, [4.0, 1.5], is_solid), [4.0 - FACE_MARGIN, 1.5]);
        assert_eq!(push_out(&cells, [9.0, 9.0], is_solid), [9.0, 9.0]);
    }

    #[test]
    fn what_lies_on_a_face_moves_along_it_only() {
        let cells = room();
        assert_eq!(along_faces(&cells, [1.0, 1e-9], [0.1, 0.2], is_solid), [0.1, 0.0]);
        assert_eq!(along_faces(&cells, [1.0 - 1e-9, 1.5], [0.1, 0.2], is_solid), [0.1, 0.2]);
        assert_eq!(along_faces(&cells, [2.0 - 1e-9, 1.5], [-0.1, 0.2], is_solid), [0.0, 0.2]);
    }
}
