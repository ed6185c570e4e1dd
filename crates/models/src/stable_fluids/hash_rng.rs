//! Counter-based random numbers: a hash of the identity of what they are for, so that no generator state is saved.

use super::emitters::InfluenceBall;

/// The random numbers of one object, such as a particle.
#[derive(Debug, Clone, Copy)]
pub struct HashRng {
    words: [u64; 3],
}

impl HashRng {
    /// The generator with this identity: seed, stream and index.
    pub fn new(words: [u64; 3]) -> Self {
        HashRng { words }
    }

    /// A uniform number in [0, 1).
    pub fn unit(&self, attempt: u32, which: usize) -> f64 {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for word in self.words.into_iter().chain([u64::from(attempt) << 8 | which as u64]) {
            bits = (bits ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            bits ^= bits >> 29;
        }
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniformly distributed point of a ball, by rejection from the cube.
    pub fn in_ball<const D: usize>(&self, attempt: u32, ball: &InfluenceBall<D>) -> [f64; D] {
        let cube = |round: usize| -> [f64; D] {
            std::array::from_fn(|axis| 2.0 * self.unit(attempt, D * round + axis) - 1.0)
        };
        // At least every second point of the cube lies in the ball
        let is_inside = |offset: &[f64; D]| offset.iter().map(|x| x * x).sum::<f64>() <= 1.0;
        let offset = (0..64).map(cube).find(is_inside).unwrap_or([0.0; D]);
        std::array::from_fn(|axis| ball.at[axis] + ball.radius * offset[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_a_ball_are_uniform() {
        let ball = InfluenceBall { at: [1.0, 2.0, 3.0], radius: 0.5 };
        let (mut inner, mut sum) = (0, [0.0; 3]);
        for number in 0..4000 {
            let point = HashRng::new([7, 1, number]).in_ball(0, &ball);
            let offset: [f64; 3] = std::array::from_fn(|axis| (point[axis] - ball.at[axis]) / ball.radius);
            let away = offset.iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!(away <= 1.0);
            inner += u32::from(away < 0.5);
            (0..3).for_each(|axis| sum[axis] += offset[axis] / 4000.0);
        }
        assert!((400..600).contains(&inner), "an eighth of 4000 lie within half the radius, not {inner}");
        assert!(sum.iter().all(|mean| mean.abs() < 0.03), "{sum:?}");
    }

    #[test]
    fn other_identities_give_other_numbers() {
        let one = HashRng::new([1, 0, 5]).unit(0, 0);
        let others = [HashRng::new([2, 0, 5]), HashRng::new([1, 1, 5]), HashRng::new([1, 0, 6])];
        assert!(
            others.iter().all(|other| other.unit(0, 0) != one) && HashRng::new([1, 0, 5]).unit(1, 0) != one
        );
    }
}
