//! What the height-field models share: domain, bed and initial condition ([`HeightFieldSetup`]), volume sources and
//! incoming waves ([`HeightFieldSources`]), ground that is raised and dug away ([`BedChange`]), its wetness
//! ([`Wetness`]), and compensated sums for the volume ledger ([`CompensatedSum`]).
//!
//! A scene describes the bed in `[[terrain]]`, and springs, drains, rain and incoming waves in `[[source]]`. Every
//! height-field model of the scene reads them.

mod bed_change;
mod compensated_sum;
mod disturbances;
pub(crate) mod domain;
mod drops;
mod footprint;
mod ground_shape;
mod initial_condition;
pub(crate) mod interpolation;
mod setup;
mod side_waves;
mod source_keys;
mod sources;
mod wetness;

pub use bed_change::BedChange;
pub use compensated_sum::CompensatedSum;
pub use ground_shape::GroundShape;
pub(crate) use initial_condition::{FILL_KEYS, HUMP_KEYS};
pub use setup::HeightFieldSetup;
pub(crate) use setup::height_field_keys;
pub use side_waves::SideWaves;
pub use source_keys::SOURCE;
pub use sources::{HeightFieldSources, Receiver, StepInterval};
pub use wetness::Wetness;

use undine_sim::SectionUse;

/// The sections, beside its own, that a height-field model reads.
pub const SECTIONS: &[SectionUse] = &[SectionUse::live(&SOURCE), SectionUse::live(&undine_terrain::TERRAIN)];

/// Density of fresh water in kg/m³, for momentum and energy.
pub const DENSITY: f64 = 1000.0;
