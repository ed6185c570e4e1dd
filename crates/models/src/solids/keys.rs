//! The keys of `[[obstacle]]`, and how obstacles are read.

use undine_scene::{Absent, Key, Scene, SceneErrors, Section, Values};

use super::belonging::belongs_to;
use super::mesh::read_obj;
use super::polygon::Polygon;
use super::pose::Course;
use super::shape::Shape;
use super::solids::{MOST, Obstacle};

/// Largest mesh file, in bytes.
const LARGEST_MESH: u64 = 1 << 30;

/// A kind of obstacle.
#[derive(Debug, Clone, Copy)]
pub struct ObstacleKind {
    /// The `kind` in the scene file.
    pub name: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// Axes of the fluids that it can stand in.
    pub dimension: usize,
    /// The keys that it adds to [`OBSTACLE_KEYS`].
    pub keys: &'static [Key],
}

/// Every kind of obstacle.
pub static OBSTACLE_KINDS: &[ObstacleKind] = &[
    ObstacleKind {
        name: "polygon",
        summary: "any polygon whose sides do not cross",
        dimension: 2,
        keys: POLYGON,
    },
    ObstacleKind { name: "circle", summary: "a disc", dimension: 2, keys: CIRCLE },
    ObstacleKind { name: "rectangle", summary: "a rectangle", dimension: 2, keys: RECTANGLE },
    ObstacleKind { name: "sphere", summary: "a sphere", dimension: 3, keys: SPHERE },
    ObstacleKind { name: "box", summary: "a box", dimension: 3, keys: BOX },
    ObstacleKind { name: "cylinder", summary: "an upright cylinder", dimension: 3, keys: CYLINDER },
    ObstacleKind { name: "mesh", summary: "a closed mesh from an OBJ file", dimension: 3, keys: MESH },
];

/// The keys that every `[[obstacle]]` has.
pub static OBSTACLE_KEYS: &[Key] = &[
    Key::text("kind").help("its shape"),
    Key::text("water").optional("every grid fluid").help("the name of the water that it stands in"),
    Key::timed("move_x").unit("m").or(0.0).within(-1e6, 1e6).help("way along x from its place"),
    Key::timed("move_y").unit("m").or(0.0).within(-1e6, 1e6).help("way along y from its place"),
    Key::timed("turn")
        .unit("rad")
        .or(0.0)
        .within(-1e6, 1e6)
        .help("angle by which it is turned, against the clock"),
];

const AT_IN_PLANE: Key = Key::vector("at", 2)
    .unit("m")
    .default(Absent::Vector(&[0.0, 0.0]))
    .within(-1e6, 1e6)
    .help("where its own origin is, about which it turns");

const AT_IN_SPACE: Key = Key::vector("at", 3)
    .unit("m")
    .default(Absent::Vector(&[0.0, 0.0, 0.0]))
    .within(-1e6, 1e6)
    .help("where its own origin is, about which it turns");

const MOVE_Z: Key =
    Key::timed("move_z").unit("m").or(0.0).within(-1e6, 1e6).help("way along z from its place");

const AXIS: Key = Key::choice("axis", &[("x", "about x"), ("y", "about y"), ("z", "about z")])
    .default(Absent::Text("z"))
    .help("the axis about which it turns");

const RADIUS: Key = Key::number("radius").unit("m").positive_to(1e6).help("its radius");

static CORNER: &[Key] =
    &[Key::vector("at", 2).unit("m").within(-1e6, 1e6).help("a corner, from the polygon's origin")];

static POLYGON: &[Key] =
    &[AT_IN_PLANE, Key::tables("corner", CORNER).help("its corners in order, such as [{ at = [0, 0] }, …]")];

static CIRCLE: &[Key] = &[AT_IN_PLANE, RADIUS];

static RECTANGLE: &[Key] =
    &[AT_IN_PLANE, Key::vector("size", 2).unit("m").positive_to(1e6).help("its sides along x and y")];

static SPHERE: &[Key] = &[AT_IN_SPACE, MOVE_Z, AXIS, RADIUS];

static BOX: &[Key] = &[
    AT_IN_SPACE,
    MOVE_Z,
    AXIS,
    Key::vector("size", 3).unit("m").positive_to(1e6).help("its sides along x, y and z"),
];

static CYLINDER: &[Key] =
    &[AT_IN_SPACE, MOVE_Z, AXIS, RADIUS, Key::number("height").unit("m").positive_to(1e6).help("its height")];

