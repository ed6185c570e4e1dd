//! All samples of a large water and its ground, looked up where a picture needs them.
//!
//! The land of a large water is that of its overview; heights, normals and wetness at a point come from here. Normals are
//! differences over the footprint of a pixel, so that they depend neither on the mesh nor on its level of detail.

use glam::{Vec2, Vec3};
use undine_frame::{LargeWater, Mesh, Quantity, Shared};

/// The samples of a large water.
#[derive(Debug, Clone)]
pub struct LandDetail {
    samples: [usize; 2],
    /// Position of the first sample, and spacing.
    first: Vec2,
    spacing: Vec2,
    /// Corners of the domain.
    corners: [Vec2; 2],
    /// Positions of the vertices of its mesh along the southern, northern, western and eastern border.
    border: [Vec<f32>; 4],
    levels: Shared<f32>,
    beds: Shared<f32>,
    wetness: Option<Shared<f32>>,
    velocities: Option<Shared<[f32; 2]>>,
    dry_depth: f32,
}

/// Four samples around a point and their weights. Between the border and the outermost samples weights extrapolate.
struct Around {
    samples: [usize; 4],
    weights: [f32; 4],
}

impl LandDetail {
    /// The samples of a large water.
    pub fn new(large: &LargeWater<'_>) -> Option<LandDetail> {
        let heights = large.heights;
        let wetness = large.ground.attributes.iter().find(|one| one.quantity == Quantity::Wetness);
        let fits = |values: &&Shared<f32>| values.len() == heights.count();
        // As the vertices of meshes are placed
        let corner = |cells: [f64; 2]| {
            Vec2::from([0, 1].map(|axis| (heights.origin[axis] + cells[axis] * heights.spacing[axis]) as f32))
        };
        Some(LandDetail {
            samples: heights.size.map(|count| count as usize),
            first: corner([0.0; 2]),
            spacing: Vec2::from(heights.spacing.map(|step| step as f32)),
            corners: [corner([-0.5; 2]), corner(heights.size.map(|count| f64::from(count - 1) + 0.5))],
            border: Default::default(),
            levels: heights.level.clone(),
            beds: heights.bed.clone()?,
            wetness: wetness.map(|wetness| &wetness.values).filter(fits).cloned(),
            velocities: heights.velocity.clone().filter(|values| values.len() == heights.count()),
            dry_depth: heights.dry_depth,
        })
    }

    /// The same with the border of its `ground` mesh.
    pub fn with_border(self, ground: &Mesh) -> LandDetail {
        let [low, high] = self.corners;
        let along = |axis: usize, line: f32| {
            let on_line = ground.positions.iter().filter(|at| at[1 - axis] == line);
            let mut positions: Vec<f32> = on_line.map(|at| at[axis]).collect();
            positions.sort_by(f32::total_cmp);
            positions.dedup();
            positions
        };
        LandDetail { border: [along(0, low.y), along(0, high.y), along(1, low.x), along(1, high.x)], ..self }
    }

    /// Corners of the domain.
    pub fn corners(&self) -> [Vec2; 2] {
        self.corners
    }

    /// Whether a point lies within the domain.
    pub fn holds(&self, at: Vec2) -> bool {
        at.cmpge(self.corners[0]).all() && at.cmple(self.corners[1]).all()
    }

    /// Distance of neighbouring samples, the smaller of both axes.
    pub fn step(&self) -> f32 {
        self.spacing.min_element()
    }

    /// Positions of the vertices along the southern, northern, western and eastern border.
    pub fn border(&self) -> &[Vec<f32>; 4] {
        &self.border
    }

    /// Height of the ground, inside the domain or at the nearest point of the border.
    pub fn ground(&self, at: Vec2) -> f32 {
        self.around(at).mean(|sample| self.beds[sample])
    }

