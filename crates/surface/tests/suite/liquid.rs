//! The surface of liquids against shapes that are known.

use crate::shapes::{Dice, Shape, assert_manifold, shape, volume, with_solids};
use undine_frame::{Mesh, Quantity};
use undine_surface::{Surfacing, liquid_mesh, seen_volume};

const CELL: f64 = 0.1;
const DX: f32 = CELL as f32;
const LEVEL: f32 = 0.83;

fn pool(band: f32) -> Shape {
    shape([32, 32, 16], CELL, band, |at| at[2] - LEVEL)
}

fn distance_from(middle: [f32; 3], at: [f32; 3]) -> f32 {
    (0..3).map(|axis| (at[axis] - middle[axis]).powi(2)).sum::<f32>().sqrt()
}

fn usual() -> Surfacing {
    Surfacing::default()
}

/// Mean and spread of the heights of all vertices that look up and are chosen.
fn heights(mesh: &Mesh, is_chosen: impl Fn([f32; 3]) -> bool) -> (f64, f64) {
    let vertices = mesh.positions.iter().zip(&mesh.normals);
    let top: Vec<f64> = vertices
        .filter(|(at, normal)| normal[2] > 0.8 && is_chosen(**at))
        .map(|(at, _)| f64::from(at[2]))
        .collect();
    let mean = top.iter().sum::<f64>() / top.len() as f64;
    let square = top.iter().map(|height| (height - mean).powi(2)).sum::<f64>() / top.len() as f64;
    (mean, square.sqrt())
}

/// The number of separate pieces, less the handles: 1 for one piece without holes.
fn pieces_less_handles(mesh: &Mesh) -> i64 {
    let euler = mesh.positions.len() as i64 - mesh.triangle_count() as i64 / 2;
    euler / 2
}

#[test]
fn calm_water_is_flat_and_where_it_should_be() {
    let mesh = pool(99.0).mesh(&usual());
    let (mean, spread) = heights(&mesh, |at| at[2] > 0.4);
    assert!(spread < 0.02 * CELL, "bumps of {} cells", spread / CELL);
    assert!((mean - f64::from(LEVEL)).abs() < 0.03 * CELL, "{} cells off", (mean - f64::from(LEVEL)) / CELL);
    assert!((volume(&mesh) / (3.2 * 3.2 * f64::from(LEVEL)) - 1.0).abs() < 0.005);
}

#[test]
fn the_mesh_lies_flat_on_the_walls_of_the_box() {
    let mesh = pool(99.0).mesh(&usual());
    for (at, normal) in mesh.positions.iter().zip(&mesh.normals).filter(|(at, _)| at[2] < LEVEL - 0.1) {
        let [x, y, z] = *at;
        let walls = [(x, [-1.0, 0.0, 0.0]), (3.2 - x, [1.0, 0.0, 0.0]), (y, [0.0, -1.0, 0.0])];
        let walls = walls.into_iter().chain([(3.2 - y, [0.0, 1.0, 0.0]), (z, [0.0, 0.0, -1.0])]);
        let touched: Vec<[f32; 3]> = walls.filter(|wall| wall.0.abs() < 1e-5).map(|wall| wall.1).collect();
        assert!(touched.contains(normal), "{at:?} with normal {normal:?}");
    }
}

#[test]
fn water_closes_around_a_pillar() {
    let pillar = |at: [f32; 3]| (at[0] - 1.63).hypot(at[1] - 1.57) - 0.52;
    let shape = with_solids(pool(99.0), pillar);
    let mesh = shape.mesh(&usual());
    let wet = 3.2 * 3.2 - std::f64::consts::PI * 0.52 * 0.52;
    assert!((volume(&mesh) / (wet * f64::from(LEVEL)) - 1.0).abs() < 0.01, "{}", volume(&mesh));
    let (_, spread) = heights(&mesh, |at| at[2] > 0.4);
    assert!(spread < 0.03 * CELL, "{} cells", spread / CELL);
    // Under water, near the pillar, the mesh is on it
    let near = |at: &&[f32; 3]| pillar(**at).abs() < 0.2 && at[2] > 0.05 && at[2] < LEVEL - 0.15;
    let furthest = mesh.positions.iter().filter(near).map(|at| pillar(*at).abs()).fold(0.0, f32::max);
    assert!(furthest < 0.05 * DX, "{} cells", furthest / DX);
    assert_eq!(pieces_less_handles(&mesh), 0, "one piece with one handle");
}

