//! Cells of fluid at rest and in waves against exact solutions, and against the experiment of a collapsing column.

mod dam_break;
mod rest;
mod sloshing;

use undine_checks::Case;

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "foster-metaxas/rest", is_quick: true, is_chaotic: false, run: rest::run },
    Case { name: "foster-metaxas/sloshing", is_quick: true, is_chaotic: false, run: sloshing::run },
    Case { name: "foster-metaxas/dam-break", is_quick: true, is_chaotic: true, run: dam_break::quick },
    Case { name: "foster-metaxas/dam-break-fine", is_quick: false, is_chaotic: true, run: dam_break::fine },
];
