//! Solvers and problems in double precision, which is what models solve in, compiled once, in this crate, for every
//! dimension. In single precision they are compiled by the crate that uses them: both together would take twice as
//! long to build, and half of it would go unused.

use super::solvers::{Method, make};
use super::{Inside, PoissonError, PoissonProblem, PoissonSolver};
use crate::instances::{InstanceEntry, find};
use crate::value::Real;

/// The functions compiled once.
pub trait PoissonFamily<T: Real, const D: usize>: Send + Sync {
    /// Makes a solver.
    fn solver(&self, method: Method) -> Box<dyn PoissonSolver<T, D>>;

    /// Assembles a problem with something inside.
    fn assemble(
        &self,
        problem: &mut PoissonProblem<T, D>,
        inside: &Inside<'_, T, D>,
    ) -> Result<(), PoissonError>;
}

/// A number type that says where its solvers are compiled.
pub trait SolverNumber: Sized {
    /// The code for this number type and a dimension.
    fn family<const D: usize>() -> &'static dyn PoissonFamily<Self, D>
    where
        Self: Real;
}

struct PoissonInstances;

impl<T: Real, const D: usize> PoissonFamily<T, D> for PoissonInstances {
    fn solver(&self, method: Method) -> Box<dyn PoissonSolver<T, D>> {
        make(method)
    }

    fn assemble(
        &self,
        problem: &mut PoissonProblem<T, D>,
        inside: &Inside<'_, T, D>,
    ) -> Result<(), PoissonError> {
        problem.assemble(inside)
    }
}

static DOUBLE: [InstanceEntry; 3] = [
    &(&PoissonInstances as &'static dyn PoissonFamily<f64, 1>),
    &(&PoissonInstances as &'static dyn PoissonFamily<f64, 2>),
    &(&PoissonInstances as &'static dyn PoissonFamily<f64, 3>),
];

impl SolverNumber for f64 {
    fn family<const D: usize>() -> &'static dyn PoissonFamily<f64, D> {
        const { assert!(D >= 1 && D <= 3, "there is code for one to three dimensions") };
        find(&DOUBLE)
    }
}

impl SolverNumber for f32 {
    fn family<const D: usize>() -> &'static dyn PoissonFamily<f32, D> {
        &PoissonInstances
    }
}
