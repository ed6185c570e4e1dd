//! Hills and hollows, one by one.

use glam::DVec2;
use undine_scene::{Absent, Gesture, Key, Placement, Scene, SceneErrors, ToolEntry, ToolSetting, Values};

use super::{LandShape, PROFILES, Profile};

static HILL_KEYS: &[Key] = &[
    Key::vector("center", 2).unit("m").within(-1e9, 1e9).help("where it stands"),
    Key::number("radius").unit("m").positive_to(1e9).help("how wide it is; see shape"),
    Key::number("height").unit("m").within(-1e6, 1e6).help("its height; a hollow has a negative one"),
    Key::choice("shape", PROFILES).default(Absent::Text("gaussian")).help("its form"),
];

pub(crate) const KEYS: &[Key] =
    &[Key::tables("hill", HILL_KEYS).help("the hills; they add up where they meet")];

/// A stroke heaps up ground or digs it away: one hill, or one hollow, for every frame.
pub(crate) static TOOLS: &[ToolEntry] = &[
    ToolEntry {
        name: "raise",
        icon: "▲",
        help: "Drag to heap up ground.",
        order: 90,
        settings: &[ToolSetting::Radius, ToolSetting::Height],
        gesture: Gesture::Stroke { parts: "hill", write_part: |placement| hill(placement, 1.0) },
        write: |placement| layer(&hill(placement, 1.0)),
    },
    ToolEntry {
        name: "dig",
        icon: "▼",
        help: "Drag to dig ground away.",
        order: 100,
        settings: &[ToolSetting::Radius, ToolSetting::Height],
        gesture: Gesture::Stroke { parts: "hill", write_part: |placement| hill(placement, -1.0) },
        write: |placement| layer(&hill(placement, -1.0)),
    },
];

fn layer(hill: &str) -> String {
    format!("{{ kind = \"hills\", hill = [{hill}] }}")
}

/// The hill that the tool adds in one frame, or removes for `sign` −1.
fn hill(placement: &Placement<'_>, sign: f64) -> String {
    let ([x, y, _], radius) = (placement.at, placement.radius);
    let height = sign * placement.height * placement.frame_time;
    format!("{{ center = [{x:?}, {y:?}], radius = {radius:?}, height = {height:?}, shape = \"cosine\" }}")
}

#[derive(Debug)]
struct Hills(Vec<Hill>);

#[derive(Debug)]
struct Hill {
    center: DVec2,
    radius: f64,
    height: f64,
    profile: Profile,
}

impl LandShape for Hills {
    fn height(&self, at: DVec2) -> f64 {
        let height = |hill: &Hill| hill.height * hill.profile.at(at.distance(hill.center) / hill.radius);
        self.0.iter().map(height).sum()
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let hill = |hill: &Values| Hill {
        center: DVec2::from(hill.vector::<2>("center")),
        radius: hill.number("radius"),
        height: hill.number("height"),
        profile: Profile::read(hill),
    };
    let hills: Vec<Hill> = values.tables("hill").iter().map(hill).collect();
    if hills.is_empty() {
        let remedy = "add [[terrain.hill]] with center, radius and height";
        return Err(values.problem("hill", "there is no hill", remedy).into());
    }
    Ok(Box::new(Hills(hills)))
}
