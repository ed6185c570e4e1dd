//! The `[[surface]]` sections of a scene.

use undine_scene::Key;

/// The keys of a `[[surface]]` section.
pub static SURFACE_KEYS: &[Key] = &[
    Key::text("water")
        .optional("every water that is a liquid")
        .help("the name of the water whose surface this is about"),
    Key::number("cells")
        .or(2.0)
        .within(0.25, 8.0)
        .help("cells of the mesh along a cell of the simulation; halved while there would be too many"),
    Key::number("smoothing").unit("cells").or(0.7).within(0.0, 1.5).help(
        "width of the blur that takes bumps out of thick liquid, in cells of the simulation; 0 for none",
    ),
    Key::number("reach").unit("cells").or(1.5).within(0.8, 4.0).help(
        "how far particles melt together, in cells of the simulation; less shows finer drops and more bumps",
    ),
    Key::number("radius").unit("cells").or(0.4).within(0.05, 2.0).help(
        "radius of a lone drop in cells of the simulation; drops are at least as large as a cell of the mesh",
    ),
];

/// How the surface of a liquid is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Surfacing {
    /// The water, by its name; all liquids when absent.
    pub water: Option<String>,
    /// Cells of the mesh along a cell of the simulation.
    pub cells: f64,
    /// Width of the blur in cells of the simulation.
    pub smoothing: f64,
    /// How far particles melt together in cells of the simulation.
    pub reach: f64,
    /// Radius of a lone drop in cells of the simulation.
    pub radius: f64,
}

impl Default for Surfacing {
    fn default() -> Surfacing {
        Surfacing { water: None, cells: 2.0, smoothing: 0.7, reach: 1.6, radius: 0.4 }
    }
}
