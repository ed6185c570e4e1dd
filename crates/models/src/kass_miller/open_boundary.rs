//! Open boundary: radiation condition with incoming waves [sommerfeld1949].
//!
//! An outgoing long wave carries q = c η per metre of the side, an incoming one −c η; with the incoming elevation η_in
//! the outflow is q = c (η − 2 η_in), η above the still level. In the step F_out = E + p c (Δt/Δx) y with
//! E = c (Δt/Δx) (η − 2 η_in). A wave at the angle θ to the normal is reflected by (1 − cos θ) / (1 + cos θ).
//!
//! Where the bed at the side lies above the still level, η counts from the bed: free outflow at the speed c.

use undine_grid::Real;

use super::face_flux::FaceFlux;

/// An open side.
#[derive(Clone, Copy)]
pub struct OpenBoundary<'a, T> {
    /// Depth at rest at the end of each line, max(η_still − b, 0).
    pub rest: &'a [T],
    /// 2 η_in for each line, averaged over the step.
    pub incoming: &'a [T],
}

/// Linearised outflow F_out = E + B y at one end of `W` lines; zero at a wall.
#[derive(Debug, Clone, Copy)]
pub struct OpenBoundaryFlux<T, const W: usize> {
    /// E: the outflow at y = 0.
    pub explicit: [T; W],
    /// B = p c Δt/Δx: the increase of the outflow per metre of rise.
    pub conductance: [T; W],
}

impl<T: Real, const W: usize> Default for OpenBoundaryFlux<T, W> {
    fn default() -> Self {
        OpenBoundaryFlux { explicit: [T::default(); W], conductance: [T::default(); W] }
    }
}

impl<T: Real> OpenBoundary<'_, T> {
    /// E and B at the ends of the lines from `first` on, whose last samples have these depths.
    pub fn flux<const W: usize>(
        &self,
        face_flux: &FaceFlux<T>,
        depths: &[T; W],
        first: usize,
        count: usize,
    ) -> OpenBoundaryFlux<T, W> {
        let mut flux = OpenBoundaryFlux::default();
        for lane in 0..count {
            let depth = depths[lane];
            // The Courant number c Δt/Δx of the side.
            let courant = face_flux.root_courant_factor * depth.sqrt();
            let above_rest = depth - self.rest[first + lane];
            if depth > face_flux.film {
                flux.explicit[lane] = courant * (above_rest - self.incoming[first + lane]);
                flux.conductance[lane] = face_flux.implicit * courant;
            }
        }
        flux
    }
}
