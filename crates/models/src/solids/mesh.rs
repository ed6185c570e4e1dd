//! Closed triangle meshes as obstacles: read from OBJ files, filled by counting crossings along rows.
//!
//! It is the scan of a polygon one dimension up. Rows of nodes run along x; every triangle that a row meets turns what
//! lies beyond it from outside to inside or back. Rows are looked at a hair beside the nodes, so that none passes
//! exactly through an edge.

use undine_grid::Field;

use super::polygon::distance_to_side;
use super::shape::Nodes;

/// Three corners in metres.
pub type Triangle = [[f64; 3]; 3];

/// The most triangles that are read.
const MOST_TRIANGLES: usize = 1 << 20;

/// How far beside the nodes rows are looked at, in cells.
const ASIDE: [f64; 2] = [3.1e-7, 7.7e-7];

/// Reads the vertices (`v`) and faces (`f`) of an OBJ file; faces of more than three corners are cut into fans.
pub(super) fn read_obj(text: &str) -> Result<Vec<Triangle>, String> {
    let mut corners: Vec<[f64; 3]> = Vec::new();
    let mut triangles = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let placed = |what: &str| format!("line {}: {what}", number + 1);
        match words.next() {
            Some("v") => corners.push(vertex(words).ok_or_else(|| placed("a vertex has three numbers"))?),
            Some("f") => {
                fan(words, &corners, &mut triangles).ok_or_else(|| placed("this face has no such corners"))?
            }
            _ => {}
        }
        if triangles.len() > MOST_TRIANGLES {
            return Err(placed("more than a million triangles; simplify the mesh"));
        }
    }
    if triangles.is_empty() { Err("there is no face in it".to_owned()) } else { Ok(triangles) }
}

fn vertex<'t>(mut words: impl Iterator<Item = &'t str>) -> Option<[f64; 3]> {
    let mut corner = [0.0; 3];
    for along in &mut corner {
        *along = words.next()?.parse().ok().filter(|number: &f64| number.is_finite())?;
    }
    Some(corner)
}

fn fan<'t>(
    words: impl Iterator<Item = &'t str>,
    corners: &[[f64; 3]],
    triangles: &mut Vec<Triangle>,
) -> Option<()> {
    let mut around: Vec<[f64; 3]> = Vec::with_capacity(4);
    for word in words {
        let number: i64 = word.split('/').next()?.parse().ok()?;
        // Negative numbers count from the last vertex back
        let index = if number < 0 { corners.len() as i64 + number } else { number - 1 };
        around.push(*corners.get(usize::try_from(index).ok()?)?);
    }
    let first = *around.first().filter(|_| around.len() >= 3)?;
    triangles.extend(around[1..].windows(2).map(|pair| [first, pair[0], pair[1]]));
    Some(())
}

/// Least and greatest coordinates.
pub(super) fn bounds(triangles: &[Triangle]) -> [[f64; 3]; 2] {
    let fold = |pick: fn(f64, f64) -> f64, start: f64| {
        std::array::from_fn(|axis| triangles.iter().flatten().map(|corner| corner[axis]).fold(start, pick))
    };
    [fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY)]
}

/// Distance of a point from a triangle.
pub(super) fn distance(point: [f64; 3], triangle: &Triangle) -> f64 {
    let [a, b, c] = *triangle;
    let normal = cross(minus(b, a), minus(c, a));
    let length = dot(normal, normal).sqrt();
    let is_over = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[from, to]| dot(cross(normal, minus(*to, *from)), minus(point, *from)) >= 0.0);
    if is_over && length > 0.0 {
        return (dot(normal, minus(point, a)) / length).abs();
    }
    let to_side = |side| distance_to_side(point, side);
    to_side([a, b]).min(to_side([b, c])).min(to_side([c, a]))
}

