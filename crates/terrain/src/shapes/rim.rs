//! A wall around a rectangle. It stands inside the rectangle's edge, and all ground outside has its height.

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::LandShape;
use crate::smooth;

pub(crate) const KEYS: &[Key] = &[
    Key::vector("size", 2).unit("m").positive_to(1e9).help("extent of the rectangle along x and y"),
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("its middle"),
    Key::number("thickness").unit("m").positive_to(1e9).help("thickness of the wall"),
    Key::number("height").unit("m").within(-1e6, 1e6).help("height of the wall"),
    Key::number("bank").unit("m").or(0.0).within(0.0, 1e6).help("width of a slope at its inner side"),
];

#[derive(Debug)]
struct Rim {
    center: DVec2,
    /// Half the size of what is inside the wall.
    half: DVec2,
    height: f64,
    bank: f64,
}

impl LandShape for Rim {
    fn height(&self, at: DVec2) -> f64 {
        let inside = (self.half - (at - self.center).abs()).min_element();
        match inside >= 0.0 {
            true if self.bank > 0.0 => self.height * (1.0 - smooth::step(inside / self.bank)),
            true => 0.0,
            false => self.height,
        }
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let half = 0.5 * DVec2::from(values.vector::<2>("size")) - values.number("thickness");
    if half.min_element() <= 0.0 {
        let message = "the wall is so thick that nothing is inside";
        return Err(values.problem("thickness", message, "keep it below half of the size").into());
    }
    let center = DVec2::from(values.vector::<2>("center"));
    Ok(Box::new(Rim { center, half, height: values.number("height"), bank: values.number("bank") }))
}
