//! The keys of a `stable-fluids` water.

use undine_grid::poisson::SOLVER_WORDS;
use undine_scene::{Absent, Key};

use super::sides::SIDE_KEYS;

/// The keys of its `[[water]]` section.
pub(super) static KEYS: &[Key] = &[
    Key::vector("size", 2)
        .unit("m")
        .default(Absent::Vector(&[1.0, 1.0]))
        .positive_to(1e6)
        .help("extent of the box along x and y"),
    Key::number("height")
        .unit("m")
        .optional("the fluid is 2-D; its y points up in pictures")
        .positive_to(1e6)
        .help("extent of the box along z, which makes the fluid 3-D"),
    Key::vector("corner", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e6, 1e6)
        .help("lowest corner of the box; in 3-D its bottom is at z = 0"),
    Key::integer("resolution")
        .default(Absent::Integer(128))
        .within(2.0, 8192.0)
        .scaled()
        .help("cells along x; along y and z there are as many as make the cells square"),
    Key::choice(
        "layout",
        &[
            ("staggered", "components on faces; projected to a stated divergence"),
            (
                "collocated",
                "all components at cell centres, a fixed number of relaxation sweeps, as in the theses",
            ),
        ],
    )
    .default(Absent::Text("staggered"))
    .help("where the components of the velocity lie"),
    Key::choice(
        "advection",
        &[
            ("semi-lagrangian", "one backtrace: robust but diffusive, first order"),
            ("mac-cormack", "backward and forward trace with error correction: second order"),
            ("bfecc", "back and forth error compensation, three traces: second order"),
        ],
    )
    .optional("mac-cormack; semi-lagrangian where collocated")
    .live()
    .help("advection scheme of velocity, dye, smoke and heat"),
    Key::number("viscosity")
        .unit("m²/s")
        .or(0.0)
        .within(0.0, 1e9)
        .live()
        .help("kinematic viscosity; water has 1e-6, honey 7e-3"),
    Key::integer("sweeps")
        .default(Absent::Integer(20))
        .within(1.0, 10000.0)
        .live()
        .help("relaxation sweeps of the collocated layout"),
    Key::choice("solver", SOLVER_WORDS)
        .default(Absent::Text("auto"))
        .live()
        .help("Poisson solver for the pressure of the staggered layout"),
    Key::number("tolerance").or(5e-7).within(1e-12, 1.0).live().help(
        "largest relative change of a cell's volume in a step that the pressure solve may leave: |∇·u| Δt",
    ),
    Key::number("density")
        .unit("kg/m³")
        .or(1000.0)
        .positive_to(1e6)
        .live()
        .help("density, for pressure, momentum and energy"),
    Key::timed("force_x").unit("m/s²").or(0.0).within(-1e6, 1e6).live().help("body force along x, per mass"),
    Key::timed("force_y").unit("m/s²").or(0.0).within(-1e6, 1e6).live().help("the same along y"),
    Key::timed("force_z").unit("m/s²").or(0.0).within(-1e6, 1e6).live().help("the same along z"),
    Key::flag("gravity")
        .default(Absent::Flag(false))
        .live()
        .help("let the scene's gravity act on the fluid itself; the pressure balances it"),
    Key::number("buoyancy")
        .unit("1/K")
        .or(3.4e-3)
        .within(0.0, 10.0)
        .live()
        .help("thermal expansion β of the Boussinesq buoyancy g β T"),
    Key::number("smoke_weight")
        .unit("m/s²")
        .or(0.0)
        .within(-1e4, 1e4)
        .live()
        .help("downward acceleration of smoke of density 1"),
    Key::number("confinement")
        .unit("m/s")
        .or(0.0)
        .within(0.0, 1e4)
        .live()
        .help("strength ε of vorticity confinement"),
    Key::number("diffusivity").unit("m²/s").or(0.0).within(0.0, 1e9).live().help("of dye, smoke and heat"),
    Key::number("fading").unit("1/s").or(0.0).within(0.0, 1e6).live().help("decay rate of dye and smoke"),
    Key::number("cooling").unit("1/s").or(0.0).within(0.0, 1e6).live().help("decay rate of temperature"),
    Key::table("west", SIDE_KEYS).live().help("the side at low x, such as { kind = \"inflow\", speed = 1 }"),
    Key::table("east", SIDE_KEYS).live().help("the side at high x"),
    Key::table("south", SIDE_KEYS).live().help("the side at low y"),
    Key::table("north", SIDE_KEYS).live().help("the side at high y"),
    Key::table("down", SIDE_KEYS).live().help("the side at low z, of a 3-D fluid"),
    Key::table("up", SIDE_KEYS).live().help("the side at high z, of a 3-D fluid"),
    Key::choice(
        "start",
        &[
            ("rest", "the fluid is at rest"),
            ("stream", "uniform flow along x, projected around obstacles"),
            ("vortices", "Taylor–Green vortices, one pair along each axis"),
            ("abc", "Arnold–Beltrami–Childress flow, in 3-D"),
            ("turbulence", "random vortices of many sizes"),
        ],
    )
    .default(Absent::Text("rest"))
    .help("initial velocity"),
    Key::number("start_speed").unit("m/s").or(1.0).within(-1e4, 1e4).help("speed of the initial velocity"),
    Key::integer("tracers").default(Absent::Integer(0)).within(0.0, 1e7).help("passive tracer particles"),
    Key::number("depth")
        .unit("m")
        .optional("a fifth of the shorter side")
        .positive_to(1e6)
        .live()
        .help("depth of the water below the raised surface, above a level bed"),
    Key::number("raised")
        .or(0.0)
        .within(0.0, 1e6)
        .live()
        .help("show a 2-D fluid as a surface, raised by this many times its pressure head"),
    Key::number("courant")
        .or(1.0)
        .positive_to(1e6)
        .live()
        .help("cells that the fluid may cross in a step; it is stable for any"),
    Key::integer("steps")
        .default(Absent::Integer(16))
        .within(1.0, 1e6)
        .live()
        .help("maximum steps per frame; where they are too few, steps are longer than courant allows"),
    Key::flag("limit_energy").default(Absent::Flag(true)).live().help(
        "scale the velocity of a fluid that nothing drives so that its kinetic energy does not grow; false shows what the scheme itself does",
    ),
];
