//! The keys of `[[obstacle]]`, and how obstacles are read.

use std::borrow::Cow;

use undine_frame::Material;
use undine_scene::{
    Absent, Gesture, Key, KindEntry, Placement, Placing, Problem, Scene, SceneErrors, SceneFile,
    SectionEntry, ToolEntry, Values,
};

use super::formats::{MESH_FORMATS, MeshFormat};
use super::immersed_solids::{MOST, Obstacle};
use super::mesh_body::MeshBody;
use super::mesh_validation::{MeshDefect, check_closed, check_sheet};
use super::polygon::Polygon;
use super::shape::SolidShape;
use super::trajectory::Trajectory;
use super::triangle::Triangle;
use super::water_section::read_kind;

/// Largest mesh file, in bytes.
const LARGEST_MESH: u64 = 1 << 30;

/// `[[obstacle]]`: a solid that the fluid flows around.
pub static OBSTACLE: SectionEntry = SectionEntry {
    name: "obstacle",
    summary: "solids that stand or move in a box",
    repeats: true,
    common: &[
        Key::text("name")
            .optional("obstacle-1, obstacle-2, …")
            .help("what pictures and exports call its body"),
        Key::choice("material", &[("solid", "lets no light through"), ("glass", "clear glass")])
            .optional("solid; glass where its name holds \"glass\"")
            .help("what its body is made of, for pictures"),
        Key::text("kind").help("its shape"),
        Key::text("water").optional("every fluid in a box").help("the name of the water that it belongs to"),
        MOVE_X,
        MOVE_Y,
        TURN,
    ],
    kinds: &[POLYGON.with_tools(&[DRAW_POLYGON]), CIRCLE, RECTANGLE, SPHERE, BOX, CYLINDER, MESH],
};

/// The shapes of obstacles and of the regions of sources.
pub(crate) const POLYGON: KindEntry =
    shape("polygon", "any polygon whose sides do not cross", &[POLYGON_KEYS], &[2]);
pub(crate) const CIRCLE: KindEntry = shape("circle", "a disc", &[CIRCLE_KEYS], &[2]);
pub(crate) const RECTANGLE: KindEntry = shape("rectangle", "a rectangle", &[RECTANGLE_KEYS], &[2]);
pub(crate) const SPHERE: KindEntry = shape("sphere", "a sphere", &[SPHERE_KEYS], &[3]);
pub(crate) const BOX: KindEntry = shape("box", "a box", &[BOX_KEYS], &[3]);
pub(crate) const CYLINDER: KindEntry = shape("cylinder", "an upright cylinder", &[CYLINDER_KEYS], &[3]);
pub(crate) const MESH: KindEntry = shape("mesh", "a mesh from a file, closed or a sheet", &[MESH_KEYS], &[3]);

const fn shape(
    name: &'static str,
    summary: &'static str,
    keys: &'static [&'static [Key]],
    dimensions: &'static [usize],
) -> KindEntry {
    KindEntry::new(name, summary, keys).only_in(dimensions).placed(Placing::Body)
}

const DRAW_POLYGON: ToolEntry = ToolEntry {
    name: "obstacle",
    icon: "◇",
    help: "Draw around it, or click corner after corner; a click on the first closes the polygon.",
    order: 110,
    settings: &[],
    gesture: Gesture::Outline,
    write: write_polygon,
};

/// The polygon drawn with the pointer, relative to the mean of its corners.
fn write_polygon(placement: &Placement<'_>) -> String {
    let count = placement.outline.len().max(1) as f64;
    let middle: [f64; 2] =
        std::array::from_fn(|axis| placement.outline.iter().map(|corner| corner[axis]).sum::<f64>() / count);
    let corner =
        |corner: &[f64; 2]| format!("{{ at = [{:?}, {:?}] }}", corner[0] - middle[0], corner[1] - middle[1]);
    let corners: Vec<String> = placement.outline.iter().map(corner).collect();
    let [x, y] = middle;
    format!("{{ kind = \"polygon\", at = [{x:?}, {y:?}], corner = [{}] }}", corners.join(", "))
}

