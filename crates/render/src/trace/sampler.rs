//! Low-discrepancy sampler.
//!
//! Pairs of numbers fill the unit square evenly over the samples of a pixel: the first two dimensions of the Sobol
//! sequence with hash-based Owen scrambling, shuffled for every pair of dimensions (padding) [burley2020]. They
//! depend only on pixel, sample and dimension, so that a picture has the same bits for any number of threads.

use glam::Vec2;

use crate::noise::hash;

/// The sampler of one sample of one pixel.
#[derive(Debug, Clone)]
pub struct Sampler {
    pixel: u32,
    sample: u32,
    dimension: u32,
}

impl Sampler {
    /// The sampler for sample number `sample` of the pixel at (x, y) in frame number `frame`.
    pub fn new(x: usize, y: usize, frame: u64, sample: u32) -> Self {
        Sampler { pixel: hash(x as i32, y as i32, 0x7aced ^ frame as u32), sample, dimension: 0 }
    }

    /// The next pair of numbers in [0, 1).
    pub fn get_2d(&mut self) -> Vec2 {
        let seed = hash(self.dimension as i32, 0x51, self.pixel);
        self.dimension += 1;
        let index = owen_scramble(self.sample, seed);
        let first = owen_scramble(index.reverse_bits(), hash(1, 0, seed));
        let second = owen_scramble(sobol_dimension_1(index), hash(2, 0, seed));
        Vec2::new(to_unit_interval(first), to_unit_interval(second))
    }

    /// The next number in [0, 1).
    pub fn get_1d(&mut self) -> f32 {
        self.get_2d().x
    }
}

fn to_unit_interval(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

// Second dimension of the Sobol sequence: its direction numbers are the rows of Pascal's triangle modulo 2.
fn sobol_dimension_1(mut index: u32) -> u32 {
    let (mut direction, mut sum) = (1_u32 << 31, 0);
    while index > 0 {
        if index & 1 == 1 {
            sum ^= direction;
        }
        direction ^= direction >> 1;
        index >>= 1;
    }
    sum
}

// Nested uniform (Owen) scrambling by a hash: every bit depends on the higher ones only; constants of [burley2020].
fn owen_scramble(bits: u32, seed: u32) -> u32 {
    let mut bits = bits.reverse_bits();
    bits ^= bits.wrapping_mul(0x3d20_adea);
    bits = bits.wrapping_add(seed);
    bits = bits.wrapping_mul(seed >> 16 | 1);
    bits ^= bits.wrapping_mul(0x0552_6c56);
    bits ^= bits.wrapping_mul(0x53a2_2864);
    bits.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Of 256 samples exactly one falls into each of 16 × 16 cells, for any pair of dimensions.
    #[test]
    fn pairs_are_spread_evenly() {
        for pair in [0, 3, 17] {
            let mut counts = [0; 256];
            for sample in 0..256 {
                let mut sampler = Sampler::new(5, 9, 1, sample);
                let at = (0..=pair).map(|_| sampler.get_2d()).last().unwrap() * 16.0;
                counts[at.y as usize * 16 + at.x as usize] += 1;
            }
            assert!(counts.iter().all(|&count| count == 1), "{counts:?}");
        }
    }

    #[test]
    fn pairs_and_pixels_differ() {
        let mut one = Sampler::new(1, 2, 0, 0);
        let mut other = Sampler::new(2, 2, 0, 0);
        let first = one.get_2d();
        assert!(first != one.get_2d() && first != other.get_2d());
    }
}
