//! The keys of `[[obstacle]]`, and how obstacles are read.

use std::borrow::Cow;

use undine_scene::{Absent, Key, Problem, Scene, SceneErrors, SceneFile, Section, Values};

use super::belonging::{belongs_to, may_be_meant_for_another};
use super::formats::{MESH_FORMATS, MeshFormat};
use super::mesh::Triangle;
use super::mesh_body::MeshBody;
use super::placement::{MOST, Obstacle};
use super::polygon::Polygon;
use super::pose::Course;
use super::shape::Shape;
use super::soundness::{Unsound, check_closed, check_sheet};

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
    /// The keys that it adds to [`PLACED_KEYS`].
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
    ObstacleKind { name: "mesh", summary: "a mesh from a file, closed or a sheet", dimension: 3, keys: MESH },
];

/// The keys that an `[[obstacle]]` has beside those of anything with a shape.
pub static OBSTACLE_KEYS: &[Key] = &[Key::text("name")
    .optional("obstacle-1, obstacle-2, …")
    .help("what pictures and exports call its body; one whose name holds \"glass\" is drawn as glass")];

/// The keys of everything that has a shape and a course: obstacles, and the regions of sources.
pub static PLACED_KEYS: &[Key] = &[
    Key::text("kind").help("its shape"),
    Key::text("water").optional("every fluid in a box").help("the name of the water that it belongs to"),
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
    Key::file("file").help("an OBJ, PLY, STL, glTF or GLB file"),
    Key::file("numbers")
        .optional("none")
        .help("the .bin file that a glTF file speaks of, if its numbers are not in it"),
    Key::choice(
        "unit",
        &[("m", "metres"), ("cm", "centimetres"), ("mm", "millimetres"), ("in", "inches"), ("ft", "feet")],
    )
    .default(Absent::Text("m"))
    .help("the unit of the file"),
    Key::number("scale").or(1.0).positive_to(1e6).help("further factor on its coordinates"),
    Key::choice("up", &[("y", "the second axis"), ("z", "the third axis")])
        .optional("z; y of glTF")
        .help("the axis of the file that points up"),
    Key::number("thickness")
        .unit("m")
        .optional("the mesh is closed, and solid throughout")
        .positive_to(1e6)
        .help(
            "makes the mesh a sheet of this thickness, such as a glass or a thin wall; it may be open then",
        ),
];

/// Obstacles as they were read.
#[derive(Debug, Clone)]
pub struct Standing<const D: usize> {
    /// The obstacles in the order of the file.
    pub obstacles: Vec<Obstacle<D>>,
    /// What their author should know.
    pub warnings: Vec<Problem>,
}

/// Something of the scene that has a shape and a place: what was read of it, and what its author should know.
#[derive(Debug, Clone)]
pub struct Placed<const D: usize> {
    /// All its values.
    pub values: Values,
    /// Its shape and its course.
    pub obstacle: Obstacle<D>,
    /// What its author should know.
    pub warnings: Vec<Problem>,
}

/// Reads the obstacles that stand in the water with these values, all problems at once.
pub fn read_obstacles<const D: usize>(scene: &Scene, water: &Values) -> Result<Standing<D>, SceneErrors> {
    let mut errors = SceneErrors::default();
    let mut standing = Standing { obstacles: Vec::new(), warnings: Vec::new() };
    for section in scene.sections("obstacle") {
        if let Some(placed) = errors.keep(read_placed(scene, &section, water, OBSTACLE_KEYS)).flatten() {
            let name = errors.keep(read_name(&placed.values, &standing.obstacles)).flatten();
            standing.obstacles.push(Obstacle { name, ..placed.obstacle });
            standing.warnings.extend(placed.warnings);
        }
        if standing.obstacles.len() > MOST {
            let message = format!("more than {MOST} obstacles in one water");
            errors.push(section.problem("kind", message, "join some of them to one polygon or mesh"));
            break;
        }
    }
    errors.into_result().map(|()| standing)
}

/// The name of an obstacle, if it has one, which none of the earlier ones may have.
fn read_name<const D: usize>(
    values: &Values,
    earlier: &[Obstacle<D>],
) -> Result<Option<String>, SceneErrors> {
    let Some(name) = values.text_if("name") else { return Ok(None) };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if name.is_empty() || !name.chars().all(is_plain) {
        let message = format!("{name:?} cannot name an obstacle");
        return Err(values.problem("name", message, "use letters, digits, - and _").into());
    }
    if earlier.iter().any(|obstacle| obstacle.name.as_deref() == Some(name)) {
        let message = format!("two obstacles are called {name:?}");
        return Err(values.problem("name", message, "give each a name of its own").into());
    }
    Ok(Some(name.to_owned()))
}

