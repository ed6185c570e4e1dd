//! Cells of fluid at rest and in waves against exact solutions, and against the experiment of a collapsing column.

mod claims;
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
    Case {
        name: "foster-metaxas/reflection",
        is_quick: true,
        is_chaotic: false,
        run: claims::waves::reflection,
    },
    Case {
        name: "foster-metaxas/refraction",
        is_quick: true,
        is_chaotic: false,
        run: claims::waves::refraction,
    },
    Case {
        name: "foster-metaxas/diffraction",
        is_quick: true,
        is_chaotic: false,
        run: claims::waves::diffraction,
    },
    Case { name: "foster-metaxas/eddies", is_quick: true, is_chaotic: true, run: claims::eddies::run },
    Case { name: "foster-metaxas/pouring", is_quick: true, is_chaotic: true, run: claims::volume::pouring },
    Case { name: "foster-metaxas/volume", is_quick: true, is_chaotic: false, run: claims::volume::forms },
    Case {
        name: "foster-metaxas/divergence",
        is_quick: true,
        is_chaotic: true,
        run: claims::divergence::run,
    },
    Case { name: "foster-metaxas/walls", is_quick: true, is_chaotic: true, run: claims::walls::run },
    Case { name: "foster-metaxas/limits", is_quick: true, is_chaotic: true, run: claims::limits::run },
];
