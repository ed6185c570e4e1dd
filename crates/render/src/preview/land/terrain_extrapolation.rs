//! Extrapolation of the terrain beyond the border of the domain.
//!
//! At the border the height is continuous. Farther out it blends to the smoothed border height, so that ridges are not
//! extruded into walls, then to fractal hills about the height of the lower ground. Below sea level the bed continues and
//! deepens. The far terrain is tabulated on a grid with logarithmic spacing.

use glam::Vec2;
use rayon::prelude::*;

use super::lattice::VertexLattice;
use crate::noise::{fractal, smoothstep};

/// Samples of the height along the border.
const BORDER: usize = 512;
/// Samples along the side of the far-terrain table, and its extent in e-folds of the terrain's width.
const SIDE: usize = 192;
const REACH: f32 = 4.0;

/// Heights beyond the border.
#[derive(Debug, Clone)]
pub struct TerrainExtrapolation {
    low: Vec2,
    high: Vec2,
    sea: Option<f32>,
    height_range: f32,
    lower: f32,
    seed: u32,
    near_border: Vec<f32>,
    border: Vec<f32>,
    far: Vec<f32>,
}

impl TerrainExtrapolation {
    /// Extrapolates the ground `heights` of a lattice. With a `sea` level, ground below it stays below it.
    pub fn new(lattice: &VertexLattice, heights: &[f32], sea: Option<f32>, seed: u32) -> Self {
        let [low, high] = lattice.corners();
        let ends = |(least, most): (f32, f32), &height: &f32| (least.min(height), most.max(height));
        let (least, most) = heights.iter().fold((f32::MAX, f32::MIN), ends);
        let height_range = (most - least).max(0.0);
        let mut extrapolation = TerrainExtrapolation {
            low,
            high,
            sea,
            height_range,
            lower: 0.0,
            seed,
            near_border: Vec::new(),
            border: Vec::new(),
            far: Vec::new(),
        };
        // Heights along the border, smoothed at two scales
        let exact: Vec<f32> = (0..BORDER)
            .map(|entry| {
                lattice.weights(extrapolation.point(entry as f32 / BORDER as f32)).interpolate(heights)
            })
            .collect();
        (extrapolation.near_border, extrapolation.border) =
            (blurred(&exact, BORDER / 100), blurred(&exact, BORDER / 16));
        // The lower quartile is the mean height of the far hills
        let mut sorted = extrapolation.border.clone();
        sorted.sort_by(f32::total_cmp);
        extrapolation.lower = sorted[BORDER / 4];
        // Tabulate the far terrain
        extrapolation.far = (0..SIDE * SIDE)
            .into_par_iter()
            .map(|entry| extrapolation.ground(extrapolation.table_position(entry)))
            .collect();
        extrapolation
    }

    /// Level of the sea around, if there is one.
    pub fn sea_level(&self) -> Option<f32> {
        self.sea
    }

    /// Distance of a point to the border in metres; 0 inside.
    pub fn distance_outside(&self, at: Vec2) -> f32 {
        (self.low - at).max(at - self.high).max(Vec2::ZERO).length()
    }

    /// Width of the terrain.
    pub fn width(&self) -> f32 {
        (self.high - self.low).min_element().max(1e-3)
    }

    /// Height outside the border, where the nearest border point has the height `edge`.
    pub fn height(&self, at: Vec2, edge: f32) -> f32 {
        let far = self.distance_outside(at) / self.width();
        if far <= 0.0 {
            return edge;
        }
        let near = lookup(&self.near_border, self.border_parameter(at.clamp(self.low, self.high)));
        let near = edge + (near - edge) * smoothstep(0.0, 0.03, far);
        near + (self.table_height(at) - near) * smoothstep(0.0, 0.22, far)
    }

    // The far terrain, evaluated for the table.
    fn ground(&self, at: Vec2) -> f32 {
        let far = self.distance_outside(at) / self.width();
        let smooth = lookup(&self.border, self.border_parameter(at.clamp(self.low, self.high)));
        let hills = fractal(at / self.width() * 1.9, 5, 0.01, self.seed ^ 0x31) - 0.45;
        let rising = 0.9 * self.height_range * hills * smoothstep(0.0, 1.2, far);
        let Some(sea) = self.sea else {
            return smooth + (self.lower - smooth) * smoothstep(0.0, 1.4, far) + rising;
        };
        // Hills on land only; the sea floor deepens with distance
        let plain = (sea + 0.12 * self.height_range).max(smooth.min(sea + 0.3 * self.height_range));
        let land =
            smooth + (plain - smooth) * smoothstep(0.1, 1.6, far) + rising.max(-0.06 * self.height_range);
        let floor = smooth - 0.2 * self.height_range * far.min(4.0);
        let is_land = smoothstep(-0.03, 0.06, (smooth - sea) / self.height_range.max(1e-3));
        floor + (land - floor) * is_land
    }

