//! What lies outside a side of the domain, and what therefore passes through a face of it.
//!
//! Along the normal of a side two waves run, u + 2c inwards and u − 2c outwards (u counted inwards, c² = g h). As long as
//! the flow is slower than c, one of them comes from inside, and what is known outside replaces only the other
//! [toro2001]. So waves that arrive at a side leave through it instead of being sent back.

use super::riemann::{self, Side};

/// What is known outside one face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outside {
    /// Nothing: what flows out, flows out as it is, and nothing comes in.
    Nothing,
    /// Water that is still at a level, but for a wave that comes in and stands `rise` above it.
    Sea { level: f64, rise: f64 },
    /// Water held at a level.
    Stage { level: f64 },
    /// Water that comes in at so many m²/s (or is drawn off, below zero), at a depth of its own if it comes in faster
    /// than waves run.
    Inflow { rate: f64, depth: Option<f64> },
    /// Another water with a depth and a velocity across (inwards) and along the side.
    Water { depth: f64, across: f64, along: f64 },
}

/// What passes inwards through a face on a side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Passage {
    /// Volume per metre and second.
    pub mass: f64,
    /// Momentum across the side, less the still pressure of the water inside.
    pub thrust: f64,
    /// Momentum along the side.
    pub shear: f64,
}

impl Outside {
    /// What passes inwards; the velocity of `inside` is counted inwards too.
    pub fn passage(&self, inside: Side, gravity: f64) -> Passage {
        let c = (gravity * inside.depth).sqrt();
        let is_fed = matches!(self, Outside::Inflow { rate, .. } if *rate > 0.0);
        if inside.depth > 0.0 && inside.across < -c && !is_fed {
            return leaving(inside);
        }
        let bed = inside.level - inside.depth;
        let outgoing = inside.across - 2.0 * c;
        match *self {
            Outside::Nothing => leaving(inside),
            Outside::Sea { level, .. } if level <= bed => leaving(inside),
            Outside::Sea { level, rise } => {
                let still = gravity * (level - bed);
                let raised = (gravity * (level + rise - bed).max(0.0)).sqrt();
                let incoming = 4.0 * raised - 2.0 * still.sqrt();
                let u = 0.5 * (incoming + outgoing);
                let c = (0.25 * (incoming - outgoing)).max(0.0);
                flowing(c * c / gravity.max(f64::MIN_POSITIVE), u, inside, gravity)
            }
            Outside::Stage { level } if level <= bed => falling(inside, gravity),
            Outside::Stage { level } => {
                let held = (gravity * (level - bed)).sqrt();
                flowing(level - bed, (outgoing + 2.0 * held).min(held), inside, gravity)
            }
            Outside::Inflow { rate, depth } => inflow(rate, depth, outgoing, inside, gravity),
            Outside::Water { depth, across, along } => {
                let outside = Side { depth, level: bed + depth, across, along };
                let flux = riemann::flux(outside, inside, gravity);
                Passage { mass: flux.mass, thrust: flux.high, shear: flux.shear }
            }
        }
    }
}

/// The water inside flows out as it is; it does not flow in.
fn leaving(inside: Side) -> Passage {
    let u = inside.across.min(0.0);
    let mass = inside.depth * u;
    Passage { mass, thrust: mass * u, shear: mass * inside.along }
}

/// Nothing holds the water: it falls over the side as over a weir.
fn falling(inside: Side, gravity: f64) -> Passage {
    Outside::Water { depth: 0.0, across: 0.0, along: 0.0 }.passage(inside, gravity)
}

/// Water of a given depth and velocity stands in the face.
fn flowing(depth: f64, u: f64, inside: Side, gravity: f64) -> Passage {
    let mass = depth * u;
    let pressure = 0.5 * gravity * (depth - inside.depth) * (depth + inside.depth);
    let along = if mass > 0.0 { 0.0 } else { inside.along };
    Passage { mass, thrust: mass * u + pressure, shear: mass * along }
}

