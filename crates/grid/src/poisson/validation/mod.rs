//! The solvers of Poisson's equation against each other, against closed forms, and how their work grows.

pub mod basin;
pub mod tanks;

use std::f64::consts::PI;

use anyhow::Context;
use undine_checks::{Case, Checks, Target};

use self::basin::{Filling, basin};
use self::tanks::{TankFilling, TankSolids, TestTank};
use crate::poisson::SideKind::{self, Closed, Fixed, Periodic};
use crate::poisson::{Fallback, PoissonProblem, SOLVERS, SolveReport, SolverEntry, Stop, solver};
use crate::{Condition, Field, Grid, Location, Real, par};

/// Every case of the solvers.
pub static CASES: &[Case] = &[
    Case { name: "poisson/agreement", is_quick: true, is_chaotic: false, run: agreement },
    Case { name: "poisson/order", is_quick: true, is_chaotic: false, run: order },
    Case { name: "poisson/growth", is_quick: true, is_chaotic: false, run: growth },
    Case { name: "poisson/iterations", is_quick: true, is_chaotic: false, run: iterations },
    Case { name: "poisson/iterations-fine", is_quick: false, is_chaotic: false, run: iterations_fine },
    Case { name: "poisson/liquids", is_quick: true, is_chaotic: false, run: liquids },
    Case { name: "poisson/liquids-fine", is_quick: false, is_chaotic: false, run: liquids_fine },
];

fn solve<T: Real, const D: usize>(
    entry: &SolverEntry,
    (problem, rhs): &(PoissonProblem<T, D>, Field<T, D>),
    stop: Stop,
) -> anyhow::Result<(Field<T, D>, SolveReport)> {
    let mut p = rhs.clone();
    p.fill(T::from_f64(0.0));
    let outcome = entry.build().solve(problem, rhs, &mut p, stop)?;
    Ok((p, outcome))
}

/// All solvers against elimination, with and without solids and air, between all kinds of sides.
pub fn agreement(checks: &mut Checks) -> anyhow::Result<()> {
    let plane = [[[Closed; 2], [Closed; 2]], [[Closed, Fixed], [Periodic; 2]], [[Fixed; 2], [Fixed, Closed]]];
    let space = [[[Closed; 2]; 3], [[Periodic; 2], [Closed; 2], [Closed, Fixed]]];
    let mut apart = vec![0.0f64; SOLVERS.len()];
    for (number, (filling, _)) in Filling::ALL.into_iter().cycle().take(6).enumerate() {
        for sides in plane {
            compare(&basin::<f64, 2>(21 + number, sides, filling, number as f64)?, &mut apart)?;
        }
        for sides in space {
            compare(&basin::<f64, 3>(7 + number, sides, filling, number as f64)?, &mut apart)?;
        }
    }
    for (entry, apart) in SOLVERS.iter().zip(apart).filter(|(entry, _)| entry.name != "gaussian") {
        checks.at_most(
            format!("{}: from elimination", entry.name),
            apart,
            Target::exact(1e-7, "Gaussian elimination"),
        );
    }
    Ok(())
}

/// Raises the greatest differences from elimination, as shares of the greatest value. Infinite where a solver fails.
fn compare<const D: usize>(
    basin: &(PoissonProblem<f64, D>, Field<f64, D>),
    apart: &mut [f64],
) -> anyhow::Result<()> {
    let stop = Stop { tolerance: 1e-10, max_iterations: 100_000 };
    let (exact, _) = solve(solver("gaussian").context("no elimination")?, basin, stop)?;
    let greatest = par::max(&exact, f64::abs);
    for (entry, apart) in SOLVERS.iter().zip(apart).filter(|(entry, _)| !entry.needs_box || basin.0.is_box())
    {
        let (p, outcome) = solve(entry, basin, stop)?;
        let differences = p.iter().zip(exact.iter()).map(|((_, p), (_, exact))| (p - exact).abs());
        let worst = differences.fold(0.0, f64::max) / greatest;
        *apart = apart.max(if outcome.has_converged { worst } else { f64::INFINITY });
    }
    Ok(())
}

/// Waves between all kinds of sides, in space.
pub fn order(checks: &mut Checks) -> anyhow::Result<()> {
    for name in ["fft", "mgpcg"] {
        let (coarse, fine) = (error_of_waves(name, 16)?, error_of_waves(name, 64)?);
        let order = 0.5 * (coarse / fine).log2();
        checks.at_most(
            format!("{name}: error at 64³"),
            fine,
            Target::exact(1e-3, "cos(πx) sin(2πy) cos(πz/2)"),
        );
        checks.at_most(
            format!("{name}: 2 − order"),
            2.0 - order,
            Target::exact(0.05, "second-order differences"),
        );
    }
    Ok(())
}

