//! Smooth noise on the plane, the same everywhere and always for the same seed.
//!
//! A whole-number hash of the corners of unit squares gives each a gradient, or a value; between corners they are
//! blended by the quintic of [perlin2002], whose second derivatives meet at the squares' sides. Each sample brings its
//! derivative along.

use std::f64::consts::TAU;

use glam::DVec2;

/// Gradients to choose from; as many as make no direction stand out.
const DIRECTIONS: usize = 64;

/// A height and its slope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NoiseSample {
    pub value: f64,
    pub slope: DVec2,
}

/// Type of lattice noise: what each corner is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoiseBasis {
    /// A slope: hills and hollows of one size.
    Gradient,
    /// A height: rounder and more irregular.
    Value,
}

/// Noise of wavelength one, between -1 and 1.
#[derive(Debug, Clone)]
pub(crate) struct Noise {
    basis: NoiseBasis,
    directions: Vec<DVec2>,
}

impl Noise {
    pub fn new(basis: NoiseBasis) -> Noise {
        let angle = |number: usize| TAU * (number as f64 + 0.5) / DIRECTIONS as f64;
        Noise { basis, directions: (0..DIRECTIONS).map(|number| DVec2::from_angle(angle(number))).collect() }
    }

    /// The noise of a seed at a point.
    pub fn at(&self, seed: u32, point: DVec2) -> NoiseSample {
        let corner = point.floor();
        let inside = point - corner;
        // Far out the cast saturates, and the noise is level.
        let (column, row) = (corner.x as i64 as u32, corner.y as i64 as u32);
        let hashes = corner_hashes(seed, column, row);
        match self.basis {
            NoiseBasis::Gradient => self.blend_gradients(hashes, inside),
            NoiseBasis::Value => blend(hashes.map(height_of), [DVec2::ZERO; 4], inside),
        }
    }

    fn blend_gradients(&self, hashes: [u32; 4], inside: DVec2) -> NoiseSample {
        // The dot product with a unit gradient reaches √½ in the middle of a square.
        let slopes =
            hashes.map(|hash| self.directions[hash as usize % DIRECTIONS] * std::f64::consts::SQRT_2);
        let corners = [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
        let heights = std::array::from_fn(|corner| slopes[corner].dot(inside - corners[corner]));
        blend(heights, slopes, inside)
    }
}

/// Blends the heights of four planes, given at the corners of a square.
fn blend([a, b, c, d]: [f64; 4], slopes: [DVec2; 4], inside: DVec2) -> NoiseSample {
    let (u, v) = (quintic(inside.x), quintic(inside.y));
    let (du, dv) = (quintic_slope(inside.x), quintic_slope(inside.y));
    let twist = a - b - c + d;
    let value = a + u * (b - a) + v * (c - a) + u * v * twist;
    let carried = slopes[0] * ((1.0 - u) * (1.0 - v))
        + slopes[1] * (u * (1.0 - v))
        + slopes[2] * ((1.0 - u) * v)
        + slopes[3] * (u * v);
    let slope = carried + DVec2::new(du * (b - a + v * twist), dv * (c - a + u * twist));
    NoiseSample { value, slope }
}

fn quintic(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn quintic_slope(t: f64) -> f64 {
    30.0 * t * t * (t - 1.0) * (t - 1.0)
}

/// A value between -1 and 1.
fn height_of(hash: u32) -> f64 {
    f64::from(hash) * (2.0 / f64::from(u32::MAX)) - 1.0
}

/// Mixes seed and corner: every bit of the input changes about half of the bits of the result.
pub(crate) fn hash(seed: u32, column: u32, row: u32) -> u32 {
    hash_in_column(hash_of_column(seed, column), row)
}

/// The hashes of the four corners of a square, west to east, then south to north.
fn corner_hashes(seed: u32, column: u32, row: u32) -> [u32; 4] {
    let [west, east] = [column, column.wrapping_add(1)].map(|column| hash_of_column(seed, column));
    let north = row.wrapping_add(1);
    [(west, row), (east, row), (west, north), (east, north)].map(|(column, row)| hash_in_column(column, row))
}

fn hash_of_column(seed: u32, column: u32) -> u32 {
    mix(mix(seed ^ 0x9e37_79b9).wrapping_add(column))
}

fn hash_in_column(column: u32, row: u32) -> u32 {
    mix(column.wrapping_add(row.wrapping_mul(0x85eb_ca6b)))
}

fn mix(mut bits: u32) -> u32 {
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x21f0_aaad);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0xd35a_2d97);
    bits ^ (bits >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> impl Iterator<Item = DVec2> {
        (0..4000).map(|n| DVec2::new(f64::from(n) * 0.373 - 700.0, f64::from(n * n % 977) * 0.219 - 100.0))
    }

    #[test]
    fn noise_fills_its_range_and_has_no_bias() {
        for basis in [NoiseBasis::Gradient, NoiseBasis::Value] {
            let noise = Noise::new(basis);
            let values: Vec<f64> = points().map(|at| noise.at(7, at).value).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let highest = values.iter().fold(0.0, |high: f64, value| high.max(value.abs()));
            assert!(highest <= 1.0 && highest > 0.7 && mean.abs() < 0.03, "{basis:?} {highest} {mean}");
        }
    }

    #[test]
    fn the_slope_is_the_derivative_also_across_squares() {
        for basis in [NoiseBasis::Gradient, NoiseBasis::Value] {
            let noise = Noise::new(basis);
            for at in points().take(300).chain([DVec2::new(3.0, -2.0), DVec2::new(5.0, 0.4)]) {
                let h = 1e-6;
                let along = |d: DVec2| (noise.at(3, at + d).value - noise.at(3, at - d).value) / (2.0 * h);
                let slope = DVec2::new(along(DVec2::X * h), along(DVec2::Y * h));
                assert!((slope - noise.at(3, at).slope).length() < 1e-7, "{basis:?} {at}");
            }
        }
    }

    #[test]
    fn seeds_and_places_differ_and_nothing_is_infinite() {
        let noise = Noise::new(NoiseBasis::Gradient);
        let at = DVec2::new(0.3, 0.6);
        assert_eq!(noise.at(1, at), noise.at(1, at));
        assert_ne!(noise.at(1, at), noise.at(2, at));
        assert_ne!(hash(1, 2, 3), hash(1, 3, 2));
        for far in [1e18, -1e300, f64::MAX] {
            assert!(noise.at(1, DVec2::new(far, 0.5)).value.is_finite());
        }
    }
}
