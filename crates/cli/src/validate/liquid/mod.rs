//! Liquids against rest, exact motions and published experiments; and what they must neither lose nor let through.

mod dam_break;
mod disk;
mod drop;
mod measures;
mod sloshing;
mod thin_wall;
mod tilted_tank;
mod volume;

pub use dam_break::{fine as dam_break_fine, quick as dam_break};
pub use disk::run as disk;
pub use drop::{fine as drop_fine, quick as drop};
pub use sloshing::run as sloshing;
pub use thin_wall::{fine as thin_wall_fine, quick as thin_wall};
pub use tilted_tank::{fine as tilted_tank_fine, quick as tilted_tank};
pub use volume::{fine as volume_fine, quick as volume};
