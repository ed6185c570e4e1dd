//! Shallow water against exact solutions: lakes, flow over a bump, dam breaks, sloshing with moving shores, channels with
//! friction, a vortex, waves that leave; and what must be conserved.

mod bowl;
mod bump;
mod channel;
mod conservation;
mod dam_break;
mod lake;
mod macdonald;
mod open_side;
mod parabola;
mod vortex;

use undine_checks::Case;

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "shallow-water/lake-at-rest", is_quick: true, is_chaotic: false, run: lake::rest },
    Case { name: "shallow-water/bump", is_quick: true, is_chaotic: false, run: bump::steady },
    Case { name: "shallow-water/dam-break", is_quick: true, is_chaotic: false, run: dam_break::run },
    Case { name: "shallow-water/thacker-valley", is_quick: true, is_chaotic: false, run: parabola::thacker },
    Case { name: "shallow-water/thacker-circling", is_quick: true, is_chaotic: false, run: bowl::circling },
    Case { name: "shallow-water/thacker-pulsing", is_quick: true, is_chaotic: false, run: bowl::pulsing },
    Case {
        name: "shallow-water/thacker-pulsing-fine",
        is_quick: false,
        is_chaotic: false,
        run: bowl::pulsing_fine,
    },
    Case { name: "shallow-water/damped-parabola", is_quick: true, is_chaotic: false, run: parabola::damped },
    Case { name: "shallow-water/macdonald", is_quick: true, is_chaotic: false, run: macdonald::run },
    Case { name: "shallow-water/mass", is_quick: true, is_chaotic: false, run: conservation::mass },
    Case {
        name: "shallow-water/mass-long",
        is_quick: false,
        is_chaotic: false,
        run: conservation::mass_long,
    },
    Case { name: "shallow-water/symmetry", is_quick: true, is_chaotic: false, run: conservation::symmetry },
    Case { name: "shallow-water/vortex", is_quick: true, is_chaotic: false, run: vortex::order },
    Case { name: "shallow-water/open-side", is_quick: false, is_chaotic: false, run: open_side::reflection },
];
