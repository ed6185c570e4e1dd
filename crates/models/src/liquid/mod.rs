//! Liquids.

pub mod viscosity;
