//! Cube map: six square images of the environment, looked up by direction.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::sky::Sky;

/// Texels along the side of a face rendered from the sky.
const SIDE: usize = 256;

/// The faces in their order: name, direction of the centre, and the right and up vectors of the image seen from inside
/// (facing north for the last two).
pub const FACES: [(&str, Vec3, Vec3, Vec3); 6] = [
    ("east", Vec3::X, Vec3::NEG_Y, Vec3::Z),
    ("west", Vec3::NEG_X, Vec3::Y, Vec3::Z),
    ("north", Vec3::Y, Vec3::X, Vec3::Z),
    ("south", Vec3::NEG_Y, Vec3::NEG_X, Vec3::Z),
    ("up", Vec3::Z, Vec3::X, Vec3::NEG_Y),
    ("down", Vec3::NEG_Z, Vec3::X, Vec3::Y),
];

/// A cube map in linear light.
#[derive(Debug, Clone, PartialEq)]
pub struct CubeMap {
    side: usize,
    faces: Arc<[Vec<Vec3>; 6]>,
}

impl CubeMap {
    /// Renders a cube map from a function of direction.
    pub fn new(side: usize, colour: impl Fn(Vec3) -> Vec3 + Sync) -> Self {
        let side = side.max(2);
        let faces = FACES.map(|(_, middle, right, up)| {
            let texel = |index: usize| {
                let at = Vec2::new((index % side) as f32 + 0.5, (index / side) as f32 + 0.5);
                let at = at / side as f32 * 2.0 - 1.0;
                colour((middle + right * at.x - up * at.y).normalize())
            };
            (0..side * side).into_par_iter().with_min_len(1024).map(texel).collect()
        });
        CubeMap { side, faces: Arc::new(faces) }
    }

    /// The cube map of a sky with its sun, prefiltered as for reflections. The lower half is a dimmed mirror image of the
    /// upper: a reflected ray that points down meets another wave, which reflects the sky.
    pub fn of(sky: &Sky) -> Self {
        let footprint = 2.0 / SIDE as f32;
        CubeMap::new(SIDE, |direction| {
            if direction.dot(sky.sun) > 0.995 && direction.z > 0.0 {
                return sky.radiance(direction, footprint);
            }
            let dimmed = if direction.z < 0.0 { 0.7 } else { 1.0 };
            sky.blurred_radiance(direction.with_z(direction.z.abs()), 0.0) * dimmed
        })
    }

    /// The cube map of six square images of one size, in the order of [`FACES`], rows from the top; `None` if their sizes
    /// differ.
    pub fn of_faces(side: usize, faces: [Vec<Vec3>; 6]) -> Option<Self> {
        let fits = side >= 2 && faces.iter().all(|face| face.len() == side * side);
        fits.then(|| CubeMap { side, faces: Arc::new(faces) })
    }

    /// Applies a function to every texel.
    pub fn map(&self, change: impl Fn(Vec3) -> Vec3 + Sync) -> Self {
        let faces: [Vec<Vec3>; 6] = std::array::from_fn(|face| {
            self.faces[face].par_iter().with_min_len(4096).map(|&colour| change(colour)).collect()
        });
        CubeMap { side: self.side, faces: Arc::new(faces) }
    }

    /// Bilinear lookup in a direction, which need not be a unit vector.
    pub fn at(&self, direction: Vec3) -> Vec3 {
        let size = direction.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let face = 2 * axis + usize::from(direction[axis] < 0.0);
        let (_, middle, right, up) = FACES[face];
        let ahead = direction.dot(middle).max(1e-20);
        let face_position = Vec2::new(direction.dot(right), -direction.dot(up)) / ahead;
        let last = (self.side - 1) as f32;
        let texel =
            ((face_position * 0.5 + 0.5) * self.side as f32 - 0.5).max(Vec2::ZERO).min(Vec2::splat(last));
        let (column, row) = ((texel.x as usize).min(self.side - 2), (texel.y as usize).min(self.side - 2));
        let (u, v) = (texel.x - column as f32, texel.y - row as f32);
        let first = row * self.side + column;
        let colours = &self.faces[face];
        let upper = colours[first].lerp(colours[first + 1], u);
        upper.lerp(colours[first + self.side].lerp(colours[first + self.side + 1], u), v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_found_again() {
        let cube = CubeMap::new(64, |direction| direction);
        for index in 0..500 {
            let angle = index as f32;
            let direction = Vec3::new(angle.sin(), (1.7 * angle).cos(), (0.9 * angle).sin()).normalize();
            assert!((cube.at(3.0 * direction) - direction).length() < 0.03, "{direction}");
        }
        assert!(cube.at(Vec3::splat(f32::NAN)).length() < 2.0);
    }

    #[test]
    fn faces_must_be_alike() {
        let face = |count: usize| vec![Vec3::ONE; count];
        assert!(CubeMap::of_faces(4, std::array::from_fn(|_| face(16))).is_some());
        assert!(CubeMap::of_faces(4, std::array::from_fn(|index| face(16 + index / 5))).is_none());
    }
}
