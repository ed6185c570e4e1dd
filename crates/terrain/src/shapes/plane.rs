//! Level and tilted planes.

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::{LandShape, direction};

pub(crate) const PLANE_KEYS: &[Key] =
    &[Key::number("level").unit("m").or(0.0).within(-1e6, 1e6).help("height of the ground")];

pub(crate) const SLOPE_KEYS: &[Key] = &[
    Key::number("level").unit("m").or(0.0).within(-1e6, 1e6).help("height at the center"),
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("where the ground has this level"),
    Key::number("fall").optional("level ground").within(-1e3, 1e3).help("metres down to a metre forward"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where it falls to, as a vector of any length"),
    Key::vector("gradient", 2)
        .optional("from fall and direction")
        .within(-1e3, 1e3)
        .help("metres up to a metre east, and to a metre north"),
];

#[derive(Debug)]
struct SlopedPlane {
    level: f64,
    center: DVec2,
    gradient: DVec2,
}

impl LandShape for SlopedPlane {
    fn height(&self, at: DVec2) -> f64 {
        self.level + self.gradient.dot(at - self.center)
    }
}

pub(crate) fn read_plane(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let level = values.number("level");
    Ok(Box::new(SlopedPlane { level, center: DVec2::ZERO, gradient: DVec2::ZERO }))
}

pub(crate) fn read_slope(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let gradient = match (values.vector_if::<2>("gradient"), values.number_if("fall")) {
        (Some(_), Some(_)) => {
            let message = "both gradient and fall say how the ground falls";
            return Err(values.problem("gradient", message, "keep one of them").into());
        }
        (Some(gradient), None) => DVec2::from(gradient),
        (None, fall) => direction(values)? * -fall.unwrap_or(0.0),
    };
    let center = DVec2::from(values.vector::<2>("center"));
    Ok(Box::new(SlopedPlane { level: values.number("level"), center, gradient }))
}
