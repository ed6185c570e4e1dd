//! Dispersion relation of linear gravity waves, ω² = g k tanh(k d) [lamb1932], and the decay of the motion with depth.

use std::f64::consts::TAU;

/// Wave number, frequency and related quantities of one wave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dispersion {
    /// Wave number k = 2π/λ in rad/m.
    pub k: f64,
    /// Angular frequency ω in rad/s.
    pub omega: f64,
    /// Group speed c_g = dω/dk in m/s, at which energy travels.
    pub group_speed: f64,
    /// Depth d in metres; infinite for deep water.
    pub depth: f64,
    /// coth(k d): ratio of the horizontal to the vertical axis of the orbits at the surface.
    pub orbit_ratio: f64,
    /// ∫ sinh k(z+d)/sinh kd dz = tanh(k d / 2) / k, in metres: the vertical motion integrated over the depth.
    pub lift: f64,
}

impl Dispersion {
    /// A free gravity wave: ω = √(g k tanh k d), or √(g k) in deep water.
    pub fn of_gravity_wave(wavelength: f64, depth: Option<f64>, gravity: f64) -> Self {
        let k = TAU / wavelength;
        let depth = depth.unwrap_or(f64::INFINITY);
        let omega = (gravity * k * (k * depth).tanh()).sqrt();
        // c_g = ½ c (1 + 2kd / sinh 2kd); the quotient is 1 in shallow and 0 in deep water
        let two_k_d = 2.0 * k * depth;
        let shallow_factor = if two_k_d > 700.0 { 0.0 } else { two_k_d / two_k_d.sinh() };
        Dispersion::new(k, omega, 0.5 * omega / k * (1.0 + shallow_factor), depth)
    }

    /// A wave with a given phase speed c, ω = k c; its group speed is c as well.
    pub fn with_speed(wavelength: f64, speed: f64, depth: Option<f64>) -> Self {
        let k = TAU / wavelength;
        Dispersion::new(k, k * speed, speed, depth.unwrap_or(f64::INFINITY))
    }

    fn new(k: f64, omega: f64, group_speed: f64, depth: f64) -> Self {
        let (orbit_ratio, lift) = (1.0 / (k * depth).tanh(), (0.5 * k * depth).tanh() / k);
        Dispersion { k, omega, group_speed, depth, orbit_ratio, lift }
    }

    /// λ = 2π/k in metres.
    pub fn wavelength(&self) -> f64 {
        TAU / self.k
    }

    /// Horizontal and vertical motion at height `z` ≤ 0 relative to the surface: cosh k(z+d)/cosh kd and sinh
    /// k(z+d)/sinh kd, in a form that does not overflow.
    pub fn decay(&self, z: f64) -> (f64, f64) {
        let z = z.clamp(-self.depth, 0.0);
        let fall = (self.k * z).exp();
        if !self.depth.is_finite() {
            return (fall, fall);
        }
        let (reflected, floor) =
            ((-2.0 * self.k * (z + self.depth)).exp(), (-2.0 * self.k * self.depth).exp());
        (fall * (1.0 + reflected) / (1.0 + floor), fall * (1.0 - reflected) / (1.0 - floor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_deep_and_shallow_water() {
        let deep = Dispersion::of_gravity_wave(10.0, None, 9.81);
        assert!((deep.omega.powi(2) - 9.81 * deep.k).abs() < 1e-12);
        assert!((deep.group_speed - 0.5 * deep.omega / deep.k).abs() < 1e-12);

        let shallow = Dispersion::of_gravity_wave(1000.0, Some(0.1), 9.81);
        let speed = (9.81f64 * 0.1).sqrt();
        assert!((shallow.omega / shallow.k / speed - 1.0).abs() < 1e-6);
        assert!((shallow.group_speed / speed - 1.0).abs() < 1e-6);
    }

    #[test]
    fn motion_decays_to_nothing_at_the_bed_and_never_overflows() {
        let wave = Dispersion::of_gravity_wave(8.0, Some(2.0), 9.81);
        let (_, vertical) = wave.decay(-2.0);
        assert!(vertical.abs() < 1e-15);
        let (along, up) = wave.decay(-1.0);
        let exact =
            ((wave.k * 1.0).cosh() / (wave.k * 2.0).cosh(), (wave.k * 1.0).sinh() / (wave.k * 2.0).sinh());
        assert!((along - exact.0).abs() < 1e-14 && (up - exact.1).abs() < 1e-14);
        let ripple = Dispersion::of_gravity_wave(0.01, Some(4000.0), 9.81);
        assert!(ripple.decay(-2000.0) == (0.0, 0.0) && ripple.group_speed.is_finite());
    }
}
