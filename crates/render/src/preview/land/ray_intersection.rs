//! Ray–terrain intersection: refracted rays with the bed, reflected rays with the land.

use glam::{Vec2, Vec3};

use super::Land;

/// Growth of the step length along a reflected ray.
const GROWTH: f32 = 1.2;

impl Land {
    /// Height of a point above the ground.
    pub(super) fn clearance(&self, point: Vec3) -> f32 {
        point.z - self.height(Vec2::new(point.x, point.y))
    }

    /// Distance at which a ray going down from `from`, `depth` above the ground, meets the ground: steps as over a level bed
    /// until the ray is below the ground, then regula falsi.
    pub fn distance_to_bed(&self, from: Vec3, depth: f32, direction: Vec3) -> f32 {
        let falling = (-direction.z).max(0.05);
        let (mut above, mut gap) = (0.0, depth);
        if gap <= 0.0 {
            return 0.0;
        }
        for _ in 0..6 {
            let next = above + gap / falling;
            let clearance = self.clearance(from + direction * next);
            if clearance <= 0.0 {
                return self.regula_falsi(from, direction, [above, next], [gap, clearance]);
            }
            (above, gap) = (next, clearance);
        }
        above
    }

    /// Regula falsi for the root of the clearance between the distances `ends`, with clearances `gaps` of opposite sign.
    pub(super) fn regula_falsi(
        &self,
        from: Vec3,
        direction: Vec3,
        mut ends: [f32; 2],
        mut gaps: [f32; 2],
    ) -> f32 {
        for _ in 0..3 {
            let middle = ends[0] + (ends[1] - ends[0]) * gaps[0] / (gaps[0] - gaps[1]).max(1e-20);
            let gap = self.clearance(from + direction * middle);
            let end = usize::from(gap <= 0.0);
            (ends[end], gaps[end]) = (middle, gap);
        }
        ends[0] + (ends[1] - ends[0]) * gaps[0] / (gaps[0] - gaps[1]).max(1e-20)
    }

    /// Distance at which a ray from above the ground meets land, by ray marching; `None` when it escapes to the sky. Steps
    /// grow with distance, so that distant narrow ridges may be missed.
    pub fn intersect(&self, from: Vec3, direction: Vec3) -> Option<f32> {
        let farthest = 1.5 * self.texture.width;
        let ceiling = self.range[1]
            + if self.extrapolation.is_some() { 0.6 * (self.range[1] - self.range[0]) } else { 0.0 };
        let mut step = self.step();
        let (mut near, mut gap) = (0.0, 0.0_f32);
        while near < farthest {
            let far = near + step;
            let point = from + direction * far;
            let is_gone = point.z > ceiling && direction.z >= 0.0;
            if is_gone || (self.extrapolation.is_none() && !self.lattice.holds(Vec2::new(point.x, point.y))) {
                return None;
            }
            let clearance = self.clearance(point);
            if clearance < 0.0 {
                return Some(self.regula_falsi(from, direction, [near, far], [gap.max(0.0), clearance]));
            }
            (near, gap) = (far, clearance);
            step *= GROWTH;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use undine_frame::{Material, Mesh};

    use super::super::{GroundKind, Land, LandSpec};
    use super::*;
    use crate::preview::basin::Beyond;

    fn hills(beyond: Beyond) -> Land {
        let mut mesh = Mesh::flat_sheet("ground", [100.0, 100.0], [101, 101]);
        mesh.material = Material::Ground;
        for position in &mut mesh.positions {
            position[2] = 6.0 * (0.1 * position[0]).sin() * (0.08 * position[1]).cos();
        }
        let spec = LandSpec { kind: GroundKind::Auto, beyond, level: Some(0.0), seed: 1 };
        Land::find(&[mesh], spec, Vec3::new(0.5, 0.4, 0.7)).unwrap()
    }

    #[test]
    fn rays_down_end_on_the_ground() {
        let land = hills(Beyond::Land);
        for index in 0..200 {
            let from = Vec3::new((index % 20) as f32 * 5.0, (index / 20) as f32 * 10.0, 7.0);
            let direction = Vec3::new((index as f32).sin(), (index as f32).cos(), -2.0).normalize();
            let end = from + direction * land.distance_to_bed(from, land.depth(from), direction);
            assert!((end.z - land.height(Vec2::new(end.x, end.y))).abs() < 0.05, "{index}: {end}");
        }
    }

    #[test]
    fn mirrored_rays_meet_hills_and_sky() {
        let land = hills(Beyond::Nothing);
        let from = Vec3::new(50.0, 0.0, 0.0).with_z(land.height(Vec2::new(47.0, 0.0)) + 1.0);
        let hit = land.intersect(from, Vec3::new(1.0, 0.0, 0.1).normalize()).unwrap();
        let end = from + Vec3::new(1.0, 0.0, 0.1).normalize() * hit;
        assert!((end.z - land.height(Vec2::new(end.x, end.y))).abs() < 0.1, "{end}");
        assert_eq!(land.intersect(from, Vec3::Z), None);
        assert_eq!(land.intersect(Vec3::splat(f32::NAN), Vec3::X), None);
    }
}
