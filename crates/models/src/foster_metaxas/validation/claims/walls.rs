//! Particles stay out of Solid cells.

use undine_checks::{Checks, Target, Worst};
use undine_frame::{CellKind, Quantity};
use undine_sim::{Runner, SurfaceView};

use super::field;
use crate::checks::build;

const CASE: &str = include_str!("../../../../../../validation/foster-metaxas/walls/case.toml");
const IN_PLANE: &str = "
[[fill]]
kind = 'rectangle'
at = [0.2, 0.35]
size = [0.4, 0.7]
[[obstacle]]
kind = 'circle'
at = [0.62, 0.3]
radius = 0.11
[[obstacle]]
kind = 'rectangle'
at = [0.85, 0.07]
size = [0.12, 0.14]
[[obstacle]]
kind = 'rectangle'
at = [0.9, 0.6]
size = [0.2, 0.04]
";
const IN_SPACE: &str = "
[[fill]]
kind = 'box'
at = [0.2, 0.25, 0.35]
size = [0.4, 0.5, 0.7]
[[obstacle]]
kind = 'sphere'
at = [0.62, 0.25, 0.25]
radius = 0.13
[[obstacle]]
kind = 'box'
at = [0.85, 0.1, 0.1]
size = [0.16, 0.14, 0.2]
";
/// Edge of a cell of the runs in the plane, and of that in space.
const CELLS: [f64; 2] = [1.0 / 30.0, 1.0 / 16.0];

/// How deep a particle lies in Solid cells or outside of the box, in cells.
fn depth(point: [f32; 3], size: [usize; 3], kinds: &[f32], cell: f64, dimension: usize) -> f64 {
    let scaled: Vec<f64> = point[..dimension].iter().map(|x| f64::from(*x) / cell).collect();
    let outside =
        scaled.iter().zip(size).map(|(x, count)| f64::max(-x, x - count as f64)).fold(0.0, f64::max);
    let at: Vec<usize> = scaled.iter().zip(size).map(|(x, n)| (x.max(0.0) as usize).min(n - 1)).collect();
    let index = at[0] + size[0] * (at[1] + if dimension == 3 { size[1] * at[2] } else { 0 });
    let is_solid = kinds[index] == f32::from(CellKind::Solid.code());
    let to_border = scaled.iter().zip(&at).map(|(x, &low)| f64::min(x - low as f64, low as f64 + 1.0 - x));
    if is_solid { outside.max(to_border.fold(f64::INFINITY, f64::min)) } else { outside }
}

fn deepest(runner: &Runner, cell: f64, dimension: usize) -> anyhow::Result<f64> {
    let (size, kinds) = field(runner, Quantity::CellKind)?;
    let view = runner.waters()[0].simulation.view();
    let mut points: Vec<[f32; 3]> =
        view.clouds.iter().flat_map(|cloud| cloud.positions.iter().copied()).collect();
    for surface in &view.surfaces {
        if let SurfaceView::Curve(curves) = surface {
            points.extend(curves.points.iter().map(|[x, y]| [*x, *y, 0.0]));
        }
    }
    anyhow::ensure!(!points.is_empty(), "no particle is left");
    Ok(points.into_iter().fold(0.0, |most, point| {
        let found = depth(point, size, &kinds, cell, dimension);
        if found > most || found.is_nan() { found } else { most }
    }))
}

/// Markers by both motions, chains, and markers in space.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let in_space = ["size=[1, 0.5]", "height=1", "resolution=16"];
    let runs: [(&str, &str, &[&str], usize, f64); 4] = [
        ("2-D, markers", IN_PLANE, &["gravity_x='4*sin(4*t)'"], 2, 20.0),
        (
            "2-D, markers by Euler steps",
            IN_PLANE,
            &["gravity_x='4*sin(4*t)'", "marker_motion='euler'"],
            2,
            20.0,
        ),
        ("2-D, chains", IN_PLANE, &["gravity_x='4*sin(4*t)'", "surface='chains'"], 2, 20.0),
        ("3-D, markers", IN_SPACE, &in_space, 3, 4.0),
    ];
    for (name, sections, keys, dimension, until) in runs {
        let overrides: Vec<String> = keys.iter().map(|key| format!("water.0.{key}")).collect();
        let mut runner = build(&format!("{CASE}{sections}"), &overrides)?;
        let mut worst = Worst::default();
        while runner.time() < until - 1e-9 {
            runner.next_frame()?;
            worst.compare(deepest(&runner, CELLS[dimension - 2], dimension)?, 0.0);
        }
        let target = Target::exact(1e-5, "particles never enter solid cells; rounding of f32 positions");
        checks.at_most(format!("{name}: depth in solids, cells"), worst.value(), target);
    }
    Ok(())
}
