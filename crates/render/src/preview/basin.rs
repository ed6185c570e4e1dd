//! Procedural ground under and around water that has no simulated bed.
//!
//! A sea has a level bed. A pond has a bed that rises to an irregular shore inside the sheet of water, and a low bank
//! outside, which hides the rectangle of the domain.

use glam::{Vec2, Vec3};

use crate::noise::fractal;

/// What is drawn beyond the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Beyond {
    /// More water, to the horizon.
    #[default]
    Sea,
    /// A bank of sand and grass, whose shore hides the edges of the sheet.
    Shore,
    /// More land, extrapolated from the border.
    Land,
    /// Nothing: land is cut out as a block.
    Nothing,
}

/// Procedural ground.
#[derive(Debug, Clone)]
pub struct Basin {
    /// Height of the water at rest.
    pub level: f32,
    /// Depth of the water at rest.
    pub depth: f32,
    /// What is drawn beyond the sheet.
    pub beyond: Beyond,
    /// Corners of the sheet in the horizontal plane.
    pub sheet: [Vec2; 2],
    outline: Vec<f32>,
}

/// Entries of the table of the shore's outline.
const OUTLINE: usize = 512;

impl Basin {
    /// A basin around a sheet of water between two corners.
    pub fn new(level: f32, depth: f32, beyond: Beyond, sheet: [Vec2; 2], seed: u32) -> Self {
        let ragged = |index: usize| {
            let around = Vec2::from_angle(index as f32 / OUTLINE as f32 * std::f32::consts::TAU);
            0.9 + 0.13 * (fractal(around * 3.4, 4, 0.01, seed ^ 0x77) - 0.5)
        };
        let entries = if beyond == Beyond::Shore { OUTLINE } else { 0 };
        Basin { level, depth, beyond, sheet, outline: (0..entries).map(ragged).collect() }
    }

    fn half(&self) -> Vec2 {
        (0.5 * (self.sheet[1] - self.sheet[0])).max(Vec2::splat(1e-3))
    }

    /// Height of the bank above the water, in metres.
    pub fn bank(&self) -> f32 {
        (0.09 * self.half().min_element()).min(2.5)
    }

    /// Whether a point lies within the sheet of water.
    pub fn in_sheet(&self, at: Vec2) -> bool {
        at.cmpge(self.sheet[0]).all() && at.cmple(self.sheet[1]).all()
    }

    /// Approximate signed distance to the shore in metres, positive in the water.
    fn shore_distance(&self, at: Vec2) -> f32 {
        let half = self.half();
        let local = ((at - 0.5 * (self.sheet[0] + self.sheet[1])) / half).abs();
        let cubes = local * local * local;
        let rounded = (cubes.x + cubes.y).cbrt();
        (self.shore_radius(at - 0.5 * (self.sheet[0] + self.sheet[1])) - rounded) * half.min_element()
    }

    // Radius of the shore in a direction, relative to the superellipse of the sheet.
    fn shore_radius(&self, offset: Vec2) -> f32 {
        let angle = offset.y.atan2(offset.x) / std::f32::consts::TAU;
        let at = (angle - angle.floor()) * OUTLINE as f32;
        let index = at as usize % OUTLINE;
        let (near, far) = (self.outline[index], self.outline[(index + 1) % OUTLINE]);
        near + (far - near) * (at - at.floor())
    }

    /// Whether the shore may pass within `reach` metres of a point of the water.
    pub fn is_shore(&self, point: Vec3, reach: f32) -> bool {
        // Waves move the waterline by a few of their heights
        let waves = 8.0 * (point.z - self.level).abs();
        self.beyond == Beyond::Shore && self.shore_distance(Vec2::new(point.x, point.y)).abs() < reach + waves
    }

    /// Height of the ground at a point.
    pub fn ground(&self, at: Vec2) -> f32 {
        if self.beyond != Beyond::Shore {
            return self.level - self.depth;
        }
        let (inside, bank) = (self.shore_distance(at), self.bank());
        let rise = bank / self.half().min_element() * 3.2;
        if inside > 0.0 {
            // The slope continues under water and levels out at the full depth
            return self.level - self.depth * (1.0 - (-inside * rise / self.depth.max(1e-3)).exp());
        }
        self.level + bank * (1.0 - (inside * rise / bank).exp())
    }

