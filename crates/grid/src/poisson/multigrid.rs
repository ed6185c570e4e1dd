//! Multigrid: smooth errors, which relaxation reduces slowly on one grid, are oscillatory on a coarser one [brandt1977].
//!
//! A V-cycle relaxes by Gauss–Seidel, red cells then black ones; restricts the residual to a grid of twice the spacing;
//! interpolates its correction; and relaxes again, black cells then red ones. Descent and ascent mirror each other, and
//! restriction is the transpose of interpolation, so the cycle is symmetric and fit to precondition conjugate gradients
//! [tatebe1993], as [mcadams2010] did for liquids. The coarsest grid is solved by elimination.
//!
//! The finest grid is swept once on either way, for it costs the most; coarser ones twice. Sweeps from zero need no
//! neighbours on the first colour. A cycle reads and writes each number of the finest grid about five times.

use super::banded::Banded;
use super::checkered::{Checkered, row_of};
use super::coarsening::axes_to_merge;
use super::conjugate::Preconditioner;
use super::matrix::Matrix;
use super::row_vectors::add;
use super::spans::ActiveSpans;
use super::transfer::{GridTransfer, RED};
use super::workspace::{Exchange, Kept, VectorSet};
use super::{PoissonError, PoissonProblem, PoissonSolver, SolveReport, Stop};
use crate::field::Field;
use crate::par;
use crate::value::Real;

const BLACK: usize = 1;

/// Cells of the coarsest grid, at most; more only where nothing can be merged.
const BOTTOM: usize = 512;

/// Sweeps on either way over grids below the finest.
const COARSE_SWEEPS: usize = 2;

/// A coarser grid of the hierarchy.
#[derive(Debug)]
struct GridLevel<T, const D: usize> {
    merged: [bool; D],
    /// From and to the next finer grid.
    transfer: GridTransfer<T, D>,
    matrix: Matrix<T, D>,
    b: Checkered<T, D>,
    x: Checkered<T, D>,
    extent: ActiveSpans,
}

/// The coarser grids of a problem.
#[derive(Debug)]
pub(super) struct Hierarchy<T, const D: usize> {
    levels: Vec<GridLevel<T, D>>,
    bottom: Banded,
    shape: Option<HierarchyKey<D>>,
    /// Whether coarse cells stand for one side of a wall. Where closed faces are strewn at random that weakens the coarse
    /// grids: conjugate gradients do not mind, cycles by themselves do.
    has_detached_cells: bool,
}

/// What the hierarchy depends on; another one needs other levels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HierarchyKey<const D: usize> {
    cells: [usize; D],
    periodic: [bool; D],
    weights: [f64; D],
    shift: f64,
    has_couplings: bool,
    has_extra: bool,
}

impl<T, const D: usize> Default for Hierarchy<T, D> {
    fn default() -> Self {
        Hierarchy { levels: Vec::new(), bottom: Banded::default(), shape: None, has_detached_cells: true }
    }
}

impl<const D: usize> HierarchyKey<D> {
    fn of<T: Real>(matrix: &Matrix<T, D>) -> Self {
        HierarchyKey {
            cells: matrix.cells(),
            periodic: matrix.periodic,
            weights: matrix.weights.map(|weight| weight.to_f64()),
            shift: matrix.shift,
            has_couplings: matrix.couplings.is_some(),
            has_extra: matrix.extra.is_some(),
        }
    }
}

impl<T: Real, const D: usize> Hierarchy<T, D> {
    /// Fills the coarser grids. Memory is used again while sizes stay the same.
    fn build(&mut self, finest: &Matrix<T, D>) -> Result<(), PoissonError> {
        if self.shape != Some(HierarchyKey::of(finest)) {
            self.shape = None;
            self.make_room(finest)?;
            self.shape = Some(HierarchyKey::of(finest));
        }
        let mut fine = finest;
        for level in &mut self.levels {
            if self.has_detached_cells {
                level.transfer.detached_cells.find(fine);
            }
            level.matrix.merge(fine, level.merged, &level.transfer.detached_cells);
            level.transfer.update(fine, &level.matrix);
            level.extent.renew(&level.matrix.spans, [&mut level.b, &mut level.x]);
            fine = &level.matrix;
        }
        self.bottom.factorise(fine)
    }

    fn make_room(&mut self, finest: &Matrix<T, D>) -> Result<(), PoissonError> {
        self.levels.clear();
        loop {
            let fine = self.levels.last().map_or(finest, |level| &level.matrix);
            let merged = axes_to_merge(fine);
            if fine.cells().iter().product::<usize>() <= BOTTOM || !merged.contains(&true) {
                return Ok(());
            }
            let matrix = fine.coarse(merged)?;
            let transfer = GridTransfer::new(fine, &matrix, merged)?;
            let zeros = Checkered::new(matrix.cells())?;
            self.levels.push(GridLevel {
                merged,
                transfer,
                matrix,
                b: zeros.clone(),
                x: zeros,
                extent: ActiveSpans::default(),
            });
        }
    }

    /// One V-cycle from zero: x ≈ A⁻¹ b. Returns b·x.
    fn cycle(&mut self, finest: &Matrix<T, D>, b: &Checkered<T, D>, x: &mut Checkered<T, D>) -> f64 {
        cycle(finest, &mut self.levels, &mut self.bottom, b, x, 1)
    }
}