/// Reads a section with a shape, a course and further keys; `None` when it belongs to another water.
pub fn read_placed<const D: usize>(
    scene: &Scene,
    section: &Section<'_>,
    water: &Values,
    further: &[Key],
) -> Result<Option<Placed<D>>, SceneErrors> {
    if !belongs_to(scene, section, water)? {
        return Ok(None);
    }
    // A scene may hold a flat and a deep fluid: only one that is named can be told that the shape does not fit
    let kind = match find_kind::<D>(section) {
        Err(_) if may_be_meant_for_another(scene, section) => return Ok(None),
        found => found?,
    };
    let values = section.read(&[PLACED_KEYS, kind.keys, further])?;
    let (shape, warnings) = read_shape(kind.name, &values)?;
    let obstacle = Obstacle { name: None, shape, course: Course::read(&values) };
    Ok(Some(Placed { values, obstacle, warnings }))
}

fn find_kind<const D: usize>(section: &Section<'_>) -> Result<&'static ObstacleKind, SceneErrors> {
    let fitting = || OBSTACLE_KINDS.iter().filter(|kind| kind.dimension == D).map(|kind| kind.name);
    let name = section.name();
    let what = name.split('.').next().unwrap_or_default();
    let list = || format!("one of {}", fitting().collect::<Vec<_>>().join(", "));
    let Some(word) = section.text("kind") else {
        let message = format!("the {what} has no kind");
        return Err(section.problem("kind", message, list()).into());
    };
    let Some(kind) = OBSTACLE_KINDS.iter().find(|kind| kind.name == word) else {
        let remedy = undine_scene::known_words(word, fitting());
        let message = format!("unknown kind of {what} {word:?}");
        return Err(section.problem("kind", message, remedy).into());
    };
    if kind.dimension != D {
        let message = format!("a {word} does not fit into a {D}-D fluid");
        return Err(section.problem("kind", message, list()).into());
    }
    Ok(kind)
}

fn read_shape<const D: usize>(kind: &str, values: &Values) -> Result<(Shape<D>, Vec<Problem>), SceneErrors> {
    let shape = match kind {
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
            let (body, warnings) = read_mesh(values)?;
            return Ok((Shape::Mesh(Box::new(body)), warnings));
        }
        _ => Shape::Ball { radius: values.number("radius") },
    };
    Ok((shape, Vec::new()))
}

fn read_mesh(values: &Values) -> Result<(MeshBody, Vec<Problem>), SceneErrors> {
    let file = values.file("file");
    let known = || MESH_FORMATS.iter().map(|format| format.extension).collect::<Vec<_>>().join(", ");
    let format = MeshFormat::of(&file.name()).ok_or_else(|| {
        let message = format!("{:?} is no mesh file", file.name());
        values.problem("file", message, format!("name a file that ends in one of {}", known()))
    })?;
    let bytes = |key: &str, file: &SceneFile| {
        let fault = |error: std::io::Error| values.problem(key, error.to_string(), "name another file");
        file.read(LARGEST_MESH).map(Cow::into_owned).map_err(fault)
    };
    let numbers = values.file_if("numbers").map(|file| bytes("numbers", file)).transpose()?;
    let mut triangles = format.read(&bytes("file", file)?, numbers.as_deref()).map_err(|error| {
        values.problem("file", error.to_string(), format!("write it again as a {} file", format.name))
    })?;
    to_metres(&mut triangles, values, format.is_y_up);
    let thickness = values.number_if("thickness");
    let checked = if thickness.is_some() { check_sheet(triangles) } else { check_closed(triangles) };
    let sound = checked.map_err(|fault| values.problem("file", fault.to_string(), remedy(&fault)))?;
    let warning = |remark: &String| values.problem("file", remark.clone(), "mend it in a mesh editor");
    let warnings = sound.remarks.iter().map(warning).collect();
    Ok((MeshBody::new(sound.triangles, thickness), warnings))
}

fn remedy(fault: &Unsound) -> &'static str {
    match fault {
        Unsound::Open { .. } => "close it, or give it a thickness, which makes it a sheet",
        Unsound::Branched { .. } | Unsound::OneSided { .. } => {
            "mend it in a mesh editor, or give it a thickness, which makes it a sheet"
        }
        Unsound::Flat => "give a mesh with an inside",
    }
}

/// Scales a file's corners and turns its up axis to z.
fn to_metres(triangles: &mut [Triangle], values: &Values, is_y_up: bool) {
    let unit = match values.word("unit") {
        "cm" => 0.01,
        "mm" => 0.001,
        "in" => 0.0254,
        "ft" => 0.3048,
        _ => 1.0,
    };
    let scale = unit * values.number("scale");
    let is_y_up = values.word_if("up").map_or(is_y_up, |word| word == "y");
    for corner in triangles.iter_mut().flatten() {
        let [x, y, z] = corner.map(|along| scale * along);
        *corner = if is_y_up { [x, -z, y] } else { [x, y, z] };
    }
}
