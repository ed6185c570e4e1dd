//! A paraboloid: z = depth (r² − 1), where r is the distance from the center in radii. Water rocks in it as in the
//! exact solutions of [thacker1981].

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::LandShape;

pub(crate) const KEYS: &[Key] = &[
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("middle of the bowl"),
    Key::number("radius")
        .unit("m")
        .optional("radii is given")
        .positive_to(1e9)
        .help("where the bowl reaches the level 0"),
    Key::vector("radii", 2)
        .unit("m")
        .optional("the bowl is round")
        .positive_to(1e9)
        .help("radius along and across the direction, for an oval"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where the first of the radii goes"),
    Key::number("depth").unit("m").within(-1e6, 1e6).help("depth of the middle below the rim"),
    Key::choice(
        "beyond",
        &[("rise", "the ground goes on to rise"), ("flat", "the ground is level from the rim on")],
    )
    .default(Absent::Text("rise"))
    .help("what is outside the rim"),
];

#[derive(Debug)]
struct Bowl {
    center: DVec2,
    /// One over the radii.
    stretch: DVec2,
    direction: DVec2,
    depth: f64,
    is_flat_beyond: bool,
}

impl LandShape for Bowl {
    fn height(&self, at: DVec2) -> f64 {
        let away = at - self.center;
        let along = DVec2::new(away.dot(self.direction), away.dot(self.direction.perp()));
        let squared = (along * self.stretch).length_squared();
        self.depth * (if self.is_flat_beyond { squared.min(1.0) } else { squared } - 1.0)
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let radii = match (values.number_if("radius"), values.vector_if::<2>("radii")) {
        (Some(radius), None) => DVec2::splat(radius),
        (None, Some(radii)) => DVec2::from(radii),
        (Some(_), Some(_)) => {
            let message = "both radius and radii say how wide the bowl is";
            return Err(values.problem("radii", message, "keep one of them").into());
        }
        (None, None) => {
            return Err(values.problem("radius", "the bowl has no width", "add radius = …").into());
        }
    };
    Ok(Box::new(Bowl {
        center: DVec2::from(values.vector::<2>("center")),
        stretch: radii.recip(),
        direction: super::direction(values)?,
        depth: values.number("depth"),
        is_flat_beyond: values.word("beyond") == "flat",
    }))
}
