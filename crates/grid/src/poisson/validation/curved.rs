//! Poisson's equation in a ball that the grid cuts: with a wall as its surface (open fractions of faces), and with a free
//! surface (p = 0 by ghost values).

use std::f64::consts::PI;

use anyhow::Context;
use undine_checks::{Checks, Norms, Target};

use super::solve;
use crate::poisson::SideKind::Fixed;
use crate::poisson::{Inside, PoissonProblem, Stop, solver};
use crate::{Condition, Field, Grid, Location, neighbour};

/// Centre and radius of the ball in the unit box; the centre is no point of symmetry of the grid.
const CENTRE: [f64; 3] = [0.513, 0.487, 0.506];
const RADIUS: f64 = 0.4;

/// Sampling lines along each axis across a cell, for areas and volumes that a sphere cuts.
const LINES: usize = 16;

/// Least distance to a free surface, in cells.
const LEAST: f64 = 1e-6;

/// Order of the error in a ball with a wall.
pub fn order_cut(checks: &mut Checks) -> anyhow::Result<()> {
    let target = Target::order(1.9, "second order in p, by the fractions of [ng2009]");
    record(checks, "2-D", &[32, 64, 128], error_in_walls::<2>, target)?;
    record(checks, "3-D", &[12, 24, 48], error_in_walls::<3>, target)
}

/// Order of the error in a ball with a free surface.
pub fn order_surface(checks: &mut Checks) -> anyhow::Result<()> {
    let target = Target::order(1.9, "second order in p, by the ghost values of [gibou2002]");
    record(checks, "2-D", &[32, 64, 128], error_under_surface::<2>, target)?;
    record(checks, "3-D", &[12, 24, 48], error_under_surface::<3>, target)
}

fn record(
    checks: &mut Checks,
    name: &str,
    sizes: &[usize],
    error: impl Fn(usize) -> anyhow::Result<Norms>,
    target: Target,
) -> anyhow::Result<()> {
    let (mut mean, mut most) = (Vec::new(), Vec::new());
    for &cells in sizes {
        let norms = error(cells)?;
        mean.push((cells, norms.mean));
        most.push((cells, norms.most));
    }
    checks.order(format!("{name}: order of L1"), &mean, target);
    checks.order(format!("{name}: order of L∞"), &most, target);
    Ok(())
}

/// r² from the centre of the ball.
fn square<const D: usize>(at: [f64; D]) -> f64 {
    (0..D).map(|axis| (at[axis] - CENTRE[axis]).powi(2)).sum()
}

fn unit_box<const D: usize>(cells: usize) -> anyhow::Result<(Grid<D>, PoissonProblem<f64, D>)> {
    let grid = Grid::new([cells; D], [1.0 / cells as f64; D], [0.0; D])?;
    Ok((grid, PoissonProblem::new(grid, [[Fixed; 2]; D])?))
}

/// Solves, and compares p with an exact solution at the centres in the ball, both less their means if only differences of p
/// are known.
fn compare<const D: usize>(
    problem: PoissonProblem<f64, D>,
    rhs: Field<f64, D>,
    is_closed: bool,
    exact: impl Fn(f64) -> f64,
) -> anyhow::Result<Norms> {
    let grid = *rhs.grid();
    let stop = Stop { tolerance: 1e-10, max_iterations: 500 };
    let (p, report) = solve(solver("mgpcg").context("no mgpcg")?, &(problem, rhs), stop)?;
    anyhow::ensure!(report.has_converged, "the solver does not converge");
    let pairs = p.iter().filter_map(|(at, p)| {
        let r2 = square(grid.centre(at.map(|x| x as isize)));
        (r2 < RADIUS * RADIUS).then(|| [p, exact(r2)])
    });
    let pairs: Vec<_> = pairs.collect();
    let mean = |index: usize| pairs.iter().map(|pair| pair[index]).sum::<f64>() / pairs.len() as f64;
    let means = if is_closed { [mean(0), mean(1)] } else { [0.0; 2] };
    Ok(Norms::of(pairs.iter().map(|[p, exact]| [p - means[0], exact - means[1]])))
}

