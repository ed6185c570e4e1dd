//! A hump right across the ground: the same along its crest.

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::{LandShape, PROFILES, Profile, direction};

pub(crate) const KEYS: &[Key] = &[
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("a point on its crest"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where one goes to cross it, as a vector of any length"),
    Key::number("radius").unit("m").positive_to(1e9).help("how wide it is to each side; see shape"),
    Key::number("height").unit("m").within(-1e6, 1e6).help("its height; a trench has a negative one"),
    Key::number("top").unit("m").or(0.0).within(0.0, 1e9).help("width of a level top between its sides"),
    Key::choice("shape", PROFILES).default(Absent::Text("gaussian")).help("the form of its sides"),
];

#[derive(Debug)]
struct Ridge {
    center: DVec2,
    direction: DVec2,
    radius: f64,
    height: f64,
    half_top: f64,
    profile: Profile,
}

impl LandShape for Ridge {
    fn height(&self, at: DVec2) -> f64 {
        let away = (at - self.center).dot(self.direction).abs();
        self.height * self.profile.at((away - self.half_top).max(0.0) / self.radius)
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    Ok(Box::new(Ridge {
        center: DVec2::from(values.vector::<2>("center")),
        direction: direction(values)?,
        radius: values.number("radius"),
        height: values.number("height"),
        half_top: 0.5 * values.number("top"),
        profile: Profile::read(values),
    }))
}
