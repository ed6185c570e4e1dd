//! Lightmap of solid bodies: every triangle has texels of its own.
//!
//! The texels of a triangle cover the unit square of its barycentric coordinates (second and third corner). Half of
//! the square belongs to the triangle; texels on its diagonal are half as large. Beams are accumulated by exact
//! areas, as on the floor.
//!
//! A triangle smaller than a texel of the floor has one texel only. Its irradiance is interpolated between its
//! vertices, each the mean over the small triangles around it, because the few rays per triangle would show as noise.

use glam::{DVec2, DVec3, Vec2, Vec3};
use undine_frame::Mesh;

use super::map::{Deposit, TexelGrid};
use crate::preview::bvh::Bvh;

/// Most texels along the side of a triangle.
const MAX_TEXELS: f64 = 64.0;

/// Solid bodies that receive light.
#[derive(Debug)]
pub struct BodyLightmap {
    bvh: Bvh,
    triangles: Vec<LightmapTriangle>,
    texels: usize,
    vertices: usize,
    /// Offset of ray origins from surfaces.
    ray_offset: f32,
}

/// A point on a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyPoint {
    /// Its triangle.
    pub triangle: u32,
    /// Barycentric coordinates of the triangle's second and third corner.
    pub barycentric: DVec2,
}

#[derive(Debug, Clone, Copy)]
struct LightmapTriangle {
    area: f64,
    side: usize,
    first: usize,
    vertices: [u32; 3],
}

impl LightmapTriangle {
    fn square(&self) -> TexelGrid {
        TexelGrid::square(self.side)
    }
}

impl BodyLightmap {
    /// The lightmap of some meshes in world coordinates, with texels about as wide as `texel`; `None` without
    /// triangles.
    pub fn new<'m>(meshes: impl Iterator<Item = &'m Mesh>, texel: f64) -> Option<Self> {
        // The finite triangles of all meshes, with consecutive vertex numbers.
        let mut corners: Vec<[Vec3; 3]> = Vec::new();
        let mut vertices: Vec<[u32; 3]> = Vec::new();
        let mut count = 0;
        for mesh in meshes {
            for triangle in mesh.triangles() {
                let corner = |vertex: u32| mesh.positions.get(vertex as usize).map(|&at| Vec3::from(at));
                let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
                if a.is_finite() && b.is_finite() && c.is_finite() {
                    corners.push([a, b, c]);
                    vertices.push(triangle.map(|vertex| count + vertex));
                }
            }
            count += mesh.positions.len() as u32;
        }
        // A square of texels for each triangle, as fine as its longest edge asks for.
        let mut texels = 0;
        let triangle_map = |(&[a, b, c], &vertices): (&[Vec3; 3], &[u32; 3])| {
            let [a, b, c] = [a, b, c].map(|corner| corner.as_dvec3());
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            let side = (longest / texel.max(1e-9)).ceil().clamp(1.0, MAX_TEXELS) as usize;
            let first = texels;
            texels += side * side;
            LightmapTriangle { area: 0.5 * (b - a).cross(c - a).length(), side, first, vertices }
        };
        let triangles: Vec<LightmapTriangle> = corners.iter().zip(&vertices).map(triangle_map).collect();
        let bvh = Bvh::new((0..).zip(corners.iter().copied()));
        let vertices = count as usize;
        (!triangles.is_empty()).then_some(BodyLightmap {
            bvh,
            triangles,
            texels,
            vertices,
            ray_offset: (1e-3 * texel) as f32,
        })
    }

    /// The closest body along a ray, nearer than `limit`: the distance, and the point on it.
    pub fn closest_hit(&self, from: DVec3, direction: DVec3, limit: f64) -> Option<(f64, BodyPoint)> {
        let start = from.as_vec3() + direction.as_vec3() * self.ray_offset;
        let triangle_hit = self.bvh.closest_hit(start, direction.as_vec3(), limit as f32)?;
        // Triangles overlap slightly for rays.
        let [second, third] = triangle_hit.barycentric.map(|fraction| f64::from(fraction).clamp(0.0, 1.0));
        let full = (second + third).max(1.0) * (1.0 + 1e-9);
        let point =
            BodyPoint { triangle: triangle_hit.triangle, barycentric: DVec2::new(second, third) / full };
        Some((f64::from(triangle_hit.distance + self.ray_offset), point))
    }

    /// The texel at a point.
    fn texel(&self, triangle: u32, barycentric: Vec2) -> Option<usize> {
        let triangle_map = self.triangles.get(triangle as usize)?;
        let point = barycentric.clamp(Vec2::ZERO, Vec2::ONE) * triangle_map.side as f32;
        let row = (point.y as usize).min(triangle_map.side - 1);
        let column = (point.x as usize).min(triangle_map.side - 1 - row);
        Some(triangle_map.first + row * triangle_map.side + column)
    }

    /// Accumulates deposits, each in the unit square of a triangle; returns the power on every texel.
    pub fn accumulate(&self, mut deposits: Vec<(u32, Deposit)>) -> Vec<DVec3> {
        // The sort is stable: the deposits of a triangle stay in their order.
        deposits.sort_by_key(|(triangle, _)| *triangle);
        let mut power = vec![DVec3::ZERO; self.texels];
        for of_one in deposits.chunk_by(|one, other| one.0 == other.0) {
            let Some(triangle_map) =
                of_one.first().and_then(|(triangle, _)| self.triangles.get(*triangle as usize))
            else {
                continue;
            };
            let only: Vec<Deposit> = of_one.iter().map(|(_, deposit)| *deposit).collect();
            let own = power[triangle_map.first..].iter_mut().zip(triangle_map.square().accumulate(&only));
            own.for_each(|(texel, part)| *texel = part);
        }
        power
    }

    /// The power of a deposit that misses the unit square of its triangle by rounding.
    pub fn missed_power(&self, (triangle, deposit): &(u32, Deposit)) -> DVec3 {
        self.triangles
            .get(*triangle as usize)
            .map_or(DVec3::ZERO, |triangle_map| triangle_map.square().missed_power(deposit))
    }

    /// The area of every texel; 0 for those of the square's other half.
    pub fn areas(&self) -> Vec<f64> {
        let mut areas = Vec::with_capacity(self.texels);
        for triangle_map in &self.triangles {
            let full = 2.0 * triangle_map.area / (triangle_map.side * triangle_map.side) as f64;
            areas.extend((0..triangle_map.side * triangle_map.side).map(|texel| {
                match (texel % triangle_map.side + texel / triangle_map.side + 1).cmp(&triangle_map.side) {
                    std::cmp::Ordering::Less => full,
                    std::cmp::Ordering::Equal => 0.5 * full,
                    std::cmp::Ordering::Greater => 0.0,
                }
            }));
        }
        areas
    }

    /// Irradiance from the power on texels.
    pub fn irradiance(&self, power: &[DVec3]) -> BodyIrradiance {
        let bright = |(power, area): (&DVec3, f64)| (*power / area.max(1e-12)).as_vec3().max(Vec3::ZERO);
        let texels = power.iter().zip(self.areas()).map(bright).collect();
        let mut sums = vec![(DVec3::ZERO, 0.0); self.vertices];
        for triangle_map in self.triangles.iter().filter(|triangle_map| triangle_map.side == 1) {
            for vertex in triangle_map.vertices {
                let sum = &mut sums[vertex as usize];
                *sum = (sum.0 + power[triangle_map.first], sum.1 + triangle_map.area);
            }
        }
        BodyIrradiance { texels, vertices: sums.iter().map(|(power, area)| bright((power, *area))).collect() }
    }

    /// Irradiance at a point within `reach` of a surface with this normal.
    pub fn at(&self, irradiance: &BodyIrradiance, point: Vec3, normal: Vec3, reach: f32) -> Option<Vec3> {
        let triangle_hit = self.bvh.closest_hit(point + normal * reach, -normal, 2.0 * reach)?;
        let triangle_map = self.triangles.get(triangle_hit.triangle as usize)?;
        if triangle_map.side > 1 {
            let texel = self.texel(triangle_hit.triangle, Vec2::from(triangle_hit.barycentric))?;
            return irradiance.texels.get(texel).copied();
        }
        let [second, third] = triangle_hit.barycentric;
        let [a, b, c] = triangle_map.vertices.map(|vertex| irradiance.vertices.get(vertex as usize).copied());
        Some(a? * (1.0 - second - third) + b? * second + c? * third)
    }
}

