//! Obstacles of 2-D fluids extruded to upright prisms, for pictures of a raised surface.

use std::f64::consts::TAU;

use undine_frame::Mesh;

use super::render_mesh::MeshBuilder;
use super::shape::SolidShape;

/// Corners of a disc.
const SEGMENTS: u32 = 96;

/// A 2-D shape extruded along z from the first height to the second, in local coordinates; `None` for meshes.
pub(super) fn prism<const D: usize>(name: &str, shape: &SolidShape<D>, heights: [f64; 2]) -> Option<Mesh> {
    let mut outline = outline(shape)?;
    if area(&outline) < 0.0 {
        outline.reverse();
    }
    let mut prism = MeshBuilder::default();
    let sides = outline.iter().zip(outline.iter().cycle().skip(1));
    sides.for_each(|(from, to)| prism.add_side(*from, *to, heights));
    let caps = clip_ears(&outline);
    prism.add_cap(&outline, &caps, heights[1], 1.0);
    prism.add_cap(&outline, &caps, heights[0], -1.0);
    Some(prism.into_mesh(name))
}

fn outline<const D: usize>(shape: &SolidShape<D>) -> Option<Vec<[f64; 2]>> {
    match shape {
        SolidShape::Ball { radius } | SolidShape::Cylinder { radius, .. } => {
            let corner = |piece: u32| {
                let (sine, cosine) = (TAU * f64::from(piece) / f64::from(SEGMENTS)).sin_cos();
                [radius * cosine, radius * sine]
            };
            Some((0..SEGMENTS).map(corner).collect())
        }
        SolidShape::Block { half } => {
            let [x, y] = [half[0], half[D.min(2) - 1]];
            Some(vec![[-x, -y], [x, -y], [x, y], [-x, y]])
        }
        SolidShape::Outline { rest, .. } => Some(rest.clone()),
        SolidShape::Mesh(_) | SolidShape::Ground(_) => None,
    }
}

impl MeshBuilder {
    fn add_side(&mut self, from: [f64; 2], to: [f64; 2], [low, high]: [f64; 2]) {
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0].hypot(along[1]).max(f64::MIN_POSITIVE);
        let normal = [along[1] / length, -along[0] / length, 0.0];
        let first = self.positions.len() as u32;
        for ([x, y], z) in [(from, low), (to, low), (to, high), (from, high)] {
            self.add_vertex([x, y, z], normal);
        }
        self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }

    fn add_cap(&mut self, outline: &[[f64; 2]], ears: &[[u32; 3]], z: f64, up: f64) {
        let first = self.positions.len() as u32;
        outline.iter().for_each(|[x, y]| self.add_vertex([*x, *y, z], [0.0, 0.0, up]));
        let turned = |[a, b, c]: [u32; 3]| if up > 0.0 { [a, b, c] } else { [a, c, b] };
        self.triangles.extend(ears.iter().map(|ear| turned(*ear).map(|corner| first + corner)));
    }
}

/// Triangulates a simple polygon, its corners counter-clockwise, by ear clipping.
fn clip_ears(outline: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let mut left: Vec<u32> = (0..outline.len() as u32).collect();
    let mut ears = Vec::new();
    while left.len() > 3 {
        let count = left.len();
        let around = |index: usize| [(index + count - 1) % count, index, (index + 1) % count];
        let corners = |index: usize| around(index).map(|at| left[at]);
        let is_ear = |index: &usize| {
            let ear = corners(*index);
            let triangle = ear.map(|corner| outline[corner as usize]);
            let others = left.iter().filter(|corner| !ear.contains(corner));
            doubled_area(triangle) > 0.0
                && others.into_iter().all(|&other| !contains(triangle, outline[other as usize]))
        };
        // Rounding can leave a polygon without any ear; the triangle clipped then is degenerate
        let index = (0..count).find(is_ear).unwrap_or(0);
        ears.push(corners(index));
        left.remove(index);
    }
    ears.extend(<[u32; 3]>::try_from(left).ok());
    ears
}

/// Twice the signed area of a triangle; positive when its corners are counter-clockwise.
fn doubled_area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn contains([a, b, c]: [[f64; 2]; 3], point: [f64; 2]) -> bool {
    doubled_area([a, b, point]) >= 0.0
        && doubled_area([b, c, point]) >= 0.0
        && doubled_area([c, a, point]) >= 0.0
}

fn area(outline: &[[f64; 2]]) -> f64 {
    let sides = outline.iter().zip(outline.iter().cycle().skip(1));
    0.5 * sides.map(|(from, to)| from[0] * to[1] - from[1] * to[0]).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::super::polygon::Polygon;
    use super::super::triangle::{cross, dot};
    use super::*;

    #[test]
    fn prisms_hold_area_times_height_whichever_way_their_corners_run() {
        let hook = vec![
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [3.0, 2.0],
            [3.0, 3.0],
            [0.0, 3.0],
        ];
        let reversed: Vec<[f64; 2]> = hook.iter().rev().copied().collect();
        for rest in [hook, reversed] {
            let placed = Polygon::new(rest.clone()).unwrap();
            let mesh = prism("hook", &SolidShape::<2>::Outline { rest, placed }, [-1.0, 0.5]).unwrap();
            let corner = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
            let pieces = mesh.triangles().map(|[a, b, c]| dot(corner(a), cross(corner(b), corner(c))) / 6.0);
            assert_eq!(mesh.inconsistency(), None);
            assert!((pieces.sum::<f64>() - 7.0 * 1.5).abs() < 1e-5);
        }
    }
}
