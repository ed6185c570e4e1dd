//! Liquids at rest, against exact solutions and published experiments; conservation of volume, and walls that do not
//! leak.

mod dam_break;
mod disk;
mod drop;
mod free_fall;
mod hydrostatics;
mod measures;
mod sloshing;
mod thin_wall;
mod tilted_tank;
mod volume;

use undine_checks::Case;

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "liquid/tilted-tank", is_quick: true, is_chaotic: true, run: tilted_tank::quick },
    Case { name: "liquid/tilted-tank-fine", is_quick: false, is_chaotic: true, run: tilted_tank::fine },
    Case { name: "liquid/rest-space", is_quick: true, is_chaotic: true, run: tilted_tank::space },
    Case { name: "liquid/hydrostatics", is_quick: true, is_chaotic: true, run: hydrostatics::run },
    Case { name: "liquid/free-fall", is_quick: true, is_chaotic: true, run: free_fall::run },
    Case { name: "liquid/disk", is_quick: true, is_chaotic: true, run: disk::run },
    Case { name: "liquid/dam-break", is_quick: true, is_chaotic: true, run: dam_break::quick },
    Case { name: "liquid/dam-break-fine", is_quick: false, is_chaotic: true, run: dam_break::fine },
    Case { name: "liquid/sloshing", is_quick: true, is_chaotic: true, run: sloshing::run },
    Case { name: "liquid/drop", is_quick: true, is_chaotic: true, run: drop::quick },
    Case { name: "liquid/drop-space", is_quick: false, is_chaotic: true, run: drop::space },
    Case { name: "liquid/drop-fine", is_quick: false, is_chaotic: true, run: drop::fine },
    Case { name: "liquid/volume", is_quick: true, is_chaotic: true, run: volume::quick },
    Case { name: "liquid/volume-fine", is_quick: false, is_chaotic: true, run: volume::fine },
    Case { name: "liquid/thin-wall", is_quick: true, is_chaotic: false, run: thin_wall::quick },
    Case { name: "liquid/thin-wall-fine", is_quick: false, is_chaotic: false, run: thin_wall::fine },
];