#[test]
fn a_ball_keeps_its_volume() {
    for radius in [0.8f32, 1.0, 1.3] {
        let ball = shape([32; 3], CELL, 99.0, |at| distance_from([1.61, 1.58, 1.6], at) - radius);
        let share =
            volume(&ball.mesh(&usual())) / (4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3));
        assert!((share - 1.0).abs() < 0.02, "{share} of a ball of {radius}");
    }
}

#[test]
fn the_seen_volume_of_a_ball_is_that_of_its_exported_mesh() {
    // Ten cells of radius
    let radius = 10.0 * DX;
    let ball = shape([32; 3], CELL, 99.0, |at| distance_from([1.61, 1.58, 1.6], at) - radius);
    let exported = volume(&ball.mesh(&usual()));
    let seen = seen_volume(&ball.liquid(), &usual());
    assert!((seen / exported - 1.0).abs() < 0.005, "{seen} and {exported} m³");
    let exact = 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3);
    assert!((seen / exact - 1.0).abs() < 0.02, "{seen} and {exact} m³");
    // With a drop beside it, of a radius of two cells
    let drop = 2.0 * DX;
    let both = shape([32; 3], CELL, 99.0, |at| {
        (distance_from([1.61, 1.58, 1.6], at) - radius).min(distance_from([0.45; 3], at) - drop)
    });
    let apart = seen_volume(&both.liquid(), &usual()) - seen;
    let exact = 4.0 / 3.0 * std::f64::consts::PI * f64::from(drop).powi(3);
    assert!((0.7..1.3).contains(&(apart / exact)), "{apart} and {exact} m³");
}

#[test]
fn the_seen_volume_of_a_disc_is_its_area() {
    // In the plane, ten cells of radius, with a wall through its middle
    let mut disc = shape([32, 32, 1], CELL, 99.0, |at| {
        distance_from([1.61, 1.58, 0.05], [at[0], at[1], 0.05]) - 10.0 * DX
    });
    let area = std::f64::consts::PI;
    let seen = seen_volume(&disc.liquid(), &usual());
    assert!((seen / area - 1.0).abs() < 0.005, "{seen} of {area} m²");
    disc = with_solids(disc, |at| 1.61 - at[0]);
    disc.solids.iter_mut().for_each(|solids| {
        solids.size[2] = 1;
        solids.values.truncate(33 * 33);
    });
    let half = seen_volume(&disc.liquid(), &usual());
    assert!((half / (0.5 * area) - 1.0).abs() < 0.005, "{half} of {} m²", 0.5 * area);
}

#[test]
fn a_narrow_band_of_particles_is_enough() {
    let (full, band) = (pool(99.0), pool(4.0));
    assert!(band.cloud.positions.len() < full.cloud.positions.len() * 6 / 10);
    let (full, band) = (full.mesh(&usual()), band.mesh(&usual()));
    assert!((volume(&band) / volume(&full) - 1.0).abs() < 1e-3, "{}", volume(&band) / volume(&full));
    let (mean, spread) = heights(&band, |at| at[2] > 0.4);
    assert!(spread < 0.02 * CELL && (mean - f64::from(LEVEL)).abs() < 0.03 * CELL);
}

#[test]
fn a_thin_sheet_has_no_holes() {
    for cells in [1.0, 2.0, 3.0] {
        for thickness in [1.0f32, 1.5, 3.0] {
            let sheet = shape([24, 24, 16], CELL, 99.0, |at| (at[2] - 0.81).abs() - 0.5 * thickness * DX);
            let mesh = sheet.mesh(&Surfacing { cells, ..usual() });
            assert_eq!(pieces_less_handles(&mesh), 1, "{thickness} cells thick, meshed by {cells}");
            let wanted = 2.4 * 2.4 * f64::from(thickness * DX);
            let share = volume(&mesh) / wanted;
            assert!((0.8..1.35).contains(&share), "{share} of a sheet of {thickness}");
        }
    }
}

#[test]
fn lone_drops_are_kept_wherever_they_are() {
    let mut dice = Dice(3);
    for cells in [1.0, 2.0, 3.0] {
        let mut drops = shape([24; 3], CELL, 99.0, |_| 1.0);
        for number in 0..64u32 {
            let corner = [number % 4, number / 4 % 4, number / 16].map(|x| 0.3 + 0.5 * x as f32);
            drops.cloud.positions.push(corner.map(|x| x + 0.2 * dice.roll()));
        }
        drops.cloud.velocities = vec![[1.0, 2.0, 3.0]; 64];
        drops.cloud.attributes.clear();
        let mesh = drops.mesh(&Surfacing { cells, ..usual() });
        assert_eq!(pieces_less_handles(&mesh), 64, "meshed by {cells}");
        let is_carried = |velocity: &[f32; 3]| distance_from([1.0, 2.0, 3.0], *velocity) < 1e-5;
        assert!(mesh.velocities.len() == mesh.positions.len() && mesh.velocities.iter().all(is_carried));
    }
}

