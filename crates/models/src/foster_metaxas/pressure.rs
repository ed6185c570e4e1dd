//! Step 6: the pressure that makes the tentative velocity of Full cells free of divergence, by one of two solvers.
//!
//! Either finds ψ = δt (p_new − p_old) with |D| < ε in every Full cell. Eqs. (8) and (9) of [foster1996] follow from it:
//! u = ũ + (ψ_low − ψ_high)/δ on every face of a Full cell that is not masked, p_new = p_old + ψ/δt.

use undine_frame::CellKind;
use undine_grid::{FieldError, par};

use super::flow::Flow;
use super::projection::PoissonProjection;
use super::relaxation::{PressureOutcome, Relaxation, RelaxationSettings};
use super::surface_pressure::SurfacePressure;

/// Values that a task works on.
const TASK_VALUES: usize = 4096;

/// The Poisson solver that takes over where relaxation has failed.
const FALLBACK_SOLVER: &str = "mgpcg";

/// The solver of the pressure.
pub(super) struct PressureStep<const D: usize> {
    relaxation: Relaxation<D>,
    /// Instead of the relaxation, or where that has failed.
    projection: Option<Box<PoissonProjection<D>>>,
    is_projected: bool,
    /// ψ of Full cells, zero in all others.
    potential: Vec<f64>,
}

impl<const D: usize> PressureStep<D> {
    /// The relaxation of the paper, or the projection by a Poisson solver of this name.
    pub fn new(flow: &Flow<D>, poisson_solver: Option<&str>) -> Result<Self, FieldError> {
        let projection =
            poisson_solver.map(|name| PoissonProjection::new(flow, name).map(Box::new)).transpose()?;
        let (relaxation, potential) = (Relaxation::new(flow), vec![0.0; flow.index.length()]);
        Ok(PressureStep { relaxation, is_projected: projection.is_some(), projection, potential })
    }

    /// Full cells of the last step.
    pub fn full_cells(&self) -> usize {
        self.relaxation.count()
    }

    /// Makes the tentative velocity free of divergence; the pressure is left to [`PressureStep::update_pressure`].
    pub fn solve(
        &mut self,
        flow: &mut Flow<D>,
        surface: &SurfacePressure<D>,
        settings: &RelaxationSettings,
    ) -> PressureOutcome {
        self.relaxation.prepare(flow, surface);
        if self.is_projected {
            return self.project(flow, surface, settings);
        }
        self.potential.fill(0.0);
        let outcome = self.relaxation.solve(settings, flow.inverse_spacing());
        if outcome.is_converged {
            let potential = &mut self.potential;
            self.relaxation.for_each(|at, psi| potential[at] = psi);
            move_faces(flow, surface, &self.potential);
        }
        outcome
    }

    /// The same by the Poisson solver, after [`PressureStep::solve`] has failed on this flow.
    pub fn solve_again(
        &mut self,
        flow: &mut Flow<D>,
        surface: &SurfacePressure<D>,
        settings: &RelaxationSettings,
    ) -> PressureOutcome {
        let failed = PressureOutcome { sweeps: 0, is_converged: false };
        if self.is_projected {
            return failed;
        }
        if self.projection.is_none() {
            let Ok(projection) = PoissonProjection::new(flow, FALLBACK_SOLVER) else { return failed };
            self.projection = Some(Box::new(projection));
        }
        self.project(flow, surface, settings)
    }

    fn project(
        &mut self,
        flow: &mut Flow<D>,
        surface: &SurfacePressure<D>,
        settings: &RelaxationSettings,
    ) -> PressureOutcome {
        self.potential.fill(0.0);
        let Some(projection) = &mut self.projection else {
            return PressureOutcome { sweeps: 0, is_converged: false };
        };
        let outcome = projection.solve(flow, surface, settings, &mut self.potential);
        if outcome.is_converged {
            move_faces(flow, surface, &self.potential);
        }
        outcome
    }

    /// p_new = p_old + ψ/δt.
    pub fn update_pressure(&self, flow: &mut Flow<D>, dt: f64) {
        let potential = &self.potential;
        self.relaxation.for_each(|at, _| flow.pressure[at] += potential[at] / dt);
    }
}

/// Moves the faces of Full cells by ψ: eq. (8).
pub(super) fn move_faces<const D: usize>(
    flow: &mut Flow<D>,
    surface: &SurfacePressure<D>,
    potential: &[f64],
) {
    let (strides, inverse) = (flow.index.strides(), flow.inverse_spacing());
    let kinds = &flow.kinds;
    // ψ of a Full cell less that of what lies beyond a face
    let drop = |full: usize, beyond: usize| match kinds[beyond] {
        CellKind::Surface => surface.share(beyond, full) * potential[full],
        CellKind::Outflow => potential[full],
        _ => 0.0,
    };
    for a in 0..D {
        let s = strides[a];
        par::for_each_chunk(&mut flow.tentative[a], TASK_VALUES, |first, chunk| {
            for (at, face) in (first..).zip(chunk).skip(s.saturating_sub(first)) {
                let full = [at - s, at].map(|cell| kinds[cell] == CellKind::Full);
                *face += inverse[a]
                    * match full {
                        [true, true] => potential[at - s] - potential[at],
                        [true, false] => drop(at - s, at),
                        [false, true] => -drop(at, at - s),
                        [false, false] => continue,
                    };
            }
        });
    }
}
