//! Advection of a quantity with a flow: ∂q/∂t + u·∇q = 0.
//!
//! All three schemes trace each sample back along the flow to its departure point: q(x, t+Δt) = q(X(x, −Δt), t).
//! The backtrace is one midpoint step (RK2), with error O(Δt³). Between samples the quantity is multilinear.
//!
//! - [`Scheme::SemiLagrangian`] is just that [stam1999]. The interpolation is diffusive, which amounts to a
//!   diffusion of |u|Δ/2: first order in space.
//! - [`Scheme::MacCormack`] traces backward and forward, and subtracts half of the round-trip error from the result
//!   [selle2008]: second order in space.
//! - [`Scheme::Bfecc`] subtracts the same error from the quantity before a second backtrace [dupont2003, kim2005]:
//!   second order, for one more trace.
//!
//! The corrections are limited to the range of the samples around the departure point, so no scheme makes new
//! extremes: all are stable for any step. The price is that the two corrected ones are of first order at smooth extremes.
//! None conserves the integral of q. A trajectory that leaves the grid ends at its side; along a periodic axis it wraps.
//!
//! Time is the step: a flow that itself changes during Δt is taken as it is at the beginning.

mod instances;
mod paths;
mod sampler;
mod scheme;
mod trace;

pub use paths::Paths;
pub use scheme::{AdvectionScratch, Scheme, advect, advect_along};
pub use trace::Tracer;
