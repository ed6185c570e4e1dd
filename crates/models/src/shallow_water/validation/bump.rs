//! Steady flow over a bump against Bernoulli's equation, [delestre2013] §3.1.

use undine_checks::{Checks, Target};
use undine_scene::Timed;

use super::channel::{ChannelCase, ChannelTargets, check, check_diagonal};
use crate::shallow_water::{Border, Inflow, Settings};

const GRAVITY: f64 = 9.81;

/// The bump: 8 m long and 0.2 m high.
pub fn bump(x: f64) -> f64 {
    (0.2 - 0.05 * (x - 10.0).powi(2)).max(0.0)
}

/// A steady flow over the bump.
#[derive(Clone, Copy)]
struct BumpFlow {
    discharge: f64,
    /// Depth at the outlet; while the outflow is slower than waves.
    outlet: f64,
    /// Energy head upstream and downstream of the shock.
    heads: [f64; 2],
    /// Interval of supercritical flow: from the crest to the shock.
    fast: [f64; 2],
}

impl BumpFlow {
    fn head(depth: f64, discharge: f64) -> f64 {
        depth + discharge * discharge / (2.0 * GRAVITY * depth * depth)
    }

    /// Slow all the way.
    fn slow(discharge: f64, outlet: f64) -> BumpFlow {
        let head = BumpFlow::head(outlet, discharge);
        BumpFlow { discharge, outlet, heads: [head; 2], fast: [f64::INFINITY; 2] }
    }

    /// Critical on the crest and fast behind it.
    fn falling(discharge: f64, outlet: f64) -> BumpFlow {
        let critical = (discharge * discharge / GRAVITY).cbrt();
        let head = bump(10.0) + BumpFlow::head(critical, discharge);
        BumpFlow { discharge, outlet, heads: [head; 2], fast: [10.0, f64::INFINITY] }
    }

    /// Critical on the crest, fast behind it, and slow again after a shock where both sides have the same thrust.
    fn jumping(discharge: f64, outlet: f64) -> BumpFlow {
        let mut flow = BumpFlow::falling(discharge, outlet);
        flow.heads[1] = BumpFlow::head(outlet, discharge);
        let thrust = |depth: f64| discharge * discharge / depth + 0.5 * GRAVITY * depth * depth;
        let excess = |x: f64| {
            let before = flow.depth_by_head(x, flow.heads[0], true);
            let behind = flow.depth_by_head(x, flow.heads[1], false);
            thrust(before) - thrust(behind)
        };
        let (mut low, mut high) = (10.5, 11.999);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            *(if excess(middle) * excess(low) > 0.0 { &mut low } else { &mut high }) = middle;
        }
        flow.fast = [10.0, low];
        flow
    }

    /// The slow or fast depth with a head E over the bed z: the greatest or the middle root of
    /// h³ + (z − E) h² + q²/2g = 0, by bisection.
    fn depth_by_head(&self, x: f64, head: f64, is_fast: bool) -> f64 {
        let critical = (self.discharge * self.discharge / GRAVITY).cbrt();
        let lack = |depth: f64| BumpFlow::head(depth, self.discharge) - (head - bump(x));
        let (mut deep, mut shallow) = if is_fast { (1e-4, critical) } else { (head, critical) };
        for _ in 0..60 {
            let middle = 0.5 * (deep + shallow);
            *(if lack(middle) > 0.0 { &mut deep } else { &mut shallow }) = middle;
        }
        0.5 * (deep + shallow)
    }

    fn depth(&self, x: f64) -> f64 {
        let is_fast = x > self.fast[0] && x <= self.fast[1];
        let head = if x > self.fast[1] { self.heads[1] } else { self.heads[0] };
        self.depth_by_head(x, head, is_fast)
    }

    fn channel(self) -> ChannelCase {
        let inflow = Inflow::Even(Timed::constant(self.discharge));
        let low = Border::Discharge { inflow, depth: None };
        let high = Border::Stage { level: Timed::constant(self.outlet) };
        let discharge = self.discharge;
        ChannelCase {
            length: 25.0,
            end: 150.0,
            diagonal_end: 30.0,
            settings: Settings { borders: [low, high, Border::Wall, Border::Wall], ..Settings::default() },
            bed: Box::new(bump),
            start: Box::new(move |x| [self.outlet - bump(x), 0.0]),
            exact: Box::new(move |x, _| {
                let depth = self.depth(x);
                [depth, discharge / depth]
            }),
        }
    }
}

/// Subcritical flow, transcritical flow over the crest, and transcritical flow with a hydraulic jump.
fn flows() -> [(&'static str, BumpFlow); 3] {
    [
        ("slow", BumpFlow::slow(4.42, 2.0)),
        ("falling", BumpFlow::falling(1.53, 0.66)),
        ("jumping", BumpFlow::jumping(0.18, 0.33)),
    ]
}

/// Place of the hydraulic jump of the third flow, in metres.
const JUMP: f64 = 11.665618;

/// The three flows, until they are steady.
pub fn steady(checks: &mut Checks) -> anyhow::Result<()> {
    for (name, flow) in flows() {
        let has_jump = flow.fast[1].is_finite();
        let beside = |x: f64| flow.depth(x);
        let targets = ChannelTargets {
            counts: [100, 200, 400],
            order: steady_order(has_jump),
            steady: Some(flow.discharge),
            jump: has_jump.then(|| [JUMP, beside(flow.fast[1]), beside(flow.fast[1] + 1e-9)]),
        };
        let runs = check(checks, name, &flow.channel(), &targets)?;
        let [coarse, ..] = &runs.along_x[..] else { continue };
        if has_jump {
            checks.at_most(format!("{name}, 100 cells: mean error"), coarse.1.depth.mean, JUMP_ERROR);
        }
        check_diagonal(checks, name, &runs.diagonal, &coarse.1);
    }
    Ok(())
}

/// Greatest L1 of a flow with a jump on 100 cells.
pub const JUMP_ERROR: Target = Target::ours(0.01, "a jump a cell wide among a hundred");

/// The order of L1 of a steady flow.
pub fn steady_order(has_jump: bool) -> Target {
    match has_jump {
        true => Target::order(1.0, "a jump is found within a cell: first order"),
        false => Target::order(1.9, "second order where the flow is smooth"),
    }
}

#[cfg(test)]
mod tests {
    use undine_checks::{ExpectedTable, Worst};

    use super::{JUMP, flows};

    const EXPECTED: &str = include_str!("../../../../../validation/shallow-water/bump/expected.csv");

    #[test]
    fn the_exact_flows_are_those_of_the_table() {
        let table = ExpectedTable::parse(EXPECTED).unwrap();
        for (name, flow) in flows() {
            let rows = table.select(["x", name]).unwrap();
            let worst = Worst::of(rows.iter().map(|&[x, depth]| (flow.depth(x) - depth).abs()));
            assert!(worst.value() <= 2e-8, "{name}: {worst:?}");
        }
        assert!((flows()[2].1.fast[1] - JUMP).abs() < 1e-6);
    }
}
