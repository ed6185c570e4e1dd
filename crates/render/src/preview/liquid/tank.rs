//! The tank around a liquid: a slab below it, and walls of thin glass with thicker edges.

use glam::{Vec2, Vec3};
use undine_frame::{Material, Mesh, Triangles};

use crate::optics::{fresnel, reflect};

/// Kind of tank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TankKind {
    /// Glass walls on a slab.
    #[default]
    Glass,
    /// The slab alone.
    Plinth,
    /// None: the liquid stands on the floor.
    Bare,
}

/// Width of the slab's margin beyond the walls, its thickness, and that of the glass edges, relative to the longest
/// side of the tank.
const MARGIN: f32 = 0.035;
const THICKNESS: f32 = 0.028;
const EDGE: f32 = 0.0065;
/// Gap between all this and the liquid, relative to the longest side, against coplanar surfaces.
const GAP: f32 = 4e-4;
/// Refractive index of glass.
pub const GLASS_INDEX: f32 = 1.5;

/// The box of a liquid and the kind of tank around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiquidTank {
    /// Lowest corner of the box.
    pub low: Vec3,
    /// Highest corner.
    pub high: Vec3,
    /// What is drawn.
    pub kind: TankKind,
}

impl LiquidTank {
    /// The longest side.
    pub fn size(&self) -> f32 {
        (self.high - self.low).max_element()
    }

    /// Height of the floor around the tank.
    pub fn ground(&self) -> f32 {
        let drop = if self.kind == TankKind::Bare { GAP } else { GAP + THICKNESS };
        self.low.z - drop * self.size()
    }

    /// Corners of everything, for framing by the camera.
    pub fn corners(&self) -> [Vec3; 2] {
        let [low, high] = self.slab();
        [low.min(self.low), high.max(self.high + Vec3::Z * EDGE * self.size())]
    }

    /// The corners of the slab.
    pub fn slab(&self) -> [Vec3; 2] {
        let margin = if self.kind == TankKind::Bare { 0.0 } else { MARGIN * self.size() };
        let aside = Vec3::new(margin, margin, 0.0);
        let top = self.low.z - GAP * self.size();
        [(self.low - aside).with_z(self.ground()), (self.high + aside).with_z(top)]
    }

    /// The slab as a mesh, if there is one.
    pub fn base(&self) -> Option<Mesh> {
        (self.kind != TankKind::Bare).then(|| boxes("slab", Material::Ground, &[self.slab()]))
    }

    /// The edges of the glass as a mesh, if there are any: four upright ones, and a rim around the top.
    pub fn edges(&self) -> Option<Mesh> {
        let (size, low, high) = (self.size(), self.low, self.high);
        let (gap, wide) = (GAP * size, EDGE * size);
        let outer = [low - gap - wide, high + gap + wide];
        let inner = [low - gap, high + gap];
        let side = |axis: usize, is_high: bool| {
            if is_high { [inner[1][axis], outer[1][axis]] } else { [outer[0][axis], inner[0][axis]] }
        };
        let (floor, top) = (low.z - gap, high.z);
        let bar = |x: [f32; 2], y: [f32; 2], z: [f32; 2]| {
            [Vec3::new(x[0], y[0], z[0]), Vec3::new(x[1], y[1], z[1])]
        };
        let full = |axis: usize| [outer[0][axis], outer[1][axis]];
        let between = |axis: usize| [inner[0][axis] + gap, inner[1][axis] - gap];
        let mut bars = Vec::new();
        for is_high in [false, true] {
            for is_far in [false, true] {
                bars.push(bar(side(0, is_high), side(1, is_far), [floor, top - gap]));
            }
            bars.push(bar(full(0), side(1, is_high), [top, top + wide]));
            bars.push(bar(side(0, is_high), between(1), [top, top + wide]));
        }
        (self.kind == TankKind::Glass).then(|| boxes("edges", Material::Solid, &bars))
    }

    /// Outward normal of the wall that a point lies on, within `near` metres.
    pub fn wall_at(&self, point: Vec3, face: Vec3, near: f32) -> Option<Vec3> {
        let sides = [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)];
        let outward = |(axis, sign): (usize, f32)| {
            let mut normal = Vec3::ZERO;
            normal[axis] = sign;
            let wall = if sign < 0.0 { self.low[axis] } else { self.high[axis] };
            let is_on = (point[axis] - wall).abs() < near && face.dot(normal) > 0.98;
            is_on.then_some(normal)
        };
        sides.into_iter().find_map(outward)
    }

    /// Reflectance and reflected direction of each pane that a ray passes before a distance of `limit`.
    pub fn panes(
        &self,
        from: Vec3,
        direction: Vec3,
        limit: f32,
    ) -> impl Iterator<Item = (f32, Vec3)> + use<> {
        let is_glass = self.kind == TankKind::Glass;
        let (low, high) = (self.low, self.high);
        let sides = [(0, false), (0, true), (1, false), (1, true)];
        sides.into_iter().filter(move |_| is_glass).filter_map(move |(axis, is_high)| {
            let wall = if is_high { high[axis] } else { low[axis] };
            let distance = (wall - from[axis]) / direction[axis];
            let point = from + direction * distance;
            let other = 1 - axis;
            let is_hit = distance > 0.0
                && distance < limit
                && (low[other]..=high[other]).contains(&point[other])
                && (low.z..=high.z).contains(&point.z);
            let mut normal = Vec3::ZERO;
            normal[axis] = -direction[axis].signum();
            let cosine = direction[axis].abs();
            // Both faces reflect, with all orders of reflection between them: R = 2 R₁ / (1 + R₁).
            let once = fresnel(cosine, GLASS_INDEX);
            is_hit.then(|| (2.0 * once / (1.0 + once), reflect(direction, normal)))
        })
    }
}

