//! Ray intersection of height fields by a quadtree of minimum and maximum heights.
//!
//! The cells of a lattice are merged four by four, level by level, and every square keeps the least and the greatest
//! height in it. A ray descends only into squares whose box it passes, nearest first, down to a cell of two
//! triangles. Building needs no sorting.

use glam::{Vec2, Vec3};
use undine_frame::{Mesh, Triangles};

use super::geometry::{PrimitiveHit, intersect_triangle};

/// Squares on the traversal stack: three for every level.
const STACK: usize = 3 * 32 + 4;

/// A height field over a rectilinear lattice, with the min–max pyramid of its heights.
pub struct HeightFieldQuadtree {
    lines: [Vec<f32>; 2],
    heights: Vec<f32>,
    levels: Vec<QuadtreeLevel>,
    first: u32,
}

/// One level of the pyramid: number of squares along x and y, and the height range of each.
struct QuadtreeLevel {
    size: [usize; 2],
    ranges: Vec<[f32; 2]>,
}

/// A ray with the inverse of its direction, for slab tests.
struct SlabRay {
    from: Vec3,
    direction: Vec3,
    inverse: Vec3,
}

impl HeightFieldQuadtree {
    /// The height field of a mesh whose first triangle has the number `first`; `None` when it is not a rectilinear
    /// lattice, or has heights that are not finite.
    pub fn new(mesh: &Mesh, first: u32) -> Option<HeightFieldQuadtree> {
        let Triangles::Lattice { columns, rows } = mesh.triangles else { return None };
        let (columns, rows) = (columns as usize, rows as usize);
        if columns < 2 || rows < 2 || mesh.positions.len() != columns * rows {
            return None;
        }
        let xs: Vec<f32> = mesh.positions[..columns].iter().map(|at| at[0]).collect();
        let ys: Vec<f32> = mesh.positions.iter().step_by(columns).map(|at| at[1]).collect();
        let rises = |lines: &[f32]| lines.windows(2).all(|pair| pair[0] < pair[1] && pair[1].is_finite());
        let fits = |(index, at): (usize, &[f32; 3])| {
            at[0] == xs[index % columns] && at[1] == ys[index / columns] && at[2].is_finite()
        };
        if !rises(&xs) || !rises(&ys) || !mesh.positions.iter().enumerate().all(fits) {
            return None;
        }
        let heights: Vec<f32> = mesh.positions.iter().map(|at| at[2]).collect();
        let mut levels = vec![cells(&heights, columns, rows)];
        while let Some(level) = levels.last().filter(|level| level.size != [1, 1]) {
            let coarser = level.coarser();
            levels.push(coarser);
        }
        Some(HeightFieldQuadtree { lines: [xs, ys], heights, levels, first })
    }

