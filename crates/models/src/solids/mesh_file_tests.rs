//! Meshes as scenes name them: units, axes, sheets, and what is refused.

use undine_grid::Grid;
use undine_scene::{Key, LoadOptions, Scene, SceneErrors};

use super::formats::CUBE;
use super::triangle::samples::ball;
use super::triangle::{Triangle, bounds};
use super::{LoadedObstacles, SolidShape, Solids, read_ground, read_obstacles};

static WATER: &[Key] = &[Key::text("kind"), Key::text("name").optional("its kind")];

fn obj(triangles: &[Triangle]) -> String {
    let corner = |[x, y, z]: &[f64; 3]| format!("v {x} {y} {z}\n");
    let vertices: String = triangles.iter().flatten().map(corner).collect();
    let faces: String = (0..triangles.len())
        .map(|face| format!("f {} {} {}\n", 3 * face + 1, 3 * face + 2, 3 * face + 3))
        .collect();
    vertices + &faces
}

fn read(file: (&str, &[u8]), keys: &str) -> Result<LoadedObstacles<3>, SceneErrors> {
    let text = format!(
        "[scene]\nduration = 1\n[[water]]\nkind = 'liquid'\n[[obstacle]]\nkind = 'mesh'\nfile = '{}'\n{keys}\n",
        file.0
    );
    let scene = Scene::parse_with_files("tank", &text, &[file], &LoadOptions::default())?;
    let water = scene.sections("water")[0].read(&[WATER])?;
    read_obstacles(&scene, &water)
}

fn box_of(loaded: &LoadedObstacles<3>) -> [[f64; 3]; 2] {
    match &loaded.obstacles[0].shape {
        SolidShape::Mesh(body) => bounds(body.triangles()),
        other => panic!("{other:?} is no mesh"),
    }
}

#[test]
fn units_scales_and_axes_are_applied() {
    let tall = CUBE.replace(" -1\n", " -2\n");
    let metres = read(("a.obj", tall.as_bytes()), "").unwrap();
    assert_eq!(box_of(&metres), [[-1.0, -1.0, -2.0], [1.0, 1.0, 1.0]]);
    let small = read(("a.obj", tall.as_bytes()), "unit = 'cm'\nscale = 50").unwrap();
    assert_eq!(box_of(&small), [[-0.5, -0.5, -1.0], [0.5, 0.5, 0.5]]);
    let lying = read(("a.obj", tall.as_bytes()), "up = 'y'").unwrap();
    assert_eq!(box_of(&lying), [[-1.0, -1.0, -1.0], [1.0, 2.0, 1.0]]);
    assert!(metres.warnings.is_empty());
}

#[test]
fn an_open_mesh_is_refused_or_becomes_a_sheet() {
    let mut cup = ball(0.3, 12);
    cup.retain(|triangle| triangle.iter().all(|corner| corner[2] < 0.2));
    let text = obj(&cup);
    let refusal = read(("cup.obj", text.as_bytes()), "").unwrap_err().to_string();
    assert!(refusal.contains("tank:7:") && refusal.contains("24 edges have no second triangle"), "{refusal}");
    assert!(refusal.contains("give it a thickness"), "{refusal}");
    let loaded = read(("cup.obj", text.as_bytes()), "thickness = 0.01\nat = [0.5, 0.5, 0.5]").unwrap();
    let grid = Grid::new([24; 3], [1.0 / 24.0; 3], [0.0; 3]).unwrap();
    let solids = Solids::watertight(grid, loaded.obstacles).unwrap();
    assert!(solids.blocked_faces() > 100);
    // The wall is there, what it surrounds is open, and so is its mouth
    assert!((solids.distance_from([0.5, 0.5, 0.5 - 0.3]) + 0.005).abs() < 1e-3);
    assert!(solids.distance_from([0.5; 3]) > 0.1);
    assert!(solids.crossing([12.0, 12.0, 12.0], [12.0, 12.0, 3.0]).is_some());
    assert!(solids.crossing([12.0, 12.0, 12.0], [12.0, 12.0, 22.0]).is_none());
}

