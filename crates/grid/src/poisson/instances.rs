//! Solvers and problems, compiled once for every number type and dimension.

use super::solvers::{Method, make};
use super::{Inside, PoissonError, PoissonSolver, Problem};
use crate::value::Real;

/// What is compiled once.
pub(crate) trait PoissonFamily<T: Real, const D: usize>: Send + Sync {
    /// Makes a solver.
    fn solver(&self, method: Method) -> Box<dyn PoissonSolver<T, D>>;

    /// Assembles a problem with something inside.
    fn assemble(&self, problem: &mut Problem<T, D>, inside: &Inside<'_, T, D>) -> Result<(), PoissonError>;
}

struct Instances;

impl<T: Real, const D: usize> PoissonFamily<T, D> for Instances {
    fn solver(&self, method: Method) -> Box<dyn PoissonSolver<T, D>> {
        make(method)
    }

    fn assemble(&self, problem: &mut Problem<T, D>, inside: &Inside<'_, T, D>) -> Result<(), PoissonError> {
        problem.assemble(inside)
    }
}

crate::instances::table!(family, PoissonFamily, Instances);