static MESH: &[Key] = &[
    AT_IN_SPACE,
    MOVE_Z,
    AXIS,
    Key::file("file").help("an OBJ file with a closed mesh, z up, in metres"),
    Key::number("scale").or(1.0).positive_to(1e6).help("factor on its coordinates"),
];

/// Reads the obstacles that stand in the water with these values, all problems at once.
pub fn read_obstacles<const D: usize>(
    scene: &Scene,
    water: &Values,
) -> Result<Vec<Obstacle<D>>, SceneErrors> {
    let mut errors = SceneErrors::default();
    let mut obstacles = Vec::new();
    for section in scene.sections("obstacle") {
        let read = read_one(scene, &section, water);
        obstacles.extend(errors.keep(read).flatten());
        if obstacles.len() > MOST {
            let message = format!("more than {MOST} obstacles in one water");
            errors.push(section.problem("kind", message, "join some of them to one polygon or mesh"));
            break;
        }
    }
    errors.into_result().map(|()| obstacles)
}

fn read_one<const D: usize>(
    scene: &Scene,
    section: &Section<'_>,
    water: &Values,
) -> Result<Option<Obstacle<D>>, SceneErrors> {
    let kind = find_kind(section)?;
    if kind.dimension != D {
        // A scene may hold a flat and a deep fluid: only one that is named can be told that the shape does not fit
        if section.text("water").is_none() && scene.sections("water").len() > 1 {
            return Ok(None);
        }
        let fitting = OBSTACLE_KINDS.iter().filter(|kind| kind.dimension == D).map(|kind| kind.name);
        let message = format!("a {} does not fit into a {D}-D fluid", kind.name);
        let remedy = format!("one of {}", fitting.collect::<Vec<_>>().join(", "));
        return Err(section.problem("kind", message, remedy).into());
    }
    let values = section.read(&[OBSTACLE_KEYS, kind.keys])?;
    if !belongs_to(scene, &values, water)? {
        return Ok(None);
    }
    Ok(Some(Obstacle { shape: shape(kind.name, &values)?, course: Course::read(&values) }))
}

fn find_kind(section: &Section<'_>) -> Result<&'static ObstacleKind, SceneErrors> {
    let names = || OBSTACLE_KINDS.iter().map(|kind| kind.name);
    let Some(word) = section.text("kind") else {
        let remedy = format!("one of {}", names().collect::<Vec<_>>().join(", "));
        return Err(section.problem("kind", "the obstacle has no kind", remedy).into());
    };
    OBSTACLE_KINDS.iter().find(|kind| kind.name == word).ok_or_else(|| {
        let remedy = undine_scene::known_words(word, names());
        section.problem("kind", format!("unknown kind of obstacle {word:?}"), remedy).into()
    })
}

fn shape<const D: usize>(kind: &str, values: &Values) -> Result<Shape<D>, SceneErrors> {
    Ok(match kind {
        "polygon" => {
            let rest: Vec<[f64; 2]> =
                values.tables("corner").iter().map(|corner| corner.vector("at")).collect();
            let remedy = "give its corners in order around it";
            let placed = Polygon::new(rest.clone())
                .map_err(|error| values.problem("corner", error.to_string(), remedy))?;
            Shape::Outline { rest, placed }
        }
        "rectangle" => {
            let size: [f64; 2] = values.vector("size");
            Shape::Block { half: std::array::from_fn(|axis| 0.5 * size[axis.min(1)]) }
        }
        "box" => {
            let size: [f64; 3] = values.vector("size");
            Shape::Block { half: std::array::from_fn(|axis| 0.5 * size[axis]) }
        }
        "cylinder" => {
            Shape::Cylinder { radius: values.number("radius"), half_height: 0.5 * values.number("height") }
        }
        "mesh" => {
            let rest = read_mesh(values)?;
            Shape::Mesh { placed: rest.clone(), rest }
        }
        _ => Shape::Ball { radius: values.number("radius") },
    })
}

fn read_mesh(values: &Values) -> Result<Vec<super::mesh::Triangle>, SceneErrors> {
    let fault = |what: String| values.problem("file", what, "give a closed mesh as an OBJ file");
    let bytes = values.file("file").read(LARGEST_MESH).map_err(|error| fault(error.to_string()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| fault("this is not UTF-8 text".into()))?;
    let scale = values.number("scale");
    let triangles = read_obj(text).map_err(fault)?;
    Ok(triangles
        .into_iter()
        .map(|triangle| triangle.map(|corner| corner.map(|along| scale * along)))
        .collect())
}