fn cycle<T: Real, const D: usize>(
    matrix: &Matrix<T, D>,
    coarser: &mut [GridLevel<T, D>],
    bottom: &mut Banded,
    b: &Checkered<T, D>,
    x: &mut Checkered<T, D>,
    sweeps: usize,
) -> f64 {
    let Some((next, coarser)) = coarser.split_first_mut() else {
        bottom.solve(matrix, b, x);
        return matrix.dot(b, x);
    };
    if !matrix.is_two_coloured() {
        // Black cells read black ones across a periodic seam: old values must be cleared
        x.clear();
    }
    matrix.divide(RED, b, x);
    matrix.relax(BLACK, b, x);
    for _ in 1..sweeps {
        matrix.relax(RED, b, x);
        matrix.relax(BLACK, b, x);
    }
    next.transfer.restrict(matrix, sweeps == 1, b, x, &next.matrix, &mut next.b);
    cycle(&next.matrix, coarser, bottom, &next.b, &mut next.x, COARSE_SWEEPS);
    next.transfer.prolong(matrix, &next.x, x);
    for _ in 1..sweeps {
        matrix.relax(BLACK, b, x);
        matrix.relax(RED, b, x);
    }
    matrix.relax_and_measure(BLACK, b, x) + matrix.relax_and_measure(RED, b, x)
}

/// A V-cycle as a preconditioner.
impl<T: Real, const D: usize> Preconditioner<T, D> for Hierarchy<T, D> {
    fn prepare(&mut self, problem: &PoissonProblem<T, D>) -> Result<(), PoissonError> {
        self.build(&problem.matrix)
    }

    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64 {
        self.cycle(matrix, r, z)
    }
}

/// Multigrid by itself: x += α cycle(b − A x) until it is solved.
#[derive(Debug)]
pub(super) struct Multigrid<T, const D: usize> {
    hierarchy: Hierarchy<T, D>,
    prepared_for: u64,
    vectors: Kept<LevelVectors<T, D>, D>,
    exchange: Exchange,
}

#[derive(Debug)]
struct LevelVectors<T, const D: usize> {
    x: Checkered<T, D>,
    /// The residual.
    r: Checkered<T, D>,
    /// The correction.
    z: Checkered<T, D>,
    /// A z. At first the right-hand side.
    q: Checkered<T, D>,
}

impl<T: Real, const D: usize> VectorSet<T, D> for LevelVectors<T, D> {
    fn each(&mut self) -> impl Iterator<Item = &mut Checkered<T, D>> {
        [&mut self.x, &mut self.r, &mut self.z, &mut self.q].into_iter()
    }
}

impl<T: Real, const D: usize> LevelVectors<T, D> {
    fn new(cells: [usize; D]) -> Result<Self, PoissonError> {
        let make = || Checkered::new(cells);
        Ok(LevelVectors { x: make()?, r: make()?, z: make()?, q: make()? })
    }

    /// x += α z and r −= α A z, with the α that lowers the energy the most; `rz` is r·z. Near 1 when the cycle is good,
    /// and whatever the cycle is, the error cannot grow. Returns the new r·r.
    ///
    /// The residual is carried along: that of x itself cannot fall below the rounding of x.
    fn correct(&mut self, matrix: &Matrix<T, D>, rz: f64) -> f64 {
        let curvature = matrix.apply(&self.z, &mut self.q);
        let alpha = if curvature > 0.0 { rz / curvature } else { 0.0 };
        let (forth, back) = (T::from_f64(alpha), T::from_f64(-alpha));
        for colour in 0..2 {
            let (z, q) = (&self.z.halves[colour], &self.q.halves[colour]);
            par::rows_each([&mut self.x.halves[colour], &mut self.r.halves[colour]], |at, [x, r]| {
                let cells = matrix.span(at).cells(x.len());
                add(&mut x[cells.clone()], forth, &row_of(z, at)[cells.clone()]);
                add(&mut r[cells.clone()], back, &row_of(q, at)[cells]);
            });
        }
        matrix.dot(&self.r, &self.r)
    }
}

impl<T: Real, const D: usize> Multigrid<T, D> {
    /// A solver that knows no problem yet.
    pub fn new() -> Self {
        Multigrid {
            hierarchy: Hierarchy { has_detached_cells: false, ..Hierarchy::default() },
            prepared_for: 0,
            vectors: Kept::default(),
            exchange: Exchange::default(),
        }
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Multigrid<T, D> {
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        let matrix = &problem.matrix;
        let v = self.vectors.fit(matrix, LevelVectors::new)?;
        if self.prepared_for != problem.stamp() {
            self.prepared_for = 0;
            self.hierarchy.build(matrix)?;
            self.prepared_for = problem.stamp();
        }
        let given = self.exchange.take_rhs(problem, rhs, &mut v.q)?;
        self.exchange.take_guess(problem, p, &mut v.x)?;
        matrix.residual(&v.q, &v.x, &mut v.r);
        let (mut iterations, mut squared) = (0, matrix.dot(&v.r, &v.r));
        while squared.sqrt() > given.target(stop) && iterations < stop.max_iterations {
            self.exchange.clean(problem, &mut v.r);
            let rz = self.hierarchy.cycle(matrix, &v.r, &mut v.z);
            squared = v.correct(matrix, rz);
            iterations += 1;
        }
        self.exchange.give(problem, &v.x, p);
        Ok(given.outcome(iterations, squared.sqrt(), stop))
    }
}