/// Marks the nodes of a box that lie inside a closed mesh.
pub(super) fn fill_inside<const D: usize>(
    inside: &mut Field<u8, D>,
    nodes: &Nodes<D>,
    triangles: &[Triangle],
) {
    if D < 3 || nodes[0].is_empty() {
        return;
    }
    for triangle in triangles {
        turn_beyond(inside, nodes, triangle);
    }
    for z in nodes[2].clone() {
        for y in nodes[1].clone() {
            let at = std::array::from_fn(|axis| [0, y as isize, z as isize][axis]);
            let row = &mut inside.row_mut(at)[nodes[0].clone()];
            row.iter_mut().fold(0, |before, node| {
                *node ^= before;
                *node
            });
        }
    }
}

/// Marks, in every row that a triangle meets, the first node beyond it.
fn turn_beyond<const D: usize>(inside: &mut Field<u8, D>, nodes: &Nodes<D>, triangle: &Triangle) {
    let (origin, spacing) = (inside.grid().origin(), inside.grid().spacing());
    let [low, high] = bounds(std::slice::from_ref(triangle));
    let range = |axis: usize| {
        let place = |at: f64| (at - origin[axis]) / spacing[axis];
        let first = (place(low[axis]).floor().max(nodes[axis].start as f64)) as usize;
        let end = ((place(high[axis]).ceil() + 1.0).clamp(0.0, nodes[axis].end as f64)) as usize;
        first..end.max(first)
    };
    let (rows, planes) = (range(1), range(2));
    for z in planes {
        for y in rows.clone() {
            let aside = |axis: usize, at: usize| origin[axis] + (at as f64 + ASIDE[axis - 1]) * spacing[axis];
            let Some(x) = crossing(triangle, aside(1, y), aside(2, z)) else { continue };
            let beyond = ((x - origin[0]) / spacing[0]).ceil().max(nodes[0].start as f64);
            if beyond < nodes[0].end as f64 {
                inside[std::array::from_fn(|axis| [beyond as usize, y, z][axis])] ^= 1;
            }
        }
    }
}

/// Where a line along x meets a triangle.
fn crossing(triangle: &Triangle, y: f64, z: f64) -> Option<f64> {
    let side =
        |from: [f64; 3], to: [f64; 3]| (to[1] - from[1]) * (z - from[2]) - (to[2] - from[2]) * (y - from[1]);
    let [a, b, c] = *triangle;
    let weights = [side(b, c), side(c, a), side(a, b)];
    let sum: f64 = weights.iter().sum();
    let is_inside = weights.iter().all(|&weight| weight > 0.0) || weights.iter().all(|&weight| weight < 0.0);
    (is_inside && sum != 0.0).then(|| (weights[0] * a[0] + weights[1] * b[0] + weights[2] * c[0]) / sum)
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
pub(super) const CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2/1 3/1/1 7//1 6\nf -6 -5 -1 -2\nf 4 1 5 8\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_obj_file_is_read_or_refused_with_its_line() {
        assert_eq!(read_obj(CUBE).unwrap().len(), 12);
        assert_eq!(read_obj("v 1 2\n").unwrap_err(), "line 1: a vertex has three numbers");
        assert_eq!(read_obj("v 1 2 3\nf 1 2 3").unwrap_err(), "line 2: this face has no such corners");
        assert_eq!(read_obj("v 1 2 nan\n").unwrap_err(), "line 1: a vertex has three numbers");
        assert_eq!(read_obj("f 0 0 0").unwrap_err(), "line 1: this face has no such corners");
        assert!(read_obj("# nothing").is_err());
    }

    #[test]
    fn distances_reach_faces_edges_and_corners() {
        let triangle = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        assert_eq!(distance([0.5, 0.5, -3.0], &triangle), 3.0);
        assert_eq!(distance([1.0, -4.0, 3.0], &triangle), 5.0);
        assert_eq!(distance([-3.0, 0.0, 4.0], &triangle), 5.0);
        assert!((distance([2.0, 2.0, 0.0], &triangle) - 2.0_f64.sqrt()).abs() < 1e-15);
    }
}
