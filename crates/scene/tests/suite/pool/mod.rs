//! A schema for `[pool]` and `[[water]]` that uses every kind of key.

use undine_scene::{Absent, Key, LoadOptions, Scene, SceneErrors, Values};

static SIDES: &[(&str, &str)] = &[
    ("wall", "lets nothing through"),
    ("open", "lets waves leave"),
    ("periodic", "joins the opposite side"),
    ("value", "holds a level"),
];

static OUTPUTS: &[(&str, &str)] = &[("film", "an MP4"), ("frames", "PNG pictures"), ("meshes", "PLY files")];

static INLET: &[Key] = &[
    Key::timed("rate").unit("m³/s").within(0.0, 100.0).help("how much water comes in"),
    Key::number("width").unit("m").positive_to(50.0).or(1.0),
];

static DROP: &[Key] =
    &[Key::vector("position", 2).unit("m"), Key::number("radius").unit("m").positive_to(1.0).or(0.1)];

pub static POOL: &[Key] = &[
    Key::number("depth").unit("m").positive_to(12000.0).help("depth of the still water"),
    Key::vector("size", 2).unit("m").positive_to(1e6).default(Absent::Vector(&[10.0, 10.0])),
    Key::integers("resolution", 2).within(2.0, 4096.0).default(Absent::Integers(&[64, 64])).scaled(),
    Key::integer("layers").within(1.0, 64.0).default(Absent::Integer(8)).scaled(),
    Key::number("spacing").unit("m").positive_to(10.0).optional("taken from the size").scaled(),
    Key::flag("heated").default(Absent::Flag(false)),
    Key::text("label").default(Absent::Text("pool")),
    Key::choice("west", SIDES).default(Absent::Text("wall")),
    Key::choices("outputs", OUTPUTS).default(Absent::Words(&["film"])),
    Key::colour("tint").default(Absent::Text("#3a7ca5")),
    Key::timed("level").unit("m").within(-10.0, 10.0).or(0.0),
    Key::file("bed").optional("a flat bed"),
    Key::table("inlet", INLET),
    Key::tables("drops", DROP),
];

static WATER: &[Key] = &[Key::text("kind"), Key::text("name").default(Absent::Text("water"))];
static CALM: &[Key] = &[Key::number("height").unit("m").within(-100.0, 100.0).or(0.0)];
static WINDY: &[Key] =
    &[Key::timed("wind").unit("m/s").within(0.0, 80.0), Key::flag("gusts").default(Absent::Flag(true))];

/// What a reader of the whole scene gets.
#[derive(Debug)]
pub struct Read {
    pub scene: Scene,
    pub pool: Values,
    pub waters: Vec<Values>,
}

/// Reads all sections, as a program would, and gathers all problems.
pub fn read(scene: Scene) -> Result<Read, SceneErrors> {
    let mut errors = scene.check_sections(&["pool", "water", "camera"]);
    let pool = errors.keep(scene.section("pool").read(&[POOL]));
    let mut waters = Vec::new();
    for water in scene.sections("water") {
        let own = match water.text("kind") {
            Some("calm") => CALM,
            Some("windy") => WINDY,
            Some(kind) => {
                errors.push(water.problem(
                    "kind",
                    format!("unknown kind {kind:?} of water"),
                    "one of calm, windy",
                ));
                continue;
            }
            None => &[],
        };
        waters.extend(errors.keep(water.read(&[WATER, own])));
    }
    match pool {
        Some(pool) if errors.is_empty() => Ok(Read { scene, pool, waters }),
        _ => Err(errors),
    }
}

/// Parses and reads a text.
pub fn parse(text: &str, options: &LoadOptions) -> Result<Read, SceneErrors> {
    read(Scene::parse("pool", text, options)?)
}
