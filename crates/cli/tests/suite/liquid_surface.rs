//! Frames through the cache: meshes are not stored, and tessellated again with the same bits.

use undine::export::cache::{Cache, CacheManifest};
use undine::export::{FORMATS, Options};
use undine::surface::{Surfacing, tessellate};
use undine::{Frame, FrameRequest, LoadOptions, Plan, Scene, Tessellation};

/// A collapsing block of liquid around a pillar.
const LIQUID: &str = "
[scene]
duration = 1
fps = 24
[[water]]
kind = 'liquid'
name = 'sea'
size = [0.6, 0.3]
height = 0.4
resolution = 36
[[fill]]
kind = 'box'
at = [0.15, 0.15, 0.15]
size = [0.3, 0.3, 0.3]
colour = '#d08040'
[[obstacle]]
kind = 'cylinder'
at = [0.45, 0.15, 0.1]
radius = 0.04
height = 0.2
material = 'glass'
";

/// Shallow water over hilly ground.
const LAND: &str = "
[scene]
duration = 1
fps = 24
[[water]]
kind = 'shallow-water'
size = [5, 4]
resolution = 64
level = 0.05
fill = [{ from = [-1, -1], to = [1, 1], level = 0.7 }]
[[terrain]]
kind = 'noise'
wavelength = 3
amplitude = 0.5
";

fn plan(text: &str) -> Plan {
    let scene = Scene::parse("sea", text, &LoadOptions::default()).unwrap();
    let mut plan = Plan::new(scene, None).unwrap();
    for _ in 0..4 {
        plan.runner.next_frame().unwrap();
    }
    plan
}

fn folder(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("undine-{name}-{}", std::process::id()))
}

fn new_cache(folder: &std::path::Path) -> Cache {
    let manifest = CacheManifest { undine: "0".into(), name: "sea".into(), fps: 24.0, scene: String::new() };
    Cache::create(folder, manifest).unwrap()
}

#[test]
fn a_mesh_from_the_cache_has_the_bits_of_the_one_made_live() {
    let (folder, plan) = (folder("liquid"), plan(LIQUID));
    let cache = new_cache(&folder);
    let usual = Tessellation::default();
    let live = undine::capture(&plan.runner, &FrameRequest::ALL, &usual);
    assert_eq!((live.meshes.len(), live.bodies.len()), (1, 1));
    let bytes = cache.write(&live).unwrap();
    let mut again = cache.read(live.index).unwrap();
    assert!(again.meshes.is_empty() && again.clouds == live.clouds && again.fields == live.fields);
    let mut coarse = again.clone();
    tessellate(&mut again, &FrameRequest::ALL, &usual);
    assert!(again == live);

    // With other keys the mesh differs, and again equals the live one
    let surfaces = vec![Surfacing { cells: 1.0, ..Surfacing::default() }];
    let other = Tessellation { surfaces, ..Tessellation::default() };
    tessellate(&mut coarse, &FrameRequest::ALL, &other);
    assert!(coarse == undine::capture(&plan.runner, &FrameRequest::ALL, &other));
    assert!(3 * coarse.meshes[0].positions.len() < live.meshes[0].positions.len());

    let per_particle = bytes as f64 / live.clouds[0].positions.len() as f64;
    assert!(per_particle < 16.0, "{per_particle} bytes per particle");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn height_fields_come_back_with_their_meshes_and_are_short() {
    let (folder, mut plan) = (folder("land"), plan(LAND));
    let cache = new_cache(&folder);
    let mut frames = Vec::new();
    for _ in 0..3 {
        plan.runner.next_frame().unwrap();
        frames.push(undine::capture(&plan.runner, &FrameRequest::ALL, &plan.tessellation));
    }
    assert_eq!(frames[0].meshes.len(), 2, "the water and the ground");
    for live in &frames {
        cache.write(live).unwrap();
        let mut again = cache.read(live.index).unwrap();
        assert!(again.meshes.is_empty() && again.surfaces == live.surfaces);
        tessellate(&mut again, &FrameRequest::ALL, &plan.tessellation);
        assert!(again == *live);
    }
    // The ground is there once
    let parts = std::fs::read_dir(&folder).unwrap().filter(|entry| {
        entry
            .as_ref()
            .is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "part"))
    });
    assert_eq!(parts.count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn only_requested_meshes_are_made() {
    let plan = plan(LIQUID);
    let captured = |request: FrameRequest| undine::capture(&plan.runner, &request, &Tessellation::default());
    let wanted = captured(FrameRequest { liquid_meshes: false, ..FrameRequest::ALL });
    assert!(wanted.meshes.is_empty() && wanted.clouds.len() == 1 && wanted.field("distance").is_some());
    let mesh = captured(FrameRequest { meshes: true, liquid_meshes: true, ..FrameRequest::default() });
    // Pictures of a mesh find the box in the distance
    assert!(mesh.meshes.len() == 1 && mesh.clouds.is_empty() && mesh.field("distance").is_some());
    assert_eq!(mesh.fields.len(), 2);
    let nothing = captured(FrameRequest::default());
    assert_eq!(nothing, Frame { waters: nothing.waters.clone(), ..Frame::new(4, nothing.time) });
}

#[test]
fn mesh_and_particles_are_exported_with_what_they_carry() {
    let (folder, plan) = (folder("liquid-ply"), plan(LIQUID));
    let ply = FORMATS.iter().find(|format| format.name == "ply").unwrap();
    let frame = undine::capture(&plan.runner, &ply.request, &plan.tessellation);
    let files = ply.write(&frame, &folder.join("000005"), &Options::default()).unwrap();
    let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["000005-sea.ply", "000005-obstacle-1.ply", "000005-sea-particles.ply"]);
    for file in [&files[0], &files[2]] {
        let bytes = std::fs::read(file).unwrap();
        let header = String::from_utf8_lossy(&bytes[..600]).into_owned();
        assert!(
            ["vx", "vy", "vz", "red", "green", "blue"]
                .iter()
                .all(|name| header.contains(&format!("float {name}\n"))),
            "{header}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
