//! Kass and Miller's water over land: its ledger, refraction and reflection.

use std::f64::consts::TAU;

use glam::DVec2;
use undine_checks::{Checks, Target, Worst, measured};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const VOLUME: &str = include_str!("../../../../../validation/kass-miller/volume/case.toml");
const REFRACTION: &str = include_str!("../../../../../validation/kass-miller/refraction/case.toml");
const REFLECTION: &str = include_str!("../../../../../validation/kass-miller/reflection/case.toml");

/// The ledger over ten thousand steps in which islands come and go.
pub fn volume(checks: &mut Checks) -> anyhow::Result<()> {
    for (precision, bound) in [("single", 1e-6), ("double", 1e-12)] {
        for scheme in ["first-order", "second-order"] {
            let overrides =
                [format!("water.0.precision=\"{precision}\""), format!("water.0.scheme=\"{scheme}\"")];
            let mut water = build(VOLUME, &overrides)?;
            let (mut worst, mut least, mut most) = (Worst::default(), usize::MAX, 0);
            for frame in 0..10_000 {
                water.next_frame()?;
                let volume = water.waters()[0].simulation.volume();
                worst.compare(volume.error() / volume.held, 0.0);
                if frame % 100 == 0 {
                    let covered = covered(&water);
                    (least, most) = (least.min(covered), most.max(covered));
                }
            }
            anyhow::ensure!(
                most > least + 200,
                "the shore hardly moved: {least} to {most} samples are covered"
            );
            let metric = format!("{precision} {scheme}: ledger");
            checks.at_most(metric, worst.value(), Target::exact(bound, "held = initial + in − out"));
        }
    }
    Ok(())
}

/// Samples under more than a millimetre of water.
fn covered(water: &Runner) -> usize {
    let view = water.waters()[0].simulation.view();
    let depth = view.fields.iter().find(|field| field.name == "depth");
    depth.map_or(0, |field| field.samples.values().iter().filter(|&&depth| depth > 1e-3).count())
}

/// The turning of crests over a plane beach.
pub fn refraction(checks: &mut Checks) -> anyhow::Result<()> {
    const PERIOD: f64 = 3.0;
    /// Half the distance over which the phase is compared, in metres.
    const ARM: f64 = 0.5;
    let mut water = build(REFRACTION, &[])?;
    // Places where the water is 0.9 m to 0.4 m deep, and the four points around each.
    let positions: Vec<DVec2> = (0..11).map(|index| DVec2::new(5.0 + 2.5 * f64::from(index), 36.0)).collect();
    let arms = [DVec2::X, -DVec2::X, DVec2::Y, -DVec2::Y].map(|arm| arm * ARM);
    let mut sums = vec![[[0.0; 2]; 4]; positions.len()];
    while water.frame() < water.frame_count() - 1 {
        water.next_frame()?;
        if water.time() <= 17.0 - 2.0 * PERIOD {
            continue;
        }
        let (sin, cos) = (TAU * water.time() / PERIOD).sin_cos();
        for (position, sums) in positions.iter().zip(&mut sums) {
            for (arm, sum) in arms.iter().zip(sums) {
                let level = water.height(*position + *arm).unwrap_or(f64::NAN);
                *sum = [sum[0] + level * cos, sum[1] + level * sin];
            }
        }
    }
    let mut worst = Worst::default();
    for (position, sums) in positions.iter().zip(&sums) {
        let phase = sums.map(|[cos, sin]| sin.atan2(cos));
        let turned = |a: f64, b: f64| (a - b + 1.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
        let angle = turned(phase[2], phase[3]).atan2(turned(phase[0], phase[1])).to_degrees();
        let depth = 1.0 - 0.02 * position.x;
        let snell = (0.5 * depth.sqrt()).asin().to_degrees();
        worst.compare(angle, snell);
    }
    checks.at_most(
        "direction of the waves, degrees",
        worst.value(),
        Target::ours(2.0, "Snell: sin θ / √(g d) is constant"),
    );
    Ok(())
}

/// Reflection from steep ground, and from an open side.
pub fn reflection(checks: &mut Checks) -> anyhow::Result<()> {
    let mut water = build(REFLECTION, &[])?;
    let (mut there, mut back, mut left) = (Worst::default(), Worst::default(), Worst::default());
    while water.frame() < water.frame_count() - 1 {
        water.next_frame()?;
        let level = water.height(DVec2::new(2.0, 0.0)).unwrap_or(f64::NAN).abs();
        // At 3.1 m/s the wave passes 2 m on its way east at 1.6 s, and on its way back at 4.8 s.
        match water.time() {
            time if time < 3.0 => there.add(level),
            time if time < 7.0 => back.add(level),
            _ => {}
        }
    }
    for index in 0..330 {
        let level = water.height(DVec2::new(-9.9 + 0.05 * f64::from(index), 0.0)).unwrap_or(f64::NAN);
        left.add(level.abs());
    }
    checks.at_most(
        "lost at steep ground, relative",
        (1.0 - measured(back.value()) / there.value()).abs(),
        Target::ours(0.02, "a wall reflects all"),
    );
    checks.at_most(
        "left behind an open side, relative",
        measured(left.value()) / there.value(),
        Target::ours(0.01, "[sommerfeld1949]"),
    );
    Ok(())
}