/// Boxes between pairs of corners as one mesh, with outward faces.
fn boxes(name: &str, material: Material, corners: &[[Vec3; 2]]) -> Mesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for corners in corners {
        let first = positions.len() as u32;
        positions.extend((0..8).map(|index| [0, 1, 2].map(|axis: usize| corners[index >> axis & 1][axis])));
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        triangles.extend(faces.iter().flat_map(|[a, b, c, d]| {
            [[a, b, c], [a, c, d]].map(|triangle| triangle.map(|corner| first + corner))
        }));
    }
    Mesh {
        name: name.to_owned(),
        material,
        positions,
        normals: Vec::new(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::List(triangles),
    }
}

/// The lines of a box, as pairs of points: its twelve edges and, if `cell` is given, the cell borders on its floor
/// and on the two walls facing a camera in direction `away`.
pub fn grid_lines(low: Vec3, high: Vec3, cell: Option<f32>, away: Vec2) -> Vec<[Vec3; 2]> {
    let corner = |index: usize| Vec3::from([0, 1, 2].map(|axis| [low, high][index >> axis & 1][axis]));
    let edges = (0..8).flat_map(|from| (0..3).map(move |axis| (from, from | 1 << axis)));
    let mut lines: Vec<[Vec3; 2]> =
        edges.filter(|(from, to)| from != to).map(|(from, to)| [corner(from), corner(to)]).collect();
    let Some(cell) = cell.filter(|cell| *cell > 0.0) else { return lines };
    let back = [if away.x > 0.0 { low.x } else { high.x }, if away.y > 0.0 { low.y } else { high.y }, low.z];
    for axis in 0..3 {
        for line_axis in (0..3).filter(|line_axis| *line_axis != axis) {
            let step_axis = 3 - axis - line_axis;
            let count = ((high[step_axis] - low[step_axis]) / cell).round().clamp(1.0, 2000.0) as usize;
            for step in 1..count {
                let mut ends = [Vec3::ZERO; 2];
                for (end, corner) in ends.iter_mut().zip([low, high]) {
                    end[axis] = back[axis];
                    end[line_axis] = corner[line_axis];
                    end[step_axis] = low[step_axis] + step as f32 * cell;
                }
                lines.push(ends);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const TANK: LiquidTank =
        LiquidTank { low: Vec3::ZERO, high: Vec3::new(2.0, 1.0, 1.0), kind: TankKind::Glass };

    #[test]
    fn boxes_are_closed_and_seen_from_outside() {
        let slab = TANK.base().unwrap();
        assert_eq!(slab.inconsistency(), None);
        let corner = |vertex: u32| Vec3::from(slab.positions[vertex as usize]);
        // Six times the volume, by the divergence theorem.
        let sum: f32 = slab.triangles().map(|[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum();
        let [low, high] = TANK.slab();
        let size = high - low;
        assert!((sum / 6.0 - size.x * size.y * size.z).abs() < 1e-4);
    }

    #[test]
    fn a_ray_into_the_tank_passes_one_pane_and_one_through_it_two() {
        let from = Vec3::new(1.0, -3.0, 0.5);
        assert_eq!(TANK.panes(from, Vec3::Y, 3.5).count(), 1);
        assert_eq!(TANK.panes(from, Vec3::Y, f32::INFINITY).count(), 2);
        assert_eq!(TANK.panes(from, -Vec3::Y, f32::INFINITY).count(), 0);
        assert_eq!(TANK.panes(Vec3::new(1.0, 0.5, 4.0), -Vec3::Z, f32::INFINITY).count(), 0);
    }

    #[test]
    fn a_box_has_twelve_edges_and_its_cells_lie_on_three_sides() {
        assert_eq!(grid_lines(TANK.low, TANK.high, None, Vec2::ONE).len(), 12);
        let lines = grid_lines(TANK.low, TANK.high, Some(0.5), Vec2::ONE);
        assert_eq!(lines.len(), 12 + (1 + 1) + (3 + 1) + (3 + 1));
    }
}
