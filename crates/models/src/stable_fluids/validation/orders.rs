//! Orders of convergence of exact flows in periodic boxes, with the steps halved with the cells.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};
use undine_checks::{Checks, ErrorSums, ExpectedTable, Norms, Target};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const VORTICES: &str = include_str!("../../../../../validation/stable-fluids/taylor-green-order/case.toml");
const BASILISK: &str =
    include_str!("../../../../../validation/stable-fluids/taylor-green-order/expected.csv");
const ABC: &str = include_str!("../../../../../validation/stable-fluids/abc/case.toml");

/// Second order, less a tenth for grids that are not yet fine.
const SECOND_ORDER: Target = Target::order(1.9, "second-order differences, interpolation and splitting");

/// The only frame of a scene, made in this many steps.
fn run(case: &str, cells: usize, steps: usize, overrides: &[String]) -> anyhow::Result<Runner> {
    let mut all = vec![format!("water.0.resolution={cells}"), format!("water.0.steps={steps}")];
    all.extend_from_slice(overrides);
    let mut runner = build(case, &all)?;
    runner.next_frame()?;
    Ok(runner)
}

/// Taylor–Green vortices: without viscosity against the errors of Basilisk, with it the order.
pub fn taylor_green(checks: &mut Checks) -> anyhow::Result<()> {
    let published = ExpectedTable::parse(BASILISK)?.select(["cells", "l1"])?;
    for scheme in ["mac-cormack", "bfecc"] {
        let mut errors = Vec::new();
        for &[cells, bound] in &published {
            let error = inviscid_error(scheme, cells as usize)?;
            let target = Target::published(bound, "Basilisk, test `taylor-green`: L1 of |u| at t = 2");
            checks.at_most(format!("ν = 0, {scheme}, {cells}²: L1 of |u|"), error, target);
            errors.push((cells as usize, error));
        }
        checks.order(format!("ν = 0, {scheme}: order of L1 of |u|"), &errors, SECOND_ORDER);
    }
    let errors = [32, 64, 128].map(|cells| viscous_error(cells).map(|norms| (cells, norms)));
    let errors = errors.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let of = |norm: fn(&Norms) -> f64| -> Vec<_> {
        errors.iter().map(|(cells, norms)| (*cells, norm(norms))).collect()
    };
    checks.order("ν = 0.01: order of L1 of u", &of(|norms| norms.mean), SECOND_ORDER);
    checks.order("ν = 0.01: order of L∞ of u", &of(|norms| norms.most), SECOND_ORDER);
    Ok(())
}

/// Mean error of |u| at t = 2 at the centres of the cells. A step moves the fluid by at most 0.8 cells.
fn inviscid_error(scheme: &str, cells: usize) -> anyhow::Result<f64> {
    let overrides = [format!("water.0.advection='{scheme}'")];
    let runner = run(VORTICES, cells, 5 * cells / 2, &overrides)?;
    // The samples lie on faces: found and exact values are both means of two faces
    let (spacing, mean_of_faces) = (1.0 / cells as f64, (PI / cells as f64).cos());
    let mut sums = ErrorSums::default();
    for cell in 0..cells * cells {
        let at = DVec2::new((cell % cells) as f64 + 0.5, (cell / cells) as f64 + 0.5) * spacing;
        let [x, y] = [TAU * at.x, TAU * at.y];
        let exact = (x.cos() * y.sin()).hypot(x.sin() * y.cos()) * mean_of_faces;
        sums.compare(runner.velocity(at.extend(0.0)).length(), exact);
    }
    Ok(sums.absolute(1.0).mean)
}

/// Errors of u at t = 1 with ν = 0.01, at the faces that hold it.
fn viscous_error(cells: usize) -> anyhow::Result<Norms> {
    const VISCOSITY: f64 = 0.01;
    let overrides =
        [format!("water.0.viscosity={VISCOSITY}"), "scene.duration=1".into(), "scene.fps=1".into()];
    let runner = run(VORTICES, cells, 5 * cells / 4, &overrides)?;
    let (spacing, fallen) = (1.0 / cells as f64, (-2.0 * VISCOSITY * TAU * TAU).exp());
    let mut sums = ErrorSums::default();
    for face in 0..cells * cells {
        let [x, y] = [(face % cells) as f64 * spacing, ((face / cells) as f64 + 0.5) * spacing];
        let exact = -(TAU * x).cos() * (TAU * y).sin() * fallen;
        sums.compare(runner.velocity(DVec3::new(x, y, 0.0)).x, exact);
    }
    Ok(sums.absolute(1.0))
}

/// The flow of Arnold, Beltrami and Childress in a cube keeps its form and decays.
pub fn abc(checks: &mut Checks) -> anyhow::Result<()> {
    let mut errors = Vec::new();
    for cells in [12, 24, 48] {
        errors.push((cells, abc_error(cells)?));
    }
    let target = Target::ours(0.01, "exp(−νk²t) [dombre1986]");
    checks.at_most("48³: L2 of u, relative", errors[2].1.square, target);
    let squares: Vec<_> = errors.iter().map(|(cells, norms)| (*cells, norms.square)).collect();
    checks.order("order of L2 of u", &squares, SECOND_ORDER);
    let most: Vec<_> = errors.iter().map(|(cells, norms)| (*cells, norms.most)).collect();
    checks.order("order of L∞ of u", &most, SECOND_ORDER);
    Ok(())
}

/// Errors of all components at t = 1 with ν = 0.02, at the faces that hold them.
fn abc_error(cells: usize) -> anyhow::Result<Norms> {
    const VISCOSITY: f64 = 0.02;
    let runner = run(ABC, cells, 2 * cells, &[])?;
    let (spacing, fallen) = (1.0 / cells as f64, (-VISCOSITY * TAU * TAU).exp());
    let mut sums = ErrorSums::default();
    for number in 0..3 * cells.pow(3) {
        let (axis, cell) = (number % 3, number / 3);
        let mut at = DVec3::from_array([0, 1, 2].map(|along| (cell / cells.pow(along) % cells) as f64 + 0.5));
        at[axis] -= 0.5;
        at *= spacing;
        let exact = (TAU * at[(axis + 2) % 3]).sin() + (TAU * at[(axis + 1) % 3]).cos();
        sums.compare(runner.velocity(at)[axis], exact * fallen);
    }
    Ok(sums.relative())
}
