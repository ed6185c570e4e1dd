//! Sunlight on the floor of a tank: shadows and caustics of the liquid and the bodies in it.
//!
//! The floor is a lattice of triangles, each with a beam of sunlight. The corner rays of a beam are traced through
//! everything. Where all three meet the same kinds of surfaces in the same order, the remaining power is spread
//! evenly over the triangle between their ends; any other beam is subdivided, and at the last level deposited at the
//! end of its centre ray [watt1990]. So power that is not blocked, absorbed or reflected is conserved. In the open
//! the map is 1; it is less in shadows, and more in caustics. A sun of finite width is sampled by several directions.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::tank::LiquidTank;
use crate::caustics::{Deposit, TexelGrid};

/// Approximate number of texels of the floor.
const TEXELS: f32 = 120_000.0;
/// Approximate number of beam vertices, of all suns together where there are several, and of a single sun.
const VERTICES: f32 = 160_000.0;
const VERTICES_OF_ONE_SUN: f32 = 45_000.0;
/// Most subdivisions of a beam that an edge cuts. Vertices of subdivided beams are not shared: each further subdivision
/// traces up to four times as many rays as the one before, for shadow edges that the filter of the map blurs.
const MAX_SUBDIVISIONS: u32 = 1;
/// Least sine of the sun's elevation for its shadows.
const MIN_SUN_HEIGHT: f32 = 0.25;

/// The end of a sun ray on the floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SunRayEnd {
    /// The fraction of its light that is left.
    pub light: Vec3,
    /// Its position on the floor.
    pub at: Vec2,
    /// Hash of the sequence of surfaces; equal for rays that met the same kinds in the same order.
    pub history: u32,
}

/// Irradiance of the sun on the floor relative to the open.
#[derive(Debug, Clone)]
pub struct FloorSunlight {
    texels: TexelGrid,
    floor: f32,
    slant: Vec2,
    light: Vec<Vec3>,
}

/// A lattice of beams over a rectangle of the floor.
struct BeamGrid<F> {
    low: Vec2,
    step: Vec2,
    size: [usize; 2],
    floor: f32,
    /// Offset from the floor to the origin of the rays, and their direction.
    above: Vec3,
    direction: Vec3,
    follow: F,
}

/// A vertex of a beam: where its ray aims, and where it ended.
type SunBeamVertex = (Vec2, Option<SunRayEnd>);

impl FloorSunlight {
    /// Traces beams of all `suns`, which together have the light of one sun in direction `sun`, to the level `floor`.
    /// `follow` traces a ray from a point along a direction.
    pub fn new(
        tank: &LiquidTank,
        floor: f32,
        sun: Vec3,
        suns: &[Vec3],
        follow: impl Fn(Vec3, Vec3) -> Option<SunRayEnd> + Sync,
    ) -> Self {
        let lifted = |sun: Vec3| sun.with_z(sun.z.max(MIN_SUN_HEIGHT)).normalize_or(Vec3::Z);
        let sun = lifted(sun);
        let slant = Vec2::new(sun.x, sun.y) / sun.z;
        let height = tank.high.z - tank.low.z;
        let reach = -slant * height;
        // All points whose rays pass through the box, and a margin.
        let margin = 0.06 * tank.size();
        let low = tank.low.truncate().min(tank.low.truncate() + reach) - margin;
        let high = tank.high.truncate().max(tank.high.truncate() + reach) + margin;
        // Texels, and the lattice of beams.
        let area = ((high - low).x * (high - low).y).max(1e-12);
        let longest = (high - low).max_element() / (area / TEXELS).sqrt();
        let texels = TexelGrid::new([low.as_dvec2(), high.as_dvec2()], longest as usize);
        let corners = if suns.len() > 1 { VERTICES / suns.len() as f32 } else { VERTICES_OF_ONE_SUN };
        let edge = (area / corners).sqrt();
        let size = ((high - low) / edge).to_array().map(|steps| (steps as usize + 2).min(4096));
        // Power of all suns on the texels, as irradiance relative to the open.
        let mut deposits = Vec::new();
        for &sun in suns {
            let sun = lifted(sun);
            let beams = BeamGrid {
                low,
                step: (high - low) / Vec2::from(size.map(|nodes| (nodes - 1) as f32)),
                size,
                floor,
                above: sun * (1.1 * height / sun.z + tank.size()),
                direction: -sun,
                follow: &follow,
            };
            beams.trace(1.0 / suns.len() as f64, &mut deposits);
        }
        let power = texels.accumulate(&deposits);
        let light: Vec<Vec3> =
            power.iter().map(|power| (*power / texels.area()).as_vec3().max(Vec3::ZERO)).collect();
        let light = binomial_filter(&binomial_filter(&light, texels.size()), texels.size());
        FloorSunlight { texels, floor, slant, light }
    }

