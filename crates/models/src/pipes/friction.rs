//! Friction in a pipe, as a rate by which its flow decays: linear, k, and by Manning, g n² |q| / d^(7/3) [bates2010].

/// ∛x for x > 0 to single precision, in operations that vectorise.
#[inline(always)]
pub(super) fn cube_root(x: f32) -> f32 {
    // A third of the exponent, then Newton's iteration for y³ = x
    let mut y = f32::from_bits(x.to_bits() / 3 + 0x2a51_37a0);
    for _ in 0..3 {
        y = (2.0 * y + x / (y * y)) * (1.0 / 3.0);
    }
    y
}

/// d^(7/3).
#[inline(always)]
pub(super) fn seven_thirds(depth: f32) -> f32 {
    depth * depth * cube_root(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_is_that_of_manning() {
        for exponent in -60..30 {
            let depth = 1.37_f32 * f32::exp2(exponent as f32 * 0.5);
            let expected = f64::from(depth).powf(7.0 / 3.0);
            let error = (f64::from(seven_thirds(depth)) / expected - 1.0).abs();
            assert!(error < 1e-6, "{depth}: {error}");
        }
    }
}
