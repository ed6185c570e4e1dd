//! The sides of a liquid's box: walls at rest or moving, inflows and open boundaries.

use std::f64::consts::TAU;

use undine_grid::Side;
use undine_scene::{Absent, Key, Problem, SceneErrors, Timed, Values};

/// The keys of one side.
pub static LIQUID_SIDE_KEYS: &[Key] = &[
    Key::choice(
        "kind",
        &[
            ("wall", "a wall along which the liquid slides"),
            ("open", "liquid leaves here and does not come back"),
            ("inflow", "liquid comes in below a level, with a speed"),
            ("wave-maker", "a wall that moves to and fro and makes waves"),
        ],
    )
    .default(Absent::Text("wall"))
    .help("boundary condition on this side"),
    Key::timed("speed")
        .unit("m/s")
        .optional("0 of an inflow; of a wave-maker what stroke and period make")
        .within(-1e4, 1e4)
        .help("speed into the box, of what comes in or of a wave-maker; an inflow never draws liquid out"),
    Key::timed("level")
        .unit("m")
        .optional("the whole side")
        .within(-1e6, 1e6)
        .help("height up to which liquid comes in"),
    Key::number("stroke")
        .unit("m")
        .or(0.0)
        .within(0.0, 1e4)
        .help("stroke of a wave-maker, from its rearmost to its foremost position"),
    Key::number("period").unit("s").or(1.0).positive_to(1e6).help("period of a wave-maker"),
    Key::number("ramp")
        .unit("s")
        .or(0.0)
        .within(0.0, 1e6)
        .help("time in which a wave-maker comes to its full stroke"),
];

/// The boundary condition of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiquidSide {
    /// A wall at rest.
    Wall,
    /// Liquid leaves.
    Open,
    /// Liquid enters at a prescribed velocity.
    Inflow,
    /// A wall that moves to and fro.
    WaveMaker,
}

#[derive(Debug, Clone)]
struct LiquidSideRule {
    /// Its table, for messages.
    table: Values,
    kind: LiquidSide,
    speed: Option<Timed>,
    level: Option<Timed>,
    stroke: f64,
    period: f64,
    ramp: f64,
}

/// The sides of a liquid's box.
#[derive(Debug, Clone)]
pub struct LiquidSides<const D: usize> {
    rules: [[LiquidSideRule; 2]; D],
}

impl<const D: usize> LiquidSides<D> {
    /// Reads the tables `west`, `east`, `south`, `north` and, in 3-D, `down` and `up`, each with [`LIQUID_SIDE_KEYS`].
    pub fn read(values: &Values) -> Result<Self, SceneErrors> {
        let mut errors = SceneErrors::default();
        for side in Side::ALL.iter().filter(|side| side.axis() >= D && values.is_given(&side.to_string())) {
            let message = format!("a {D}-D liquid has no side {side}");
            errors.push(values.problem(&side.to_string(), message, "make it 3-D, or leave the side out"));
        }
        let sides = LiquidSides {
            rules: std::array::from_fn(|axis| {
                [0, 1].map(|high| rule(values.table(&Side::ALL[2 * axis + high].to_string())))
            }),
        };
        for side in Side::of_dimension(D) {
            errors.extend(sides.inconsistency(*side, values.table(&side.to_string())));
        }
        errors.into_result().map(|()| sides)
    }

    /// What is inconsistent in the keys of a side.
    fn inconsistency(&self, side: Side, table: &Values) -> Option<Problem> {
        let is_level = side.axis() == D - 1;
        match self.kind(side) {
            LiquidSide::WaveMaker if !table.is_given("speed") && !table.is_given("stroke") => {
                let remedy = "give it a stroke and a period, or a speed such as '0.2*sin(4*t)'";
                Some(table.problem("kind", "this wave-maker does not move", remedy))
            }
            LiquidSide::Inflow if !table.is_given("speed") => {
                Some(table.problem("kind", "this inflow has no speed", "give it a speed above zero"))
            }
            LiquidSide::Inflow if is_level && table.is_given("level") => {
                let message = "a level has no meaning on a horizontal side";
                Some(table.problem("level", message, "leave it out, or use a vertical side"))
            }
            _ => None,
        }
    }