/// A given discharge, at the depth that the outgoing wave leaves to it.
fn inflow(rate: f64, depth: Option<f64>, outgoing: f64, inside: Side, gravity: f64) -> Passage {
    let critical = (rate * rate / gravity.max(f64::MIN_POSITIVE)).cbrt();
    if rate > 0.0 {
        let depth = match depth {
            Some(shallow) if shallow < critical => shallow,
            _ => depth_of_flow(rate, outgoing, gravity).max(critical),
        };
        return flowing(depth, rate / depth, inside, gravity);
    }
    // No more can be drawn than runs over an edge
    let edge = (-outgoing / 3.0).max(0.0);
    let rate = rate.max(-edge.powi(3) / gravity.max(f64::MIN_POSITIVE));
    let depth = depth_of_flow(rate, outgoing, gravity).max((edge * edge) / gravity.max(f64::MIN_POSITIVE));
    if depth > 0.0 { flowing(depth, rate / depth, inside, gravity) } else { Passage::default() }
}

/// The depth at which q/h − 2√(g h) is the invariant of the outgoing wave, on the branch of slow flow: Newton's method
/// in c = √(g h), from above, where it is monotonous.
fn depth_of_flow(rate: f64, outgoing: f64, gravity: f64) -> f64 {
    let pull = gravity * rate;
    let mut c = (0.5 * -outgoing).max(0.0) + pull.abs().cbrt();
    for _ in 0..30 {
        // g q/c² − 2c − w = 0
        let residual = pull - (2.0 * c + outgoing) * c * c;
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

    fn inside(depth: f64, across: f64) -> Side {
        Side { depth, level: depth + 0.3, across, along: 0.7 }
    }

    #[test]
    fn calm_water_beside_calm_water_stays_calm() {
        for outside in [
            Outside::Sea { level: 2.3, rise: 0.0 },
            Outside::Stage { level: 2.3 },
            Outside::Water { depth: 2.0, across: 0.0, along: 0.0 },
            Outside::Nothing,
            Outside::Inflow { rate: 0.0, depth: None },
        ] {
            let passage = outside.passage(inside(2.0, 0.0), G);
            assert!(passage.mass.abs() < 1e-14 && passage.thrust.abs() < 1e-13, "{outside:?} {passage:?}");
        }
    }

    #[test]
    fn a_given_discharge_passes_whatever_is_inside() {
        for depth in [0.0, 1e-9, 0.01, 0.5, 3.0] {
            for across in [-0.5, 0.0, 0.4, 3.0] {
                let passage = Outside::Inflow { rate: 1.7, depth: None }.passage(inside(depth, across), G);
                assert!((passage.mass - 1.7).abs() < 1e-12 && passage.thrust.is_finite());
            }
        }
        let fast = Outside::Inflow { rate: 2.5, depth: Some(0.3) }.passage(inside(0.2, 1.0), G);
        assert!((fast.thrust - (2.5 * 2.5 / 0.3 + 0.5 * G * (0.09 - 0.04))).abs() < 1e-12);
    }

    #[test]
    fn no_more_is_drawn_than_can_come() {
        let drawn = Outside::Inflow { rate: -1e6, depth: None }.passage(inside(1.0, 0.0), G).mass;
        let weir = -(2.0 / 3.0 * G.sqrt()).powi(3) / G;
        assert!((drawn / weir - 1.0).abs() < 1e-6, "{drawn} {weir}");
        assert_eq!(Outside::Inflow { rate: -1.0, depth: None }.passage(inside(0.0, 0.0), G).mass, 0.0);
        let gentle = Outside::Inflow { rate: -0.1, depth: None }.passage(inside(1.0, 0.0), G).mass;
        assert!((gentle + 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_wave_from_inside_leaves_without_an_echo() {
        // A simple wave running outwards: u = −2(c − c₀). The invariant it brings back is that of still water.
        let (still, risen) = ((G * 2.0).sqrt(), (G * 2.3f64).sqrt());
        let wave = inside(2.3, -2.0 * (risen - still));
        let passage = Outside::Sea { level: 2.3, rise: 0.0 }.passage(wave, G);
        let own = wave.depth * wave.across;
        assert!(
            (passage.mass / own - 1.0).abs() < 1e-12
                && (passage.thrust / (own * wave.across) - 1.0).abs() < 1e-12
        );
    }

    #[test]
    fn fast_flow_leaves_untouched() {
        let fast = inside(0.5, -4.0);
        for outside in [Outside::Stage { level: 9.0 }, Outside::Sea { level: 9.0, rise: 0.0 }] {
            let passage = outside.passage(fast, G);
            assert_eq!((passage.mass, passage.thrust, passage.shear), (-2.0, 8.0, -1.4));
        }
    }
}