#[test]
fn repairs_are_reported_and_invalid_files_refused() {
    let inside_out: Vec<Triangle> = ball(0.3, 12).into_iter().map(|[a, b, c]| [b, a, c]).collect();
    let loaded = read(("a.obj", obj(&inside_out).as_bytes()), "").unwrap();
    assert!(loaded.warnings[0].to_string().contains("inside out"), "{:?}", loaded.warnings);
    let refusal = |file: (&str, &[u8])| read(file, "").unwrap_err().to_string();
    assert!(refusal(("a.blend", b"x")).contains("ends in one of obj, ply, stl, gltf, glb"));
    assert!(refusal(("a.obj", b"v 1 2 3\nf 1 2 9\n")).contains("line 2: this face has no such corners"));
    assert!(refusal(("a.stl", b"")).contains("this is no STL file"));
    assert!(refusal(("a.ply", b"ply\nformat ascii 1.0\nend_header\n")).contains("there is no face in it"));
    assert!(refusal(("a.gltf", b"{}")).contains("there is no face in it"));
}

#[test]
fn terrain_is_ground_in_space_and_nothing_in_a_plane() {
    let text = "[scene]\nduration = 1\n[[terrain]]\nkind = 'plane'\nlevel = 0.32\n";
    let scene = Scene::parse("beach", text, &LoadOptions::default()).unwrap();
    let grid = Grid::new([10; 3], [0.1; 3], [0.0; 3]).unwrap();
    let ground = read_ground(&scene, &grid).unwrap().unwrap();
    let solids = Solids::watertight(grid, vec![ground]).unwrap();
    assert!((solids.distance_from([0.5, 0.5, 0.45]) - 0.13).abs() < 1e-9);
    assert!((solids.distance_from([0.5, 0.5, 0.25]) + 0.07).abs() < 1e-9);
    assert_eq!((solids.open()[2].at([5, 5, 3]), solids.open()[2].at([5, 5, 4])), (0.0, 1.0));
    let cut = solids.open()[0].at([5, 5, 3]);
    assert!(solids.open()[0].at([5, 5, 2]) == 0.0 && (cut - 0.8).abs() < 1e-9, "{cut}");
    assert_eq!(solids.blocked_faces(), 0);
    let stop = solids.crossing([5.0, 5.0, 3.5], [5.0, 5.0, 2.0]).unwrap();
    assert!((stop[2] - 3.22).abs() < 1e-3, "{stop:?}");
    assert_eq!(solids.bodies().len(), 1);
    let flat = Grid::new([10; 2], [0.1; 2], [0.0; 2]).unwrap();
    assert!(read_ground(&scene, &flat).unwrap().is_none());
}

#[test]
fn a_body_is_called_by_the_name_of_its_obstacle_or_by_its_number() {
    let read = |second: &str| {
        let text = format!(
            "[scene]\nduration = 1\n[[water]]\nkind = 'liquid'\n[[obstacle]]\nkind = 'sphere'\nradius = 0.1\n\
             [[obstacle]]\nkind = 'sphere'\nradius = 0.2\nname = '{second}'\n\
             [[obstacle]]\nkind = 'sphere'\nradius = 0.3\nname = 'wine-glass'\n"
        );
        let scene = Scene::parse("tank", &text, &LoadOptions::default()).unwrap();
        let water = scene.sections("water")[0].read(&[WATER]).unwrap();
        read_obstacles::<3>(&scene, &water)
    };
    let grid = Grid::new([8; 3], [0.125; 3], [0.0; 3]).unwrap();
    let solids = Solids::watertight(grid, read("stone").unwrap().obstacles).unwrap();
    let names: Vec<String> = solids.bodies().into_iter().map(|body| body.name().to_owned()).collect();
    assert_eq!(names, ["obstacle-1", "stone", "wine-glass"]);
    let refusal = |name: &str| read(name).unwrap_err().to_string();
    assert!(refusal("wine-glass").contains("tank:15:"), "{}", refusal("wine-glass"));
    assert!(refusal("wine-glass").contains("two obstacles are called \"wine-glass\""));
    assert!(refusal("../stone").contains("tank:11:") && refusal("").contains("use letters, digits"));
}