    /// Relative irradiance at a point on the floor, or a little below it.
    pub fn at(&self, point: Vec3) -> Vec3 {
        // Below the map, go back along the direction of the sun.
        let at = (point.truncate() + self.slant * (self.floor - point.z)).as_dvec2();
        let [low, high] = self.texels.corners();
        let aside = ((at - at.clamp(low, high)) / self.texels.step()).length() as f32;
        if !at.is_finite() || aside > 6.0 {
            return Vec3::ONE;
        }
        self.texels.bilinear(&self.light, at).lerp(Vec3::ONE, aside / 6.0)
    }
}

impl<F: Fn(Vec3, Vec3) -> Option<SunRayEnd> + Sync> BeamGrid<F> {
    fn trace(&self, strength: f64, deposits: &mut Vec<Deposit>) {
        let [columns, rows] = self.size;
        let position = |index: usize| {
            self.low + Vec2::new((index % columns) as f32, (index / columns) as f32) * self.step
        };
        let corners: Vec<SunBeamVertex> =
            (0..columns * rows).into_par_iter().map(|index| self.trace_vertex(position(index))).collect();
        let power = 0.5 * f64::from(self.step.x * self.step.y) * strength;
        let strips: Vec<Vec<Deposit>> = (0..rows - 1)
            .into_par_iter()
            .map(|row| {
                let mut strip = Vec::with_capacity(2 * columns);
                for first in row * columns..(row + 1) * columns - 1 {
                    let [a, b] = [corners[first], corners[first + 1]];
                    let [c, d] = [corners[first + columns], corners[first + columns + 1]];
                    self.subdivide([a, b, d], power, 0, &mut strip);
                    self.subdivide([a, d, c], power, 0, &mut strip);
                }
                strip
            })
            .collect();
        deposits.extend(strips.into_iter().flatten());
    }

    fn trace_vertex(&self, at: Vec2) -> SunBeamVertex {
        (at, (self.follow)(at.extend(self.floor) + self.above, self.direction).filter(is_sound))
    }

    fn subdivide(&self, corners: [SunBeamVertex; 3], power: f64, depth: u32, deposits: &mut Vec<Deposit>) {
        let [(a, first), (b, second), (c, third)] = corners;
        match [first, second, third] {
            [None, None, None] => return,
            [Some(one), Some(two), Some(three)]
                if one.history == two.history && two.history == three.history =>
            {
                let light = (one.light + two.light + three.light).as_dvec3() / 3.0;
                let ends = [one, two, three].map(|end| end.at.as_dvec2());
                deposits.push(Deposit::Triangle(ends, light * power));
                return;
            }
            _ => {}
        }
        if depth >= MAX_SUBDIVISIONS {
            if let (_, Some(middle)) = self.trace_vertex((a + b + c) / 3.0) {
                deposits.push(Deposit::Point(middle.at.as_dvec2(), middle.light.as_dvec3() * power));
            }
            return;
        }
        let [ab, bc, ca] =
            [(a, b), (b, c), (c, a)].map(|(one, other)| self.trace_vertex(0.5 * (one + other)));
        let [a, b, c] = corners;
        for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            self.subdivide(part, 0.25 * power, depth + 1, deposits);
        }
    }
}

/// The hash of a history with one more event.
pub fn with_event(history: u32, event: u32) -> u32 {
    history.wrapping_mul(5).wrapping_add(event)
}

fn is_sound(end: &SunRayEnd) -> bool {
    end.light.is_finite() && end.at.is_finite()
}

