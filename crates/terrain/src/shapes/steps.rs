//! Terraces: the ground rises by steps.

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::{LandShape, direction};
use crate::smooth;

static STEP_KEYS: &[Key] = &[
    Key::number("at")
        .unit("m")
        .within(-1e9, 1e9)
        .help("where the step is, along the direction from the center"),
    Key::number("height").unit("m").within(-1e6, 1e6).help("how far the ground rises there"),
];

pub(crate) const KEYS: &[Key] = &[
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("where distances along the direction count from"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where the steps go up, as a vector of any length"),
    Key::tables("step", STEP_KEYS).help("the steps one by one"),
    Key::integer("count")
        .optional("the steps are given one by one")
        .within(1.0, 10_000.0)
        .help("so many equal steps"),
    Key::number("height").unit("m").or(1.0).within(-1e6, 1e6).help("height of each of the equal steps"),
    Key::number("run")
        .unit("m")
        .or(1.0)
        .positive_to(1e9)
        .help("distance from one to the next; the first is at the center"),
    Key::number("step_soft").unit("m").or(0.0).within(0.0, 1e9).help("length over which a step rises"),
];

#[derive(Debug)]
struct Steps {
    center: DVec2,
    direction: DVec2,
    soft: f64,
    /// Position and height of each.
    steps: Vec<(f64, f64)>,
}

impl LandShape for Steps {
    fn height(&self, at: DVec2) -> f64 {
        let along = (at - self.center).dot(self.direction);
        let risen = |from: f64| match self.soft > 0.0 {
            true => smooth::step((along - from) / self.soft + 0.5),
            false => f64::from(u8::from(along >= from)),
        };
        self.steps.iter().map(|(from, height)| height * risen(*from)).sum()
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let listed = values.tables("step").iter().map(|step| (step.number("at"), step.number("height")));
    let mut steps: Vec<(f64, f64)> = listed.collect();
    match values.integer_if("count") {
        Some(_) if !steps.is_empty() => {
            let message = "both count and step say where the steps are";
            return Err(values.problem("count", message, "keep one of them").into());
        }
        Some(count) => {
            let (run, height) = (values.number("run"), values.number("height"));
            steps = (0..count).map(|step| (step as f64 * run, height)).collect();
        }
        None if steps.is_empty() => {
            let remedy = "add count = …, or [[terrain.step]] with at and height";
            return Err(values.problem("step", "there is no step", remedy).into());
        }
        None => {}
    }
    let center = DVec2::from(values.vector::<2>("center"));
    Ok(Box::new(Steps { center, direction: direction(values)?, soft: values.number("step_soft"), steps }))
}