#[test]
fn two_bodies_with_a_gap_stay_apart() {
    let gap =
        |at: [f32; 3]| if (at[2] - 0.8).abs() < 0.125 { 0.125 - (at[2] - 0.8).abs() } else { -0.5 * DX };
    let mesh = shape([20, 20, 16], CELL, 99.0, gap).mesh(&usual());
    assert_eq!(pieces_less_handles(&mesh), 2);
}

#[test]
fn random_clouds_are_closed() {
    let mut dice = Dice(11);
    for (count, cells) in [(1, 2.0), (40, 1.0), (700, 2.0), (5000, 1.7), (5000, 0.5), (20_000, 3.0)] {
        let mut cloud = shape([17, 9, 11], CELL, 99.0, |_| 1.0);
        let roll = |dice: &mut Dice| [1.7, 0.9, 1.1].map(|length: f32| length * dice.roll());
        cloud.cloud.positions = (0..count).map(|_| roll(&mut dice)).collect();
        cloud.cloud.velocities = cloud.cloud.positions.clone();
        cloud.cloud.attributes[0].values = vec![0.5; count].into();
        // Distances that know nothing of the particles
        cloud.distance.values.iter_mut().for_each(|value| *value = 0.6 * (dice.roll() - 0.4));
        let mut cloud = with_solids(cloud, |at| distance_from([0.8, 0.5, 0.5], at) - 0.3);
        cloud
            .solids
            .iter_mut()
            .flat_map(|solids| solids.values.iter_mut())
            .for_each(|value| *value += 0.2 * dice.roll());
        let mesh = cloud.mesh(&Surfacing { cells, ..usual() });
        assert!(mesh.positions.as_flattened().iter().all(|x| x.is_finite()));
    }
}

#[test]
fn nonsense_gives_an_empty_mesh_or_a_closed_one() {
    let mut broken = pool(99.0);
    broken.cloud.positions[5] = [f32::NAN, 0.0, 0.0];
    broken.cloud.positions[6] = [f32::INFINITY, 1e30, -1e30];
    broken.cloud.positions[7] = [-5.0, 99.0, 0.5];
    broken.distance.values[17] = f32::NAN;
    broken.mesh(&usual());
    broken.distance.values.pop();
    assert!(liquid_mesh(&broken.liquid(), &usual()).positions.is_empty());
    let mut flat = pool(99.0);
    flat.distance.size[2] = 1;
    flat.distance.values.truncate(32 * 32);
    assert!(liquid_mesh(&flat.liquid(), &usual()).positions.is_empty());
    let empty = shape([4, 4, 4], CELL, 99.0, |_| 1.0);
    assert!(empty.mesh(&usual()).positions.is_empty());
    let speck = shape([1, 1, 2], CELL, 99.0, |at| at[2] - 0.1);
    speck.mesh(&usual());
}

#[test]
fn vertices_have_the_attributes_of_nearby_particles() {
    let mesh = pool(99.0).mesh(&usual());
    let red = mesh.attribute(Quantity::Mass).unwrap();
    for ((at, velocity), red) in mesh.positions.iter().zip(&mesh.velocities).zip(&red.values) {
        assert!((red - at[0]).abs() < 0.6 * DX, "{red} at {at:?}");
        assert!(distance_from([at[1], -at[0], 2.0], *velocity) < 0.8 * DX);
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let pillar = |at: [f32; 3]| (at[0] - 1.63).hypot(at[1] - 1.57) - 0.52;
    let shape = with_solids(pool(99.0), pillar);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| liquid_mesh(&shape.liquid(), &usual()))
    };
    let alone = on(1);
    assert_manifold(&alone);
    // The meshes are too long to be shown
    assert!(alone == on(2) && alone == on(8));
}

#[test]
fn the_surface_moves_continuously() {
    let moved = |by: f32| {
        let mut shape = shape([24, 24, 12], CELL, 99.0, |at| at[2] - LEVEL - 0.05 * (4.0 * at[0]).sin());
        shape.cloud.positions.iter_mut().for_each(|at| at[0] = (at[0] + by).min(2.4));
        heights(&shape.mesh(&usual()), |at| at[2] > 0.4 && (1.0..1.1).contains(&at[0]))
    };
    let (before, after) = (moved(0.0).0, moved(0.01 * DX).0);
    assert!((before - after).abs() < 0.01 * CELL, "{}", (before - after) / CELL);
}
