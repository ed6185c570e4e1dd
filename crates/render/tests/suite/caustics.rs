//! Sunlight under water: what bodies catch and hide, the map of 1990 beside beams, and the same bits on any threads.

use glam::{DVec2, Vec3};
use undine_frame::{Body, Frame, Material, Mesh, Triangles};
use undine_render::caustics::{Caustics, CausticsKind, CausticsSpec, Floor};

/// What a sun overhead sends through level water.
const OVERHEAD: f32 = 0.979_627;

fn water(waves: f32) -> Mesh {
    let mut mesh = Mesh::flat_sheet("pool", [4.0, 4.0], [129, 129]);
    for (position, normal) in mesh.positions.iter_mut().zip(&mut mesh.normals) {
        let (sine, cosine) = (5.0 * position[0] + 3.0 * position[1]).sin_cos();
        position[2] = waves / 5.0 * sine;
        *normal = Vec3::new(-waves * cosine, -0.6 * waves * cosine, 1.0).normalize().to_array();
    }
    mesh
}

/// A level square plate of one metre, facing up.
fn plate() -> Mesh {
    let corners = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]];
    Mesh {
        material: Material::Solid,
        positions: corners.to_vec(),
        normals: Vec::new(),
        uvs: Vec::new(),
        triangles: Triangles::List(vec![[0, 1, 2], [0, 2, 3]]),
        ..Mesh::flat_sheet("plate", [1.0; 2], [2, 2])
    }
}

fn with_plate(at: [f32; 3]) -> Frame {
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(water(0.0));
    frame.bodies.push(Body { position: at, rotation: [0.0, 0.0, 0.0, 1.0], ..Body::standing(0, plate()) });
    frame
}

#[test]
fn a_plate_under_water_is_lit_and_shades_the_floor() {
    let frame = with_plate([2.0, 2.0, -0.5]);
    let pool = Caustics::over_level(&CausticsSpec::default(), &frame, -1.0, Vec3::Z, Vec3::ZERO);
    for (x, y) in [(1.7, 1.8), (2.0, 2.0), (2.3, 2.4)] {
        let (plate, floor) = (Vec3::new(x, y, -0.5), Vec3::new(x, y, -1.0));
        let light = pool.irradiance(plate, Vec3::Z);
        assert!((light.x / OVERHEAD - 1.0).abs() < 1e-4, "the plate has {light} at {x}, {y}");
        assert!(pool.irradiance(floor, Vec3::Z).length() < 1e-9, "the floor is shaded");
    }
    let beside = pool.irradiance(Vec3::new(0.7, 2.0, -1.0), Vec3::Z);
    assert!((beside.x - OVERHEAD).abs() < 1e-6);
    assert!(pool.power().imbalance() < 1e-6);
    // All the light of sixteen square metres arrives, one of them on the plate.
    assert!((pool.power().received.y / 16.0 - f64::from(OVERHEAD)).abs() < 1e-6);
}

#[test]
fn a_plate_above_the_water_shades_it() {
    let frame = with_plate([2.0, 2.0, 0.6]);
    let pool = Caustics::over_level(&CausticsSpec::default(), &frame, -1.0, Vec3::Z, Vec3::ZERO);
    assert!(pool.irradiance(Vec3::new(2.0, 2.0, -1.0), Vec3::Z).length() < 1e-9);
    assert!((pool.power().sent.x - 15.0).abs() < 0.05, "{}", pool.power().sent);
    assert_eq!(
        pool.irradiance(Vec3::new(2.0, 2.0, 0.6), Vec3::Z),
        Vec3::ZERO,
        "no light came through water there"
    );
}

#[test]
fn water_colours_the_light_on_its_way() {
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(water(0.0));
    let absorption = Vec3::new(0.5, 0.1, 0.0);
    let pool = Caustics::over_level(&CausticsSpec::default(), &frame, -2.0, Vec3::Z, absorption);
    let light = pool.irradiance(Vec3::new(2.0, 2.0, -2.0), Vec3::Z);
    let expected = (-2.0 * absorption).map(f32::exp) * OVERHEAD;
    assert!((light - expected).length() < 1e-5, "{light} for {expected}");
    assert_eq!(pool.irradiance(Vec3::new(2.0, 2.0, -2.0), -Vec3::Z), Vec3::ZERO, "from below comes none");
    assert_eq!(pool.irradiance(Vec3::new(9.0, 2.0, -2.0), Vec3::Z), Vec3::ZERO, "nor beside the pool");
    let night = Caustics::over_level(&CausticsSpec::default(), &frame, -2.0, -Vec3::Z, absorption);
    assert_eq!(night.irradiance(Vec3::new(2.0, 2.0, -2.0), Vec3::Z), Vec3::ZERO);
}

