//! Parameters of the model, as a scene or a program gives them.

use undine_grid::Side;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::border::{BORDERS, Border, SIDE_KEYS, SIDES};
use crate::heightfield::{HeightFieldSources, height_field_keys};

/// All parameters but the bed and the initial condition.
///
/// ```
/// use undine_models::shallow_water::{Border, Settings};
/// let river = Settings { manning: 0.03, borders: [const { Border::Open }; 4], ..Settings::default() };
/// assert_eq!(river.gravity, 9.81);
/// ```
#[derive(Debug, Clone)]
pub struct Settings {
    /// Gravity in m/s².
    pub gravity: f64,
    /// Courant number of the step, dt ((|u| + c)/Δx + (|v| + c)/Δy).
    pub cfl: f64,
    /// Depth in metres below which the velocity is desingularised.
    pub dry: f64,
    /// Manning's n, in s/m^(1/3).
    pub manning: f64,
    /// The friction factor f of Darcy and Weisbach.
    pub darcy: f64,
    /// Linear friction, in 1/s.
    pub drag: f64,
    /// Green–Ampt: conductivity K of the ground in m/s, and capillary rise ψΔθ in metres.
    pub infiltration: [f64; 2],
    /// Boundary conditions west, east, south and north.
    pub borders: [Border; 4],
    /// Still level beyond open sides, in metres; without it they have free outflow.
    pub sea_level: Option<f64>,
    /// Wetness that uncovered ground loses per second.
    pub drying: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity: 9.81,
            cfl: CFL,
            dry: DRY,
            manning: 0.0,
            darcy: 0.0,
            drag: 0.0,
            infiltration: [0.0; 2],
            borders: [const { Border::Wall }; 4],
            sea_level: None,
            drying: 0.05,
        }
    }
}

const CFL: f64 = 0.8;
const DRY: f64 = 1e-6;

/// The keys of the section.
pub(super) static KEYS: &[Key] = height_field_keys![
    Key::choice("border", BORDERS)
        .optional("driven with driven_by, else wall")
        .live()
        .help("what happens at the sides that say nothing of their own"),
    Key::table("west", SIDE_KEYS).live().help("the side of low x"),
    Key::table("east", SIDE_KEYS).live().help("the side of high x"),
    Key::table("south", SIDE_KEYS).live().help("the side of low y"),
    Key::table("north", SIDE_KEYS).live().help("the side of high y"),
    Key::number("manning")
        .unit("s/m^(1/3)")
        .or(0.0)
        .within(0.0, 1.0)
        .live()
        .help("Manning's n of the bed: 0.01 smooth, 0.03 a river, 0.1 a wood"),
    Key::number("darcy").or(0.0).within(0.0, 100.0).live().help("friction factor f of Darcy and Weisbach"),
    Key::number("drag").unit("1/s").or(0.0).within(0.0, 1e6).live().help("linear friction"),
    Key::number("infiltration")
        .unit("m/s")
        .or(0.0)
        .within(0.0, 1.0)
        .live()
        .help("water that soaked ground takes per second: 1e-5 sand, 1e-7 loam"),
    Key::number("capillary")
        .unit("m")
        .or(0.0)
        .within(0.0, 100.0)
        .live()
        .help("suction of dry ground times its free pores, by which it drinks faster at first"),
    Key::number("cfl")
        .or(CFL)
        .within(0.01, 1.0)
        .live()
        .help("step as a share of the time in which a wave crosses a cell"),
    Key::number("dry")
        .unit("m")
        .or(DRY)
        .within(1e-12, 1.0)
        .live()
        .help("water thinner than this has no velocity of its own"),
];

impl Settings {
    /// Reads the settings of a section; reports all problems at once.
    pub(super) fn read(
        scene: &Scene,
        values: &Values,
        sources: &HeightFieldSources,
    ) -> Result<Settings, SceneErrors> {
        let mut settings = Settings {
            gravity: scene.gravity,
            cfl: values.number("cfl"),
            dry: values.number("dry"),
            manning: values.number("manning"),
            darcy: values.number("darcy"),
            drag: values.number("drag"),
            infiltration: [values.number("infiltration"), values.number("capillary")],
            borders: Border::read_all(values)?,
            sea_level: values.number_if("level"),
            drying: values.number("drying"),
        };
        let mut errors = SceneErrors::default();
        for wave in sources.waves() {
            errors.keep(settings.open_for_waves(wave.side, values));
        }
        errors.into_result().map(|()| settings)
    }

    /// Opens a side with incoming waves, or refuses it if it has another boundary condition.
    fn open_for_waves(&mut self, side: Side, values: &Values) -> Result<(), SceneErrors> {
        let index = SIDES.iter().position(|known| *known == side).unwrap_or(0);
        let key = ["west", "east", "south", "north"][index];
        match &mut self.borders[index] {
            Border::Open | Border::Sponge { .. } => {}
            border if matches!(border, Border::Wall) && values.table(key).word_if("kind").is_none() => {
                *border = Border::Open;
            }
            _ => {
                let message = format!("waves come in from the {side}, but that side is not open");
                return Err(values.problem(key, message, "set its kind to open").into());
            }
        }
        if self.sea_level.is_none() {
            let message = format!("waves come in from the {side}, but there is no sea level");
            return Err(values.problem("level", message, "give the level of the still water").into());
        }
        Ok(())
    }
}
