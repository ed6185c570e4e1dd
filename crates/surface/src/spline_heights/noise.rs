//! Fractal value noise for the displacement of rock.

/// Most octaves.
const OCTAVES: u32 = 8;

/// A number in [−1, 1) for a point of a lattice.
fn lattice_value(x: i64, y: i64, octave: u32) -> f64 {
    let mut bits = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (y as u64).wrapping_mul(0xd1b5_4a32_d192_ed03).rotate_left(31)
        ^ u64::from(octave).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Value noise with two continuous derivatives.
fn value(at: [f64; 2], octave: u32) -> f64 {
    let [low_x, low_y] = at.map(f64::floor);
    let ease = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (u, v) = (ease(at[0] - low_x), ease(at[1] - low_y));
    let (x, y) = (low_x as i64, low_y as i64);
    let along = |y: i64| {
        let west = lattice_value(x, y, octave);
        west + u * (lattice_value(x.wrapping_add(1), y, octave) - west)
    };
    let south = along(y);
    south + v * (along(y.wrapping_add(1)) - south)
}

/// Octaves of noise, each half as strong and about half as long as the one before, down to twice the length `finest`; within
/// [−1, 1).
pub fn fractal(at: [f64; 2], finest: f64) -> f64 {
    let (mut at, mut length, mut weight, mut sum) = (at, 1.0, 0.5, 0.0);
    for octave in 0..OCTAVES {
        if octave > 0 && length < 2.0 * finest {
            break;
        }
        sum += weight * value(at, octave);
        // Turned, so that the lattices of octaves do not align
        at = [2.03 * (0.8 * at[0] - 0.6 * at[1]), 2.03 * (0.6 * at[0] + 0.8 * at[1])];
        (length, weight) = (length / 2.03, 0.5 * weight);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_bounded_continuous_and_of_no_mean() {
        let points: Vec<[f64; 2]> =
            (0..4000).map(|n| [0.37 * f64::from(n) - 700.0, 1.13 * f64::from(n % 61)]).collect();
        let values: Vec<f64> = points.iter().map(|&at| fractal(at, 0.01)).collect();
        assert!(values.iter().all(|value| value.abs() < 1.0));
        let mean = values.iter().sum::<f64>() / 4000.0;
        let spread = values.iter().map(|value| value * value).sum::<f64>() / 4000.0;
        assert!(mean.abs() < 0.03 && spread > 0.02, "{mean} {spread}");
        for at in points {
            let beside = fractal([at[0] + 1e-6, at[1]], 0.01);
            assert!((beside - fractal(at, 0.01)).abs() < 1e-3);
        }
        assert!(fractal([1e18, -1e18], 0.0).is_finite());
    }
}
