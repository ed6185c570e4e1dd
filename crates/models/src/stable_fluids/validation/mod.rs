//! Grid fluids against exact solutions and published numbers.

mod exact;
mod orders;
mod tables;

use undine_checks::Case;

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "stable-fluids/poiseuille", is_quick: true, is_chaotic: false, run: exact::poiseuille },
    Case { name: "stable-fluids/couette", is_quick: true, is_chaotic: false, run: exact::couette },
    Case { name: "stable-fluids/taylor-green", is_quick: true, is_chaotic: false, run: exact::taylor_green },
    Case {
        name: "stable-fluids/taylor-green-order",
        is_quick: true,
        is_chaotic: false,
        run: orders::taylor_green,
    },
    Case { name: "stable-fluids/abc", is_quick: true, is_chaotic: false, run: orders::abc },
    Case { name: "stable-fluids/divergence", is_quick: true, is_chaotic: false, run: exact::divergence },
    Case { name: "stable-fluids/energy", is_quick: true, is_chaotic: false, run: exact::energy },
    Case { name: "stable-fluids/dimensions", is_quick: true, is_chaotic: false, run: exact::dimensions },
    Case { name: "stable-fluids/cavity", is_quick: true, is_chaotic: false, run: tables::cavity },
    Case { name: "stable-fluids/cavity-fine", is_quick: false, is_chaotic: false, run: tables::cavity_fine },
    Case { name: "stable-fluids/cavity-1000", is_quick: false, is_chaotic: false, run: tables::cavity_1000 },
    Case { name: "stable-fluids/cavity-3200", is_quick: false, is_chaotic: false, run: tables::cavity_3200 },
    Case { name: "stable-fluids/cavity-5000", is_quick: false, is_chaotic: false, run: tables::cavity_5000 },
    Case { name: "stable-fluids/street", is_quick: false, is_chaotic: false, run: tables::street },
];