const fn displacement(name: &'static str, help: &'static str) -> Key {
    Key::timed(name).unit("m").or(0.0).within(-1e6, 1e6).help(help)
}

const MOVE_X: Key = displacement("move_x", "displacement along x from `at`");
const MOVE_Y: Key = displacement("move_y", "displacement along y from `at`");
const MOVE_Z: Key = displacement("move_z", "displacement along z from `at`");
const TURN: Key =
    Key::timed("turn").unit("rad").or(0.0).within(-1e6, 1e6).help("angle of rotation, counter-clockwise");

/// Keys of the trajectory of everything that has a shape.
pub(crate) const TRAJECTORY_KEYS: &[Key] = &[MOVE_X, MOVE_Y, TURN];

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

const AXIS: Key = Key::choice("axis", &[("x", "about x"), ("y", "about y"), ("z", "about z")])
    .default(Absent::Text("z"))
    .help("the axis about which it turns");

const RADIUS: Key = Key::number("radius").unit("m").positive_to(1e6).help("its radius");

const CORNER: &[Key] =
    &[Key::vector("at", 2).unit("m").within(-1e6, 1e6).help("a corner, from the polygon's origin")];

pub(crate) const POLYGON_KEYS: &[Key] =
    &[AT_IN_PLANE, Key::tables("corner", CORNER).help("its corners in order, such as [{ at = [0, 0] }, …]")];

pub(crate) const CIRCLE_KEYS: &[Key] = &[AT_IN_PLANE, RADIUS];

pub(crate) const RECTANGLE_KEYS: &[Key] =
    &[AT_IN_PLANE, Key::vector("size", 2).unit("m").positive_to(1e6).help("its sides along x and y")];

pub(crate) const SPHERE_KEYS: &[Key] = &[AT_IN_SPACE, MOVE_Z, AXIS, RADIUS];

pub(crate) const BOX_KEYS: &[Key] = &[
    AT_IN_SPACE,
    MOVE_Z,
    AXIS,
    Key::vector("size", 3).unit("m").positive_to(1e6).help("its sides along x, y and z"),
];

pub(crate) const CYLINDER_KEYS: &[Key] =
    &[AT_IN_SPACE, MOVE_Z, AXIS, RADIUS, Key::number("height").unit("m").positive_to(1e6).help("its height")];

