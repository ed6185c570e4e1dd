//! The `[[surface]]` sections of a scene.

use undine_scene::{Absent, Key, Scene, SceneErrors, Section, SectionEntry};

use crate::water_names;

/// `[[surface]]`: settings of the surfacing of a liquid.
pub static SURFACE: SectionEntry = SectionEntry {
    name: "surface",
    summary: "resolution and smoothing of surfaces",
    repeats: true,
    common: SURFACE_KEYS,
    kinds: &[],
};

static SURFACE_KEYS: &[Key] = &[
    Key::text("water")
        .optional("every water with such a surface")
        .help("name of the water that these settings are for"),
    Key::number("cells")
        .or(2.0)
        .within(0.25, 8.0)
        .help("lattice cells along a cell of the simulation; halved while there would be too many, whole for splines"),
    Key::number("smoothing").unit("cells").or(0.75).within(0.0, 1.5).help(
        "standard deviation of the blur that smooths thick liquid, in cells of the simulation; 0 for none. Of a body of \
         revolution: undulations of its profile 2π times as long are halved",
    ),
    Key::number("reach").unit("cells").or(1.6).within(0.8, 4.0).help(
        "kernel radius of particles, in cells of the simulation; less shows finer drops and more bumps",
    ),
    Key::number("radius").unit("cells").or(0.4).within(0.05, 2.0).help(
        "radius of a lone drop in cells of the simulation; drops are at least as large as a lattice cell",
    ),
    Key::flag("revolve").default(Absent::Flag(false)).help(
        "whether the outline of a 2-D liquid is turned about a vertical axis: pictures in space show a body of revolution",
    ),
    Key::number("axis")
        .unit("m")
        .within(-1e6, 1e6)
        .optional("the low side of the domain")
        .help("revolve: x of the axis; what lies beyond it at lower x is left out"),
    Key::flag("spline").default(Absent::Flag(false)).help(
        "whether heights of water and ground are drawn as bicubic splines over their cells: for coarse ones; needs ground of \
         at most 768² cells",
    ),
    Key::number("rock")
        .unit("m")
        .or(0.0)
        .within(0.0, 1e4)
        .help("spline: height of the noise by which rock, with steps of more than a cell, is displaced; 0 for none"),
    Key::number("rock_length")
        .unit("m")
        .positive_to(1e6)
        .optional("four cells")
        .help("spline: greatest length of that noise"),
];

/// Settings of the surfacing of a liquid.
///
/// ```
/// use undine_scene::{LoadOptions, Scene};
/// use undine_surface::Surfacing;
///
/// let text = "[scene]\nduration = 1\n[[water]]\nkind = 'liquid'\n[[surface]]\ncells = 3";
/// let scene = Scene::parse("tank", text, &LoadOptions::default())?;
/// let surfaces = Surfacing::read_all(&scene)?;
/// assert_eq!(surfaces, [Surfacing { cells: 3.0, ..Surfacing::default() }]);
/// # Ok::<(), undine_scene::SceneErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Surfacing {
    /// The water, by its name; all liquids when absent.
    pub water: Option<String>,
    /// Lattice cells per cell of the simulation.
    pub cells: f64,
    /// Standard deviation of the smoothing in cells of the simulation.
    pub smoothing: f64,
    /// Kernel radius of particles in cells of the simulation.
    pub reach: f64,
    /// Radius of a lone drop in cells of the simulation.
    pub radius: f64,
    /// Whether the outline of a 2-D liquid is turned to a body of revolution.
    pub revolves: bool,
    /// x of the axis in metres; the low side of the domain when absent.
    pub axis: Option<f64>,
    /// Whether heights are drawn as splines.
    pub uses_spline: bool,
    /// Height of the noise on rock in metres.
    pub rock: f64,
    /// Greatest length of that noise in metres; four cells when absent.
    pub rock_length: Option<f64>,
}

impl Default for Surfacing {
    fn default() -> Surfacing {
        Surfacing {
            water: None,
            cells: 2.0,
            smoothing: 0.75,
            reach: 1.6,
            radius: 0.4,
            revolves: false,
            axis: None,
            uses_spline: false,
            rock: 0.0,
            rock_length: None,
        }
    }
}

impl Surfacing {
    /// Reads every `[[surface]]` of a scene, all problems at once. The waters need not be built.
    pub fn read_all(scene: &Scene) -> Result<Vec<Surfacing>, SceneErrors> {
        let names = water_names(scene);
        let mut errors = SceneErrors::default();
        let mut all: Vec<Surfacing> = Vec::new();
        for section in scene.sections("surface") {
            all.extend(errors.keep(Surfacing::read(&section, &names, &all)));
        }
        errors.into_result().map(|()| all)
    }

    fn read(
        section: &Section<'_>,
        names: &[String],
        earlier: &[Surfacing],
    ) -> Result<Surfacing, SceneErrors> {
        let values = section.read(&[SURFACE_KEYS])?;
        let water = values.text_if("water").map(str::to_owned);
        if let Some(unknown) = water.as_deref().filter(|wanted| names.iter().all(|name| name != *wanted)) {
            let remedy = undine_scene::known_words(unknown, names.iter().map(String::as_str));
            return Err(values.problem("water", format!("no water is called {unknown:?}"), remedy).into());
        }
        let is_taken = |one: &Surfacing| one.water.is_none() || water.is_none() || one.water == water;
        if earlier.iter().any(is_taken) {
            let message = "this water has a surface already";
            return Err(values.problem("water", message, "name another water in each [[surface]]").into());
        }
        Ok(Surfacing {
            water,
            cells: values.number("cells"),
            smoothing: values.number("smoothing"),
            reach: values.number("reach"),
            radius: values.number("radius"),
            revolves: values.flag("revolve"),
            axis: values.number_if("axis"),
            uses_spline: values.flag("spline"),
            rock: values.number("rock"),
            rock_length: values.number_if("rock_length"),
        })
    }

    /// The settings for a water; the default when none are given.
    pub(crate) fn of(all: &[Surfacing], water: &str) -> Surfacing {
        let own = all.iter().find(|one| one.water.as_deref().is_none_or(|name| name == water));
        own.cloned().unwrap_or_default()
    }
}
