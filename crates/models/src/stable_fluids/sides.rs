//! Boundary conditions on the sides of the box.

use undine_grid::{Condition, Field, MacVelocity, Side};
use undine_scene::{Absent, Key, Problem, SceneErrors, Timed, Values};

/// The keys of one side.
pub(super) static SIDE_KEYS: &[Key] = &[
    Key::choice(
        "kind",
        &[
            ("wall", "a wall: no-slip for a viscous fluid, free-slip without viscosity and in the collocated layout"),
            ("no-slip", "a wall at which the velocity is zero"),
            ("free-slip", "a wall without friction: only the normal velocity is zero"),
            ("moving", "a wall that moves in its own plane and drags the fluid along"),
            ("inflow", "fluid comes in"),
            ("outflow", "fluid goes out"),
            ("periodic", "what leaves here comes in at the opposite side, which must be periodic too"),
        ],
    )
    .default(Absent::Text("wall"))
    .help("boundary condition on this side"),
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
        &[("even", "uniform"), ("parabolic", "zero at the edges, 3/2 of the speed in the middle")],
    )
    .default(Absent::Text("even"))
    .help("velocity profile of an inflow over the side"),
];

/// Type of the boundary condition on a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundaryType {
    /// A wall at which the velocity is zero.
    NoSlip,
    /// A wall at which only the normal velocity is zero.
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
struct SideRule {
    kind: BoundaryType,
    speed: Timed,
    along: usize,
    is_parabolic: bool,
}

/// The sides of a box.
#[derive(Debug, Clone)]
pub struct Sides<const D: usize> {
    rules: [[SideRule; 2]; D],
    /// Mean speeds over the current step, in m/s; those at t = 0 before the first one.
    speeds: [[f64; 2]; D],
}

impl<const D: usize> Sides<D> {
    /// Reads the keys `west`, `east`, `south`, `north` and, in 3-D, `down` and `up`. `walls_are_no_slip` decides for
    /// sides of kind `wall`.
    pub fn read(values: &Values, walls_are_no_slip: bool) -> Result<Self, SceneErrors> {
        let mut errors = SceneErrors::default();
        for side in Side::ALL.iter().filter(|side| side.axis() >= D && values.is_given(&side.to_string())) {
            let message = format!("a {D}-D fluid has no side {side}");
            errors.push(values.problem(&side.to_string(), message, "give it a height, which makes it 3-D"));
        }
        let mut sides = Sides {
            speeds: [[0.0; 2]; D],
            rules: std::array::from_fn(|axis| {
                [0, 1].map(|high| read_rule(Side::ALL[2 * axis + high], values, walls_are_no_slip))
            }),
        };
        for axis in 0..D {
            if sides.is_periodic(axis) != (sides.rules[axis][1].kind == BoundaryType::Periodic) {
                let side = Side::ALL[2 * axis];
                let message = format!("{side} and {} must both be periodic or neither", side.opposite());
                errors.push(values.problem(&side.to_string(), message, "make the other one periodic too"));
            }
        }
        if sides.has(BoundaryType::Inflow) && !sides.has(BoundaryType::Outflow) {
            let message = "fluid comes in, but there is no side through which it could leave";
            errors.push(values.problem("west", message, "make a side an outflow"));
        }
        errors.keep(sides.set_step(0.0, 0.0).map_err(SceneErrors::from));
        errors.into_result().map(|()| sides)
    }

    /// Boundary type of a side.
    pub fn kind(&self, side: Side) -> BoundaryType {
        self.rules[side.axis()][usize::from(side.is_high())].kind
    }

    /// Whether any side is of a kind.
    pub fn has(&self, kind: BoundaryType) -> bool {
        self.rules.iter().flatten().any(|rule| rule.kind == kind)
    }

