//! Solvers of Poisson's equation: the table of [li2007] fig. 3.14, and the cost of a large solve in sweeps.

use std::time::Instant;

use anyhow::Context;
use undine_checks::{Bench, Figures, best_of};

use super::validation::basin::{Filling, basin};
use super::validation::tanks::{TankFilling, TankSolids, TestTank};
use crate::poisson::SideKind::{self, Closed, Fixed};
use crate::poisson::{PoissonProblem, SOLVERS, SolverEntry, Stop, solver};
use crate::{Field, Real, kernels};

/// Every benchmark of the solvers.
pub static BENCHES: &[Bench] = &[
    Bench { name: "poisson/plane", run: plane },
    Bench { name: "poisson/space", run: space },
    Bench { name: "poisson/cost", run: cost },
    Bench { name: "poisson/liquids", run: liquids },
    Bench { name: "poisson/pressure", run: pressure },
];

const STOP: Stop = Stop { tolerance: 1e-6, max_iterations: 200_000 };

/// Boxes are enlarged until a solve takes this many seconds.
const PATIENCE: f64 = 0.5;

/// Sizes below this many cells are left out of the fit: there the work is not yet what takes the time.
const SMALLEST_FITTED: usize = 1 << 10;

/// Time against the number of cells in the plane.
pub fn plane(figures: &mut Figures) -> anyhow::Result<()> {
    table::<2>(figures, [[Fixed; 2]; 2], &[16, 32, 64, 128, 256, 512, 1024, 2048])
}

/// Time against the number of cells in space.
pub fn space(figures: &mut Figures) -> anyhow::Result<()> {
    table::<3>(figures, [[Fixed; 2]; 3], &[8, 12, 16, 24, 32, 48, 64, 96, 128, 192])
}

fn table<const D: usize>(
    figures: &mut Figures,
    sides: [[SideKind; 2]; D],
    sizes: &[usize],
) -> anyhow::Result<()> {
    for entry in SOLVERS.iter().filter(|entry| entry.name != "auto") {
        let mut points = Vec::new();
        for &cells in sizes {
            let basin = basin::<f64, D>(cells, sides, Filling::Box, 0.0)?;
            let (seconds, iterations) = match time(entry, &basin) {
                Err(_) if entry.name == "gaussian" => break,
                timed => timed?,
            };
            points.push((cells.pow(D as u32), seconds));
            let sweep = sweep_seconds(&basin.1);
            let metric = match iterations {
                0 => format!("{} {cells}^{D}", entry.name),
                _ => format!("{} {cells}^{D}, {iterations} iterations", entry.name),
            };
            figures.rate(metric, 1e3 * seconds, "ms", 1e3 * sweep, "ms of a plain sweep");
            if seconds > PATIENCE {
                break;
            }
        }
        let metric = format!("{} in {D}-D, exponent of N", entry.name);
        figures.rate(metric, fitted_exponent(&points), "", entry.exponents[D - 2], "expected");
    }
    Ok(())
}

/// Seconds of a solve from scratch, preparations included, and its iterations.
fn time<const D: usize>(
    entry: &SolverEntry,
    (problem, rhs): &(PoissonProblem<f64, D>, Field<f64, D>),
) -> anyhow::Result<(f64, usize)> {
    let (mut best, mut iterations, mut spent) = (f64::INFINITY, 0, 0.0);
    for _ in 0..20 {
        let mut p = rhs.clone();
        p.fill(0.0);
        let start = Instant::now();
        let outcome = entry.build().solve(problem, rhs, &mut p, STOP)?;
        let seconds = start.elapsed().as_secs_f64();
        (best, iterations, spent) = (best.min(seconds), outcome.iterations, spent + seconds);
        if spent > 0.5 * PATIENCE {
            break;
        }
    }
    Ok((best, iterations))
}

