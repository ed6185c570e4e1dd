//! Steady flow over a bump against Bernoulli's equation.

use undine_checks::{Checks, ExpectedTable, Target};
use undine_scene::Timed;

use super::channel::{ChannelCase, ChannelOrientation, check};
use crate::shallow_water::{Border, Inflow, Settings};

const EXPECTED: &str = include_str!("../../../../../validation/shallow-water/bump/expected.csv");
const GRAVITY: f64 = 9.81;
const SOURCE: &str = "[delestre2013] §3.1";

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
pub fn steady(checks: &mut Checks) -> anyhow::Result<()> {
    let flows = [
        ("slow", BumpFlow::slow(4.42, 2.0)),
        ("falling", BumpFlow::falling(1.53, 0.66)),
        ("jumping", BumpFlow::jumping(0.18, 0.33)),
    ];
    // The exact solutions against the published table
    let table = ExpectedTable::parse(EXPECTED)?;
    for (name, flow) in flows {
        let worst = table
            .select(["x", name])?
            .iter()
            .map(|&[x, depth]| (flow.depth(x) - depth).abs())
            .fold(0.0, f64::max);
        checks.at_most(format!("{name}: formula against table, m"), worst, Target::exact(2e-8, SOURCE));
    }
    let runs = |bounds: [[f64; 3]; 4]| {
        let [coarse, fine, along_y, diagonal] = bounds;
        [
            (ChannelOrientation::AlongX, 100, coarse),
            (ChannelOrientation::AlongX, 400, fine),
            (ChannelOrientation::AlongY, 100, along_y),
            (ChannelOrientation::Diagonal, 100, diagonal),
        ]
    };
    // The model against the exact solutions: bounds of L1, L2 and L∞ for each run
    let [slow, falling, jumping] = flows.map(|(_, flow)| flow.channel());
    check(
        checks,
        "slow",
        &slow,
        &runs([
            [1.4e-4, 3.9e-4, 2.6e-3],
            [1.5e-5, 3.6e-5, 5.3e-4],
            [1.4e-4, 3.9e-4, 2.6e-3],
            [1.3e-4, 3.2e-4, 2.6e-3],
        ]),
        Some(1.6),
        SOURCE,
    )?;
    check(
        checks,
        "falling",
        &falling,
        &runs([
            [1.9e-3, 4.0e-3, 2.0e-2],
            [1.5e-4, 5.0e-4, 5.0e-3],
            [1.9e-3, 4.0e-3, 2.0e-2],
            [5.4e-4, 10.0e-4, 7.7e-3],
        ]),
        Some(1.8),
        SOURCE,
    )?;
    check(
        checks,
        "jumping",
        &jumping,
        &runs([
            [5.2e-3, 2.9e-2, 2.4e-1],
            [9.6e-4, 9.8e-3, 1.5e-1],
            [5.2e-3, 2.9e-2, 2.4e-1],
            [5.6e-3, 3.1e-2, 2.0e-1],
        ]),
        None,
        SOURCE,
    )?;
    Ok(())
}
