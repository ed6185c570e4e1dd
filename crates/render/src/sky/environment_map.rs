//! Environment maps from files: Radiance (RGBE) [ward1994] or OpenEXR [kainz2004].
//!
//! An image of 2 to 1 is equirectangular, with +x in its centre and the zenith at its top. One of 3 to 4 or 4 to 3 is
//! a cube map unfolded as a cross.

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::{exr, rgbe};

/// Largest number of pixels.
pub(super) const MOST: usize = 1 << 26;

/// Width, height, and the pixels in rows from the top.
pub(super) type Pixels = (usize, usize, Vec<Vec3>);

/// Why an environment map could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentMapError {
    /// It has neither format.
    #[error("the environment map is neither a Radiance image (.hdr) nor OpenEXR (.exr)")]
    Strange,
    /// It is an OpenEXR image that cannot be read.
    #[error("the environment map is OpenEXR, but cannot be read: {0}")]
    Exr(String),
    /// It ends too early.
    #[error("the environment map is damaged: it ends too early")]
    Short,
    /// It is larger than the limit.
    #[error("the environment map is too large: at most 67 million pixels are read")]
    TooLarge,
    /// It is neither equirectangular nor a cross.
    #[error("the environment map has {0} × {1} pixels: neither 2 to 1 nor a cross of 4 to 3 or 3 to 4")]
    Shape(usize, usize),
}

/// How directions are mapped to pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MapLayout {
    Equirectangular,
    /// Cube map: four faces around, one above and one below the second.
    HorizontalCross,
    /// The same, with the fourth face below the lowest and upside down.
    VerticalCross,
}

/// Radiance from every direction.
#[derive(Debug, Clone)]
pub struct EnvironmentMap {
    width: usize,
    height: usize,
    layout: MapLayout,
    pixels: Arc<[Vec3]>,
    /// Cumulative distribution of the excess over the limit times solid angle, to sample bright pixels by.
    cdf: Arc<[f32]>,
    limit: f32,
    mean: Vec3,
}

impl PartialEq for EnvironmentMap {
    fn eq(&self, other: &Self) -> bool {
        self.width == other.width && self.layout == other.layout && self.pixels == other.pixels
    }
}

impl EnvironmentMap {
    /// Decodes the bytes of a file: Radiance or OpenEXR, by its first bytes.
    pub fn decode(bytes: &[u8]) -> Result<EnvironmentMap, EnvironmentMapError> {
        let is_exr = bytes.starts_with(&exr::MAGIC);
        let (width, height, pixels) = if is_exr { exr::read(bytes)? } else { rgbe::read(bytes)? };
        EnvironmentMap::new(width, height, pixels)
    }

    /// An environment map of linear pixels, rows from the top.
    pub fn new(
        width: usize,
        height: usize,
        pixels: Vec<Vec3>,
    ) -> Result<EnvironmentMap, EnvironmentMapError> {
        let layout = match (width, height) {
            _ if width == 2 * height => MapLayout::Equirectangular,
            _ if 3 * width == 4 * height => MapLayout::HorizontalCross,
            _ if 4 * width == 3 * height => MapLayout::VerticalCross,
            _ => return Err(EnvironmentMapError::Shape(width, height)),
        };
        if width == 0 || pixels.len() != width * height {
            return Err(EnvironmentMapError::Shape(width, height));
        }
        let finite = |light: Vec3| if light.is_finite() { light.max(Vec3::ZERO) } else { Vec3::ZERO };
        let pixels: Vec<Vec3> = pixels.into_iter().map(finite).collect();
        let mut map = EnvironmentMap {
            width,
            height,
            layout,
            pixels: pixels.into(),
            cdf: Arc::from([]),
            limit: f32::INFINITY,
            mean: Vec3::ZERO,
        };
        map.build_distribution();
        Ok(map)
    }

    // Computes the mean radiance, the limit of brightness, and the cumulative distribution of bright pixels.
    fn build_distribution(&mut self) {
        let (mut sum, mut solid) = (Vec3::ZERO, 0.0);
        for (index, &light) in self.pixels.iter().enumerate() {
            let angle = self.solid_angle(index);
            sum += light * angle;
            solid += angle;
        }
        self.mean = sum / f32::max(solid, 1e-9);
        self.limit = 4.0 * self.mean.max_element().max(1e-9);
        let mut total = 0.0_f64;
        let bright = self.pixels.iter().enumerate().map(|(index, &light)| {
            total += f64::from(self.excess(light).max_element() * self.solid_angle(index));
            total as f32
        });
        self.cdf = bright.collect();
    }

    /// The mean radiance of all directions.
    pub fn mean(&self) -> Vec3 {
        self.mean
    }

