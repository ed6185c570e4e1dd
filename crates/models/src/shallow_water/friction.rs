//! Bed friction: Manning, Darcy–Weisbach and linear drag, added, in a semi-implicit step.
//!
//! The momentum q obeys dq/dt = L − S q, where L is everything but friction, S = τ + k |q| and
//! k = g n²/h^(7/3) + f/(8 h²), which is unbounded as h → 0. With x = S dt a stage computes
//!
//! ```text
//! q′ = q + (dt L − x q) (1 + x) / (1 + x + x²)
//! ```
//!
//! which agrees with forward Euler up to dt³, so the second order of the two stages is kept; is steady where L = S q, so
//! steady flow is exact for any dt; and tends to L/S for large x, so it is stable for thin films. S is evaluated at the
//! start of the stage where x is small and at its end where x is large, from the quadratic
//! m (1 + dt (τ + k m)) = |q + dt L|: else a film that starts from rest would have no friction.

use super::settings::Settings;
use super::tile::greater;

/// The friction coefficients, multiplied by what is constant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Friction {
    /// g n² of Manning's n, in m^(1/3).
    pub manning: f64,
    /// f/8 of the Darcy–Weisbach f.
    pub darcy: f64,
    /// Linear damping τ, in 1/s.
    pub linear: f64,
}

impl Friction {
    /// The coefficients for a model's settings.
    pub fn of(settings: &Settings) -> Friction {
        let Settings { gravity, manning, darcy, drag, .. } = *settings;
        Friction { manning: gravity * manning * manning, darcy: darcy / 8.0, linear: drag }
    }

    pub fn is_none(&self) -> bool {
        *self == Friction::default()
    }

    /// The change of the momentum `flow` = q in a stage in which everything but friction would change it by `change` =
    /// dt L.
    #[inline(always)]
    pub fn damp(&self, depth: f64, flow: [f64; 2], change: [f64; 2], dt: f64) -> [f64; 2] {
        // S = τ + k |q|
        let over_depth = 1.0 / depth;
        let k = over_depth * over_depth * (self.manning * inverse_cube_root(depth) + self.darcy);
        let at_start = self.linear + k * norm(flow);
        let unresisted = norm([flow[0] + change[0], flow[1] + change[1]]);
        let linear_part = 1.0 + dt * self.linear;
        let at_end_norm =
            2.0 * unresisted / (linear_part + (linear_part * linear_part + 4.0 * dt * k * unresisted).sqrt());
        let at_end = self.linear + k * at_end_norm;

        // S between its values at the start and at the end, by x²/(1 + x²)
        let stiff = dt * at_end * dt * at_end;
        let x = dt * (at_start + (at_end - at_start) * (stiff / (1.0 + stiff)));
        let factor = (1.0 + x) / (1.0 + x + x * x);
        [(change[0] - x * flow[0]) * factor, (change[1] - x * flow[1]) * factor]
    }
}

/// |(x, y)|.
#[inline(always)]
fn norm([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

/// 1/∛x for normal positive x, to the last digits, in operations that every vector unit has.
#[inline(always)]
fn inverse_cube_root(x: f64) -> f64 {
    // First guess: a third of the exponent, negated, from the upper half of the bits; accurate to 4 %
    let upper = (x.to_bits() >> 32) as u32;
    let guess = f64::from_bits(((0x553e_f0ff - upper / 3) as u64) << 32);
    // Iterations of third order: y ← y (1 + e/3 + 2e²/9) with e = 1 − x y³
    let mut y = guess;
    for _ in 0..3 {
        let e = 1.0 - x * y * y * y;
        y += y * e * (1.0 / 3.0 + e * (2.0 / 9.0));
    }
    greater(y, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_root_is_right_to_the_last_digits() {
        for exponent in -300..300 {
            let x = 1.37 * 10f64.powi(exponent);
            let error = inverse_cube_root(x) * x.cbrt() - 1.0;
            assert!(error.abs() < 1e-15, "{x}: {error}");
        }
    }

    #[test]
    fn two_stages_are_of_second_order() {
        // dq/dt = 1 − q²/h^(7/3) from rest has the solution √(1/k) tanh(√k t)
        let friction = Friction { manning: 0.7, ..Friction::default() };
        let k: f64 = 0.7 * 0.5f64.powf(-7.0 / 3.0);
        let error = |steps: usize| {
            let dt = 1.0 / steps as f64;
            let mut flow = 0.0;
            for _ in 0..steps {
                let stage = |q: f64| q + friction.damp(0.5, [q, 0.0], [dt, 0.0], dt)[0];
                flow = 0.5 * (flow + stage(stage(flow)));
            }
            (flow - k.sqrt().tanh() / k.sqrt()).abs()
        };
        let order = (error(200) / error(400)).log2();
        assert!((1.9..2.2).contains(&order), "order {order}");
    }

    #[test]
    fn steady_flow_stays_and_films_creep() {
        let friction = Friction::of(&Settings { manning: 0.03, ..Settings::default() });
        let depth: f64 = 1e-5;
        // Down a slope of 0.1: L = g h S, and the flow that friction holds
        let force: f64 = 9.81 * depth * 0.1;
        let held = (force / (friction.manning * depth.powf(-7.0 / 3.0))).sqrt();
        let dt = 10.0;
        let change = friction.damp(depth, [0.0, held], [0.0, force * dt], dt)[1];
        assert!((change / held).abs() < 1e-9);
        let mut flow = 0.0;
        for _ in 0..5 {
            flow += friction.damp(depth, [0.0, flow], [0.0, force * dt], dt)[1];
        }
        assert!((flow / held - 1.0).abs() < 1e-6, "{flow} {held}");
    }
}
