//! Kass and Miller's water against the algebra of its scheme, the theory of long waves, and over land.

mod shoaling;
mod shores;
mod waves;

use undine_checks::Case;

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "kass-miller/standing-wave", is_quick: true, is_chaotic: false, run: waves::standing_wave },
    Case { name: "kass-miller/endurance", is_quick: true, is_chaotic: false, run: waves::endurance },
    Case { name: "kass-miller/long-waves", is_quick: true, is_chaotic: false, run: waves::long_waves },
    Case { name: "kass-miller/courant", is_quick: true, is_chaotic: false, run: waves::courant },
    Case { name: "kass-miller/volume", is_quick: true, is_chaotic: false, run: shores::volume },
    Case { name: "kass-miller/refraction", is_quick: true, is_chaotic: false, run: shores::refraction },
    Case { name: "kass-miller/shoaling", is_quick: true, is_chaotic: false, run: shoaling::run },
    Case { name: "kass-miller/reflection", is_quick: true, is_chaotic: false, run: shores::reflection },
];