// Binomial filter 1 2 1 along both axes.
fn binomial_filter(light: &[Vec3], [columns, rows]: [usize; 2]) -> Vec<Vec3> {
    let neighbours = |index: usize, stride: usize, coordinate: usize, count: usize| {
        let low = if coordinate > 0 { index - stride } else { index };
        let high = if coordinate + 1 < count { index + stride } else { index };
        [low, index, high]
    };
    let weighted = |values: &[Vec3], [low, middle, high]: [usize; 3]| {
        0.25 * values[low] + 0.5 * values[middle] + 0.25 * values[high]
    };
    let filtered_x: Vec<Vec3> = (0..light.len())
        .map(|index| weighted(light, neighbours(index, 1, index % columns, columns)))
        .collect();
    (0..light.len())
        .map(|index| weighted(&filtered_x, neighbours(index, columns, index / columns, rows)))
        .collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::preview::liquid::tank::TankKind;

    const TANK: LiquidTank = LiquidTank { low: Vec3::ZERO, high: Vec3::ONE, kind: TankKind::Plinth };

    // An unobstructed ray, extended to the floor.
    fn straight(from: Vec3, direction: Vec3) -> Vec2 {
        (from + direction * (-from.z / direction.z)).truncate()
    }

    #[test]
    fn unobstructed_sunlight_is_one() {
        let sun = Vec3::new(0.3, -0.4, 0.8).normalize();
        let nearby = Vec3::new(0.33, -0.38, 0.8).normalize();
        for suns in [&[sun] as &[Vec3], &[sun, nearby, sun]] {
            let light = FloorSunlight::new(&TANK, 0.0, sun, suns, |from, direction| {
                Some(SunRayEnd { light: Vec3::ONE, at: straight(from, direction), history: 0 })
            });
            for point in [Vec3::ZERO, Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.9, 0.1, 0.0), Vec3::splat(40.0)] {
                assert!((light.at(point) - 1.0).length() < 1e-3, "{point}: {}", light.at(point));
            }
        }
    }

    #[test]
    fn blocked_rays_leave_shadows_and_refracted_ones_caustics() {
        let light = FloorSunlight::new(&TANK, 0.0, Vec3::Z, &[Vec3::Z], |from, direction| {
            let at = straight(from, direction);
            let is_stopped = at.x < 0.3;
            let (at, history) = if at.x > 0.7 { (Vec2::new(0.7, at.y), 1) } else { (at, 0) };
            (!is_stopped).then_some(SunRayEnd { light: Vec3::new(1.0, 0.5, 0.25), at, history })
        });
        assert_eq!(light.at(Vec3::new(0.1, 0.5, 0.0)), Vec3::ZERO);
        assert!((light.at(Vec3::new(0.5, 0.5, 0.0)) - Vec3::new(1.0, 0.5, 0.25)).length() < 1e-3);
        assert!(light.at(Vec3::new(0.7, 0.5, 0.0)).x > 3.0);
        assert!(light.at(Vec3::new(0.9, 0.5, 0.0)).x < 0.1);
    }

    #[test]
    fn refracted_power_is_conserved() {
        // Waves refract light by up to a tenth of the tank, with folds; none of it leaves the map.
        let refracted =
            |at: Vec2| at + 0.05 * Vec2::new((31.0 * at.x).sin(), (23.0 * at.y + 9.0 * at.x).sin());
        let map = |suns: &[Vec3]| {
            FloorSunlight::new(&TANK, 0.0, Vec3::Z, suns, |from, direction| {
                let at = straight(from, direction);
                let is_inside = (at - 0.5).abs().max_element() < 0.4;
                let end = if is_inside { refracted(at) } else { at };
                Some(SunRayEnd { light: Vec3::new(1.0, 0.7, 0.4), at: end, history: is_inside.into() })
            })
        };
        let area = (1.0 + 2.0 * 0.06 * f64::from(TANK.size())).powi(2);
        for suns in [&[Vec3::Z] as &[Vec3], &[Vec3::Z; 4]] {
            let light = map(suns);
            let sum = light.light.iter().map(|light| light.as_dvec3()).sum::<DVec3>();
            let sum = sum * light.texels.area() / area;
            assert!((sum - DVec3::new(1.0, 0.7, 0.4)).length() < 1e-5, "{sum}");
        }
        assert!(map(&[Vec3::Z]).light.iter().any(|light| light.x > 2.0), "nothing was focused");
    }
}
