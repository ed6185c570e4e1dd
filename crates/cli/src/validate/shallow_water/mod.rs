//! Shallow water against exact solutions: lakes, flow over a bump, dam breaks, sloshing with moving shores, channels with
//! friction; and what must be conserved.

mod bowl;
mod bump;
mod channel;
mod conservation;
mod dam_break;
mod lake;
mod macdonald;
mod parabola;

pub use bowl::{circling, pulsing};
pub use bump::steady;
pub use conservation::{mass, symmetry};
pub use dam_break::run as dam_break;
pub use lake::rest;
pub use macdonald::run as macdonald;
pub use parabola::{damped, thacker};
