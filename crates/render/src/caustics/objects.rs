//! Light collected on solid bodies: every triangle has texels of its own.
//!
//! A triangle is cut into k² small ones alike. Light is brought to them point by point, so that no power is lost on the
//! way from one triangle to the next.

use glam::{DVec3, Vec3};
use undine_frame::Mesh;

use crate::preview::tree::{Meeting, Tree};

/// Most cuts along the side of a triangle.
const CUTS: f64 = 64.0;

/// Solid bodies that light falls on.
#[derive(Debug)]
pub struct Objects {
    tree: Tree,
    facets: Vec<Facet>,
    texels: usize,
    /// A ray starts this far from the surface that it leaves.
    near: f32,
}

#[derive(Debug, Clone, Copy)]
struct Facet {
    area: f64,
    cuts: usize,
    first: usize,
}

impl Objects {
    /// The triangles of some meshes in world coordinates, with texels about as wide as `texel`; `None` without any.
    pub fn new<'m>(meshes: impl Iterator<Item = &'m Mesh>, texel: f64) -> Option<Self> {
        let corners: Vec<[Vec3; 3]> = meshes
            .flat_map(|mesh| {
                mesh.triangles().filter_map(|triangle| {
                    let corner = |vertex: u32| mesh.positions.get(vertex as usize).map(|&at| Vec3::from(at));
                    let [a, b, c] = triangle.map(corner);
                    Some([a?, b?, c?])
                })
            })
            .filter(|corners| corners.iter().all(|corner| corner.is_finite()))
            .collect();
        let mut texels = 0;
        let facet = |&[a, b, c]: &[Vec3; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| corner.as_dvec3());
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            let cuts = (longest / texel.max(1e-9)).ceil().clamp(1.0, CUTS) as usize;
            let first = texels;
            texels += cuts * cuts;
            Facet { area: 0.5 * (b - a).cross(c - a).length(), cuts, first }
        };
        let facets: Vec<Facet> = corners.iter().map(facet).collect();
        let tree = Tree::new((0..).zip(corners.iter().copied()));
        (!facets.is_empty()).then_some(Objects { tree, facets, texels, near: (1e-3 * texel) as f32 })
    }

    /// The number of texels on all of them.
    pub fn texels(&self) -> usize {
        self.texels
    }

    /// The first body along a ray, nearer than `limit`: how far it is, and which texel is met.
    pub fn first(&self, from: DVec3, along: DVec3, limit: f64) -> Option<(f64, usize)> {
        let start = from.as_vec3() + along.as_vec3() * self.near;
        let meeting = self.tree.first(start, along.as_vec3(), limit as f32)?;
        Some((f64::from(meeting.distance + self.near), self.texel(&meeting)?))
    }

    fn texel(&self, meeting: &Meeting) -> Option<usize> {
        let facet = self.facets.get(meeting.triangle as usize)?;
        let cuts = facet.cuts as f32;
        let [second, third] = meeting.shares.map(|share| share.clamp(0.0, 1.0) * cuts);
        let row = (third as usize).min(facet.cuts - 1);
        let column = (second as usize).min(facet.cuts - 1 - row);
        // A row of n texels along the lower side has n − 1 turned ones between them.
        let is_turned =
            (second - column as f32) + (third - row as f32) > 1.0 && column + row + 1 < facet.cuts;
        let before = row * (2 * facet.cuts - row);
        Some(facet.first + before + 2 * column + usize::from(is_turned))
    }

    /// The area of every texel.
    pub fn areas(&self) -> Vec<f64> {
        let mut areas = Vec::with_capacity(self.texels);
        for facet in &self.facets {
            let count = facet.cuts * facet.cuts;
            areas.extend(std::iter::repeat_n(facet.area / count as f64, count));
        }
        areas
    }

    /// The texel at a point of a surface with this normal, no farther off than `reach`.
    pub fn at(&self, point: Vec3, normal: Vec3, reach: f32) -> Option<usize> {
        let meeting = self.tree.first(point + normal * reach, -normal, 2.0 * reach)?;
        self.texel(&meeting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_tile_a_triangle() {
        let sheet = Mesh::flat_sheet("wall", [1.0, 1.0], [2, 2]);
        let objects = Objects::new(std::iter::once(&sheet), 0.25).unwrap();
        let mut counts = vec![0_u32; objects.texels()];
        for index in 0..40_000 {
            let at = DVec3::new(
                f64::from(index % 200) / 200.0 + 0.0025,
                f64::from(index / 200) / 200.0 + 0.0025,
                1.0,
            );
            let (distance, texel) = objects.first(at, -DVec3::Z, 9.0).unwrap();
            assert!((distance - 1.0).abs() < 1e-5);
            counts[texel] += 1;
        }
        // Every texel is met about as often as it is large.
        let each = 40_000.0 / objects.texels() as f64;
        assert!(counts.iter().all(|&count| (f64::from(count) / each - 1.0).abs() < 0.25), "{counts:?}");
        let area: f64 = objects.areas().iter().sum();
        assert!((area - 1.0).abs() < 1e-6);
        assert_eq!(objects.at(Vec3::new(0.5, 0.4, 0.001), Vec3::Z, 0.01).is_some(), true);
        assert_eq!(objects.at(Vec3::new(0.5, 0.4, 0.1), Vec3::Z, 0.01), None);
    }
}