    /// Whether the fluid continues at the opposite side along an axis.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.rules[axis][0].kind == BoundaryType::Periodic
    }

    /// Whether no side moves or lets fluid in or out.
    pub fn are_passive(&self) -> bool {
        ![BoundaryType::Moving, BoundaryType::Inflow, BoundaryType::Outflow]
            .into_iter()
            .any(|kind| self.has(kind))
    }

    /// Sets the step for which sides prescribe velocities: the means of their speeds over it.
    pub fn set_step(&mut self, from: f64, to: f64) -> Result<(), Problem> {
        for (rule, speed) in self.rules.as_flattened().iter().zip(self.speeds.as_flattened_mut()) {
            if matches!(rule.kind, BoundaryType::Moving | BoundaryType::Inflow) {
                *speed = rule.speed.mean(from, to)?;
            }
        }
        Ok(())
    }

    /// The mean speeds over the current step, low before high side of each axis.
    pub fn speeds(&self) -> &[f64] {
        self.speeds.as_flattened()
    }

    /// As [`Sides::speeds`], to restore them.
    pub fn speeds_mut(&mut self) -> &mut [f64] {
        self.speeds.as_flattened_mut()
    }

    /// The greatest velocity component prescribed by a side at a time, in cells of this spacing per second, for the
    /// length of steps. A speed that cannot be used has none: the step that needs it fails.
    pub fn rate(&self, time: f64, spacing: [f64; D]) -> f64 {
        let rate = |side: &Side| {
            let speed = self.rules[side.axis()][usize::from(side.is_high())].speed.at(time).unwrap_or(0.0);
            let velocity = self.directed(*side, speed);
            (0..D).map(|axis| velocity[axis].abs() / spacing[axis]).fold(0.0, f64::max)
        };
        Side::of_dimension(D).iter().map(rate).fold(0.0, f64::max)
    }

    /// The velocity that a side prescribes in the current step.
    pub fn velocity(&self, side: Side) -> [f64; D] {
        self.directed(side, self.speeds[side.axis()][usize::from(side.is_high())])
    }

    /// The velocity of a side with this speed.
    fn directed(&self, side: Side, speed: f64) -> [f64; D] {
        let rule = &self.rules[side.axis()][usize::from(side.is_high())];
        let mut velocity = [0.0; D];
        match rule.kind {
            BoundaryType::Moving => velocity[rule.along] = speed,
            BoundaryType::Inflow => velocity[side.axis()] = if side.is_high() { -speed } else { speed },
            _ => {}
        }
        velocity
    }

    /// The condition of a velocity on a side in the current step.
    pub fn condition(&self, side: Side) -> Condition<[f64; D]> {
        match self.kind(side) {
            BoundaryType::NoSlip => Condition::NoSlip,
            BoundaryType::FreeSlip => Condition::FreeSlip,
            BoundaryType::Moving | BoundaryType::Inflow => Condition::Value(self.velocity(side)),
            BoundaryType::Outflow => Condition::Open,
            BoundaryType::Periodic => Condition::Periodic,
        }
    }

    /// Sets the boundary conditions of a velocity in the current step. They were checked when the sides were read.
    pub fn set_conditions(&self, velocity: &mut MacVelocity<f64, D>) {
        for axis in 0..D {
            let [low, high] = [0, 1].map(|high| self.condition(Side::ALL[2 * axis + high]));
            let is_taken = velocity.set_axis(axis, low, high).is_ok();
            debug_assert!(is_taken, "sides are checked when they are read");
        }
    }

    /// Fills the ghosts of a velocity, and imposes parabolic inflow profiles.
    pub fn fill_ghosts(&self, velocity: &mut MacVelocity<f64, D>) {
        velocity.fill_ghosts();
        for side in Side::of_dimension(D) {
            let rule = &self.rules[side.axis()][usize::from(side.is_high())];
            if rule.kind == BoundaryType::Inflow && rule.is_parabolic {
                let speed = self.velocity(*side)[side.axis()];
                set_parabolic_profile(&mut velocity[side.axis()], *side, speed);
            }
        }
    }
}

fn read_rule(side: Side, values: &Values, walls_are_no_slip: bool) -> SideRule {
    let table = values.table(side_key(side));
    let across = side.axis();
    let along = match table.word_if("along") {
        Some("x") => 0,
        Some("y") => 1,
        Some("z") => 2,
        _ => usize::from(across == 0),
    };
    let kind = match table.word("kind") {
        "no-slip" => BoundaryType::NoSlip,
        "free-slip" => BoundaryType::FreeSlip,
        "moving" => BoundaryType::Moving,
        "inflow" => BoundaryType::Inflow,
        "outflow" => BoundaryType::Outflow,
        "periodic" => BoundaryType::Periodic,
        _ if walls_are_no_slip => BoundaryType::NoSlip,
        _ => BoundaryType::FreeSlip,
    };
    // A wall can only move within its own plane
    let kind = if kind == BoundaryType::Moving && along == across { BoundaryType::NoSlip } else { kind };
    SideRule {
        kind,
        speed: table.timed("speed").clone(),
        along,
        is_parabolic: table.word("profile") == "parabolic",
    }
}

fn side_key(side: Side) -> &'static str {
    ["west", "east", "south", "north", "down", "up"][2 * side.axis() + usize::from(side.is_high())]
}

/// Sets the samples on a side to a parabolic profile 6 x (1 − x) along each of its axes, with this mean.
fn set_parabolic_profile<const D: usize>(component: &mut Field<f64, D>, side: Side, mean: f64) {
    let across = side.axis();
    let size = component.size();
    let on_side = if side.is_high() { size[across] - 1 } else { 0 };
    let count: usize = (0..D).filter(|&axis| axis != across).map(|axis| size[axis]).product();
    for number in 0..count {
        let mut at = [0; D];
        let (mut rest, mut fraction) = (number, 1.0);
        for axis in (0..D).filter(|&axis| axis != across) {
            at[axis] = rest % size[axis];
            rest /= size[axis];
            let x = (at[axis] as f64 + 0.5) / size[axis] as f64;
            fraction *= 6.0 * x * (1.0 - x);
        }
        at[across] = on_side;
        component[at] = mean * fraction;
    }
}