/// Irradiance on bodies, by texels and by vertices.
#[derive(Debug, Clone)]
pub struct BodyIrradiance {
    texels: Vec<Vec3>,
    vertices: Vec<Vec3>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_light_is_even_on_every_texel() {
        let sheet = Mesh::flat_sheet("wall", [1.0, 1.0], [2, 2]);
        let lightmap = BodyLightmap::new(std::iter::once(&sheet), 0.25).unwrap();
        let corners = [DVec2::ZERO, DVec2::X, DVec2::Y];
        let deposits = (0..2).map(|triangle| (triangle, Deposit::Triangle(corners, DVec3::splat(0.5))));
        let power = lightmap.accumulate(deposits.collect());
        let areas = lightmap.areas();
        assert!((areas.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        for (power, area) in power.iter().zip(&areas).filter(|(_, area)| **area > 0.0) {
            assert!((power.x / area - 1.0).abs() < 1e-6);
        }
        assert!((power.iter().map(|texel| texel.y).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn hits_and_points_map_to_the_same_texel() {
        let sheet = Mesh::flat_sheet("wall", [1.0, 1.0], [2, 2]);
        let lightmap = BodyLightmap::new(std::iter::once(&sheet), 0.25).unwrap();
        for index in 0..400 {
            let at = Vec3::new((index % 20) as f32 / 20.0 + 0.0251, (index / 20) as f32 / 20.0 + 0.0252, 0.0);
            let (distance, point) = lightmap.closest_hit(at.as_dvec3() + DVec3::Z, -DVec3::Z, 9.0).unwrap();
            assert!((distance - 1.0).abs() < 1e-5);
            let texel = lightmap.texel(point.triangle, point.barycentric.as_vec2()).unwrap();
            assert!(lightmap.areas()[texel] > 0.0);
            // Light on this texel alone is found at the point.
            let deposit = Deposit::Point(point.barycentric, DVec3::ONE);
            let irradiance = lightmap.irradiance(&lightmap.accumulate(vec![(point.triangle, deposit)]));
            assert!(lightmap.at(&irradiance, at, Vec3::Z, 0.01).unwrap().x > 1.0);
            assert_eq!(lightmap.at(&irradiance, at + 0.1 * Vec3::Z, Vec3::Z, 0.01), None);
        }
    }
}
