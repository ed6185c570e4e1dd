//! Liquids with a free surface.

pub mod sources;