/// The slope of log t over log N, by least squares.
fn fitted_exponent(points: &[(usize, f64)]) -> f64 {
    let fitted = points.iter().filter(|(cells, _)| *cells >= SMALLEST_FITTED);
    let logs: Vec<(f64, f64)> = fitted.map(|&(cells, seconds)| ((cells as f64).ln(), seconds.ln())).collect();
    let count = logs.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| logs.iter().map(value).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let product: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    product / logs.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

fn sweep_seconds<T: Real, const D: usize>(field: &Field<T, D>) -> f64 {
    let (of, mut to) = (field.clone(), field.clone());
    best_of(7, || kernels::sweep(&of, &mut to, T::from_f64(0.4), T::from_f64(0.1)))
}

/// Sweeps that a 256³ solve to 1e-6 may cost, and by transforms in a box.
const ALLOWED: f64 = 150.0;
const ALLOWED_BY_TRANSFORMS: f64 = 40.0;

/// Iterations that it may take.
const ALLOWED_ITERATIONS: f64 = 14.0;

/// A 256³ solve in single precision in plain 7-point sweeps measured beside it, on all threads and on one.
pub fn cost(figures: &mut Figures) -> anyhow::Result<()> {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (filling, what) in Filling::ALL {
        let basin = basin::<f32, 3>(256, [[Closed; 2]; 3], filling, 0.0)?;
        let (sweeps, iterations) = sweeps_of("mgpcg", &basin)?;
        figures.rate(format!("mgpcg 256³ {what}"), sweeps, "sweeps", ALLOWED, "allowed");
        figures.rate(format!("mgpcg 256³ {what}"), iterations, "iterations", ALLOWED_ITERATIONS, "allowed");
        let (sweeps, _) = alone.install(|| sweeps_of("mgpcg", &basin))?;
        figures.rate(format!("mgpcg 256³ {what}, one thread"), sweeps, "sweeps", ALLOWED, "allowed");
        if filling == Filling::Box {
            let (all, _) = sweeps_of("fft", &basin)?;
            let (one, _) = alone.install(|| sweeps_of("fft", &basin))?;
            figures.rate("fft 256³ box", all, "sweeps", ALLOWED_BY_TRANSFORMS, "allowed");
            figures.rate("fft 256³ box, one thread", one, "sweeps", ALLOWED_BY_TRANSFORMS, "allowed");
        }
    }
    Ok(())
}

/// The least cost of a warm solve from a guess of zero, in sweeps, and its iterations. Solves and sweeps take turns, so
/// that whatever else the machine does slows both.
fn sweeps_of<T: Real, const D: usize>(
    name: &str,
    (problem, rhs): &(PoissonProblem<T, D>, Field<T, D>),
) -> anyhow::Result<(f64, f64)> {
    let mut solver = solver(name).context("no such solver")?.build();
    let mut p = rhs.clone();
    let (mut best, mut sweep, mut iterations) = (f64::INFINITY, f64::INFINITY, 0);
    for round in 0..5 {
        p.fill(T::from_f64(0.0));
        let start = Instant::now();
        iterations = solver.solve(problem, rhs, &mut p, STOP)?.iterations;
        if round > 0 {
            best = best.min(start.elapsed().as_secs_f64());
        }
        sweep = sweep.min(sweep_seconds(rhs));
    }
    Ok((best / sweep, iterations as f64))
}

/// Milliseconds that the pressure of a 512² fluid may take: its share of a fortieth of a second.
const ALLOWED_MILLISECONDS: f64 = 15.0;

/// The pressure of a fluid in the plane: 512² in double precision.
pub fn pressure(figures: &mut Figures) -> anyhow::Result<()> {
    for (name, filling, what) in [
        ("fft", Filling::Box, "box"),
        ("mgpcg", Filling::Box, "box"),
        ("mgpcg", Filling::TankSolids, "solids"),
    ] {
        let (problem, rhs) = basin::<f64, 2>(512, [[Closed; 2]; 2], filling, 0.0)?;
        let mut solver = solver(name).context("no such solver")?.build();
        let mut p = rhs.clone();
        let mut failure = None;
        let seconds = best_of(20, || {
            p.fill(0.0);
            failure = solver.solve(&problem, &rhs, &mut p, STOP).err();
        });
        failure.map_or(Ok(()), Err)?;
        let metric = format!("{name} 512² {what}");
        figures.rate(metric, 1e3 * seconds, "ms", ALLOWED_MILLISECONDS, "ms to spare in a 512² step");
    }
    Ok(())
}

/// Unknowns that one thread should bring through an iteration in a second, in millions.
const ALLOWED_RATE: f64 = 12.0;

/// The pressure of liquids that fill a part of a box of 128 × 64 × 64, on one thread: iterations, what one costs for each
/// unknown, and what setting up costs beside it.
pub fn liquids(figures: &mut Figures) -> anyhow::Result<()> {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (solids, around) in TankSolids::ALL {
        for (liquid, name) in TankFilling::ALL {
            let tank = TestTank::new([128, 64, 64], liquid, solids)?;
            let timed = alone.install(|| time_tank(&tank))?;
            let metric = format!("{name}, {around}");
            figures.rate(metric.clone(), timed.iterations, "iterations", ALLOWED_ITERATIONS, "allowed");
            let rate = 1e-6 * tank.unknowns() as f64 * timed.iterations / timed.solve;
            figures.rate(metric.clone(), rate, "M unknowns/s", ALLOWED_RATE, "M unknowns/s aimed at");
            figures.rate(metric, 1e3 * timed.set_up, "ms to set up", 1e3 * timed.solve, "ms to solve");
        }
    }
    Ok(())
}

/// Seconds and iterations of a warm solver whose problem has changed.
struct TankTime {
    set_up: f64,
    solve: f64,
    iterations: f64,
}

/// The best of some rounds. Preparations are what the first solve takes longer than the second one.
fn time_tank(tank: &TestTank) -> anyhow::Result<TankTime> {
    let (mut problem, mut solver) = (tank.problem()?, solver("mgpcg").context("no mgpcg")?.build());
    let (mut best, mut p) =
        (TankTime { set_up: f64::INFINITY, solve: f64::INFINITY, iterations: 0.0 }, tank.rhs.clone());
    for _ in 0..8 {
        let start = Instant::now();
        tank.enter(&mut problem)?;
        p.fill(0.0);
        solver.solve(&problem, &tank.rhs, &mut p, STOP)?;
        let full = start.elapsed().as_secs_f64();
        p.fill(0.0);
        let start = Instant::now();
        best.iterations = solver.solve(&problem, &tank.rhs, &mut p, STOP)?.iterations as f64;
        best.solve = best.solve.min(start.elapsed().as_secs_f64());
        best.set_up = best.set_up.min(full);
    }
    best.set_up = (best.set_up - best.solve).max(0.0);
    Ok(best)
}
