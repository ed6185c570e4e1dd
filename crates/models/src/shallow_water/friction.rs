//! Drag of the bed: Manning's law, Darcy and Weisbach's, and a linear one, together.
//!
//! The momentum q of a column obeys dq/dt = L − S q, where L is all that is not friction and S grows without bound in
//! thin water. With x = S dt a stage takes
//!
//! ```text
//! q′ = q + (dt L − x q) (1 + x) / (1 + x + x²)
//! ```
//!
//! which is the forward step up to the third power of dt, so that the second order of the two stages is kept; rests where
//! L = S q, so that steady flow is exact for any dt; and tends to L/S for large x, so that no film is too thin.
//! S itself is taken at the start of the stage where x is small, and where it is large at the end, from the quadratic
//! m (1 + dt (τ + k m)) = |q + dt L|: a film that starts from rest would else not know its friction.

use super::settings::Settings;
use super::tile::greater;

/// The three coefficients, already multiplied by what does not change.
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
    /// The friction of a water's settings.
    pub fn of(settings: &Settings) -> Friction {
        let Settings { gravity, manning, darcy, drag, .. } = *settings;
        Friction { manning: gravity * manning * manning, darcy: darcy / 8.0, linear: drag }
    }

    pub fn is_none(&self) -> bool {
        *self == Friction::default()
    }

    /// The change of the momentum `flow` by one stage, where everything but friction would change it by `change`.
    #[inline(always)]
    pub fn damp(&self, depth: f64, flow: [f64; 2], change: [f64; 2], dt: f64) -> [f64; 2] {
        // S = τ + k |q|
        let over_depth = 1.0 / depth;
        let k = over_depth * over_depth * (self.manning * inverse_cube_root(depth) + self.darcy);
        let at_start = self.linear + k * norm(flow);
        let pulled = norm([flow[0] + change[0], flow[1] + change[1]]);
        let bare = 1.0 + dt * self.linear;
        let kept = 2.0 * pulled / (bare + (bare * bare + 4.0 * dt * k * pulled).sqrt());
        let at_end = self.linear + k * kept;

        let stiff = dt * at_end * dt * at_end;
        let x = dt * (at_start + (at_end - at_start) * (stiff / (1.0 + stiff)));
        let share = (1.0 + x) / (1.0 + x + x * x);
        [(change[0] - x * flow[0]) * share, (change[1] - x * flow[1]) * share]
    }
}

#[inline(always)]
fn norm([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

/// 1/∛x for normal positive x, to the last digits, in operations that every vector unit has.
#[inline(always)]
fn inverse_cube_root(x: f64) -> f64 {
    // A third of the exponent, negated, from the upper half of the bits; right to 4 %
    let upper = (x.to_bits() >> 32) as u32;
    let guess = f64::from_bits(((0x553e_f0ff - upper / 3) as u64) << 32);
    // Steps of third order: y ← y (1 + e/3 + 2e²/9) with e = 1 − x y³
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
        let pull: f64 = 9.81 * depth * 0.1;
        let held = (pull / (friction.manning * depth.powf(-7.0 / 3.0))).sqrt();
        let dt = 10.0;
        let change = friction.damp(depth, [0.0, held], [0.0, pull * dt], dt)[1];
        assert!((change / held).abs() < 1e-9);
        let mut flow = 0.0;
        for _ in 0..5 {
            flow += friction.damp(depth, [0.0, flow], [0.0, pull * dt], dt)[1];
        }
        assert!((flow / held - 1.0).abs() < 1e-6, "{flow} {held}");
    }
}