    /// Level of the water, from wet samples around a point, if any is wet.
    pub fn level(&self, at: Vec2) -> Option<f32> {
        let around = self.around(at);
        let wet = |sample: usize| self.levels[sample] - self.beds[sample] > self.dry_depth;
        if around.samples.iter().all(|&sample| wet(sample)) {
            return Some(around.mean(|sample| self.levels[sample]));
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (&sample, weight) in around.samples.iter().zip(around.weights) {
            if wet(sample) {
                let weight = weight.max(0.0) + 1e-6;
                (sum, weights) = (sum + weight * self.levels[sample], weights + weight);
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// Wetness of the ground, 1 under water.
    pub fn wetness(&self, at: Vec2) -> f32 {
        let of_sample = |sample: usize| {
            let is_wet = self.levels[sample] - self.beds[sample] > self.dry_depth;
            if is_wet { 1.0 } else { self.wetness.as_ref().map_or(0.0, |wetness| wetness[sample]) }
        };
        self.around(at).mean(of_sample)
    }

    /// Horizontal velocity of the water in m/s, if it is known.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        let velocities = self.velocities.as_ref()?;
        let around = self.around(at);
        let mean = [0, 1].map(|axis| around.mean(|sample| velocities[sample][axis]));
        Some(Vec2::from(mean)).filter(|velocity| velocity.is_finite())
    }

    /// Unit normal of the water about a point, by differences over `footprint` metres as far as there is water.
    pub fn water_normal(&self, at: Vec2, footprint: f32) -> Option<Vec3> {
        let step = (0.5 * footprint).max(0.5 * self.step());
        let here = self.level(at)?;
        let slope = |towards: Vec2| {
            let (low, high) = (self.level(at - towards * step), self.level(at + towards * step));
            let run = step * f32::from(u8::from(low.is_some()) + u8::from(high.is_some()));
            if run > 0.0 { (high.unwrap_or(here) - low.unwrap_or(here)) / run } else { 0.0 }
        };
        Vec3::new(-slope(Vec2::X), -slope(Vec2::Y), 1.0).try_normalize()
    }

    /// Unit normal of the ground about a point, by differences over `footprint` metres.
    pub fn ground_normal(&self, at: Vec2, footprint: f32) -> Vec3 {
        let step = (0.5 * footprint).max(0.5 * self.step());
        let rise = |towards: Vec2| self.ground(at + towards * step) - self.ground(at - towards * step);
        Vec3::new(-rise(Vec2::X), -rise(Vec2::Y), 2.0 * step).normalize_or(Vec3::Z)
    }

    fn around(&self, at: Vec2) -> Around {
        let local = (at.clamp(self.corners[0], self.corners[1]) - self.first) / self.spacing;
        let cell = |axis: usize| (local[axis].max(0.0) as usize).min(self.samples[axis].saturating_sub(2));
        let (column, row) = (cell(0), cell(1));
        let (u, v) = (local.x - column as f32, local.y - row as f32);
        let first = row * self.samples[0] + column;
        Around {
            samples: [first, first + 1, first + self.samples[0], first + self.samples[0] + 1],
            weights: [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v],
        }
    }
}

impl Around {
    fn mean(&self, value: impl Fn(usize) -> f32) -> f32 {
        self.samples.iter().zip(self.weights).map(|(&sample, weight)| value(sample) * weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use undine_frame::{Frame, FrameRequest, Heights, Surface};
    use undine_surface::{Tessellation, tessellate};

    use super::*;
    use crate::preview::{self, Beyond, PreviewSpec, Viewpoint};
    use crate::sky::SkySpec;
    use crate::{Picture, difference, trace};

    /// A lake in hills, on as many samples as a large water needs.
    fn lake() -> Frame {
        let side = 800_usize;
        let place = |n: usize| [(n % side) as f32, (n / side) as f32];
        let bed = |n: usize| {
            let [x, y] = place(n);
            20.0 * (0.011 * x).sin() * (0.009 * y).cos() + 2.0 * (0.09 * x + 0.05 * y).sin() + 0.02 * y
        };
        let level = |n: usize| bed(n).max(2.0 + 0.1 * (0.2 * place(n)[0]).sin());
        let heights = Heights {
            size: [side as u32; 2],
            origin: [0.5; 2],
            spacing: [1.0; 2],
            level: (0..side * side).map(level).collect(),
            bed: Some((0..side * side).map(bed).collect()),
            velocity: None,
            dry_depth: 1e-3,
        };
        Frame { surfaces: Surface::with_bed("lake", heights), ..Frame::new(0, 0.0) }
    }

    /// The same with meshes of all samples in place of its shape.
    fn all_samples() -> Frame {
        let mut frame = lake();
        tessellate(&mut frame, &FrameRequest::ALL, &Tessellation::default());
        frame.surfaces.clear();
        frame
    }

    const SIZE: [usize; 2] = [192, 108];
    /// The smallest difference that is noticed.
    const NOTICEABLE: f32 = 0.02;

    fn drawn(frame: &Frame, view: &Viewpoint, beyond: Beyond) -> Picture {
        let spec = PreviewSpec { beyond, level: Some(2.0), ..PreviewSpec::default() };
        preview::draw(&spec, &SkySpec::default(), view, SIZE, frame).unwrap()
    }

    fn from(eye: [f32; 3], target: [f32; 3]) -> Viewpoint {
        Viewpoint { eye: Some(eye.into()), target: Some(target.into()), ..Viewpoint::default() }
    }

    #[test]
    fn a_large_water_looks_as_if_all_its_samples_were_drawn() {
        let (lake, all) = (lake(), all_samples());
        let views = [
            (from([400.0, -300.0, 260.0], [400.0, 400.0, 0.0]), Beyond::Land),
            (from([330.0, 200.0, 24.0], [420.0, 420.0, 2.0]), Beyond::Land),
            (from([400.0, 410.0, 700.0], [400.0, 411.0, 0.0]), Beyond::Land),
            (Viewpoint::default(), Beyond::Nothing),
        ];
        for (number, (view, beyond)) in views.into_iter().enumerate() {
            let (seen, wanted) = (drawn(&lake, &view, beyond), drawn(&all, &view, beyond));
            let (mean, _) = difference(&seen, &wanted).unwrap();
            assert!(mean < 0.5 * NOTICEABLE, "view {number}: {mean}");
        }
    }

    #[test]
    fn a_traced_large_water_looks_the_same() {
        let (lake, all) = (lake(), all_samples());
        let view = from([330.0, 200.0, 24.0], [420.0, 420.0, 2.0]);
        let draw = |frame: &Frame| {
            let scene = PreviewSpec { level: Some(2.0), ..PreviewSpec::default() };
            let spec = trace::TraceSpec { scene, paths: Some(4), ..trace::TraceSpec::default() };
            trace::draw(&spec, &SkySpec::default(), &view, [96, 54], frame, None).unwrap().picture
        };
        let (mean, _) = difference(&draw(&lake), &draw(&all)).unwrap();
        assert!(mean < NOTICEABLE, "{mean}");
    }

    #[test]
    fn samples_are_interpolated_up_to_the_border() {
        let frame = lake();
        let detail = LandDetail::new(&frame.large_waters().next().unwrap()).unwrap();
        assert_eq!(detail.corners(), [Vec2::ZERO, Vec2::splat(800.0)]);
        let (_, heights) = frame.heights().next().unwrap();
        let bed = |n: usize| heights.bed.as_ref().unwrap()[n];
        assert_eq!(detail.ground(Vec2::new(7.5, 3.5)), bed(3 * 800 + 7));
        let between = detail.ground(Vec2::new(8.0, 3.5));
        assert!((between - 0.5 * (bed(3 * 800 + 7) + bed(3 * 800 + 8))).abs() < 1e-5);
        // Beyond the last sample by extrapolation, beyond the border as on it
        let edge = detail.ground(Vec2::new(0.0, 3.5));
        assert!((edge - (1.5 * bed(3 * 800) - 0.5 * bed(3 * 800 + 1))).abs() < 1e-4);
        assert_eq!(detail.ground(Vec2::new(-90.0, 3.5)), edge);
        detail.ground(Vec2::NAN);
        assert!(detail.level(Vec2::new(400.0, f32::NAN)).is_none_or(f32::is_finite));
    }
}
