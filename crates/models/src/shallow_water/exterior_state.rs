//! Exterior states at a side of the domain, and the numerical flux through a face there.
//!
//! With u counted inwards and c² = g h, the Riemann invariants along the normal are w₊ = u + 2c, carried inwards, and
//! w₋ = u − 2c, carried outwards. In subcritical flow w₋ comes from the state inside and only w₊ is prescribed by the
//! exterior state [toro2001], so waves that arrive at a side leave without reflection.

use super::riemann::{self, RiemannState};

/// The state prescribed outside one face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ExteriorState {
    /// Nothing: outflow leaves unchanged, and there is no inflow.
    FreeOutflow,
    /// Still water at a level η₀, with an incoming wave of elevation `rise`.
    Sea { level: f64, rise: f64 },
    /// A prescribed level.
    Stage { level: f64 },
    /// A prescribed discharge q in m²/s, out of the domain if negative, with a depth for supercritical inflow.
    Discharge { rate: f64, depth: Option<f64> },
    /// The state of another model: depth, and velocity across (inwards) and along the side.
    Water { depth: f64, across: f64, along: f64 },
}

/// Numerical flux inwards through a face on a side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct InwardFlux {
    /// Mass flux (volume), in m²/s.
    pub mass: f64,
    /// Normal momentum flux less the hydrostatic pressure ½ g h² of the state inside.
    pub momentum: f64,
    /// Tangential momentum flux.
    pub shear: f64,
}

impl ExteriorState {
    /// The flux inwards; the velocity of `inside` is counted inwards too.
    pub fn inward_flux(&self, inside: RiemannState, gravity: f64) -> InwardFlux {
        // Supercritical outflow: both characteristics leave
        let c = (gravity * inside.depth).sqrt();
        let is_inflow = matches!(self, ExteriorState::Discharge { rate, .. } if *rate > 0.0);
        if inside.depth > 0.0 && inside.across < -c && !is_inflow {
            return free_outflow(inside);
        }
        let bed = inside.level - inside.depth;
        // Subcritical: w₋ from inside, w₊ from the exterior state
        let outgoing = inside.across - 2.0 * c;
        match *self {
            ExteriorState::FreeOutflow => free_outflow(inside),
            ExteriorState::Sea { level, .. } if level <= bed => free_outflow(inside),
            ExteriorState::Sea { level, rise } => {
                let still_celerity_squared = gravity * (level - bed);
                let wave_celerity = (gravity * (level + rise - bed).max(0.0)).sqrt();
                let incoming = 4.0 * wave_celerity - 2.0 * still_celerity_squared.sqrt();
                let u = 0.5 * (incoming + outgoing);
                let c = (0.25 * (incoming - outgoing)).max(0.0);
                state_flux(c * c / gravity.max(f64::MIN_POSITIVE), u, inside, gravity)
            }
            ExteriorState::Stage { level } if level <= bed => dry_exterior_flux(inside, gravity),
            ExteriorState::Stage { level } => {
                let celerity = (gravity * (level - bed)).sqrt();
                state_flux(level - bed, (outgoing + 2.0 * celerity).min(celerity), inside, gravity)
            }
            ExteriorState::Discharge { rate, depth } => {
                discharge_flux(rate, depth, outgoing, inside, gravity)
            }
            ExteriorState::Water { depth, across, along } => {
                let outside = RiemannState { depth, level: bed + depth, across, along };
                let flux = riemann::hllc_flux(outside, inside, gravity);
                InwardFlux { mass: flux.mass, momentum: flux.high, shear: flux.shear }
            }
        }
    }
}

/// Flux of the state inside, for u < 0 only.
fn free_outflow(inside: RiemannState) -> InwardFlux {
    let u = inside.across.min(0.0);
    let mass = inside.depth * u;
    InwardFlux { mass, momentum: mass * u, shear: mass * inside.along }
}

/// Flux against a dry exterior: free overfall, as over a weir.
fn dry_exterior_flux(inside: RiemannState, gravity: f64) -> InwardFlux {
    ExteriorState::Water { depth: 0.0, across: 0.0, along: 0.0 }.inward_flux(inside, gravity)
}

/// Flux of the state (h, u) in the face: (h u, h u² + ½ g (h² − h_in²), h u v).
fn state_flux(depth: f64, u: f64, inside: RiemannState, gravity: f64) -> InwardFlux {
    let mass = depth * u;
    let pressure = 0.5 * gravity * (depth - inside.depth) * (depth + inside.depth);
    let along = if mass > 0.0 { 0.0 } else { inside.along };
    InwardFlux { mass, momentum: mass * u + pressure, shear: mass * along }
}

