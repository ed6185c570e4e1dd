//! Gerstner waves against their formula and against what is known of the exact solution.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use undine_checks::{Case, Checks, Target, Worst, measured};
use undine_sim::{Sample, SheetView, SurfaceView, View};

use crate::checks::build;
use crate::waves::sine::validation::measured_frequency;

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "gerstner/formula", is_quick: true, is_chaotic: false, run: formula },
    Case { name: "gerstner/dispersion", is_quick: true, is_chaotic: false, run: dispersion },
    Case { name: "gerstner/inversion", is_quick: true, is_chaotic: false, run: inversion },
    Case { name: "gerstner/velocity", is_quick: true, is_chaotic: false, run: velocity },
    Case { name: "gerstner/mean-level", is_quick: true, is_chaotic: false, run: mean_level },
    Case { name: "gerstner/orbits", is_quick: true, is_chaotic: false, run: orbits },
];

const FORMULA: &str = include_str!("../../../../../validation/gerstner/formula/case.toml");
const STEEP: &str = include_str!("../../../../../validation/gerstner/inversion/case.toml");
const MEAN: &str = include_str!("../../../../../validation/gerstner/mean-level/case.toml");
const ORBITS: &str = include_str!("../../../../../validation/gerstner/orbits/case.toml");

/// The trains of the case `formula`, written out once more: amplitude, wavelength, steepness, direction, phase.
const TRAINS: [(f64, f64, f64, [f64; 2], f64); 3] =
    [(0.8, 18.0, 1.0, [1.0, 0.0], 0.0), (0.3, 9.0, 0.8, [0.8, 0.6], 1.0), (0.1, 4.0, 0.5, [0.6, -0.8], 2.0)];

fn sheet<'a>(view: &'a View<'_>) -> anyhow::Result<&'a SheetView<'a>> {
    match view.surfaces.first() {
        Some(SurfaceView::Sheet(sheet)) => Ok(sheet),
        _ => anyhow::bail!("the water shows no sheet"),
    }
}

/// Every vertex against the formula; normals and velocities against differences of it.
pub fn formula(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(FORMULA, &[])?;
    let (mut position, mut normal, mut velocity) = (Worst::default(), Worst::default(), Worst::default());
    for _ in 0..20 {
        runner.next_frame()?;
        let view = runner.waters()[0].simulation.view();
        let sheet = sheet(&view)?;
        for vertex in 0..sheet.positions.len() {
            let columns = sheet.columns.len();
            let rest = DVec2::new(sheet.columns[vertex % columns], sheet.rows[vertex / columns]);
            let at = |dx: f64, dy: f64, dt: f64| displaced(rest + DVec2::new(dx, dy), runner.time() + dt);
            let slope = |high: DVec3, low: DVec3| (high - low) / 2e-5;
            let along_x = slope(at(1e-5, 0.0, 0.0), at(-1e-5, 0.0, 0.0));
            let along_y = slope(at(0.0, 1e-5, 0.0), at(0.0, -1e-5, 0.0));
            let moving = slope(at(0.0, 0.0, 1e-5), at(0.0, 0.0, -1e-5));
            let double = |value: [f32; 3]| DVec3::from(value.map(f64::from));
            position.compare((double(sheet.positions[vertex]) - at(0.0, 0.0, 0.0)).length(), 0.0);
            normal
                .compare((double(sheet.normals[vertex]) - along_x.cross(along_y).normalize()).length(), 0.0);
            velocity.compare((double(sheet.velocities[vertex]) - moving).length(), 0.0);
        }
    }
    const SOURCE: &str = "[li2007] §2.3.2";
    checks.at_most("position of vertices, m", position.value(), Target::exact(5e-6, SOURCE));
    checks.at_most("normal of vertices", normal.value(), Target::exact(1e-6, SOURCE));
    checks.at_most("velocity of vertices, m/s", velocity.value(), Target::exact(1e-6, SOURCE));
    Ok(())
}

fn displaced(rest: DVec2, time: f64) -> DVec3 {
    let mut at = rest.extend(0.0);
    for (amplitude, wavelength, steepness, direction, phase) in TRAINS {
        let (k, direction) = (TAU / wavelength, DVec2::from(direction));
        let angle = k * direction.dot(rest) - (9.81 * k).sqrt() * time + phase;
        at -= (direction * (steepness * amplitude * angle.sin())).extend(0.0);
        at.z += amplitude * angle.cos();
    }
    at
}

