//! Where a liquid is at the start, where it comes in, where it leaves, and what its box does at the sides.
//!
//! A scene says it in `[[fill]]`, `[[emitter]]` and `[[drain]]`, each a region: any shape that an obstacle can have, or
//! everything below a level. Regions may move and turn as obstacles do. The sides of the box are keys of the water.
//! The liquid asks: is this point filled, which emitters are on now and where, which way does this side push.
//!
//! Not modelled: emitters that are pushed back by what they push, drains that suck from afar.

mod checks;
mod drain;
mod emitter;
mod fill;
mod region;
mod sides;
#[cfg(test)]
mod tests;

pub use checks::{Stage, check_sources, fast_obstacles};
pub use drain::{DRAIN, Drain, read_drains};
pub use emitter::{EMITTER, Emitter, Flow, read_emitters};
pub use fill::{Content, FILL, Fill, WATER};
pub use region::{Region, Spot};
pub use sides::{LIQUID_SIDE_KEYS, LiquidSide, LiquidSides};
