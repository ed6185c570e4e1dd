//! Initial liquid, emitters, drains and sides of a liquid's box, as the scene file gives them.
//!
//! `[[fill]]`, `[[emitter]]` and `[[drain]]` are regions: any shape that an obstacle can have, or everything below a
//! level. Regions may move and turn as obstacles do. The sides of the box are keys of the water.
//!
//! Not modelled: the reaction of the liquid on emitters, the suction of drains beyond their region.

mod box_sides;
mod checks;
mod drain;
mod emitter;
mod fill;
mod region;
#[cfg(test)]
mod tests;

pub use box_sides::{LIQUID_SIDE_KEYS, LiquidSide, LiquidSides};
pub use checks::{SourceDomain, check_obstacle_speed, check_sources};
pub use drain::{DRAIN, Drain, read_drains};
pub use emitter::{EMITTER, EmitterFlow, LiquidEmitter, read_emitters};
pub use fill::{DEFAULT_COLOUR, FILL, Fill, FillContent};
pub use region::{PlacedRegion, SourceRegion};
