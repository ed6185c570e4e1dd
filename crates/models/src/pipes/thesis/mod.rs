//! The manager of [thompson2009]: regions of columns whose net flow has been small for a while are not simulated.
//!
//! Built as it was, so that others can be compared with it: the eight classes of columns (`column_class`), tables 4.1
//! and 4.2 (`operations`) with their eight operations (`boundary`), net flow and its moving average (`net_flow`),
//! Algorithm 5 with C_stable and frozen outflow (`manager`), waterfalls by two traced drops (`waterfall`, `falls`). What
//! is printed wrongly is corrected; what it leaves open is decided as follows.
//!
//! - A face between two columns carries water if both belong to one region, or if their regions have been connected.
//! - The flow over a seam is updated while one of its regions is awake, except that a region that becomes stable freezes
//!   what flows out of it. Neither its columns nor its sources are updated.
//! - A region wakes when its average net flow reaches C_stable again: seams with awake regions go on, and sources and
//!   sinks count with their rates whether the region takes part or not.
//! - Regions are made around sources, around water that is there at the start, and where waterfalls land. A dry column at
//!   a boundary leaves its region when no water stands above its bed beside it.
//!
//! Rain and drops fall on stable regions too, and do not count in their net flow.
//!
//! What a stable region should have taken in or given away and did not is lost or gained by the water, as in the
//! thesis; it is counted in `withheld`, to the unit, so that the ledger closes and shows the error.
//!
//! Not here: stable regions that keep accounts, and levels to which pools are set; see the exact manager.

#[cfg(feature = "checks")]
pub mod bench;
mod boundary;
mod column_class;
mod curve_pipes;
mod falls;
mod lattice;
mod manager;
mod net_flow;
mod operations;
mod regions;
#[cfg(test)]
mod tests;
mod waterfall;

pub use column_class::{ClassThresholds, RegionKind};
pub use curve_pipes::CurvePipes;
pub use lattice::Lattice;
pub use manager::{StepCounts, StepPhysics, ThesisConstants, ThesisManager, Water};
pub use waterfall::{FallPhysics, Touchdown, TracedDrop};
