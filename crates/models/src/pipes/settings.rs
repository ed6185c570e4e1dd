//! The parameters of the model and its keys.

use undine_grid::{Grid, Side};
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::curve::CURVE_KEYS;
use super::drops::DropSettings;
use crate::heightfield::{HeightFieldSources, height_field_keys};

/// The area of a pipe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PipeArea {
    /// Its width times the wet depth between its columns: long waves have the speed √(g d).
    Wet,
    /// Its width times this depth in metres: one speed for all waves.
    Constant(f64),
}

/// What a side does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Border {
    Wall,
    /// Water leaves, over a weir as high as the ground, or towards the still level beyond.
    Open,
}

/// All parameters but the bed and the initial condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// Gravity in m/s².
    pub gravity: f64,
    /// Linear friction k in 1/s.
    pub friction: f64,
    /// Manning's n in s/m^(1/3).
    pub manning: f64,
    /// The greatest Froude number of a pipe.
    pub froude: f64,
    pub area: PipeArea,
    pub has_diagonals: bool,
    /// α: the step as a share of Δx/√(2 g d).
    pub courant: f64,
    /// Fall of the ground in metres from which a pipe is a weir.
    pub sharp_drop: f64,
    /// C_xsply: by how much the speed at which water leaves a lip varies to either side.
    pub fall_spread: f64,
    pub drops: DropSettings,
    /// West, east, south and north.
    pub borders: [Border; 4],
    /// Still level beyond open sides in metres; without it water leaves freely.
    pub sea_level: Option<f64>,
    /// Wetness that uncovered ground loses per second.
    pub drying: f64,
}

/// The choices of the keys of the sides.
const SIDE: &[(&str, &str)] = &[
    ("wall", "water is kept in, waves are reflected"),
    ("open", "water leaves: freely, or with a `level` towards the water that stands at it beyond"),
];

/// The keys of the section.
pub(super) static KEYS: &[Key] = height_field_keys![
    Key::choice(
        "manager",
        &[
            ("none", "every column is updated in every step"),
            ("thesis", "on a curve: regions with a small mean net flow are not updated, as in the thesis"),
            (
                "exact",
                "tiles of 32² columns sleep when they are quiet; what reaches them is kept to the unit",
            ),
        ],
    )
    .default(Absent::Text("exact"))
    .help("what decides which columns a step updates"),
    Key::choice(
        "neighbours",
        &[("four", "pipes along x and y"), ("eight", "diagonal pipes as well: rings of waves are rounder")],
    )
    .default(Absent::Text("four"))
    .help("the columns to which a column has pipes"),
    Key::choice(
        "area",
        &[
            ("wet", "pipes as deep as the water: waves have the speed of long waves, √(g d)"),
            ("constant", "pipes of one depth, as in the thesis: one speed for all waves"),
        ],
    )
    .default(Absent::Text("wet"))
    .live()
    .help("the area of a pipe"),
    Key::number("pipe_depth")
        .unit("m")
        .or(1.0)
        .positive_to(1e4)
        .live()
        .help("depth of the pipes where their area is constant"),
    Key::number("friction")
        .unit("1/s")
        .or(0.1)
        .within(0.0, 1e6)
        .live()
        .help("share of its flow that a pipe loses per second"),
    Key::number("manning")
        .unit("s/m^(1/3)")
        .or(0.0)
        .within(0.0, 1.0)
        .live()
        .help("Manning's n of the bed: 0.01 smooth, 0.03 a river, 0.1 a wood"),
    Key::number("froude")
        .or(1.0)
        .positive_to(10.0)
        .live()
        .help("the greatest speed of water, as a multiple of that of long waves"),
    Key::number("courant")
        .or(0.7)
        .positive_to(0.8)
        .live()
        .help("step as a share of the stable one in two dimensions"),
    Key::number("sharp_drop").unit("m").optional("twice the width of a cell").positive_to(1e6).live().help(
        "from this fall on, from the ground down to the water below, water runs over an edge as over a weir, and is in \
         the air until it lands"
    ),
    Key::number("drop_height")
        .unit("m")
        .optional("no drops for this cause")
        .positive_to(1e6)
        .live()
        .help("water that stands higher than this above a neighbour flies off as drops"),
    Key::number("drop_speed")
        .unit("m/s")
        .optional("no drops for this cause")
        .positive_to(1e4)
        .live()
        .help("where the surface rises faster than this, drops fly off"),
    Key::number("drop_curvature")
        .unit("1/m")
        .optional("no drops for this cause")
        .positive_to(1e6)
        .live()
        .help("where a crest is more curved than this, drops fly off"),
    Key::number("drop_volume")
        .unit("m³")
        .optional("a cube of a quarter of a cell")
        .positive_to(1e6)
        .live()
        .help("volume of a drop"),
    Key::number("drop_drag").unit("1/s").or(0.2).within(0.0, 1e3).live().help("drag of the air on drops"),
    Key::number("drop_push")
        .or(0.5)
        .within(0.0, 10.0)
        .live()
        .help("part of the impulse of a drop with which it pushes the water where it lands"),
    Key::choice("west", SIDE).default(Absent::Text("wall")).live().help("the side at low x"),
    Key::choice("east", SIDE).default(Absent::Text("wall")).live().help("the side at high x"),
    Key::choice("south", SIDE).default(Absent::Text("wall")).live().help("the side at low y"),
    Key::choice("north", SIDE).default(Absent::Text("wall")).live().help("the side at high y"),
    CURVE_KEYS[0],
    CURVE_KEYS[1],
    CURVE_KEYS[2],
    CURVE_KEYS[3],
    CURVE_KEYS[4],
    CURVE_KEYS[5],
];

impl Settings {
    /// Reads the settings of a section. Waves that come in open their side.
    pub fn read(
        scene: &Scene,
        values: &Values,
        sources: &HeightFieldSources,
        grid: &Grid<2>,
    ) -> Result<Settings, SceneErrors> {
        let mut errors = SceneErrors::default();
        let borders = std::array::from_fn(|index| {
            let side = Side::ALL[index];
            let has_waves = sources.waves().iter().any(|waves| waves.side == side);
            if has_waves && values.number_if("level").is_none() {
                let message = format!("waves come in from the {side}, but there is no sea level");
                errors.push(values.problem("level", message, "give the level of the still water"));
            }
            let is_open = has_waves || values.word(&side.to_string()) == "open";
            if is_open { Border::Open } else { Border::Wall }
        });
        errors.into_result().map(|()| Settings {
            gravity: scene.gravity,
            friction: values.number("friction"),
            manning: values.number("manning"),
            froude: values.number("froude"),
            area: match values.word("area") {
                "constant" => PipeArea::Constant(values.number("pipe_depth")),
                _ => PipeArea::Wet,
            },
            has_diagonals: values.word("neighbours") == "eight",
            courant: values.number("courant"),
            sharp_drop: values.number_if("sharp_drop").unwrap_or(2.0 * grid.spacing()[0]),
            fall_spread: values.number("fall_spread"),
            drops: DropSettings {
                height: values.number_if("drop_height"),
                speed: values.number_if("drop_speed"),
                curvature: values.number_if("drop_curvature"),
                volume: values.number_if("drop_volume").unwrap_or((0.25 * grid.spacing()[0]).powi(3)),
                drag: values.number("drop_drag"),
                push: values.number("drop_push"),
            },
            borders,
            sea_level: values.number_if("level"),
            drying: values.number("drying"),
        })
    }
}
