//! The limits of an explicit step, all of which must hold.
//!
//! - Convection, eq. (3) of [foster1996]: δt Σ |u_a|/δ_a < 1. The paper takes the greatest of the axes, which is not
//!   sufficient in two or three dimensions.
//! - Viscosity: δt ≤ 1/(2ν Σ δ⁻² + α Σ |u_a|/δ_a). The diffusion by donor cells adds to that by ν: either limit alone is not
//!   sufficient where both are near.
//! - The surface, which follows the pressure of the step before: δt ≤ 0.3 √(Δ/|g|), Δ the least of the spacings.
//! - Central differences (α = 0) with forward Euler steps: δt ≤ 2ν/|u|².

use super::flow::Flow;
use crate::foster_metaxas::cells::is_fluid;

/// √(Δ/g) in which a step of gravity waves must lie.
const WAVE_SHARE: f64 = 0.3;

/// The greatest speeds of a flow.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct FlowSpeeds {
    /// max Σ |u_a|/δ_a in 1/s.
    pub crossing_rate: f64,
    /// max |u|² in m²/s².
    pub squared: f64,
}

/// The limits in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StepLimits {
    pub convection: f64,
    pub viscosity: f64,
    pub waves: f64,
    pub central: f64,
}

/// What the limits depend on beside the flow.
#[derive(Debug, Clone, Copy)]
pub(super) struct LimitTerms<const D: usize> {
    pub spacing: [f64; D],
    pub courant: f64,
    pub viscosity: f64,
    pub body_force: [f64; D],
    pub upwind: f64,
}

impl FlowSpeeds {
    /// The greatest speeds in cells of fluid, and those that ports prescribe.
    pub fn of<const D: usize>(flow: &Flow<D>, port_speed: f64) -> FlowSpeeds {
        let (strides, inverse, width) = (flow.index.strides(), flow.inverse_spacing(), flow.grid.cells()[0]);
        let greatest_inverse = inverse.into_iter().fold(0.0, f64::max);
        let mut speeds =
            FlowSpeeds { crossing_rate: port_speed * greatest_inverse, squared: port_speed * port_speed };
        for start in flow.index.rows() {
            let first = flow.index.at(start);
            for at in (first..first + width).filter(|&at| is_fluid(flow.kinds[at])) {
                let (mut rate, mut squared) = (0.0, 0.0);
                for a in 0..D {
                    let u = f64::max(flow.velocity[a][at].abs(), flow.velocity[a][at + strides[a]].abs());
                    rate += u * inverse[a];
                    squared += u * u;
                }
                speeds.crossing_rate = speeds.crossing_rate.max(rate);
                speeds.squared = speeds.squared.max(squared);
            }
        }
        speeds
    }
}

impl StepLimits {
    /// The limits of a flow with these speeds.
    pub fn new<const D: usize>(speeds: &FlowSpeeds, terms: &LimitTerms<D>) -> StepLimits {
        let least = terms.spacing.into_iter().fold(f64::INFINITY, f64::min);
        let inverse_squares: f64 = terms.spacing.iter().map(|spacing| spacing.powi(-2)).sum();
        let force = terms.body_force.iter().map(|g| g * g).sum::<f64>().sqrt();
        // 0/0 is no limit
        let limit = |numerator: f64, denominator: f64| match denominator > 0.0 {
            true => numerator / denominator,
            false => f64::INFINITY,
        };
        StepLimits {
            convection: limit(terms.courant, speeds.crossing_rate),
            viscosity: limit(
                1.0,
                2.0 * terms.viscosity * inverse_squares + terms.upwind * speeds.crossing_rate,
            ),
            waves: limit(WAVE_SHARE * least.sqrt(), force.sqrt()),
            central: if terms.upwind > 0.0 {
                f64::INFINITY
            } else {
                limit(2.0 * terms.viscosity, speeds.squared)
            },
        }
    }

    /// The shortest, and what it comes from.
    pub fn least(&self) -> (f64, &'static str) {
        let named = [
            (self.convection, "convection (eq. 3)"),
            (self.viscosity, "viscosity, 1/(2ν Σ δ⁻² + α Σ |u|/δ)"),
            (self.waves, "gravity waves, 0.3 √(Δ/g)"),
            (self.central, "central differences, 2ν/|u|²; raise upwind"),
        ];
        named.into_iter().fold(
            (f64::INFINITY, "nothing"),
            |least, limit| {
                if limit.0 < least.0 { limit } else { least }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_binds_in_turn() {
        let terms = LimitTerms {
            spacing: [0.1, 0.2],
            courant: 0.5,
            viscosity: 1e-3,
            body_force: [0.0, -10.0],
            upwind: 1.0,
        };
        let least = |speed: f64, terms: LimitTerms<2>| {
            let speeds = FlowSpeeds { crossing_rate: speed / 0.1, squared: speed * speed };
            StepLimits::new(&speeds, &terms).least()
        };
        let (dt, name) = least(0.0, terms);
        assert!((dt - 0.03).abs() < 1e-15 && name.contains("waves"));
        let (dt, name) = least(10.0, terms);
        assert!((dt - 0.005).abs() < 1e-15 && name.contains("eq. 3"));
        let (dt, name) = least(0.0, LimitTerms { viscosity: 1.0, ..terms });
        assert!((dt - 0.5 / 125.0).abs() < 1e-15 && name.contains("viscosity"));
        let (dt, name) = least(1.0, LimitTerms { upwind: 0.0, ..terms });
        assert!((dt - 2e-3).abs() < 1e-15 && name.contains("central"));
        assert_eq!(least(0.0, LimitTerms { viscosity: 0.0, body_force: [0.0; 2], ..terms }).0, f64::INFINITY);
    }
}
