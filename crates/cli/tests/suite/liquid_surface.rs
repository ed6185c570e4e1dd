//! A liquid through the cache: the mesh is left out, and made again with the same bits.

use undine::export::cache::{Cache, Manifest};
use undine::export::{FORMATS, Options};
use undine::frame::{Attribute, Frame, Points, Wants};
use undine::grid::Grid;
use undine::sim::{LiquidView, SampleField};
use undine::surface::{Surfacing, add_liquid, make_liquid_meshes};

const CELLS: usize = 24;
const CELL: f64 = 0.037;

/// Distance of a point from the surface of a wave and a drop above it.
fn distance([x, y, z]: [f64; 3]) -> f64 {
    let wave = z - 0.4 - 0.05 * (9.0 * x).sin();
    let drop = ((x - 0.44).powi(2) + (y - 0.44).powi(2) + (z - 0.7).powi(2)).sqrt() - 0.12;
    wave.min(drop)
}

/// Eight particles to a cell, cell by cell.
fn points() -> Points {
    let mut noise = 1u64;
    let mut roll = || {
        noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (noise >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut points = Points { name: "sea".into(), radius: 0.01, ..Points::default() };
    for index in 0..8 * CELLS.pow(3) {
        let (cell, corner) = (index / 8, index % 8);
        let place = [cell % CELLS, cell / CELLS % CELLS, cell / CELLS / CELLS];
        let step = [corner & 1, corner >> 1 & 1, corner >> 2];
        let at: [f64; 3] =
            std::array::from_fn(|axis| CELL * (place[axis] as f64 + 0.5 * (step[axis] as f64 + roll())));
        if distance(at) < 0.0 {
            points.positions.push(at.map(|along| along as f32));
            points.velocities.push([at[2] as f32, (2.0 * at[0]).sin() as f32, -1.3]);
        }
    }
    let values = points.positions.iter().map(|at| if at[2] > 0.5 { 1.0 } else { 0.25 }).collect();
    points.attributes.push(Attribute { name: "red".into(), unit: String::new(), values });
    points
}

fn captured(wants: Wants, surfaces: &[Surfacing]) -> Frame {
    let grid = Grid::new([CELLS; 3], [CELL; 3], [0.0; 3]).unwrap();
    let liquid = LiquidView {
        distance: SampleField::formula(grid, |centre| [distance(centre)]),
        solids: None,
        bounds: [[0.0; 3], [CELL * CELLS as f64; 3]],
        cell: CELL,
    };
    let mut frame = Frame::new(5, 0.25);
    add_liquid(points(), &liquid, surfaces, "", wants, &mut frame);
    frame
}

#[test]
fn a_mesh_from_the_cache_has_the_bits_of_the_one_made_live() {
    let folder = std::env::temp_dir().join(format!("undine-liquid-{}", std::process::id()));
    let manifest = Manifest { undine: "0".into(), name: "sea".into(), fps: 24.0, scene: String::new() };
    let cache = Cache::create(&folder, manifest).unwrap();
    let live = captured(Wants::ALL, &[]);
    assert_eq!(live.meshes.len(), 1);
    let bytes = cache.write(&live).unwrap();
    let mut again = cache.read(5).unwrap();
    assert!(again.meshes.is_empty() && again.points == live.points && again.rasters == live.rasters);
    let mut coarse = again.clone();
    make_liquid_meshes(&mut again, &[]);
    assert!(again == live);

    // With other keys it is another mesh, and again the one that would have been made live
    let surfaces = [Surfacing { cells: 1.0, ..Surfacing::default() }];
    make_liquid_meshes(&mut coarse, &surfaces);
    assert!(coarse == captured(Wants::ALL, &surfaces));
    assert!(3 * coarse.meshes[0].positions.len() < live.meshes[0].positions.len());

    let per_particle = bytes as f64 / live.points[0].positions.len() as f64;
    assert!(per_particle < 8.0, "{per_particle} bytes per particle");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn only_what_is_wanted_is_made() {
    let wanted = captured(Wants { liquid_meshes: false, ..Wants::ALL }, &[]);
    assert!(wanted.meshes.is_empty() && wanted.points.len() == 1 && wanted.raster("distance").is_some());
    let mesh = captured(Wants { meshes: true, liquid_meshes: true, ..Wants::default() }, &[]);
    // Pictures of a mesh find the box in the distance
    assert!(mesh.meshes.len() == 1 && mesh.points.is_empty() && mesh.raster("distance").is_some());
    assert_eq!(captured(Wants::default(), &[]), Frame::new(5, 0.25));
}

#[test]
fn mesh_and_particles_are_exported_with_what_they_carry() {
    let folder = std::env::temp_dir().join(format!("undine-liquid-ply-{}", std::process::id()));
    let ply = FORMATS.iter().find(|format| format.name == "ply").unwrap();
    let files = ply.write(&captured(Wants::ALL, &[]), &folder.join("000005"), &Options::default()).unwrap();
    let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["000005-sea.ply", "000005-sea-particles.ply"]);
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let header = String::from_utf8_lossy(&bytes[..600]).into_owned();
        assert!(
            ["vx", "vy", "vz", "red"].iter().all(|name| header.contains(&format!("float {name}\n"))),
            "{header}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
