//! What holds on the sides of the box.

use undine_grid::{Condition, Field, MacVelocity, Side};
use undine_scene::{Absent, Key, SceneErrors, Timed, Values};

/// The keys of one side.
pub(super) static SIDE_KEYS: &[Key] = &[
    Key::choice(
        "kind",
        &[
            ("wall", "a wall: no-slip for a viscous fluid, free-slip for one without viscosity"),
            ("no-slip", "a wall to which the fluid sticks"),
            ("free-slip", "a wall along which it slides"),
            ("moving", "a wall that moves in its own plane and drags the fluid along"),
            ("inflow", "fluid comes in"),
            ("outflow", "fluid goes out"),
            ("periodic", "what leaves here comes in at the opposite side, which must be periodic too"),
        ],
    )
    .default(Absent::Text("wall"))
    .help("what holds on this side"),
    Key::timed("speed")
        .unit("m/s")
        .or(0.0)
        .within(-1e4, 1e4)
        .help("speed of the fluid that comes in, or of a moving wall"),
    Key::choice("along", &[("x", "along x"), ("y", "along y"), ("z", "along z")])
        .optional("x, or y for a wall across x")
        .help("the axis along which a moving wall moves"),
    Key::choice(
        "profile",
        &[("even", "the same everywhere"), ("parabolic", "none at the rims, 3/2 of the speed in the middle")],
    )
    .default(Absent::Text("even"))
    .help("how the speed of an inflow is spread over the side"),
];

/// What a side does to the fluid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideKind {
    /// A wall to which the fluid sticks.
    NoSlip,
    /// A wall along which it slides.
    FreeSlip,
    /// A wall that moves in its own plane.
    Moving,
    /// Fluid comes in.
    Inflow,
    /// Fluid goes out.
    Outflow,
    /// The fluid continues at the opposite side.
    Periodic,
}

#[derive(Debug, Clone)]
struct Rule {
    kind: SideKind,
    speed: Timed,
    along: usize,
    is_parabolic: bool,
}

/// The sides of a box.
#[derive(Debug, Clone)]
pub struct Sides<const D: usize> {
    rules: [[Rule; 2]; D],
}

impl<const D: usize> Sides<D> {
    /// Reads the keys `west`, `east`, `south`, `north` and, in 3-D, `down` and `up`.
    pub fn read(values: &Values, is_viscous: bool) -> Result<Self, SceneErrors> {
        let mut errors = SceneErrors::default();
        for side in Side::ALL.iter().filter(|side| side.axis() >= D && values.is_given(&side.to_string())) {
            let message = format!("a {D}-D fluid has no side {side}");
            errors.push(values.problem(&side.to_string(), message, "give it a height, which makes it 3-D"));
        }
        let sides = Sides {
            rules: std::array::from_fn(|axis| {
                [0, 1].map(|high| rule(Side::ALL[2 * axis + high], values, is_viscous))
            }),
        };
        for axis in 0..D {
            if sides.is_periodic(axis) != (sides.rules[axis][1].kind == SideKind::Periodic) {
                let side = Side::ALL[2 * axis];
                let message = format!("{side} and {} must both be periodic or neither", side.opposite());
                errors.push(values.problem(&side.to_string(), message, "make the other one periodic too"));
            }
        }
        if sides.has(SideKind::Inflow) && !sides.has(SideKind::Outflow) {
            let message = "fluid comes in, but there is no side through which it could leave";
            errors.push(values.problem("west", message, "make a side an outflow"));
        }
        errors.into_result().map(|()| sides)
    }

    /// What a side does.
    pub fn kind(&self, side: Side) -> SideKind {
        self.rules[side.axis()][usize::from(side.is_high())].kind
    }

    /// Whether any side is of a kind.
    pub fn has(&self, kind: SideKind) -> bool {
        self.rules.iter().flatten().any(|rule| rule.kind == kind)
    }