    /// Radiance from a direction, bilinear.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let at = self.to_pixel(direction);
        let (x, y) = (at.x - 0.5, at.y - 0.5);
        let (column, row) = (x.floor(), y.floor());
        let (u, v) = (x - column, y - row);
        let pixel = |dx: f32, dy: f32| self.pixel(column + dx, row + dy);
        let above = pixel(0.0, 0.0).lerp(pixel(1.0, 0.0), u);
        above.lerp(pixel(0.0, 1.0).lerp(pixel(1.0, 1.0), u), v)
    }

    /// Radiance from a direction, limited to what may be hit by chance; the excess is sampled explicitly.
    pub fn radiance_without_bright(&self, direction: Vec3) -> Vec3 {
        let light = self.radiance(direction);
        light - self.excess(light)
    }

    /// Samples a direction by the excess radiance; returns it with excess over probability density. `None` if nothing
    /// is bright.
    pub fn sample_bright(&self, at: Vec2) -> Option<(Vec3, Vec3)> {
        let total = *self.cdf.last()?;
        if total <= 0.0 {
            return None;
        }
        let wanted = at.x * total;
        let index = self.cdf.partition_point(|&sum| sum <= wanted).min(self.pixels.len() - 1);
        let light = self.excess(self.pixels[index]);
        let weight = light.max_element();
        (weight > 0.0).then(|| (self.direction(index), light * (total / weight)))
    }

    fn excess(&self, light: Vec3) -> Vec3 {
        let most = light.max_element();
        if most > self.limit { light * (1.0 - self.limit / most) } else { Vec3::ZERO }
    }

    fn pixel(&self, column: f32, row: f32) -> Vec3 {
        let column = if self.layout == MapLayout::Equirectangular {
            (column as i64).rem_euclid(self.width as i64) as usize
        } else {
            (column.max(0.0) as usize).min(self.width - 1)
        };
        let row = (row.max(0.0) as usize).min(self.height - 1);
        self.pixels[row * self.width + column]
    }

    // Pixel coordinates of a direction.
    fn to_pixel(&self, direction: Vec3) -> Vec2 {
        let size = Vec2::new(self.width as f32, self.height as f32);
        if self.layout == MapLayout::Equirectangular {
            let azimuth = direction.y.atan2(direction.x);
            let elevation = direction.z.clamp(-1.0, 1.0).asin();
            return Vec2::new(0.5 - azimuth / TAU, 0.5 - elevation / PI) * size;
        }
        let (face, on) = face(direction);
        let (cell, on) = match (self.layout, face) {
            (_, 4) => (Vec2::new(1.0, 0.0), on),
            (_, 5) => (Vec2::new(1.0, 2.0), on),
            (MapLayout::VerticalCross, 3) => (Vec2::new(1.0, 3.0), Vec2::ONE - on),
            (_, around) => (Vec2::new([1.0, 2.0, 0.0, 3.0][around % 4], 1.0), on),
        };
        let edge = size.x / if self.layout == MapLayout::HorizontalCross { 4.0 } else { 3.0 };
        (cell + on.clamp(Vec2::splat(0.5 / edge), Vec2::splat(1.0 - 0.5 / edge))) * edge
    }

    // The direction of a pixel's centre.
    fn direction(&self, index: usize) -> Vec3 {
        let at = Vec2::new((index % self.width) as f32 + 0.5, (index / self.width) as f32 + 0.5);
        let size = Vec2::new(self.width as f32, self.height as f32);
        if self.layout == MapLayout::Equirectangular {
            let (azimuth, elevation) = ((0.5 - at.x / size.x) * TAU, (0.5 - at.y / size.y) * PI);
            return (Vec2::from_angle(azimuth) * elevation.cos()).extend(elevation.sin());
        }
        let edge = size.x / if self.layout == MapLayout::HorizontalCross { 4.0 } else { 3.0 };
        let (cell, on) = ((at / edge).floor(), at / edge - (at / edge).floor());
        let (face, on) = match (cell.x as u32, cell.y as u32) {
            (1, 0) => (4, on),
            (1, 2) => (5, on),
            (1, 3) => (3, Vec2::ONE - on),
            (1, _) => (0, on),
            (2, _) => (1, on),
            (0, _) => (2, on),
            _ => (3, on),
        };
        let side = 2.0 * on - 1.0;
        face_direction(face, side).normalize_or(Vec3::X)
    }

    // Solid angle of a pixel; 0 in the empty corners of a cross.
    fn solid_angle(&self, index: usize) -> f32 {
        let (column, row) = (index % self.width, index / self.width);
        if self.layout == MapLayout::Equirectangular {
            let elevation = (0.5 - (row as f32 + 0.5) / self.height as f32) * PI;
            return elevation.cos() * (PI / self.height as f32) * (TAU / self.width as f32);
        }
        let edge = self.width as f32 / if self.layout == MapLayout::HorizontalCross { 4.0 } else { 3.0 };
        let cell = [(column as f32 / edge) as u32, (row as f32 / edge) as u32];
        let is_face =
            cell[0] == 1 || (cell[1] == 1 && (self.layout == MapLayout::HorizontalCross || cell[0] < 3));
        let on = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) / edge;
        let side = 2.0 * (on - on.floor()) - 1.0;
        let steep = (1.0 + side.length_squared()).powf(-1.5);
        if is_face { steep * 4.0 / (edge * edge) } else { 0.0 }
    }
}