    /// The closest intersection along a ray, nearer than `limit`.
    pub fn closest_hit(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<PrimitiveHit> {
        // Start at the root.
        let safe = |x: f32| if x.abs() < 1e-12 { 1e-12_f32.copysign(x) } else { x };
        let ray = SlabRay { from, direction, inverse: direction.map(|x| 1.0 / safe(x)) };
        let top = self.levels.len() - 1;
        let mut stack = [(0_u8, [0_u32; 2], 0.0_f32); STACK];
        stack[0] = (top as u8, [0; 2], 0.0);
        let mut depth = 1;
        let mut found: Option<PrimitiveHit> = None;
        let mut nearest = limit;
        // Children are pushed far to near, so that the nearest is popped first.
        let flip = [usize::from(direction.x > 0.0), usize::from(direction.y > 0.0)];
        while depth > 0 {
            depth -= 1;
            let (level, [column, row], enters) = stack[depth];
            if enters >= nearest {
                continue;
            }
            let (column, row) = (column as usize, row as usize);
            // A leaf: intersect the two triangles of the cell.
            if level == 0 {
                if let Some(hit) = self.intersect_cell(&ray, column, row, nearest) {
                    nearest = hit.distance;
                    found = Some(hit);
                }
                continue;
            }
            let finer = &self.levels[level as usize - 1];
            for quarter in 0..4 {
                let x = 2 * column + ((quarter & 1) ^ flip[0]);
                let y = 2 * row + ((quarter >> 1) ^ flip[1]);
                if x >= finer.size[0] || y >= finer.size[1] {
                    continue;
                }
                if let Some(enters) = self.slab_test(&ray, level as usize - 1, x, y, nearest) {
                    stack[depth] = (level - 1, [x as u32, y as u32], enters);
                    depth += 1;
                }
            }
        }
        found
    }

    // Slab test: distance at which a ray enters the box of a square.
    #[inline]
    fn slab_test(&self, ray: &SlabRay, level: usize, x: usize, y: usize, limit: f32) -> Option<f32> {
        let squares = &self.levels[level];
        let [least, greatest] = squares.ranges[y * squares.size[0] + x];
        let [xs, ys] = &self.lines;
        let end = |index: usize, lines: &[f32]| ((index + 1) << level).min(lines.len() - 1);
        let low = Vec3::new(xs[x << level], ys[y << level], least);
        let high = Vec3::new(xs[end(x, xs)], ys[end(y, ys)], greatest);
        let (one, other) = ((low - ray.from) * ray.inverse, (high - ray.from) * ray.inverse);
        let enters = one.min(other).max_element().max(0.0);
        // Rounding must not hide a flat box.
        let leaves = one.max(other).min_element() * 1.000_002;
        (enters <= leaves && enters < limit).then_some(enters)
    }

    fn intersect_cell(&self, ray: &SlabRay, column: usize, row: usize, limit: f32) -> Option<PrimitiveHit> {
        let columns = self.lines[0].len();
        let corner = |east: usize, north: usize| {
            let (x, y) = (column + east, row + north);
            Vec2::new(self.lines[0][x], self.lines[1][y]).extend(self.heights[y * columns + x])
        };
        let [southwest, southeast, northwest, northeast] =
            [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
        // The same two triangles, in the same order, as those of the mesh.
        let triangles = if (column + row).is_multiple_of(2) {
            [[southwest, southeast, northeast], [southwest, northeast, northwest]]
        } else {
            [[southwest, southeast, northwest], [southeast, northeast, northwest]]
        };
        let number = self.first + 2 * (row * (columns - 1) + column) as u32;
        // The nearer intersection of both.
        let mut nearest = limit;
        let mut found = None;
        for (which, corners) in triangles.iter().enumerate() {
            if let Some((distance, barycentric)) =
                intersect_triangle(ray.from, ray.direction, corners, nearest)
            {
                nearest = distance;
                found = Some(PrimitiveHit {
                    distance,
                    primitive: number + which as u32,
                    barycentric,
                    centre: None,
                });
            }
        }
        found
    }
}

fn cells(heights: &[f32], columns: usize, rows: usize) -> QuadtreeLevel {
    let size = [columns - 1, rows - 1];
    let range = |index: usize| {
        let first = index / size[0] * columns + index % size[0];
        let corners = [first, first + 1, first + columns, first + columns + 1].map(|corner| heights[corner]);
        [corners.into_iter().fold(f32::MAX, f32::min), corners.into_iter().fold(f32::MIN, f32::max)]
    };
    QuadtreeLevel { size, ranges: (0..size[0] * size[1]).map(range).collect() }
}

impl QuadtreeLevel {
    // The next coarser level, with squares twice as wide.
    fn coarser(&self) -> QuadtreeLevel {
        let size = self.size.map(|count| count.div_ceil(2));
        let range = |index: usize| {
            let (x, y) = (2 * (index % size[0]), 2 * (index / size[0]));
            let mut range = [f32::MAX, f32::MIN];
            for row in y..(y + 2).min(self.size[1]) {
                for column in x..(x + 2).min(self.size[0]) {
                    let [least, greatest] = self.ranges[row * self.size[0] + column];
                    range = [range[0].min(least), range[1].max(greatest)];
                }
            }
            range
        };
        QuadtreeLevel { size, ranges: (0..size[0] * size[1]).map(range).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{fractal, unit};
    use crate::preview::liquid::bvh::Bvh;

    fn hills(columns: u32, rows: u32) -> Mesh {
        let mut mesh = Mesh::flat_sheet("hills", [9.0, 7.0], [columns, rows]);
        for at in &mut mesh.positions {
            at[2] = 2.0 * fractal(Vec2::new(at[0], at[1]), 4, 0.0, 3);
        }
        mesh
    }

    #[test]
    fn a_height_field_is_hit_where_its_triangles_are() {
        for (columns, rows) in [(2, 2), (40, 33), (65, 3)] {
            let mesh = hills(columns, rows);
            let sheet = HeightFieldQuadtree::new(&mesh, 7).unwrap();
            let corners =
                |triangle: [u32; 3]| triangle.map(|corner| Vec3::from(mesh.positions[corner as usize]));
            let tree = Bvh::new((7..).zip(mesh.triangles().map(corners)));
            let mut hit = 0;
            for index in 0..2000 {
                let random_point =
                    |seed: u32| Vec3::new(unit(index, 0, seed), unit(index, 1, seed), unit(index, 2, seed));
                let from = random_point(1) * Vec3::new(9.0, 7.0, 4.0);
                let direction = (random_point(2) - Vec3::new(0.5, 0.5, 0.7)).normalize();
                let (found, wanted) =
                    (sheet.closest_hit(from, direction, 50.0), tree.closest_hit(from, direction, 50.0));
                assert_eq!(found.is_some(), wanted.is_some(), "{index}");
                if let (Some(found), Some(wanted)) = (found, wanted) {
                    assert!((found.distance - wanted.distance).abs() < 1e-4, "{index}");
                    hit += 1;
                }
            }
            assert!(hit > 300, "{hit}");
        }
    }

    #[test]
    fn invalid_height_fields_are_refused_and_invalid_rays_answered() {
        let mut mesh = hills(5, 4);
        let sheet = HeightFieldQuadtree::new(&mesh, 0).unwrap();
        for strange in [Vec3::ZERO, Vec3::splat(f32::NAN), Vec3::INFINITY] {
            sheet.closest_hit(Vec3::ONE, strange, 9.0);
            sheet.closest_hit(strange, Vec3::Z, f32::NAN);
        }
        mesh.positions[3][2] = f32::NAN;
        assert!(HeightFieldQuadtree::new(&mesh, 0).is_none());
    }
}
