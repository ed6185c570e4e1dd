//! The shape of the ground under the water and beyond it.
//!
//! A sea has a level bed. A pond has a bed that rises to a ragged, rounded shore inside the sheet of water, and a low
//! bank outside, so that the rectangle of the simulation is not seen.

use glam::{Vec2, Vec3};

use crate::noise::fractal;

/// What lies beyond the sheet of water.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Beyond {
    /// More water, to the horizon.
    #[default]
    Sea,
    /// A bank of sand and grass, whose shore hides the edges of the sheet.
    Shore,
    /// More land, as it is at the border.
    Land,
    /// Nothing: land is cut out as a block.
    Nothing,
}

/// The ground of a picture.
#[derive(Debug, Clone)]
pub struct Basin {
    /// Height of the water at rest.
    pub level: f32,
    /// Depth of the water at rest.
    pub depth: f32,
    /// What lies beyond the sheet.
    pub beyond: Beyond,
    /// Corners of the sheet in the level plane.
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

    /// Whether a place lies within the sheet of water.
    pub fn in_sheet(&self, at: Vec2) -> bool {
        at.cmpge(self.sheet[0]).all() && at.cmple(self.sheet[1]).all()
    }

    /// Metres from a place to the shore, positive in the water. Between the rounded square of the sheet and its ragged
    /// outline the distance is only about right.
    fn to_shore(&self, at: Vec2) -> f32 {
        let half = self.half();
        let local = ((at - 0.5 * (self.sheet[0] + self.sheet[1])) / half).abs();
        let cubes = local * local * local;
        let rounded = (cubes.x + cubes.y).cbrt();
        (self.outline_towards(at - 0.5 * (self.sheet[0] + self.sheet[1])) - rounded) * half.min_element()
    }

    // How far the shore lies in a direction, as a fraction of the way to the rounded square's edge.
    fn outline_towards(&self, offset: Vec2) -> f32 {
        let angle = offset.y.atan2(offset.x) / std::f32::consts::TAU;
        let at = (angle - angle.floor()) * OUTLINE as f32;
        let index = at as usize % OUTLINE;
        let (near, far) = (self.outline[index], self.outline[(index + 1) % OUTLINE]);
        near + (far - near) * (at - at.floor())
    }

    /// Whether the shore may pass within `reach` metres of a point of the water.
    pub fn is_shore(&self, point: Vec3, reach: f32) -> bool {
        // Waves move the shore by a few of their heights.
        let waves = 8.0 * (point.z - self.level).abs();
        self.beyond == Beyond::Shore && self.to_shore(Vec2::new(point.x, point.y)).abs() < reach + waves
    }

    /// Height of the ground at a place.
    pub fn ground(&self, at: Vec2) -> f32 {
        if self.beyond != Beyond::Shore {
            return self.level - self.depth;
        }
        let (inside, bank) = (self.to_shore(at), self.bank());
        let rise = bank / self.half().min_element() * 3.2;
        if inside > 0.0 {
            // The slope goes on under water and eases out at the full depth.
            return self.level - self.depth * (1.0 - (-inside * rise / self.depth.max(1e-3)).exp());
        }
        self.level + bank * (1.0 - (inside * rise / bank).exp())
    }

    /// Unit normal of the ground, for patches of about `footprint` metres.
    pub fn ground_normal(&self, at: Vec2, footprint: f32) -> Vec3 {
        let step = footprint.max(0.02 * self.bank()).max(1e-3);
        let here = self.ground(at);
        if self.level + self.bank() - here < 1e-3 * self.bank() {
            return Vec3::Z;
        }
        let rise = Vec2::new(self.ground(at + Vec2::X * step), self.ground(at + Vec2::Y * step)) - here;
        Vec3::new(-rise.x, -rise.y, step).normalize_or(Vec3::Z)
    }

    /// How far a ray that goes down from `from` runs until it meets the ground. Three steps of a fixed point are enough
    /// for beds as gentle as these.
    pub fn reach(&self, from: Vec3, direction: Vec3) -> f32 {
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
    /// How far a ray that goes down from above the bank runs until it meets dry land. The land lies between the level of
    /// the water and the top of the bank, so the ray is cut there and the cut halved.
    pub fn reach_land(&self, from: Vec3, direction: Vec3) -> f32 {
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
            let at = from + direction * pond.reach_land(from, direction);
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
            let end = from + direction * basin.reach(from, direction);
            assert!((end.z - basin.ground(Vec2::new(end.x, end.y))).abs() < 0.05);
        }
    }

    #[test]
    fn strange_basins_are_answered() {
        let basin = Basin::new(0.0, 0.0, Beyond::Shore, [Vec2::ZERO; 2], 1);
        assert!(basin.ground(Vec2::new(3.0, 4.0)).is_finite());
        basin.reach(Vec3::splat(f32::NAN), Vec3::X);
    }
}
