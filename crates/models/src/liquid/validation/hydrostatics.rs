//! Pressure in a still tank: ρgh at the floor, and the force ½ρgh² on each metre of a side wall.

use anyhow::Context;
use undine_checks::{Checks, ErrorSums, Target, Worst};
use undine_frame::Quantity;
use undine_sim::Runner;

use crate::checks::build;

const PLANE: &str = include_str!("../../../../../validation/liquid/hydrostatics/case.toml");
const SPACE: &str = include_str!("../../../../../validation/liquid/hydrostatics/space.toml");
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
/// Relative to the exact pressure and force.
const BOUND: f64 = 0.01;
/// The pressure is measured from this time on, in seconds.
const SETTLED: f64 = 0.5;

/// The pressure at the centres of cells, in Pa.
struct PressureField {
    /// Cells along each axis; one along z in 2-D.
    size: [usize; 3],
    /// The axis that points up.
    up: usize,
    cell: f64,
    values: Vec<f32>,
}

impl PressureField {
    fn read(runner: &Runner) -> anyhow::Result<PressureField> {
        let view = runner.waters()[0].simulation.view();
        let found = view.fields.iter().find(|field| field.quantity == Quantity::Pressure);
        let samples = &found.context("the liquid shows no pressure")?.samples;
        let size = samples.size();
        let up = if size[2] > 1 { 2 } else { 1 };
        Ok(PressureField { size, up, cell: samples.spacing()[0], values: samples.values() })
    }

    /// The pressures of the column of cells above a cell of the floor, from the floor upwards.
    fn column(&self, x: usize, y: usize) -> impl Iterator<Item = f64> + '_ {
        let [columns, rows, _] = self.size;
        let index = move |level: usize| match self.up {
            1 => x + columns * level,
            _ => x + columns * (y + rows * level),
        };
        (0..self.size[self.up]).map(move |level| f64::from(self.values[index(level)]))
    }

    /// Cells of the floor along y; one in 2-D.
    fn rows(&self) -> usize {
        if self.up == 1 { 1 } else { self.size[1] }
    }

    /// Adds the pressure at the floor, half a cell below the lowest two centres, in each column.
    fn compare_floor(&self, errors: &mut ErrorSums, exact: f64) {
        for (x, y) in (0..self.rows()).flat_map(|y| (0..self.size[0]).map(move |x| (x, y))) {
            let lowest: Vec<f64> = self.column(x, y).take(2).collect();
            errors.compare(1.5 * lowest[0] - 0.5 * lowest[1], exact);
        }
    }

    /// The force on a metre of the wall at low or high x, in N/m: Σ p Δ over the cells beside it, where ∂p/∂x = 0.
    fn wall_force(&self, is_high: bool) -> f64 {
        let x = if is_high { self.size[0] - 1 } else { 0 };
        let sum: f64 = (0..self.rows()).flat_map(|y| self.column(x, y)).sum();
        sum * self.cell / self.rows() as f64
    }
}

fn check(checks: &mut Checks, name: &str, case: &str, depth: f64) -> anyhow::Result<()> {
    let mut runner = build(case, &[])?;
    let (mut floor, mut wall) = (ErrorSums::default(), Worst::default());
    while runner.frame() < runner.frame_count() {
        runner.next_frame()?;
        if runner.time() < SETTLED {
            continue;
        }
        let pressure = PressureField::read(&runner)?;
        pressure.compare_floor(&mut floor, DENSITY * GRAVITY * depth);
        let exact = 0.5 * DENSITY * GRAVITY * depth * depth;
        for is_high in [false, true] {
            wall.compare(pressure.wall_force(is_high) / exact, 1.0);
        }
    }
    let (floor, target) = (floor.relative(), Target::exact(BOUND, "p = ρ g h"));
    checks.at_most(format!("{name}: pressure at the floor, mean error"), floor.mean, target);
    checks.at_most(format!("{name}: pressure at the floor, worst"), floor.most, target);
    let target = Target::exact(BOUND, "F = ½ ρ g h² per metre");
    checks.at_most(format!("{name}: force on a wall, worst"), wall.value(), target);
    Ok(())
}

/// A tank in 2-D and one in 3-D.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, "2-D", PLANE, 0.5)?;
    check(checks, "3-D", SPACE, 0.25)
}
