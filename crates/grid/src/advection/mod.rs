//! Carrying a quantity with a flow: ∂q/∂t + u·∇q = 0.
//!
//! All three schemes look back from each sample along the flow and take what was there: q(x, t+Δt) = q(X(x, −Δt), t).
//! The way back is one midpoint step, whose error is O(Δt³). Between samples the quantity is multilinear.
//!
//! - [`Scheme::SemiLagrangian`] is just that [stam1999]. Each step blurs by the interpolation, which amounts to a
//!   diffusion of |u|Δ/2: first order in space.
//! - [`Scheme::MacCormack`] goes back and forth, and takes half of what the round trip changed as the error of one
//!   way [selle2008]: second order in space.
//! - [`Scheme::Bfecc`] takes the same error off the quantity first and carries it then [dupont2003, kim2005]: second
//!   order, for one more way.
//!
//! The corrections are limited to the samples around the point that was looked back to, so no scheme makes new
//! extremes: all are stable for any step. The price is that the two corrected ones are of first order at smooth extremes.
//! None conserves the integral of q. A way that leaves the grid ends at its side; along a periodic axis it goes around.
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
