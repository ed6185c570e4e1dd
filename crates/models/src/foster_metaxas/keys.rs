//! The keys of a `foster-metaxas` water.

use undine_grid::poisson::SOLVER_WORDS;
use undine_scene::{Absent, Key};

use super::applied_pressure::{PRESSURE, PRESSURE_WAVE, WIND};

/// The keys of its `[[water]]` section.
pub(super) static KEYS: &[Key] = &[
    Key::vector("size", 2)
        .unit("m")
        .default(Absent::Vector(&[1.0, 1.0]))
        .positive_to(1e6)
        .help("extent of the box along x and y"),
    Key::number("height")
        .unit("m")
        .optional("the water is 2-D; its y points up")
        .positive_to(1e6)
        .help("extent of the box along z, which makes the water 3-D"),
    Key::vector("corner", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e6, 1e6)
        .help("lowest corner of the box; in 3-D its bottom is at z = 0"),
    Key::integer("resolution")
        .default(Absent::Integer(30))
        .within(1.0, 1024.0)
        .scaled()
        .help("cells along x"),
    Key::integer("resolution_y")
        .optional("as many cubes as fit, and 3 at least upwards")
        .within(1.0, 1024.0)
        .scaled()
        .help("cells along y, which need not be cubes"),
    Key::integer("resolution_z")
        .optional("as many cubes as fit, and 3 at least upwards")
        .within(1.0, 1024.0)
        .scaled()
        .help("cells along z of a 3-D water, which need not be cubes"),
    Key::choice(
        "surface",
        &[
            ("markers", "particles throughout the water: it may splash, overturn and merge"),
            ("chains", "particles along the surface, in 2-D: exact borders, merging where they meet"),
            ("height", "one height per column: smooth, for waves that do not overturn"),
        ],
    )
    .default(Absent::Text("markers"))
    .help("how the surface is tracked"),
    Key::integer("markers_per_cell")
        .default(Absent::Integer(9))
        .within(1.0, 400.0)
        .help("markers in a full cell at the start"),
    Key::number("marker_jitter")
        .or(0.0)
        .within(0.0, 1.0)
        .help("random displacement of markers at the start, as a share of their spacing"),
    Key::integer("chain_particles")
        .optional("links of a quarter of a cell")
        .within(3.0, 1e6)
        .help("particles of all chains together at the start"),
    Key::flag("paper").default(Absent::Flag(false)).help(
        "everything as the paper has it: upwind = 0, surface_pressure = \"cell\", limits = \"paper\", markers by Euler \
         steps, heights by eq. 12, chains by region growing; keys that are given outweigh it",
    ),
    Key::number("upwind")
        .optional("1; 0 with paper")
        .within(0.0, 1.0)
        .live()
        .help(
            "share of the donor cell in convection and in the motion of heights; 0 is central, which is unstable for a small \
             viscosity",
        ),
    Key::choice(
        "surface_pressure",
        &[
            ("interface", "the applied pressure lies at the tracked surface"),
            ("cell", "it lies at the centres of Surface cells: waves lower than a cell do not move"),
        ],
    )
    .optional("interface; cell with paper")
    .live()
    .help("where the pressure of the air acts"),
    Key::choice(
        "height_form",
        &[
            ("flux", "volume fluxes between columns: conserves volume to rounding"),
            ("paper", "eq. 12, which does not"),
        ],
    )
    .optional("flux; paper with paper")
    .help("how the height field moves"),
    Key::choice(
        "chain_contents",
        &[
            ("winding", "by the winding number of the chains"),
            ("growth", "by growing regions, as in the paper: enclosed air becomes water"),
        ],
    )
    .optional("winding; growth with paper")
    .help("how chains tell water from air"),
    Key::choice(
        "marker_motion",
        &[("midpoint", "second order"), ("euler", "the paper")],
    )
    .optional("midpoint; euler with paper")
    .live()
    .help("how markers follow the velocity"),
    Key::choice(
        "pressure_solver",
        &[
            ("relaxation", "pressure and velocity relaxation of the paper"),
            ("projection", "a Poisson solver for the same equations"),
        ],
    )
    .default(Absent::Text("relaxation"))
    .live()
    .help("how the velocity of Full cells is made free of divergence"),
    Key::choice("solver", SOLVER_WORDS)
        .default(Absent::Text("mgpcg"))
        .live()
        .help("Poisson solver of the projection"),
    Key::number("relaxation")
        .or(1.7)
        .within(0.1, 1.99)
        .live()
        .help("relaxation coefficient β₀ of the pressure"),
    Key::number("divergence")
        .unit("1/s")
        .or(1e-4)
        .positive_to(1e3)
        .live()
        .help("the divergence ε that every Full cell must fall below"),
    Key::integer("sweeps")
        .default(Absent::Integer(2000))
        .within(1.0, 1e6)
        .live()
        .help("the most sweeps of a step, after which a shorter one is tried"),
    Key::choice(
        "start_pressure",
        &[("hydrostatic", "by the depth below the surface"), ("zero", "none")],
    )
    .default(Absent::Text("hydrostatic"))
    .help("pressure at the start"),
    Key::timed("viscosity")
        .unit("m²/s")
        .or(1e-6)
        .within(0.0, 1e3)
        .live()
        .help("kinematic viscosity; water has 1e-6, the soup of the paper 3e-3"),
    Key::number("density").unit("kg/m³").or(1000.0).positive_to(1e6).live().help("density"),
    Key::timed("gravity_x").unit("m/s²").optional("0").within(-1e4, 1e4).live().help("body force along x"),
    Key::timed("gravity_y")
        .unit("m/s²")
        .optional("0; in 2-D that of the scene, downwards")
        .within(-1e4, 1e4)
        .live()
        .help("body force along y"),
    Key::timed("gravity_z")
        .unit("m/s²")
        .optional("that of the scene, downwards")
        .within(-1e4, 1e4)
        .live()
        .help("body force along z, of a 3-D water"),
    PRESSURE,
    WIND,
    PRESSURE_WAVE,
    Key::choices(
        "no_slip",
        &[
            ("west", "the side at low x"),
            ("east", "the side at high x"),
            ("south", "the side at low y"),
            ("north", "the side at high y"),
            ("down", "the side at low z"),
            ("up", "the side at high z"),
            ("ground", "[[terrain]]"),
            ("obstacles", "every [[obstacle]]"),
        ],
    )
    .default(Absent::Words(&[]))
    .live()
    .help("what the water sticks to; it slides along all else"),
    Key::text("no_slip_obstacles")
        .optional("none")
        .live()
        .help("names of further obstacles that the water sticks to, divided by commas"),
    Key::number("courant")
        .or(0.5)
        .positive_to(1.0)
        .live()
        .help("cells that the water may cross in a step, summed over the axes; eq. 3 has 1"),
    Key::number("time_step")
        .unit("s")
        .optional("as the limits allow")
        .positive_to(1e3)
        .live()
        .help("the longest step; frames are divided into equal steps"),
    Key::choice(
        "limits",
        &[
            ("substep", "steps are shortened to all limits of an explicit step"),
            ("refuse", "a time_step beyond a limit stops the run, and says which"),
            ("paper", "steps are shortened by eq. 3 alone"),
            ("ignore", "time_step is taken as it is: the flow may blow up"),
        ],
    )
    .optional("substep; paper with paper")
    .live()
    .help("what happens at the limits of the explicit step"),
];