#[test]
fn the_map_of_1990_shows_the_same_pattern_as_beams() {
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(water(0.08));
    let made = |kind: CausticsKind| {
        let spec =
            CausticsSpec { kind, extends_water: true, resolution: Some(64), ..CausticsSpec::default() };
        Caustics::over_level(&spec, &frame, -0.6, Vec3::new(0.2, 0.1, 1.0).normalize(), Vec3::ZERO)
    };
    let (paper, beams) = (made(CausticsKind::IlluminationMap), made(CausticsKind::Beams));
    let light = |made: &Caustics| -> Vec<f32> {
        let at = |index: usize| {
            Vec3::new(0.3 + (index % 50) as f32 * 0.068, 0.3 + (index / 50) as f32 * 0.068, -0.6)
        };
        (0..2500).map(|index| made.irradiance(at(index), Vec3::Z).y).collect()
    };
    let (paper, beams) = (light(&paper), light(&beams));
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
    let (a, b) = (mean(&paper), mean(&beams));
    let product = |one: &[f32], other: &[f32], a: f32, b: f32| -> f32 {
        one.iter().zip(other).map(|(x, y)| (x - a) * (y - b)).sum()
    };
    let alike = product(&paper, &beams, a, b)
        / (product(&paper, &paper, a, a) * product(&beams, &beams, b, b)).sqrt();
    assert!(alike > 0.9, "correlation {alike}");
    assert!((a / b - 1.0).abs() < 0.02, "mean {a} and {b}");
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let mut frame = with_plate([1.5, 2.5, -0.4]);
    frame.meshes[0] = water(0.3);
    let floor =
        Floor::sampled([DVec2::ZERO, DVec2::splat(4.0)], [40, 40], |at| -1.0 + 0.1 * (3.0 * at.x).sin());
    for kind in [CausticsKind::IlluminationMap, CausticsKind::Beams, CausticsKind::Photons] {
        let spec = CausticsSpec { kind, photons: 8, ..CausticsSpec::default() };
        let made = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let sun = Vec3::new(0.4, -0.3, 0.8);
            let caustics =
                pool.install(|| Caustics::new(&spec, &frame, floor.clone(), sun, Vec3::splat(0.1)));
            (caustics.map().1.to_vec(), *caustics.power())
        };
        let alone = made(1);
        assert_eq!(alone, made(2), "{kind:?}");
        assert_eq!(alone, made(5), "{kind:?}");
        assert!(alone.0.iter().any(|light| light.y > 0.1), "{kind:?}");
    }
}

#[test]
fn strange_frames_are_answered() {
    let empty = Frame::new(0, 0.0);
    let mut broken = Frame::new(0, 0.0);
    broken.meshes.push(water(0.1));
    broken.meshes[0].positions[7] = [f32::NAN; 3];
    broken.meshes[0].normals[9] = [f32::INFINITY, 0.0, 0.0];
    for kind in
        [CausticsKind::Nothing, CausticsKind::IlluminationMap, CausticsKind::Beams, CausticsKind::Photons]
    {
        let spec = CausticsSpec { kind, photons: 2, extends_water: true, ..CausticsSpec::default() };
        for frame in [&empty, &broken] {
            for sun in [Vec3::Z, Vec3::ZERO, Vec3::splat(f32::NAN), Vec3::new(1.0, 0.0, 1e-3)] {
                let made = Caustics::over_level(&spec, frame, -1.0, sun, Vec3::splat(f32::NAN));
                made.irradiance(Vec3::splat(f32::NAN), Vec3::Z);
                made.irradiance(Vec3::new(1.0, 1.0, -1.0), Vec3::Z);
                assert!(Caustics::on_ground(&spec, frame, sun, Vec3::ZERO).is_none());
            }
        }
    }
}
