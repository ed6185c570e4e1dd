//! Where a liquid is at the start, where it comes in, where it leaves, and what its box does at the sides.
//!
//! A scene says it in `[[fill]]`, `[[emitter]]` and `[[drain]]`, each a region: any shape that an obstacle can have, or
//! everything below a level. Regions may move and turn as obstacles do. The sides of the box are keys of the water.
//! The liquid asks: is this point filled, which emitters are on now and where, which way does this side push.
//!
//! Not modelled: emitters that are pushed back by what they push, drains that suck from afar.

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