    fn table_height(&self, at: Vec2) -> f32 {
        let local = (at - 0.5 * (self.low + self.high)) / self.width();
        let log_local = Vec2::new(local.x.signum(), local.y.signum()) * (local.abs() + 1.0).map(f32::ln);
        let last = (SIDE - 1) as f32;
        let entry_position = ((log_local / REACH * 0.5 + 0.5) * last).clamp(Vec2::ZERO, Vec2::splat(last));
        let (column, row) =
            ((entry_position.x as usize).min(SIDE - 2), (entry_position.y as usize).min(SIDE - 2));
        let (u, v) = (entry_position.x - column as f32, entry_position.y - row as f32);
        let line = |row: usize| {
            let first = row * SIDE + column;
            self.far[first] + (self.far[first + 1] - self.far[first]) * u
        };
        line(row) + (line(row + 1) - line(row)) * v
    }

    // World position of an entry of the far-terrain table.
    fn table_position(&self, entry: usize) -> Vec2 {
        let unit = |index: usize| (index as f32 / (SIDE - 1) as f32 * 2.0 - 1.0) * REACH;
        let stretched = |log_local: f32| log_local.signum() * (log_local.abs().exp() - 1.0);
        let local = Vec2::new(stretched(unit(entry % SIDE)), stretched(unit(entry / SIDE)));
        0.5 * (self.low + self.high) + local * self.width()
    }

    // Parameter 0..1 of a border point along the perimeter; `point` is its inverse.
    fn border_parameter(&self, at: Vec2) -> f32 {
        let local = (at - self.low) / (self.high - self.low).max(Vec2::splat(1e-6));
        let sides = [local.y, 1.0 - local.x, 1.0 - local.y, local.x];
        let nearest = (0..4).fold(0, |best, side| if sides[side] < sides[best] { side } else { best });
        let t = [local.x, local.y, 1.0 - local.x, 1.0 - local.y][nearest];
        0.25 * (nearest as f32 + t.clamp(0.0, 1.0))
    }

    fn point(&self, fraction: f32) -> Vec2 {
        let (side, t) = ((4.0 * fraction) as usize % 4, (4.0 * fraction).fract());
        let local =
            [Vec2::new(t, 0.0), Vec2::new(1.0, t), Vec2::new(1.0 - t, 1.0), Vec2::new(0.0, 1.0 - t)][side];
        self.low + local * (self.high - self.low)
    }
}

// Box filter of a periodic table over `reach` entries to both sides.
fn blurred(table: &[f32], reach: usize) -> Vec<f32> {
    let count = table.len();
    let mean = |middle: usize| {
        let near = (0..=2 * reach).map(|step| table[(middle + count + step - reach) % count]);
        near.sum::<f32>() / (2 * reach + 1) as f32
    };
    (0..count).map(mean).collect()
}

fn lookup(table: &[f32], fraction: f32) -> f32 {
    let at = fraction.rem_euclid(1.0) * table.len() as f32;
    let entry = (at as usize).min(table.len() - 1);
    let (here, next) = (table[entry], table[(entry + 1) % table.len()]);
    here + (next - here) * (at - entry as f32)
}

#[cfg(test)]
mod tests {
    use undine_frame::Mesh;

    use super::*;

    fn coast() -> (VertexLattice, Vec<f32>) {
        let lattice = VertexLattice::of(&Mesh::flat_sheet("g", [100.0, 60.0], [51, 31])).unwrap();
        let heights = (0..51 * 31).map(|index| 0.4 * ((index % 51) as f32 * 2.0 - 40.0)).collect();
        (lattice, heights)
    }

    #[test]
    fn land_goes_on_at_the_border_and_the_sea_stays_sea() {
        let (lattice, heights) = coast();
        let extrapolation = TerrainExtrapolation::new(&lattice, &heights, Some(0.0), 1);
        let height = |x: f32, y: f32| {
            let at = Vec2::new(x, y);
            extrapolation.height(at, lattice.weights(at).interpolate(&heights))
        };
        assert!((height(100.1, 30.0) - 24.0).abs() < 0.3);
        for far in [20.0, 100.0, 1000.0, 20_000.0] {
            assert!(height(-far, 30.0) < 0.0, "land in the sea at {far}");
            assert!(height(100.0 + far, 30.0) > 0.0, "sea on the land at {far}");
        }
        height(f32::NAN, 1.0);
    }
}
