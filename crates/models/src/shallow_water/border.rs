//! Boundary conditions of the four sides, as a scene gives them.

use undine_grid::Side;
use undine_scene::{Key, Problem, SceneErrors, Timed, Values};

/// Boundary condition at one side of the domain.
#[derive(Debug, Clone, Default)]
pub enum Border {
    /// Reflecting wall: no flux.
    #[default]
    Wall,
    /// Periodic: the domain continues at the opposite side.
    Periodic,
    /// Waves and flow leave. The exterior is still water at the sea level, or free outflow where the bed is above it.
    Open,
    /// Open, with a sponge layer: over `width` metres the water is relaxed to the still level at up to `strength` per
    /// second.
    Sponge {
        /// Width L of the layer in metres.
        width: f64,
        /// Relaxation rate s₀ at the side, in 1/s.
        strength: f64,
    },
    /// Prescribed discharge, out of the domain when negative.
    Discharge {
        /// The discharge.
        inflow: Inflow,
        /// Depth of supercritical inflow; in subcritical inflow the depth follows from the state inside.
        depth: Option<f64>,
    },
    /// Prescribed stage: the level outside, in metres.
    Stage {
        /// The level.
        level: Timed,
    },
    /// Exterior state from the model that drives this one.
    Driven,
}

/// A discharge through a side.
#[derive(Debug, Clone)]
pub enum Inflow {
    /// Discharge per metre, the same along the side, in m²/s.
    Even(Timed),
    /// Discharge through the whole side, in m³/s, distributed by h^(5/3).
    Total(Timed),
}

/// The choices of the key `border`, for all four sides.
pub(super) static BORDERS: &[(&str, &str)] = &[
    ("wall", "throws waves back"),
    ("open", "lets waves and flow out"),
    ("periodic", "goes on at the opposite side"),
    ("driven", "takes in the water named by driven_by"),
];

/// The keys of the table of one side.
pub(super) static SIDE_KEYS: &[Key] = &[
    Key::choice(
        "kind",
        &[
            ("wall", "throws waves back"),
            ("open", "lets waves and flow out"),
            ("sponge", "calms the water over a width, and lets it out"),
            ("discharge", "lets in a given discharge"),
            ("stage", "holds a given level outside"),
            ("periodic", "goes on at the opposite side"),
            ("driven", "takes in the water named by driven_by"),
        ],
    )
    .optional("as border says")
    .help("what happens there"),
    Key::timed("level")
        .unit("m")
        .optional("for a stage")
        .within(-1e5, 1e5)
        .help("stage: the level held outside"),
    Key::timed("rate")
        .unit("m²/s")
        .optional("for a discharge, unless flow is given")
        .within(-1e6, 1e6)
        .help("discharge: inflow per metre of the side"),
    Key::timed("flow")
        .unit("m³/s")
        .optional("for a discharge, unless rate is given")
        .within(-1e9, 1e9)
        .help("discharge: inflow through the whole side, most where it is deepest"),
    Key::number("depth")
        .unit("m")
        .optional("the water inside decides")
        .positive_to(1e4)
        .help("discharge: depth of an inflow that is faster than waves"),
    Key::number("width").unit("m").or(5.0).positive_to(1e7).help("sponge: how far it reaches into the water"),
    Key::number("strength")
        .unit("1/s")
        .or(2.0)
        .within(0.0, 1e6)
        .help("sponge: how fast it calms at the side"),
];

/// The sides, in the order of all arrays over sides.
pub(super) const SIDES: [Side; 4] = [Side::West, Side::East, Side::South, Side::North];

/// The keys of the sides.
const NAMES: [&str; 4] = ["west", "east", "south", "north"];

impl Border {
    /// Whether ghost cells describe the side completely, so that it has no exterior states.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self, Border::Wall | Border::Periodic)
    }

    /// Reads the four sides; reports all problems at once.
    pub(super) fn read_all(values: &Values) -> Result<[Border; 4], SceneErrors> {
        let mut errors = SceneErrors::default();
        let mut borders = [const { Border::Wall }; 4];
        for (border, name) in borders.iter_mut().zip(NAMES) {
            let read = Border::read(values, name).map_err(SceneErrors::from);
            *border = errors.keep(read).unwrap_or_default();
        }
        for axis in 0..2 {
            let pair = [2 * axis, 2 * axis + 1];
            let periodic = pair.map(|side| matches!(borders[side], Border::Periodic));
            if periodic[0] != periodic[1] {
                let message =
                    format!("{} and {} must both be periodic or neither", NAMES[pair[0]], NAMES[pair[1]]);
                errors.push(values.problem(NAMES[pair[usize::from(periodic[1])]], message, "set both"));
            }
        }
        errors.into_result().map(|()| borders)
    }

    /// Reads one side.
    fn read(values: &Values, name: &str) -> Result<Border, Problem> {
        let side = values.table(name);
        let is_driven = values.text_if("driven_by").is_some();
        let fallback = values.word_if("border").unwrap_or(if is_driven { "driven" } else { "wall" });
        let border = match side.word_if("kind").unwrap_or(fallback) {
            "open" => Border::Open,
            "periodic" => Border::Periodic,
            "sponge" => Border::Sponge { width: side.number("width"), strength: side.number("strength") },
            "stage" => match side.timed_if("level") {
                Some(level) => Border::Stage { level: level.clone() },
                None => return Err(side.problem("kind", "a stage needs its level", "give level in metres")),
            },
            "discharge" => Border::Discharge { inflow: inflow(side)?, depth: side.number_if("depth") },
            "driven" if !is_driven => {
                let remedy = "give driven_by, the name of an earlier water";
                return Err(side.problem("kind", "nothing drives this water", remedy));
            }
            "driven" => Border::Driven,
            _ => Border::Wall,
        };
        check_unused_keys(side, &border)?;
        Ok(border)
    }
}

/// Reads `rate` or `flow`.
fn inflow(side: &Values) -> Result<Inflow, Problem> {
    match (side.timed_if("rate"), side.timed_if("flow")) {
        (Some(rate), None) => Ok(Inflow::Even(rate.clone())),
        (None, Some(flow)) => Ok(Inflow::Total(flow.clone())),
        (None, None) => Err(side.problem("kind", "a discharge needs its rate or flow", "give one of them")),
        (Some(_), Some(_)) => {
            Err(side.problem("flow", "rate and flow say the same twice", "give one of them"))
        }
    }
}

/// Refuses a key that the kind of the side does not use.
fn check_unused_keys(side: &Values, border: &Border) -> Result<(), Problem> {
    let (kind, wanted): (&str, &[&str]) = match border {
        Border::Stage { .. } => ("a stage", &["level"]),
        Border::Discharge { .. } => ("a discharge", &["rate", "flow", "depth"]),
        Border::Sponge { .. } => ("a sponge", &["width", "strength"]),
        Border::Wall => ("a wall", &[]),
        Border::Open => ("an open side", &[]),
        Border::Periodic => ("a periodic side", &[]),
        Border::Driven => ("a driven side", &[]),
    };
    let keys = ["level", "rate", "flow", "depth", "width", "strength"];
    match keys.into_iter().find(|key| side.is_given(key) && !wanted.contains(key)) {
        Some(key) => Err(side.problem(key, format!("{kind} has no {key}"), "remove it, or change kind")),
        None => Ok(()),
    }
}