pub(crate) const MESH_KEYS: &[Key] = &[
    AT_IN_SPACE,
    MOVE_Z,
    AXIS,
    Key::file("file").help("an OBJ, PLY, STL, glTF or GLB file"),
    Key::file("numbers")
        .optional("none")
        .help("the .bin file that a glTF file refers to, if its buffers are not embedded"),
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

/// The obstacles of one water as read from the scene.
#[derive(Debug, Clone)]
pub struct LoadedObstacles<const D: usize> {
    /// The obstacles in the order of the file.
    pub obstacles: Vec<Obstacle<D>>,
    /// Problems that do not prevent the run.
    pub warnings: Vec<Problem>,
}

/// Reads the obstacles of the water with these values, reporting all problems at once.
pub fn read_obstacles<const D: usize>(
    scene: &Scene,
    water: &Values,
) -> Result<LoadedObstacles<D>, SceneErrors> {
    let mut errors = SceneErrors::default();
    let mut loaded = LoadedObstacles { obstacles: Vec::new(), warnings: Vec::new() };
    for section in scene.sections("obstacle") {
        let read = read_kind(scene, &section, water, &OBSTACLE, D).and_then(|read| {
            read.map(|(kind, values)| read_obstacle(kind, &values).map(|placed| (placed, values))).transpose()
        });
        if let Some(((obstacle, warnings), values)) = errors.keep(read).flatten() {
            let name = errors.keep(read_name(&values, &loaded.obstacles)).flatten();
            let material = read_material(&values);
            loaded.obstacles.push(Obstacle { name, material, ..obstacle });
            loaded.warnings.extend(warnings);
        }
        if loaded.obstacles.len() > MOST {
            let message = format!("more than {MOST} obstacles in one water");
            errors.push(section.problem("kind", message, "join some of them to one polygon or mesh"));
            break;
        }
    }
    errors.into_result().map(|()| loaded)
}

/// Material of an obstacle. One without the key may still be glass by its name: renderers decide that.
fn read_material(values: &Values) -> Material {
    if values.word_if("material") == Some("glass") { Material::Glass } else { Material::Solid }
}

/// The name of an obstacle, if given; it must be unique.
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

/// An obstacle from the values of its section: shape and trajectory, with warnings.
pub(crate) fn read_obstacle<const D: usize>(
    kind: &KindEntry,
    values: &Values,
) -> Result<(Obstacle<D>, Vec<Problem>), SceneErrors> {
    let (shape, warnings) = read_shape(kind.name, values)?;
    Ok((
        Obstacle { name: None, material: Material::Solid, shape, trajectory: Trajectory::read(values)? },
        warnings,
    ))
}

fn read_shape<const D: usize>(
    kind: &str,
    values: &Values,
) -> Result<(SolidShape<D>, Vec<Problem>), SceneErrors> {
    // Primitive shapes from their sizes; meshes come with warnings of their own
    let shape = match kind {
        "polygon" => {
            let rest: Vec<[f64; 2]> =
                values.tables("corner").iter().map(|corner| corner.vector("at")).collect();
            let remedy = "give its corners in order around it";
            let placed = Polygon::new(rest.clone())
                .map_err(|error| values.problem("corner", error.to_string(), remedy))?;
            SolidShape::Outline { rest, placed }
        }
        "rectangle" => {
            let size: [f64; 2] = values.vector("size");
            SolidShape::Block { half: std::array::from_fn(|axis| 0.5 * size[axis.min(1)]) }
        }
        "box" => {
            let size: [f64; 3] = values.vector("size");
            SolidShape::Block { half: std::array::from_fn(|axis| 0.5 * size[axis]) }
        }
        "cylinder" => SolidShape::Cylinder {
            radius: values.number("radius"),
            half_height: 0.5 * values.number("height"),
        },
        "mesh" => {
            let (body, warnings) = read_mesh(values)?;
            return Ok((SolidShape::Mesh(Box::new(body)), warnings));
        }
        _ => SolidShape::Ball { radius: values.number("radius") },
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
        let defect = |error: std::io::Error| values.problem(key, error.to_string(), "name another file");
        file.read(LARGEST_MESH).map(Cow::into_owned).map_err(defect)
    };
    let numbers = values.file_if("numbers").map(|file| bytes("numbers", file)).transpose()?;
    let mut triangles = format.read(&bytes("file", file)?, numbers.as_deref()).map_err(|error| {
        values.problem("file", error.to_string(), format!("write it again as a {} file", format.name))
    })?;
    to_metres(&mut triangles, values, format.is_y_up);
    let thickness = values.number_if("thickness");
    let checked = if thickness.is_some() { check_sheet(triangles) } else { check_closed(triangles) };
    let validated = checked.map_err(|defect| values.problem("file", defect.to_string(), remedy(&defect)))?;
    let warning = |remark: &String| values.problem("file", remark.clone(), "mend it in a mesh editor");
    let warnings = validated.remarks.iter().map(warning).collect();
    Ok((MeshBody::new(validated.triangles, thickness), warnings))
}

fn remedy(defect: &MeshDefect) -> &'static str {
    match defect {
        MeshDefect::Open { .. } => "close it, or give it a thickness, which makes it a sheet",
        MeshDefect::Branched { .. } | MeshDefect::OneSided { .. } => {
            "mend it in a mesh editor, or give it a thickness, which makes it a sheet"
        }
        MeshDefect::Flat => "give a mesh with an inside",
    }
}

/// Scales the vertices of a file to metres and rotates its up axis to z.
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
        let [x, y, z] = corner.map(|c| scale * c);
        *corner = if is_y_up { [x, -z, y] } else { [x, y, z] };
    }
}