    /// Whether the fluid continues at the opposite side along an axis.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.rules[axis][0].kind == SideKind::Periodic
    }

    /// Whether nothing comes in and nothing at the sides drives the fluid.
    pub fn are_at_rest(&self) -> bool {
        ![SideKind::Moving, SideKind::Inflow, SideKind::Outflow].into_iter().any(|kind| self.has(kind))
    }

    /// The velocity that a side prescribes at a time.
    pub fn velocity(&self, side: Side, time: f64) -> [f64; D] {
        let rule = &self.rules[side.axis()][usize::from(side.is_high())];
        let speed = Some(rule.speed.at(time)).filter(|speed| speed.is_finite()).unwrap_or(0.0);
        let mut velocity = [0.0; D];
        match rule.kind {
            SideKind::Moving => velocity[rule.along] = speed,
            SideKind::Inflow => velocity[side.axis()] = if side.is_high() { -speed } else { speed },
            _ => {}
        }
        velocity
    }

    /// The condition of a velocity on a side at a time.
    pub fn condition(&self, side: Side, time: f64) -> Condition<[f64; D]> {
        match self.kind(side) {
            SideKind::NoSlip => Condition::NoSlip,
            SideKind::FreeSlip => Condition::FreeSlip,
            SideKind::Moving | SideKind::Inflow => Condition::Value(self.velocity(side, time)),
            SideKind::Outflow => Condition::Open,
            SideKind::Periodic => Condition::Periodic,
        }
    }

    /// Gives a velocity the conditions of a time. They were checked when the sides were read, so none is refused.
    pub fn apply(&self, velocity: &mut MacVelocity<f64, D>, time: f64) {
        for axis in 0..D {
            let [low, high] = [0, 1].map(|high| self.condition(Side::ALL[2 * axis + high], time));
            let is_taken = velocity.set_axis(axis, low, high).is_ok();
            debug_assert!(is_taken, "sides are checked when they are read");
        }
    }

    /// Fills the ghosts of a velocity, and what comes in through the sides.
    pub fn fill(&self, velocity: &mut MacVelocity<f64, D>, time: f64) {
        velocity.fill_ghosts();
        for side in Side::of_dimension(D) {
            let rule = &self.rules[side.axis()][usize::from(side.is_high())];
            if rule.kind == SideKind::Inflow && rule.is_parabolic {
                let speed = self.velocity(*side, time)[side.axis()];
                set_parabola(&mut velocity[side.axis()], *side, speed);
            }
        }
    }
}

fn rule(side: Side, values: &Values, is_viscous: bool) -> Rule {
    let table = values.table(side_key(side));
    let across = side.axis();
    let along = match table.word_if("along") {
        Some("x") => 0,
        Some("y") => 1,
        Some("z") => 2,
        _ => usize::from(across == 0),
    };
    let kind = match table.word("kind") {
        "no-slip" => SideKind::NoSlip,
        "free-slip" => SideKind::FreeSlip,
        "moving" => SideKind::Moving,
        "inflow" => SideKind::Inflow,
        "outflow" => SideKind::Outflow,
        "periodic" => SideKind::Periodic,
        _ if is_viscous => SideKind::NoSlip,
        _ => SideKind::FreeSlip,
    };
    // A wall that moved across itself would let fluid through
    let kind = if kind == SideKind::Moving && along == across { SideKind::NoSlip } else { kind };
    Rule {
        kind,
        speed: table.timed("speed").clone(),
        along,
        is_parabolic: table.word("profile") == "parabolic",
    }
}

fn side_key(side: Side) -> &'static str {
    ["west", "east", "south", "north", "down", "up"][2 * side.axis() + usize::from(side.is_high())]
}

/// Sets the samples on a side to a parabola with this mean along each axis of the side.
fn set_parabola<const D: usize>(component: &mut Field<f64, D>, side: Side, mean: f64) {
    let across = side.axis();
    let size = component.size();
    let on_side = if side.is_high() { size[across] - 1 } else { 0 };
    let count: usize = (0..D).filter(|&axis| axis != across).map(|axis| size[axis]).product();
    for number in 0..count {
        let mut at = [0; D];
        let (mut rest, mut share) = (number, 1.0);
        for axis in (0..D).filter(|&axis| axis != across) {
            at[axis] = rest % size[axis];
            rest /= size[axis];
            let way = (at[axis] as f64 + 0.5) / size[axis] as f64;
            share *= 6.0 * way * (1.0 - way);
        }
        at[across] = on_side;
        component[at] = mean * share;
    }
}