fn error_of_waves(name: &str, cells: usize) -> anyhow::Result<f64> {
    let grid = Grid::new([cells; 3], [1.0 / cells as f64; 3], [0.0; 3])?;
    let problem = PoissonProblem::<f64, 3>::new(grid, [[Closed; 2], [Periodic; 2], [Closed, Fixed]])?;
    let exact = |[x, y, z]: [f64; 3]| (PI * x).cos() * (2.0 * PI * y).sin() * (0.5 * PI * z).cos();
    let mut rhs = Field::new(grid, Location::Center, Condition::Open, 1)?;
    rhs.set_by_position(|at| (1.0 + 4.0 + 0.25) * PI * PI * exact(at));
    let entry = solver(name).context("no such solver")?;
    let (p, _) = solve(entry, &(problem, rhs), Stop { tolerance: 1e-9, max_iterations: 50 })?;
    let errors = p.iter().map(|(at, p)| (p - exact(grid.centre(at.map(|x| x as isize)))).abs());
    Ok(errors.fold(0.0, f64::max))
}

/// Iterations that MGPCG takes at 64³ and 128³.
pub fn iterations(checks: &mut Checks) -> anyhow::Result<()> {
    count_iterations(checks, [64, 128])
}

/// The same up to 256³.
pub fn iterations_fine(checks: &mut Checks) -> anyhow::Result<()> {
    count_iterations(checks, [128, 256])
}

fn count_iterations(checks: &mut Checks, sizes: [usize; 2]) -> anyhow::Result<()> {
    let stop = Stop { tolerance: 1e-6, max_iterations: 100 };
    let mgpcg = solver("mgpcg").context("no mgpcg")?;
    for (filling, name) in Filling::ALL {
        let mut counts = [0.0; 2];
        for (count, cells) in counts.iter_mut().zip(sizes) {
            let (_, outcome) = solve(mgpcg, &basin::<f32, 3>(cells, [[Closed; 2]; 3], filling, 0.0)?, stop)?;
            *count = if outcome.has_converged { outcome.iterations as f64 } else { f64::INFINITY };
            checks.at_most(
                format!("{name} {cells}³: iterations"),
                *count,
                Target::ours(14.0, "issue of the room"),
            );
        }
        checks.at_most(
            format!("{name}: more than at {}³", sizes[0]),
            counts[1] - counts[0],
            Target::ours(2.0, "issue of the room"),
        );
    }
    Ok(())
}

/// Iterations that the pressure of a liquid takes at 32³, 64³ and 128³.
pub fn liquids(checks: &mut Checks) -> anyhow::Result<()> {
    count_in_tanks(checks, &[32, 64, 128])
}

/// The same up to 256³.
pub fn liquids_fine(checks: &mut Checks) -> anyhow::Result<()> {
    count_in_tanks(checks, &[128, 256])
}

fn count_in_tanks(checks: &mut Checks, sizes: &[usize]) -> anyhow::Result<()> {
    let stop = Stop { tolerance: 1e-6, max_iterations: 200 };
    let mgpcg = solver("mgpcg").context("no mgpcg")?;
    for (solids, around) in TankSolids::ALL {
        for (liquid, name) in TankFilling::ALL {
            let mut before = f64::INFINITY;
            for &cells in sizes {
                let tank = TestTank::new([cells; 3], liquid, solids)?;
                let (_, outcome) = solve(mgpcg, &(tank.problem()?, tank.rhs), stop)?;
                let is_good = outcome.has_converged && outcome.fallback == Fallback::First;
                let count = if is_good { outcome.iterations as f64 } else { f64::INFINITY };
                checks.at_most(
                    format!("{name}, {around}, {cells}³: iterations"),
                    count,
                    Target::ours(14.0, "issue of the room"),
                );
                if before.is_finite() {
                    let metric = format!("{name}, {around}: more than at {}³", cells / 2);
                    checks.at_most(metric, count - before, Target::ours(2.0, "issue of the room"));
                }
                before = count;
            }
        }
    }
    Ok(())
}

/// How the work of each iterative solver grows with the number of cells: that of an iteration, which is N, times the
/// iterations.
pub fn growth(checks: &mut Checks) -> anyhow::Result<()> {
    const SIDES: [[SideKind; 2]; 2] = [[Fixed; 2]; 2];
    let stop = Stop { tolerance: 1e-6, max_iterations: 200_000 };
    for entry in SOLVERS.iter().filter(|entry| !entry.is_direct && entry.name != "auto") {
        // Relaxation takes so long that smaller boxes must do
        let sizes = if entry.exponents[0] == 2.0 { [16, 64] } else { [32, 128] };
        let mut counts = [0.0; 2];
        for (count, cells) in counts.iter_mut().zip(sizes) {
            let (_, outcome) = solve(entry, &basin::<f64, 2>(cells, SIDES, Filling::Box, 0.0)?, stop)?;
            *count = if outcome.has_converged { outcome.iterations as f64 } else { f64::INFINITY };
        }
        let exponent = 1.0 + (counts[1] / counts[0]).log2() / 4.0;
        let off = (exponent - entry.exponents[0]).abs();
        checks.at_most(
            format!("{}: exponent, off by", entry.name),
            off,
            Target::exact(0.15, "[li2007] fig. 3.14"),
        );
    }
    Ok(())
}
