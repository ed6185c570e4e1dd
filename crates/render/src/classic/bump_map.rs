//! Bump mapping: small waves as a height map that perturbs normals only [li2007] §2.2.3, after [blinn1978].

use std::f32::consts::TAU;
use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::noise::unit;

/// Texels along the side of the default map.
const SIDE: usize = 256;
/// Waves of the default map, each with an integer number of periods, so that the map tiles.
const WAVES: i32 = 40;

/// Parameters of bump mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct BumpSpec {
    /// RMS slope of the bumps; 0 for none.
    pub strength: f32,
    /// Size of a tile of the map, in metres.
    pub length: f32,
    /// Drift speed along +x and, half as fast, along +y, in metres per second.
    pub drift: f32,
    /// The map; `None` for the default of random waves.
    pub map: Option<BumpMap>,
}

impl Default for BumpSpec {
    fn default() -> Self {
        BumpSpec { strength: 0.06, length: 5.0, drift: 0.4, map: None }
    }
}

/// Gradients of a tileable height map.
#[derive(Debug, Clone, PartialEq)]
pub struct BumpMap {
    size: [usize; 2],
    gradients: Arc<[Vec2]>,
}

impl BumpMap {
    /// The map of heights in rows from the top. Gradients are central differences, normalised to an RMS slope of one.
    pub fn new(width: usize, pixels: &[f32]) -> Self {
        let (width, height) = (width.max(1), (pixels.len() / width.max(1)).max(1));
        let pixel = |x: usize, y: usize| pixels.get(y * width + x).copied().unwrap_or(0.0);
        let gradient = |index: usize| {
            let (x, y) = (index % width, index / width);
            // Rows run down, y runs up
            let dx = pixel((x + width - 1) % width, y) - pixel((x + 1) % width, y);
            let dy = pixel(x, (y + 1) % height) - pixel(x, (y + height - 1) % height);
            Vec2::new(dx, dy)
        };
        let gradients: Vec<Vec2> = (0..width * height).map(gradient).collect();
        let mean = gradients.iter().map(|slope| slope.length_squared()).sum::<f32>() / gradients.len() as f32;
        let scale = if mean > 0.0 { 1.0 / mean.sqrt() } else { 0.0 };
        BumpMap { size: [width, height], gradients: gradients.iter().map(|slope| *slope * scale).collect() }
    }

    /// The default map: a sum of random periodic waves.
    pub fn waves(seed: u32) -> Self {
        let wave = |index: i32| {
            let number = |part: i32| unit(index, part, seed ^ 0x51);
            let periods = Vec2::new((number(0) * 20.0).round() + 3.0, (number(1) * 36.0).round() - 18.0);
            (periods, TAU * number(2), 1.0 / periods.length().powf(1.4))
        };
        let waves: Vec<(Vec2, f32, f32)> = (0..WAVES).map(wave).collect();
        let height = |index: usize| {
            let at = Vec2::new((index % SIDE) as f32, (index / SIDE) as f32) / SIDE as f32;
            let term =
                |(periods, phase, size): &(Vec2, f32, f32)| size * (TAU * periods.dot(at) + phase).sin();
            waves.iter().map(term).sum::<f32>()
        };
        BumpMap::new(SIDE, &(0..SIDE * SIDE).map(height).collect::<Vec<f32>>())
    }

    /// Pixels along and down.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The gradient at a texel; zero outside the map.
    pub fn slope(&self, column: usize, row: usize) -> Vec2 {
        let is_inside = column < self.size[0];
        self.gradients.get(row * self.size[0] + column).copied().filter(|_| is_inside).unwrap_or_default()
    }

    // Bilinear interpolation of the gradient; the map has size one and repeats.
    fn gradient(&self, at: Vec2) -> Vec2 {
        let [width, height] = self.size;
        let texel = (at - at.floor()) * Vec2::new(width as f32, height as f32);
        let cell = [(texel.x as usize).min(width - 1), (texel.y as usize).min(height - 1)];
        let next = [(cell[0] + 1) % width, (cell[1] + 1) % height];
        let within = texel - Vec2::new(cell[0] as f32, cell[1] as f32);
        let value = |column: usize, row: usize| self.gradients[row * width + column];
        let row = |row: usize| value(cell[0], row).lerp(value(next[0], row), within.x);
        row(cell[1]).lerp(row(next[1]), within.y)
    }
}

/// Bump map at one time.
#[derive(Debug, Clone)]
pub struct Bumps {
    map: BumpMap,
    strength: f32,
    length: f32,
    shift: Vec2,
}

impl Bumps {
    /// The bump map at a time; `None` when bumps are off.
    pub fn new(spec: &BumpSpec, time: f64, seed: u32) -> Option<Bumps> {
        (spec.strength > 0.0).then(|| Bumps {
            map: spec.map.clone().unwrap_or_else(|| BumpMap::waves(seed)),
            strength: spec.strength,
            length: spec.length.max(1e-3),
            shift: Vec2::new(1.0, 0.5)
                * (f64::from(spec.drift) * time % f64::from(spec.length.max(1e-3) * 2.0)) as f32,
        })
    }

    /// New_Normal = Normal + U x_gradient + V y_gradient, faded out for footprints larger than the bumps.
    pub fn perturbed_normal(&self, normal: Vec3, at: Vec2, footprint: f32) -> Vec3 {
        // Bumps smaller than a pixel would alias
        let shown = (1.5 - 12.0 * footprint / self.length).clamp(0.0, 1.0);
        if shown <= 0.0 {
            return normal;
        }
        let gradient = self.map.gradient((at - self.shift) / self.length) * (self.strength * shown);
        (normal + Vec3::X * gradient.x + Vec3::Y * gradient.y).normalize_or(normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_lean_away_from_rising_pixels() {
        // A ramp that rises to the right and, as rows run from the top, upwards to the top.
        let pixels: Vec<f32> = (0..64).map(|index| (index % 8) as f32 - 2.0 * (index / 8) as f32).collect();
        let gradient = BumpMap::new(8, &pixels).gradient(Vec2::new(0.5, 0.5));
        assert!(gradient.x < 0.0 && gradient.y < 1.5 * gradient.x, "{gradient}");
    }

    #[test]
    fn the_map_of_waves_has_the_slope_asked_for_and_no_seam() {
        let map = BumpMap::waves(3);
        let mean = map.gradients.iter().map(|slope| slope.length_squared()).sum::<f32>()
            / map.gradients.len() as f32;
        assert!((mean - 1.0).abs() < 1e-3);
        assert!((map.gradient(Vec2::new(0.0, 0.3)) - map.gradient(Vec2::new(0.99999, 0.3))).length() < 0.01);
        let bumps = Bumps::new(&BumpSpec::default(), 1e9, 1).unwrap();
        assert!(bumps.perturbed_normal(Vec3::Z, Vec2::splat(f32::NAN), 0.01).is_finite());
        assert_eq!(bumps.perturbed_normal(Vec3::Z, Vec2::ONE, 100.0), Vec3::Z);
    }
}