/// The frequency at a point against ω² = g k, for any amplitude.
pub fn dispersion(checks: &mut Checks) -> anyhow::Result<()> {
    let mut worst = Worst::default();
    for (wavelength, amplitude) in [(1.0f64, 0.01), (10.0, 0.1), (10.0, 1.5), (200.0, 10.0)] {
        let omega = (9.81 * TAU / wavelength).sqrt();
        let overrides = [format!("water.0.wave.0.amplitude={amplitude:?}")];
        let found = measured_frequency("gerstner", wavelength, omega, &overrides)?;
        worst.compare(found / omega, 1.0);
    }
    checks.at_most(
        "frequency, relative",
        worst.value(),
        Target::exact(1e-5, "[gerstner1809]: ω² = g k for every amplitude"),
    );
    Ok(())
}

/// `height` at the x and y of a vertex is the level of the vertex, up to the steepest crests.
pub fn inversion(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(STEEP, &[])?;
    let (mut worst, mut answers) = (Worst::default(), 0);
    for _ in 0..20 {
        runner.next_frame()?;
        let view = runner.waters()[0].simulation.view();
        for position in sheet(&view)?.positions {
            let [x, y, z] = position.map(f64::from);
            // Vertices near the rim may have left the rectangle, where there is no answer.
            if let Some(level) = runner.height(DVec2::new(x, y)) {
                worst.compare(level, z);
                answers += 1;
            }
        }
    }
    anyhow::ensure!(answers > 20 * 8000, "only {answers} vertices were inside");
    // Vertices are in single precision: at a slope of s, half a digit of x is s halves of a digit of z.
    checks.at_most("level by query, m", worst.value(), Target::exact(1e-4, "the formula itself"));
    Ok(())
}

/// `velocity` at the position of a vertex is that of the vertex, up to the steepest crests.
pub fn velocity(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(STEEP, &[])?;
    let (mut worst, mut answers) = (Worst::default(), 0);
    for _ in 0..20 {
        runner.next_frame()?;
        let view = runner.waters()[0].simulation.view();
        let sheet = sheet(&view)?;
        for (position, velocity) in sheet.positions.iter().zip(sheet.velocities).step_by(7) {
            let at = DVec3::from(position.map(f64::from));
            if runner.height(at.truncate()).is_some() {
                worst.compare((runner.velocity(at) - DVec3::from(velocity.map(f64::from))).length(), 0.0);
                answers += 1;
            }
        }
    }
    anyhow::ensure!(answers > 20 * 1000, "only {answers} vertices were inside");
    checks.at_most("velocity by query, m/s", worst.value(), Target::exact(1e-4, "the formula itself"));
    Ok(())
}

/// Over whole wavelengths the mean level lies k A²/2 below the level at rest.
pub fn mean_level(checks: &mut Checks) -> anyhow::Result<()> {
    let runner = build(MEAN, &[])?;
    let view = runner.waters()[0].simulation.view();
    let sheet = sheet(&view)?;
    let columns = sheet.columns.len();
    let row: Vec<[f64; 3]> = sheet.positions[..columns].iter().map(|at| at.map(f64::from)).collect();
    // ∫ z dx along the displaced row, by trapezoids, over its two wavelengths.
    let integral: f64 =
        row.windows(2).map(|pair| 0.5 * (pair[0][2] + pair[1][2]) * (pair[1][0] - pair[0][0])).sum();
    let length = row[columns - 1][0] - row[0][0];
    let (amplitude, k) = (1.2, TAU / 20.0);
    let expected = -0.5 * k * amplitude * amplitude;
    let error = (measured(integral / length) / expected - 1.0).abs();
    checks.at_most("mean level, relative", error, Target::exact(1e-4, "[lamb1932] art. 251: b − k A²/2"));
    Ok(())
}

/// A point of the surface moves on a circle and is back after a period: there is no drift.
pub fn orbits(checks: &mut Checks) -> anyhow::Result<()> {
    // 24 frames are one period of a wave of g/(2π) metres: it takes one second.
    let mut runner = build(ORBITS, &[])?;
    let amplitude = 0.1;
    let mut radius_error = Worst::default();
    let view = runner.waters()[0].simulation.view();
    let start = DVec3::from(sheet(&view)?.positions[40].map(f64::from));
    let rest = {
        let sheet = sheet(&view)?;
        DVec3::new(sheet.columns[40 % sheet.columns.len()], sheet.rows[40 / sheet.columns.len()], 0.0)
    };
    drop(view);
    let mut now = start;
    for _ in 0..24 {
        runner.next_frame()?;
        let view = runner.waters()[0].simulation.view();
        now = DVec3::from(sheet(&view)?.positions[40].map(f64::from));
        radius_error.compare((now - rest).length() / amplitude, 1.0);
    }
    checks.at_most(
        "radius of the orbit, relative",
        radius_error.value(),
        Target::exact(1e-5, "[gerstner1809]"),
    );
    checks.at_most(
        "drift after a period, m",
        measured((now - start).length()),
        Target::exact(1e-6, "[gerstner1809]: orbits are closed"),
    );
    Ok(())
}
