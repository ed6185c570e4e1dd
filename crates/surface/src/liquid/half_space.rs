//! Moments of the averaging kernel over a liquid half-space.
//!
//! With the kernel w = (1 − s²)³ at distance s, in units of its radius R, a layer at height u contributes (1 − u²)⁴.
//! All integrals over a half-space are therefore polynomials, and the height of a point above a level surface is a
//! function of its distance from the weighted mean of the particles.

use std::sync::LazyLock;

/// Entries of the table, less one.
const STEPS: usize = 256;
/// Height in units of R below which a point counts as deep: the mean hardly moves there any more.
pub const DEEPEST: f32 = -0.7;
/// ∫ w over the full ball, in units of R³.
pub const FULL_BALL: f64 = 4.0 * std::f64::consts::PI * 16.0 / 315.0;

/// The tabulated moments, by the distance between point and mean in units of R.
pub static HALF_SPACE: LazyLock<HalfSpace> = LazyLock::new(HalfSpace::new);

/// Moments of a half-space for one distance of the mean.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HalfSpaceMoments {
    /// Height of the point above the surface, in units of R.
    pub height: f32,
    /// Root mean square distance of the particles, in units of R.
    pub spread: f32,
    /// Fraction of the full ball's weight.
    pub filled: f32,
}

/// The table of [`HalfSpaceMoments`].
pub struct HalfSpace {
    entries: Vec<HalfSpaceMoments>,
}

impl HalfSpace {
    fn new() -> HalfSpace {
        let entry = |step: usize| {
            let height = height_of_mean(step as f64 / STEPS as f64);
            HalfSpaceMoments {
                height: height as f32,
                spread: spread(height) as f32,
                filled: fraction_above(height) as f32,
            }
        };
        HalfSpace { entries: (0..=STEPS).map(entry).collect() }
    }

    /// The moments for this distance of the mean.
    pub fn at(&self, mean: f32) -> HalfSpaceMoments {
        let x = (mean * STEPS as f32).clamp(0.0, STEPS as f32 - 0.001);
        let (low, high) = (self.entries[x as usize], self.entries[x as usize + 1]);
        let fraction = x.fract();
        let lerp = |low: f32, high: f32| low + fraction * (high - low);
        HalfSpaceMoments {
            height: lerp(low.height, high.height),
            spread: lerp(low.spread, high.spread),
            filled: lerp(low.filled, high.filled),
        }
    }
}

/// Fraction of the kernel's weight on the open side of a wall at this distance, in units of R.
pub fn open_fraction(wall: f32) -> f32 {
    fraction_above(-f64::from(wall.clamp(-1.0, 1.0))) as f32
}

/// Distance of the mean from a point on the surface, in units of R.
pub fn mean_at_surface() -> f64 {
    mean(0.0)
}

/// ∫ (1 − u²)⁴ du from 0.
fn layer_integral(u: f64) -> f64 {
    let square = u * u;
    u * (1.0 + square * (-4.0 / 3.0 + square * (6.0 / 5.0 + square * (-4.0 / 7.0 + square / 9.0))))
}

/// ∫ u² (1 − u²)⁴ du from 0.
fn square_integral(u: f64) -> f64 {
    let square = u * u;
    u * square
        * (1.0 / 3.0 + square * (-4.0 / 5.0 + square * (6.0 / 7.0 + square * (-4.0 / 9.0 + square / 11.0))))
}

/// Fraction of the weight above a plane at this height.
fn fraction_above(height: f64) -> f64 {
    (layer_integral(1.0) - layer_integral(height)) / (2.0 * layer_integral(1.0))
}

fn mean(height: f64) -> f64 {
    (1.0 - height * height).powi(5) / 10.0 / (layer_integral(1.0) - layer_integral(height))
}

fn spread(height: f64) -> f64 {
    // In a layer at u the mean square distance from the axis is (1 − u²) / 5
    let mean_square =
        (square_integral(1.0) - square_integral(height)) / (layer_integral(1.0) - layer_integral(height));
    (0.2 + 0.8 * mean_square).sqrt()
}

/// The height at which the mean has this distance, by bisection.
fn height_of_mean(wanted: f64) -> f64 {
    let (mut low, mut high) = (-1.0, 0.97);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if mean(middle) < wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_agree_with_sums_over_a_half_space() {
        for height in [-0.5, 0.0, 0.4] {
            let (mut sum, mut moment, mut square) = (0.0, 0.0, 0.0);
            let steps = 60;
            for index in 0..8 * steps * steps * steps {
                let at =
                    [index % (2 * steps), index / (2 * steps) % (2 * steps), index / (4 * steps * steps)];
                let [x, y, z] = at.map(|i| (i as f64 + 0.5) / steps as f64 - 1.0);
                let distance = x * x + y * y + z * z;
                if z < -height && distance < 1.0 {
                    let weight = (1.0 - distance).powi(3);
                    sum += weight;
                    moment -= weight * z;
                    square += weight * distance;
                }
            }
            let found = HALF_SPACE.at((moment / sum) as f32);
            assert!((f64::from(found.height) - height).abs() < 0.01, "{found:?} at {height}");
            assert!((f64::from(found.spread) - (square / sum).sqrt()).abs() < 0.01);
            let volume = sum / (steps as f64).powi(3);
            assert!((f64::from(found.filled) - volume / FULL_BALL).abs() < 0.01);
        }
        assert!((open_fraction(0.0) - 0.5).abs() < 1e-6 && open_fraction(2.0) == 1.0);
    }
}