// The face of a cube that a direction meets, and the point on it from its upper left corner. Faces 0 to 3 lie around,
// +x first and then to its right; 4 is above and 5 below.
fn face(direction: Vec3) -> (usize, Vec2) {
    let reach = direction.abs();
    let (face, side) = if reach.z >= reach.x.max(reach.y) {
        let side = Vec2::new(-direction.y, direction.x * direction.z.signum());
        (if direction.z > 0.0 { 4 } else { 5 }, side / reach.z.max(1e-12))
    } else if reach.x >= reach.y {
        let sign = direction.x.signum();
        (if sign > 0.0 { 0 } else { 3 }, Vec2::new(-direction.y * sign, -direction.z) / reach.x)
    } else {
        let sign = direction.y.signum();
        (if sign > 0.0 { 2 } else { 1 }, Vec2::new(direction.x * sign, -direction.z) / reach.y)
    };
    (face, 0.5 * side + 0.5)
}

fn face_direction(face: usize, side: Vec2) -> Vec3 {
    match face {
        4 => Vec3::new(side.y, -side.x, 1.0),
        5 => Vec3::new(-side.y, -side.x, -1.0),
        0 => Vec3::new(1.0, -side.x, -side.y),
        3 => Vec3::new(-1.0, side.x, -side.y),
        2 => Vec3::new(side.x, 1.0, -side.y),
        _ => Vec3::new(-side.x, -1.0, -side.y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sky(width: usize, height: usize) -> EnvironmentMap {
        let mut map = EnvironmentMap::new(width, height, vec![Vec3::ONE; width * height]).unwrap();
        let pixels = (0..width * height).map(|index| map.direction(index)).collect();
        map.pixels = pixels;
        map
    }

    #[test]
    fn directions_come_back_from_every_shape() {
        for (width, height) in [(256, 128), (256, 192), (192, 256)] {
            let map = sky(width, height);
            for index in 0..200 {
                let turn = Vec2::from_angle(index as f32 * 0.7);
                let direction = turn.extend((index as f32 * 0.37).sin() * 3.0).normalize();
                assert!((map.radiance(direction) - direction).length() < 0.05, "{width}: {direction}");
            }
        }
    }

    #[test]
    fn solid_angles_fill_the_sphere() {
        for (width, height) in [(256, 128), (256, 192), (192, 256)] {
            let map = sky(width, height);
            let sum: f32 = (0..width * height).map(|index| map.solid_angle(index)).sum();
            assert!((sum / (4.0 * PI) - 1.0).abs() < 1e-3, "{width}: {sum}");
        }
    }

    #[test]
    fn bright_light_is_drawn_as_often_as_it_is_bright() {
        let mut pixels = vec![Vec3::splat(0.1); 64 * 32];
        pixels[5 * 64 + 20] = Vec3::splat(1000.0);
        let map = EnvironmentMap::new(64, 32, pixels).unwrap();
        let (direction, light) = map.sample_bright(Vec2::new(0.4, 0.2)).unwrap();
        let wanted = map.excess(Vec3::splat(1000.0)) * map.solid_angle(5 * 64 + 20);
        assert!((light / wanted - 1.0).length() < 1e-4);
        assert!(map.radiance_without_bright(direction).max_element() <= map.limit * 1.001);
        assert!(
            EnvironmentMap::new(64, 32, vec![Vec3::ONE; 64 * 32])
                .unwrap()
                .sample_bright(Vec2::ZERO)
                .is_none()
        );
    }

    #[test]
    fn files_are_read_and_broken_ones_refused() {
        let mut file = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 8 +X 16\n".to_vec();
        for _ in 0..8 {
            file.extend([2, 2, 0, 16]);
            for channel in [128, 64, 0, 129] {
                file.extend([128 + 16, channel]);
            }
        }
        let map = EnvironmentMap::decode(&file).unwrap();
        assert_eq!(map.radiance(Vec3::X), Vec3::new(1.0, 0.5, 0.0));
        assert_eq!(EnvironmentMap::decode(&file[..60]).unwrap_err(), EnvironmentMapError::Short);
        assert_eq!(EnvironmentMap::decode(b"P6 3 3").unwrap_err(), EnvironmentMapError::Strange);
        let huge = b"#?RADIANCE\n\n-Y 99999999 +X 99999999\n";
        assert_eq!(EnvironmentMap::decode(huge).unwrap_err(), EnvironmentMapError::TooLarge);
    }

    #[test]
    fn cube_faces_map_back_to_their_points() {
        for face_number in 0..6 {
            let (found, on) = face(face_direction(face_number, Vec2::new(0.3, -0.4)));
            assert_eq!(found, face_number);
            assert!((on - Vec2::new(0.65, 0.3)).length() < 1e-6, "{face_number}");
        }
    }
}
