//! Smoothstep, and smooth minimum and maximum of heights.

/// Rises from 0 to 1 as t goes from 0 to 1, level at both ends.
pub(crate) fn step(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The greater of two heights, rounded over where they are less than `blend` apart.
pub(crate) fn max(a: f64, b: f64, blend: f64) -> f64 {
    let nearness = if blend > 0.0 { (1.0 - (a - b).abs() / blend).max(0.0) } else { 0.0 };
    a.max(b) + 0.25 * blend * nearness * nearness
}

/// The lesser of two heights, rounded over where they are less than `blend` apart.
pub(crate) fn min(a: f64, b: f64, blend: f64) -> f64 {
    -max(-a, -b, blend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_blend_they_are_plain() {
        assert_eq!((max(1.0, 2.0, 0.0), min(1.0, 2.0, 0.0)), (2.0, 1.0));
        assert_eq!((max(5.0, 2.0, 3.0), min(5.0, 2.0, 3.0)), (5.0, 2.0));
        assert_eq!((max(2.0, 2.0, 4.0), min(2.0, 2.0, 4.0)), (3.0, 1.0));
    }

    #[test]
    fn a_step_is_level_at_its_ends() {
        assert_eq!([step(-1.0), step(0.0), step(0.5), step(1.0), step(2.0)], [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert!(step(1e-4) < 1e-7 && step(1.0 - 1e-4) > 1.0 - 1e-7);
    }
}
