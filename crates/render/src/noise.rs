//! Procedural noise: value noise on a hashed lattice, the same on every machine and thread.

use glam::Vec2;

/// 32-bit hash of a lattice point.
pub fn hash(x: i32, y: i32, seed: u32) -> u32 {
    let mut bits =
        (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77).rotate_left(13);
    bits ^= seed.wrapping_mul(0xc2b2_ae3d);
    bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    bits = (bits ^ bits >> 12).wrapping_mul(0x297a_2d39);
    bits ^ bits >> 15
}

/// Hash of a lattice point as a number in [0, 1).
pub fn unit(x: i32, y: i32, seed: u32) -> f32 {
    (hash(x, y, seed) >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// ⌊x⌋; faster than `f32::floor` where the processor has no rounding instruction.
pub fn floor(x: f32) -> i32 {
    let cut = x as i32;
    cut.wrapping_sub(i32::from((cut as f32) > x))
}

/// Value noise in 0..1 with lattice spacing one and continuous second derivatives (quintic interpolation).
pub fn value(at: Vec2, seed: u32) -> f32 {
    let (column, row) = (floor(at.x), floor(at.y));
    let ease = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (u, v) = (ease(at.x - column as f32), ease(at.y - row as f32));
    let (east, north) = (column.wrapping_add(1), row.wrapping_add(1));
    let (southwest, southeast) = (unit(column, row, seed), unit(east, row, seed));
    let (northwest, northeast) = (unit(column, north, seed), unit(east, north, seed));
    let south = southwest + (southeast - southwest) * u;
    let north = northwest + (northeast - northwest) * u;
    south + (north - south) * v
}

/// Fractal noise (fBm): octaves of value noise, each half as strong and about twice as fine; the sum lies in 0..1.
///
/// Octaves finer than `footprint` fade to their mean (frequency clamping), which avoids aliasing.
pub fn fractal(at: Vec2, octaves: u32, footprint: f32, seed: u32) -> f32 {
    // Each octave is rotated, so that the lattices of different octaves do not align
    let (cosine, sine) = (0.8, 0.6);
    let (mut at, mut footprint, mut weight) = (at, footprint, 0.5);
    let (mut sum, mut total) = (0.0, 0.0);
    for octave in 0..octaves {
        let kept = (2.0 - 3.0 * footprint).clamp(0.0, 1.0);
        sum +=
            weight * if kept > 0.0 { 0.5 + (value(at, seed.wrapping_add(octave)) - 0.5) * kept } else { 0.5 };
        total += weight;
        at = Vec2::new(cosine * at.x - sine * at.y, sine * at.x + cosine * at.y) * 2.03;
        footprint *= 2.03;
        weight *= 0.5;
    }
    if total > 0.0 { sum / total } else { 0.5 }
}

/// Hermite step: 0 below `low`, 1 above `high`, 3t² − 2t³ between.
pub fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_meets_the_lattice_and_stays_in_range() {
        assert_eq!(value(Vec2::new(3.0, -2.0), 7), unit(3, -2, 7));
        for step in 0..1000 {
            let noise = fractal(Vec2::new(step as f32 * 0.37 - 90.0, step as f32 * 0.11), 5, 0.01, 3);
            assert!((0.0..=1.0).contains(&noise));
        }
    }

    #[test]
    fn noise_is_even_on_average() {
        let sum: f32 = (0..10_000).map(|index| unit(index % 100, index / 100, 1)).sum();
        assert!((sum / 10_000.0 - 0.5).abs() < 0.01);
    }

    #[test]
    fn patterns_finer_than_a_pixel_are_gone() {
        assert_eq!(fractal(Vec2::new(0.3, 0.7), 4, 1.0, 5), 0.5);
    }

    #[test]
    fn floor_agrees_with_the_standard_one() {
        for x in [-2.0, -1.5, -0.0, 0.0, 0.99, 7.0] {
            assert_eq!(floor(x), f32::floor(x) as i32);
        }
    }
}