/// Flux of a prescribed discharge q, at the depth that satisfies the outgoing invariant w₋ = q/h − 2√(g h).
fn discharge_flux(
    rate: f64,
    depth: Option<f64>,
    outgoing: f64,
    inside: RiemannState,
    gravity: f64,
) -> InwardFlux {
    let critical = (rate * rate / gravity.max(f64::MIN_POSITIVE)).cbrt();
    if rate > 0.0 {
        let depth = match depth {
            Some(shallow) if shallow < critical => shallow,
            _ => depth_of_flow(rate, outgoing, gravity).max(critical),
        };
        return state_flux(depth, rate / depth, inside, gravity);
    }
    // The largest outflow is the critical one, c = −w₋/3, as over a weir
    let critical_celerity = (-outgoing / 3.0).max(0.0);
    let rate = rate.max(-critical_celerity.powi(3) / gravity.max(f64::MIN_POSITIVE));
    let depth = depth_of_flow(rate, outgoing, gravity)
        .max((critical_celerity * critical_celerity) / gravity.max(f64::MIN_POSITIVE));
    if depth > 0.0 { state_flux(depth, rate / depth, inside, gravity) } else { InwardFlux::default() }
}

/// The subcritical depth h with q/h − 2√(g h) = w₋: Newton's method in c = √(g h), from above, where it is monotone.
fn depth_of_flow(rate: f64, outgoing: f64, gravity: f64) -> f64 {
    let g_q = gravity * rate;
    let mut c = (0.5 * -outgoing).max(0.0) + g_q.abs().cbrt();
    for _ in 0..30 {
        // g q/c² − 2c − w = 0
        let residual = g_q - (2.0 * c + outgoing) * c * c;
        let slope = -(6.0 * c + 2.0 * outgoing) * c;
        let next = if slope < 0.0 { c - residual / slope } else { c };
        if (next - c).abs() <= 1e-15 * c {
            break;
        }
        c = next;
    }
    c * c / gravity.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: f64 = 9.81;

    fn inside(depth: f64, across: f64) -> RiemannState {
        RiemannState { depth, level: depth + 0.3, across, along: 0.7 }
    }

    #[test]
    fn calm_water_beside_calm_water_stays_calm() {
        for outside in [
            ExteriorState::Sea { level: 2.3, rise: 0.0 },
            ExteriorState::Stage { level: 2.3 },
            ExteriorState::Water { depth: 2.0, across: 0.0, along: 0.0 },
            ExteriorState::FreeOutflow,
            ExteriorState::Discharge { rate: 0.0, depth: None },
        ] {
            let flux = outside.inward_flux(inside(2.0, 0.0), G);
            assert!(flux.mass.abs() < 1e-14 && flux.momentum.abs() < 1e-13, "{outside:?} {flux:?}");
        }
    }

    #[test]
    fn a_given_discharge_passes_whatever_is_inside() {
        for depth in [0.0, 1e-9, 0.01, 0.5, 3.0] {
            for across in [-0.5, 0.0, 0.4, 3.0] {
                let flux =
                    ExteriorState::Discharge { rate: 1.7, depth: None }.inward_flux(inside(depth, across), G);
                assert!((flux.mass - 1.7).abs() < 1e-12 && flux.momentum.is_finite());
            }
        }
        let fast = ExteriorState::Discharge { rate: 2.5, depth: Some(0.3) }.inward_flux(inside(0.2, 1.0), G);
        assert!((fast.momentum - (2.5 * 2.5 / 0.3 + 0.5 * G * (0.09 - 0.04))).abs() < 1e-12);
    }

    #[test]
    fn no_more_is_drawn_than_can_come() {
        let drawn =
            ExteriorState::Discharge { rate: -1e6, depth: None }.inward_flux(inside(1.0, 0.0), G).mass;
        let weir = -(2.0 / 3.0 * G.sqrt()).powi(3) / G;
        assert!((drawn / weir - 1.0).abs() < 1e-6, "{drawn} {weir}");
        assert_eq!(
            ExteriorState::Discharge { rate: -1.0, depth: None }.inward_flux(inside(0.0, 0.0), G).mass,
            0.0
        );
        let gentle =
            ExteriorState::Discharge { rate: -0.1, depth: None }.inward_flux(inside(1.0, 0.0), G).mass;
        assert!((gentle + 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_wave_from_inside_leaves_without_an_echo() {
        // A simple wave running outwards: u = −2(c − c₀). The invariant it brings back is that of still water.
        let (still, risen) = ((G * 2.0).sqrt(), (G * 2.3f64).sqrt());
        let wave = inside(2.3, -2.0 * (risen - still));
        let flux = ExteriorState::Sea { level: 2.3, rise: 0.0 }.inward_flux(wave, G);
        let own = wave.depth * wave.across;
        assert!(
            (flux.mass / own - 1.0).abs() < 1e-12
                && (flux.momentum / (own * wave.across) - 1.0).abs() < 1e-12
        );
    }

    #[test]
    fn fast_flow_leaves_untouched() {
        let fast = inside(0.5, -4.0);
        for outside in [ExteriorState::Stage { level: 9.0 }, ExteriorState::Sea { level: 9.0, rise: 0.0 }] {
            let flux = outside.inward_flux(fast, G);
            assert_eq!((flux.mass, flux.momentum, flux.shear), (-2.0, 8.0, -1.4));
        }
    }
}
