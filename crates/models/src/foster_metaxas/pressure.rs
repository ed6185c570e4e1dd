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

/// The solver of the pressure.
pub(super) struct PressureStep<const D: usize> {
    relaxation: Relaxation<D>,
    /// Instead of the relaxation.
    projection: Option<PoissonProjection<D>>,
    /// ψ of Full cells, zero in all others.
    potential: Vec<f64>,
}

impl<const D: usize> PressureStep<D> {
    /// The relaxation of the paper, or the projection by a Poisson solver of this name.
    pub fn new(flow: &Flow<D>, poisson_solver: Option<&str>) -> Result<Self, FieldError> {
        let projection = poisson_solver.map(|name| PoissonProjection::new(flow, name)).transpose()?;
        Ok(PressureStep { relaxation: Relaxation::new(flow), projection, potential: vec![0.0; flow.index.length()] })
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
        self.potential.fill(0.0);
        let outcome = match &mut self.projection {
            None => {
                let outcome = self.relaxation.solve(settings, flow.inverse_spacing());
                let potential = &mut self.potential;
                self.relaxation.for_each(|at, psi| potential[at] = psi);
                outcome
            }
            Some(projection) => projection.solve(flow, surface, settings, &mut self.potential),
        };
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
pub(super) fn move_faces<const D: usize>(flow: &mut Flow<D>, surface: &SurfacePressure<D>, potential: &[f64]) {
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