    fn rule(&self, side: Side) -> &LiquidSideRule {
        &self.rules[side.axis().min(D - 1)][usize::from(side.is_high())]
    }

    /// The condition of a side.
    pub fn kind(&self, side: Side) -> LiquidSide {
        self.rule(side).kind
    }

    /// A problem of a side.
    pub(in crate::liquid) fn problem(&self, side: Side, message: impl Into<String>, remedy: &str) -> Problem {
        self.rule(side).table.problem("kind", message, remedy)
    }

    /// Whether any side has a condition.
    pub fn has(&self, kind: LiquidSide) -> bool {
        self.rules.iter().flatten().any(|rule| rule.kind == kind)
    }

    /// The prescribed velocity along the side's axis, in m/s, as its mean over a step: that of the wall or of the
    /// inflow, zero if open. Into the box is positive on a low side, negative on a high one.
    pub fn velocity(&self, side: Side, from: f64, to: f64) -> Result<f64, Problem> {
        let inwards = self.rule(side).mean_speed(from, to)?;
        Ok(if side.is_high() { -inwards } else { inwards })
    }

    /// Height up to which liquid enters through a side at a time; infinite for all of it.
    pub fn level(&self, side: Side, time: f64) -> Result<f64, Problem> {
        self.rule(side).level.as_ref().map_or(Ok(f64::INFINITY), |level| level.at(time))
    }

    /// The greatest speed that any side prescribes at a time, for the length of steps. A speed that cannot be used has
    /// none: the step that needs it fails.
    pub fn max_speed(&self, time: f64) -> f64 {
        let speed = |rule: &LiquidSideRule| rule.mean_speed(time, time).map_or(0.0, f64::abs);
        self.rules.iter().flatten().map(speed).fold(0.0, f64::max)
    }
}

impl LiquidSideRule {
    /// Mean speed into the box over a step; of a wave-maker with a stroke, the difference of its positions.
    fn mean_speed(&self, from: f64, to: f64) -> Result<f64, Problem> {
        match (self.kind, &self.speed) {
            (LiquidSide::Wall | LiquidSide::Open, _) | (LiquidSide::Inflow, None) => Ok(0.0),
            (_, Some(speed)) => speed.mean(from, to),
            (LiquidSide::WaveMaker, None) if from < to => {
                Ok((self.wave_maker_position(to) - self.wave_maker_position(from)) / (to - from))
            }
            (LiquidSide::WaveMaker, None) => {
                let omega = TAU / self.period;
                let ramp = if self.ramp > 0.0 { (from / self.ramp).clamp(0.0, 1.0) } else { 1.0 };
                Ok(ramp * 0.5 * self.stroke * omega * (omega * from).sin())
            }
        }
    }

    /// x = stroke/2 (1 − cos ωt): starts at rest at its rearmost position. During the ramp of length r the speed is t/r of
    /// that, and x = stroke/2 (sin ωt/ω − t cos ωt)/r.
    fn wave_maker_position(&self, time: f64) -> f64 {
        let (omega, r) = (TAU / self.period, self.ramp);
        let in_ramp = |t: f64| ((omega * t).sin() / omega - t * (omega * t).cos()) / r;
        0.5 * self.stroke
            * match () {
                () if r <= 0.0 => 1.0 - (omega * time).cos(),
                () if time < r => in_ramp(time.max(0.0)),
                () => in_ramp(r) + (omega * r).cos() - (omega * time).cos(),
            }
    }
}

fn rule(table: &Values) -> LiquidSideRule {
    let kind = match table.word("kind") {
        "open" => LiquidSide::Open,
        "inflow" => LiquidSide::Inflow,
        "wave-maker" => LiquidSide::WaveMaker,
        _ => LiquidSide::Wall,
    };
    LiquidSideRule {
        table: table.clone(),
        kind,
        speed: table.timed_if("speed").cloned(),
        level: table.timed_if("level").cloned(),
        stroke: table.number("stroke"),
        period: table.number("period"),
        ramp: table.number("ramp"),
    }
}