    /// Unit normal of the ground, by differences over about `footprint` metres.
    pub fn ground_normal(&self, at: Vec2, footprint: f32) -> Vec3 {
        let step = footprint.max(0.02 * self.bank()).max(1e-3);
        let here = self.ground(at);
        if self.level + self.bank() - here < 1e-3 * self.bank() {
            return Vec3::Z;
        }
        let rise = Vec2::new(self.ground(at + Vec2::X * step), self.ground(at + Vec2::Y * step)) - here;
        Vec3::new(-rise.x, -rise.y, step).normalize_or(Vec3::Z)
    }

    /// Distance at which a ray going down from `from` meets the ground, by fixed-point iteration; three steps suffice for
    /// gentle beds.
    pub fn distance_to_bed(&self, from: Vec3, direction: Vec3) -> f32 {
        let falling = (-direction.z).max(0.02);
        let mut length = 0.0;
        for _ in 0..if self.beyond == Beyond::Shore { 3 } else { 1 } {
            let at = from + direction * length;
            length += ((at.z - self.ground(Vec2::new(at.x, at.y))) / falling).max(-0.5 * length);
        }
        length.max(0.0)
    }
}

impl Basin {
    /// Distance at which a ray going down from above the bank meets dry land, by bisection between the rest level and the top
    /// of the bank.
    pub fn distance_to_land(&self, from: Vec3, direction: Vec3) -> f32 {
        let falling = (-direction.z).max(1e-4);
        let mut low = ((from.z - self.level - self.bank()) / falling).max(0.0);
        let mut high = ((from.z - self.level) / falling).max(low);
        for _ in 0..10 {
            let middle = 0.5 * (low + high);
            let at = from + direction * middle;
            let is_above = at.z > self.ground(Vec2::new(at.x, at.y));
            *(if is_above { &mut low } else { &mut high }) = middle;
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pond() -> Basin {
        Basin::new(1.0, 2.0, Beyond::Shore, [Vec2::ZERO, Vec2::splat(20.0)], 1)
    }

    #[test]
    fn a_ray_onto_the_land_meets_the_ground() {
        let pond = pond();
        for slant in 1..30 {
            let (from, direction) =
                (Vec3::new(10.0, 10.0, 4.0), Vec3::new(0.6, 0.8, -0.01 * slant as f32).normalize());
            let at = from + direction * pond.distance_to_land(from, direction);
            let ground = pond.ground(Vec2::new(at.x, at.y));
            let is_land = ground > pond.level + 0.01;
            assert!(!is_land || (at.z - ground).abs() < 0.01, "slant {slant}: {at} over {ground}");
        }
    }

    #[test]
    fn a_pond_is_deep_in_the_middle_and_dry_at_its_corners() {
        let pond = pond();
        assert!(pond.ground(Vec2::splat(10.0)) < 0.0);
        for corner in [Vec2::ZERO, Vec2::new(20.0, 0.0), Vec2::splat(20.0), Vec2::new(0.0, 20.0)] {
            assert!(pond.ground(corner) > 1.0);
        }
        for edge in 0..=20 {
            assert!(pond.ground(Vec2::new(edge as f32, 0.0)) > 1.0, "the edge of the sheet shows at {edge}");
        }
    }

    #[test]
    fn rays_reach_the_ground() {
        for basin in [pond(), Basin::new(1.0, 2.0, Beyond::Sea, [Vec2::ZERO, Vec2::splat(20.0)], 1)] {
            let (from, direction) = (Vec3::new(9.0, 10.0, 1.1), Vec3::new(0.3, 0.1, -0.9).normalize());
            let end = from + direction * basin.distance_to_bed(from, direction);
            assert!((end.z - basin.ground(Vec2::new(end.x, end.y))).abs() < 0.05);
        }
    }

    #[test]
    fn degenerate_basins_give_finite_heights() {
        let basin = Basin::new(0.0, 0.0, Beyond::Shore, [Vec2::ZERO; 2], 1);
        assert!(basin.ground(Vec2::new(3.0, 4.0)).is_finite());
        basin.distance_to_bed(Vec3::splat(f32::NAN), Vec3::X);
    }
}