/// p = cos(cr²) with c = π/R² has no flow through the wall. Finite volumes: faces and cells count by their part inside.
fn error_in_walls<const D: usize>(cells: usize) -> anyhow::Result<Norms> {
    let c = PI / (RADIUS * RADIUS);
    let source = |r2: f64| 2.0 * D as f64 * c * (c * r2).sin() + 4.0 * c * c * r2 * (c * r2).cos();
    let (grid, mut problem) = unit_box::<D>(cells)?;
    let edge = grid.spacing()[0];
    let mut faces = Vec::with_capacity(D);
    for axis in 0..D {
        let mut field = Field::new(grid, Location::Face(axis), Condition::Open, 1)?;
        field.set_by_position(|at| {
            let low: [f64; D] = std::array::from_fn(|i| if i == axis { at[i] } else { at[i] - 0.5 * edge });
            integrate_inside(low, edge, Some(axis), |_| 1.0)
        });
        faces.push(field);
    }
    let faces: [Field<f64, D>; D] = faces.try_into().map_err(|_| anyhow::anyhow!("a field for each axis"))?;
    problem.set_inside(&Inside { faces: Some(&faces), ..Inside::default() })?;
    let mut rhs = Field::new(grid, Location::Center, Condition::Open, 1)?;
    rhs.set_by_position(|at| integrate_inside(at.map(|x| x - 0.5 * edge), edge, None, source));
    compare(problem, rhs, true, |r2| (c * r2).cos())
}

/// The integral of a function of r² over the part of a cell inside the ball, or of a face normal to `flat`, divided by the
/// volume or area of all of it: exact chords along an axis, two points of Gauss on each.
fn integrate_inside<const D: usize>(
    low: [f64; D],
    edge: f64,
    flat: Option<usize>,
    f: impl Fn(f64) -> f64,
) -> f64 {
    let line = usize::from(flat == Some(0));
    let across: Vec<usize> = (0..D).filter(|&axis| axis != line && Some(axis) != flat).collect();
    let count = LINES.pow(across.len() as u32);
    let chord = |number: usize| {
        let mut at = low;
        for (index, &axis) in across.iter().enumerate() {
            at[axis] += edge * ((number / LINES.pow(index as u32) % LINES) as f64 + 0.5) / LINES as f64;
        }
        at[line] = CENTRE[line];
        let off_axis = square(at);
        let half = (RADIUS * RADIUS - off_axis).max(0.0).sqrt();
        let (start, end) =
            ((low[line] - CENTRE[line]).max(-half), (low[line] + edge - CENTRE[line]).min(half));
        let length = (end - start).max(0.0);
        let points = [-1.0, 1.0].map(|side| 0.5 * (start + end + side * length / 3f64.sqrt()));
        0.5 * length / edge * points.map(|x| f(off_axis + x * x)).iter().sum::<f64>()
    };
    (0..count).map(chord).sum::<f64>() / count as f64
}

/// p = sin(c (R² − r²)) with c = π/2R² vanishes on the surface.
fn error_under_surface<const D: usize>(cells: usize) -> anyhow::Result<Norms> {
    let c = 0.5 * PI / (RADIUS * RADIUS);
    let depth = |r2: f64| c * (RADIUS * RADIUS - r2);
    let (grid, mut problem) = unit_box::<D>(cells)?;
    let mut unknown = Field::<u8, D>::new(grid, Location::Center, Condition::Open, 1)?;
    let mut extra = Field::<f64, D>::new(grid, Location::Center, Condition::Open, 1)?;
    let mut rhs = Field::<f64, D>::new(grid, Location::Center, Condition::Open, 1)?;
    let distance = |at: [isize; D]| square(grid.centre(at)).sqrt() - RADIUS;
    for (at, _) in rhs.clone().iter() {
        let cell = at.map(|x| x as isize);
        let own = distance(cell);
        unknown[at] = u8::from(own < 0.0);
        // A neighbour beyond the surface, which lies at the distance θΔ, adds 1/(θΔ²)
        let others = (0..2 * D).map(|face| distance(neighbour(cell, face / 2, 2 * (face as isize % 2) - 1)));
        let pull = |other: f64| 1.0 / ((own / (own - other)).max(LEAST) * grid.spacing()[0].powi(2));
        extra[at] = if own < 0.0 { others.filter(|&other| other >= 0.0).map(pull).sum() } else { 0.0 };
        let r2 = square(grid.centre(cell));
        rhs[at] = 2.0 * D as f64 * c * depth(r2).cos() + 4.0 * c * c * r2 * depth(r2).sin();
    }
    problem.set_inside(&Inside { unknown: Some(&unknown), extra: Some(&extra), ..Inside::default() })?;
    compare(problem, rhs, false, |r2| depth(r2).sin())
}
