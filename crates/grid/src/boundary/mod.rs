//! Boundary conditions of a field, and the one function that computes its ghosts from them.

mod condition;
mod ghosts;
mod side;

pub use condition::{Boundary, BoundaryError, Condition};
pub use ghosts::fill_ghosts;
pub use side::Side;
