//! Marching cubes: the triangles of a cell by which of its corners are inside [lorensen1987].
//!
//! The case table is computed: on each face of the cell, every run of inside corners is cut off by one segment,
//! directed so that the liquid is on its left seen from outside the cell. Diagonally opposite inside corners of a
//! face are cut off separately. The rule depends on the face alone, so that the cells on both sides agree. Segments
//! join to loops, and loops are triangulated by diagonals of which none lies in a face of the cell, where one of the
//! neighbouring cell could coincide. So every edge belongs to exactly two triangles.

use std::sync::LazyLock;

/// The lowest corner and the axis of each edge; bits of a corner are x, y, z.
pub const EDGES: [(usize, usize); 12] =
    [(0, 0), (2, 0), (4, 0), (6, 0), (0, 1), (1, 1), (4, 1), (5, 1), (0, 2), (1, 2), (2, 2), (3, 2)];

/// For every case, one bit per inside corner, the triangles by their edges, counter-clockwise from outside.
pub static TRIANGLES: LazyLock<Vec<Vec<[usize; 3]>>> = LazyLock::new(|| (0..256).map(triangles).collect());

/// The four corners of each face, counter-clockwise seen from outside the cell.
fn faces() -> impl Iterator<Item = [usize; 4]> {
    (0..3).flat_map(|axis| {
        let [across, up] = [1, 2].map(|step| 1usize << ((axis + step) % 3));
        let low = [0, across, across | up, up];
        [low.map(|corner| corner | 1 << axis), [low[3], low[2], low[1], low[0]]]
    })
}

/// The edge between two neighbouring corners.
fn edge(one: usize, other: usize) -> usize {
    let wanted = (one & other, (one ^ other).trailing_zeros() as usize);
    EDGES.iter().position(|&edge| edge == wanted).unwrap_or(0)
}

fn triangles(inside: usize) -> Vec<[usize; 3]> {
    let mut next = segments(inside);
    let mut triangles = Vec::new();
    for start in 0..EDGES.len() {
        let mut polygon = Vec::new();
        let mut at = start;
        while let Some(after) = next[at].take() {
            polygon.push(at);
            at = after;
        }
        if polygon.len() > 2 {
            add_cut(&polygon, 0, polygon.len() - 1, &mut triangles);
        }
    }
    triangles
}

/// The successor of each edge along the segments.
fn segments(inside: usize) -> [Option<usize>; 12] {
    let is_inside = |corner: usize| inside >> corner & 1 == 1;
    let mut next = [None; 12];
    for face in faces() {
        for start in 0..4 {
            let corner = |step: usize| face[(start + step) % 4];
            if !is_inside(corner(0)) && is_inside(corner(1)) {
                let last = (1..4).find(|&step| !is_inside(corner(step + 1))).unwrap_or(3);
                next[edge(corner(0), corner(1))] = Some(edge(corner(last), corner(last + 1)));
            }
        }
    }
    next
}

/// Triangulates the part of a polygon between two of its vertices, with the fewest diagonals in faces.
fn add_cut(polygon: &[usize], first: usize, last: usize, triangles: &mut Vec<[usize; 3]>) {
    if last - first < 2 {
        return;
    }
    let cost = |middle: &usize| cost_through(polygon, first, *middle, last);
    let Some(middle) = (first + 1..last).min_by_key(cost) else { return };
    triangles.push([polygon[first], polygon[middle], polygon[last]]);
    add_cut(polygon, first, middle, triangles);
    add_cut(polygon, middle, last, triangles);
}

/// Number of diagonals in faces of the best triangulation.
fn cost(polygon: &[usize], first: usize, last: usize) -> usize {
    (first + 1..last).map(|middle| cost_through(polygon, first, middle, last)).min().unwrap_or(0)
}

fn cost_through(polygon: &[usize], first: usize, middle: usize, last: usize) -> usize {
    let is_bad = |low: usize, high: usize| high - low > 1 && share_a_face(polygon[low], polygon[high]);
    cost(polygon, first, middle)
        + cost(polygon, middle, last)
        + usize::from(is_bad(first, middle))
        + usize::from(is_bad(middle, last))
}

fn share_a_face(one: usize, other: usize) -> bool {
    let has = |face: &[usize; 4], wanted: usize| {
        let (low, axis) = EDGES[wanted];
        face.contains(&low) && face.contains(&(low | 1 << axis))
    };
    faces().any(|face| has(&face, one) && has(&face, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_a_surface_whose_border_lies_in_the_faces() {
        for (inside, triangles) in TRIANGLES.iter().enumerate() {
            let crossed = (0..12).filter(|&edge| {
                let (low, axis) = EDGES[edge];
                (inside >> low ^ inside >> (low | 1 << axis)) & 1 == 1
            });
            let used = |edge: usize| triangles.iter().flatten().any(|&one| one == edge);
            assert!((0..12).filter(|&edge| used(edge)).eq(crossed), "{inside:08b}");
            let mut sides: Vec<[usize; 2]> =
                triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
            sides.sort_unstable();
            for side in &sides {
                let is_paired = sides.binary_search(&[side[1], side[0]]).is_ok();
                assert_ne!(is_paired, share_a_face(side[0], side[1]), "{inside:08b}: {side:?}");
            }
            sides.dedup();
            assert_eq!(sides.len(), 3 * triangles.len(), "{inside:08b}");
        }
    }

    #[test]
    fn a_corner_inside_is_cut_off_facing_outwards() {
        assert_eq!(TRIANGLES[1].len(), 1);
        let mut triangle = TRIANGLES[1][0];
        while triangle[0] != 0 {
            triangle.rotate_left(1);
        }
        // Along x, y and z in this order is counter-clockwise seen from outside
        assert_eq!(triangle.map(|edge| EDGES[edge]), [(0, 0), (0, 1), (0, 2)]);
    }
}
