//! A sea floor that rises to a shore.
//!
//! Along the direction to the land, s = 0 at the shore: z = slope · s, held above the sea floor and below the berm, in
//! rounded turns. Cusps shift the shore to and fro along the coast: pointed horns with bays between them, strongest at
//! the shore.

use std::f64::consts::PI;

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::{LandShape, direction};
use crate::smooth;

/// Rounding of the horns, as a fraction of the distance between them.
const BLUNTNESS: f64 = 0.2;

pub(crate) const KEYS: &[Key] = &[
    Key::vector("shore", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("a point where the beach has the level 0"),
    Key::vector("direction", 2)
        .default(Absent::Vector(&[1.0, 0.0]))
        .within(-1e6, 1e6)
        .help("where the land is, as a vector of any length"),
    Key::number("slope").or(0.05).positive_to(100.0).help("metres up to a metre towards the land"),
    Key::number("depth").unit("m").positive_to(1e5).help("depth of the sea floor below the level 0"),
    Key::number("rounding")
        .unit("m")
        .optional("a tenth of the depth, and of the berm")
        .within(0.0, 1e4)
        .help("height over which the floor turns into the beach, and the beach into the berm"),
    Key::number("berm")
        .unit("m")
        .optional("the beach goes on to rise")
        .positive_to(1e4)
        .help("height at which the beach levels out"),
    Key::number("cusps")
        .unit("m")
        .or(0.0)
        .within(0.0, 1e5)
        .help("how far horns of the beach reach out, and bays in; at most half of their spacing"),
    Key::number("cusp_spacing").unit("m").or(30.0).positive_to(1e6).help("distance from horn to horn"),
];

#[derive(Debug)]
struct Beach {
    shore: DVec2,
    direction: DVec2,
    slope: f64,
    depth: f64,
    berm: Option<f64>,
    rounding: Option<f64>,
    cusps: f64,
    cusp_spacing: f64,
}

impl LandShape for Beach {
    fn height(&self, at: DVec2) -> f64 {
        let away = at - self.shore;
        let inland = away.dot(self.direction);
        let rise = self.slope * (inland + self.shift(inland, away.dot(self.direction.perp())));
        let rounding = |height: f64| self.rounding.unwrap_or(0.1 * height);
        let beach = smooth::max(-self.depth, rise, rounding(self.depth));
        self.berm.map_or(beach, |berm| smooth::min(beach, berm, rounding(berm)))
    }
}

impl Beach {
    /// Inland shift of the profile by the cusps at a position along the shore.
    fn shift(&self, inland: f64, along: f64) -> f64 {
        if self.cusps == 0.0 {
            return 0.0;
        }
        let from_shore = inland / self.cusp_spacing;
        let sine = (PI * along / self.cusp_spacing).sin();
        let horn =
            1.0 - 2.0 * (sine * sine + BLUNTNESS * BLUNTNESS).sqrt() / (1.0 + BLUNTNESS * BLUNTNESS).sqrt();
        self.cusps * horn * (-from_shore * from_shore).exp()
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let (cusps, cusp_spacing) = (values.number("cusps"), values.number("cusp_spacing"));
    if cusps > 0.5 * cusp_spacing {
        let message = format!("cusps of {cusps} m every {cusp_spacing} m would fold the beach");
        return Err(values.problem("cusps", message, "at most half of cusp_spacing").into());
    }
    Ok(Box::new(Beach {
        shore: DVec2::from(values.vector::<2>("shore")),
        direction: direction(values)?,
        slope: values.number("slope"),
        depth: values.number("depth"),
        berm: values.number_if("berm"),
        rounding: values.number_if("rounding"),
        cusps,
        cusp_spacing,
    }))
}
