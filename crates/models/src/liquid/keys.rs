//! The keys of a `liquid` water.

use undine_grid::poisson::SOLVER_WORDS;
use undine_scene::{Absent, Key};

use super::sources::LIQUID_SIDE_KEYS;

/// The keys of its `[[water]]` section.
pub(super) static KEYS: &[Key] = &[
    Key::vector("size", 2)
        .unit("m")
        .default(Absent::Vector(&[1.0, 1.0]))
        .positive_to(1e6)
        .help("extent of the box along x and y; rounded to whole cells"),
    Key::number("height")
        .unit("m")
        .optional("the liquid is 2-D; its y points up")
        .positive_to(1e6)
        .help("extent of the box along z, which makes the liquid 3-D"),
    Key::vector("corner", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e6, 1e6)
        .help("lowest corner of the box; in 3-D its bottom is at z = 0"),
    Key::integer("resolution")
        .default(Absent::Integer(64))
        .within(1.0, 4096.0)
        .scaled()
        .help("cells along x; along y and z there are as many as fit, all of them cubes"),
    Key::choice(
        "transfer",
        &[
            ("apic", "particles carry velocity and its gradient: lively, conserves rotation, no noise"),
            ("flip", "particles keep their velocity and add the grid's change: liveliest, a little noisy"),
            ("pic", "particles take the grid's velocity: strongly damped"),
        ],
    )
    .default(Absent::Text("apic"))
    .live()
    .help("how velocities are transferred from particles to the grid and back"),
    Key::number("blend").or(0.97).within(0.0, 1.0).live().help("fraction of FLIP with transfer = \"flip\"; the rest is PIC"),
    Key::choice(
        "moves",
        &[("rk3", "one third-order Runge–Kutta step"), ("euler5", "five Euler steps of a fifth, as in Li & Wu 2007")],
    )
    .default(Absent::Text("rk3"))
    .live()
    .help("how particles are advected"),
    Key::integer("band").default(Absent::Integer(4)).within(0.0, 64.0).live().help(
        "width of the band of particles at the surface, in cells; deeper inside the grid alone advects the flow; \
               0 puts particles everywhere, and so do colours",
    ),
    Key::choice("solver", SOLVER_WORDS)
        .default(Absent::Text("mgpcg"))
        .live()
        .help("solver of the pressure"),
    Key::number("tolerance")
        .or(1e-5)
        .within(1e-12, 0.5)
        .live()
        .help("residual at which the pressure solver stops, relative to the right-hand side"),
    Key::number("viscosity")
        .unit("m²/s")
        .or(0.0)
        .within(0.0, 1e3)
        .live()
        .help("kinematic viscosity; water has 1e-6, which no grid shows, oil 1e-4, honey 7e-3"),
    Key::number("tension")
        .unit("N/m")
        .or(0.0)
        .within(0.0, 1e3)
        .live()
        .help("surface tension; water has 0.073, which matters for cells of millimetres"),
    Key::number("density").unit("kg/m³").or(1000.0).positive_to(1e6).live().help("density"),
    Key::flag("volume_control")
        .default(Absent::Flag(true))
        .live()
        .help("correct the volume enclosed by the surface to the volume of the particles"),
    Key::number("courant")
        .or(4.0)
        .positive_to(100.0)
        .live()
        .help("cells that the liquid may cross in a step"),
    Key::integer("steps")
        .default(Absent::Integer(64))
        .within(1.0, 1e6)
        .live()
        .help("the most steps per frame; where they are too few, steps get longer than courant allows"),
    Key::table("west", LIQUID_SIDE_KEYS).live().help("the side at low x, such as { kind = \"open\" }"),
    Key::table("east", LIQUID_SIDE_KEYS).live().help("the side at high x"),
    Key::table("south", LIQUID_SIDE_KEYS).live().help("the side at low y"),
    Key::table("north", LIQUID_SIDE_KEYS).live().help("the side at high y"),
    Key::table("down", LIQUID_SIDE_KEYS).live().help("the side at low z, of a 3-D liquid"),
    Key::table("up", LIQUID_SIDE_KEYS).live().help("the side at high z, of a 3-D liquid"),
];
