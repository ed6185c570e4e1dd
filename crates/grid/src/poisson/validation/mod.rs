//! The solvers of Poisson's equation against each other, against closed forms, and how their work grows.

pub mod basin;
mod curved;
pub mod tanks;

use std::f64::consts::PI;

use anyhow::Context;
use undine_checks::{Case, Checks, Target, Worst, measured};

use self::basin::{Filling, basin};
use self::tanks::{TankFilling, TankSolids, TestTank};
use crate::poisson::SideKind::{self, Closed, Fixed, Periodic};
use crate::poisson::{Fallback, PoissonProblem, SOLVERS, SolveReport, SolverEntry, Stop, solver};
use crate::{Condition, Field, Grid, Location, Real, par};

/// Every case of the solvers.
pub static CASES: &[Case] = &[
    Case { name: "poisson/agreement", is_quick: true, is_chaotic: false, run: agreement },
    Case { name: "poisson/order", is_quick: true, is_chaotic: false, run: order },
    Case { name: "poisson/order-cut", is_quick: true, is_chaotic: false, run: curved::order_cut },
    Case { name: "poisson/order-surface", is_quick: true, is_chaotic: false, run: curved::order_surface },
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
    let mut apart = vec![Worst::default(); SOLVERS.len()];
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
            apart.value(),
            Target::exact(1e-7, "Gaussian elimination"),
        );
    }
    Ok(())
}

/// Raises the greatest differences from elimination, as shares of the greatest value. Infinite where a solver fails.
fn compare<const D: usize>(
    basin: &(PoissonProblem<f64, D>, Field<f64, D>),
    apart: &mut [Worst],
) -> anyhow::Result<()> {
    let stop = Stop { tolerance: 1e-10, max_iterations: 100_000 };
    let (exact, _) = solve(solver("gaussian").context("no elimination")?, basin, stop)?;
    let greatest = par::max(&exact, f64::abs);
    for (entry, apart) in SOLVERS.iter().zip(apart).filter(|(entry, _)| !entry.needs_box || basin.0.is_box())
    {
        let (p, outcome) = solve(entry, basin, stop)?;
        let mut worst = Worst::default();
        p.iter().zip(exact.iter()).for_each(|((_, p), (_, exact))| worst.compare(p, exact));
        apart.add(if outcome.has_converged { worst.value() / greatest } else { f64::INFINITY });
    }
    Ok(())
}

/// Waves between all kinds of sides, in space.
pub fn order(checks: &mut Checks) -> anyhow::Result<()> {
    for name in ["fft", "mgpcg"] {
        let errors = [16, 32, 64].map(|cells| error_of_waves(name, cells).map(|error| (cells, error)));
        let errors = errors.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
        let target = Target::ours(1e-3, "cos(πx) sin(2πy) cos(πz/2)");
        checks.at_most(format!("{name}: error at 64³"), errors[2].1, target);
        checks.order(format!("{name}: order"), &errors, Target::order(1.95, "second-order differences"));
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
    let mut worst = Worst::default();
    p.iter().for_each(|(at, p)| worst.compare(p, exact(grid.centre(at.map(|x| x as isize)))));
    Ok(worst.value())
}

/// Iterations that MGPCG takes at 64³ and 128³.
pub fn iterations(checks: &mut Checks) -> anyhow::Result<()> {
    count_iterations(checks, [64, 128])
}

/// The same up to 256³.
pub fn iterations_fine(checks: &mut Checks) -> anyhow::Result<()> {
    count_iterations(checks, [128, 256])
}

/// Why the iterations are bounded.
const MULTIGRID: &str = "multigrid: iterations do not grow with the grid";

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
                measured(*count),
                Target::ours(14.0, MULTIGRID),
            );
        }
        checks.at_most(
            format!("{name}: more than at {}³", sizes[0]),
            measured(counts[1]) - counts[0],
            Target::ours(2.0, MULTIGRID),
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
                    measured(count),
                    Target::ours(14.0, MULTIGRID),
                );
                if before.is_finite() {
                    let metric = format!("{name}, {around}: more than at {}³", cells / 2);
                    checks.at_most(metric, measured(count) - before, Target::ours(2.0, MULTIGRID));
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
        let off = (measured(exponent) - entry.exponents[0]).abs();
        checks.at_most(
            format!("{}: exponent, off by", entry.name),
            off,
            Target::published(0.15, "[li2007] fig. 3.14"),
        );
    }
    Ok(())
}
