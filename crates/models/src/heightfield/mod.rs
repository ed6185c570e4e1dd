//! What all waters over land have in common: the rectangle of ground they lie on and the water at the start
//! ([`Land`]), what flows in and out from above ([`Sources`]), how wet the ground is ([`Wetness`]), and sums that keep
//! their last digits ([`Tally`]).
//!
//! A scene describes the ground in `[[terrain]]` and what springs, drains, rains and rolls in from a side in
//! `[[source]]`. Every height-field water of the scene reads them.

pub(crate) mod domain;
mod drops;
mod land;
mod pokes;
mod side_waves;
mod source_keys;
mod sources;
mod stamp;
mod start;
mod tally;
mod wetness;

pub use land::Land;
pub(crate) use land::land_keys;
pub use side_waves::SideWaves;
pub use source_keys::{SOURCE_KEYS, SOURCE_KINDS, SourceKind};
pub use sources::{Receiver, Sources, Span};
pub(crate) use start::{FILL_KEYS, HUMP_KEYS};
pub use tally::Tally;
pub use wetness::Wetness;

/// The sections, beside its own, that a height-field water reads.
pub const SECTIONS: &[&str] = &["terrain", "source"];

/// Density of fresh water in kg/m³, for momentum and energy.
pub const DENSITY: f64 = 1000.0;
