//! Meshes of height fields over land.

use undine_frame::{Attribute, Heights, Mesh, Quantity};
use undine_surface::{ground_mesh, height_mesh};

/// Values over cells of half a metre.
#[derive(Clone)]
struct Field {
    cells: [usize; 2],
    values: Vec<f32>,
}

fn field(cells: [usize; 2], value: impl Fn(f64, f64) -> f64) -> Field {
    let places = (0..cells[1]).flat_map(|row| (0..cells[0]).map(move |column| [column, row]));
    let values = places.map(|at| at.map(|along| 0.5 * (along as f64 + 0.5))).map(|[x, y]| value(x, y) as f32);
    Field { cells, values: values.collect() }
}

fn view(level: &Field, bed: Option<&Field>) -> Heights {
    Heights {
        size: level.cells.map(|cells| cells as u32),
        origin: [0.25; 2],
        spacing: [0.5; 2],
        level: level.values.clone().into(),
        bed: bed.map(|bed| bed.values.clone().into()),
        velocity: Some(level.values.iter().map(|&value| [value, value]).collect()),
        dry_depth: 0.0,
    }
}

fn ground(shown: &Heights) -> Mesh {
    let bed = Heights { level: shown.bed.clone().unwrap(), bed: None, velocity: None, ..shown.clone() };
    let wetness = Attribute::new("wetness", Quantity::Wetness, 1, shown.level.clone());
    ground_mesh("ground", &bed, &[wetness])
}

/// Where the edges of the water's triangles pass through the ground below them.
fn crossings(water: &Mesh, ground: &Mesh) -> Vec<[f32; 2]> {
    let gap = |vertex: u32| water.positions[vertex as usize][2] - ground.positions[vertex as usize][2];
    let mut crossings = Vec::new();
    for [a, b, c] in water.triangles() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if gap(from) > 0.0 && gap(to) <= 0.0 {
                let share = gap(from) / (gap(from) - gap(to));
                let (from, to) = (water.positions[from as usize], water.positions[to as usize]);
                crossings.push([0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis])));
            }
        }
    }
    crossings
}

#[test]
fn a_tilted_plane_has_its_exact_normal_and_reaches_the_border() {
    let level = field([10, 8], |x, y| 0.3 * x - 0.2 * y);
    let mesh = height_mesh("water", &view(&level, None));
    let length = (0.09f32 + 0.04 + 1.0).sqrt();
    for normal in &mesh.normals {
        assert!((normal[0] + 0.3 / length).abs() < 1e-5 && (normal[1] - 0.2 / length).abs() < 1e-5);
    }
    for [x, y, z] in &mesh.positions {
        assert!((z - (0.3 * x - 0.2 * y)).abs() < 1e-5);
    }
    assert_eq!(mesh.positions[0][..2], [0.0, 0.0]);
    assert_eq!(mesh.positions[mesh.positions.len() - 1][..2], [5.0, 4.0]);
    assert_eq!(mesh.inconsistency(), None);
}

#[test]
fn the_shore_of_still_water_on_a_beach_is_where_it_should_be() {
    for degrees in [0.0_f64, 17.0, 30.0, 45.0, 71.0] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let slope = 0.12;
        let bed = field([24, 20], |x, y| slope * (cosine * (x - 5.37) + sine * (y - 4.21)));
        let level = field([24, 20], |_, _| 0.0);
        let shown = view(&level, Some(&bed));
        let (water, ground) = (height_mesh("water", &shown), ground(&shown));
        let crossings = crossings(&water, &ground);
        assert!(crossings.len() > 20);
        for [x, y] in crossings {
            let aside = cosine * (f64::from(x) - 5.37) + sine * (f64::from(y) - 4.21);
            assert!(aside.abs() < 0.1 * 0.5, "{aside} m off the shore at {degrees}°");
        }
    }
}

#[test]
fn the_front_of_a_flood_on_a_plain_is_round() {
    let bed = field([40, 40], |_, _| 0.0);
    let level = field([40, 40], |x, y| (1.0 - 0.04 * ((x - 10.0_f64).powi(2) + (y - 10.0).powi(2))).max(0.0));
    let shown = view(&level, Some(&bed));
    let (water, ground) = (height_mesh("water", &shown), ground(&shown));
    for [x, y] in crossings(&water, &ground) {
        let radius = ((x - 10.0).powi(2) + (y - 10.0).powi(2)).sqrt();
        assert!((radius - 5.0).abs() < 0.8 * 0.5, "{radius}");
    }
}

#[test]
fn no_normal_sees_a_dry_bed() {
    // A wall of ten metres stands beside still water.
    let bed = field([12, 6], |x, _| if x > 3.0 { 10.0 } else { -1.0 });
    let level = field([12, 6], |x, _| if x > 3.0 { 10.0 } else { 0.0 });
    let mesh = height_mesh("water", &view(&level, Some(&bed)));
    for vertex in mesh.triangles().flatten() {
        assert_eq!(mesh.normals[vertex as usize], [0.0, 0.0, 1.0]);
    }
}

#[test]
fn a_curve_becomes_a_ribbon() {
    for cells in [[9, 1], [1, 9]] {
        let (level, bed) = (field(cells, |x, y| 0.1 * (x + y)), field(cells, |_, _| -1.0));
        let shown = view(&level, Some(&bed));
        for mesh in [height_mesh("water", &shown), ground(&shown)] {
            assert_eq!((mesh.positions.len(), mesh.triangle_count()), (22, 20));
            assert_eq!(mesh.inconsistency(), None);
        }
    }
}

#[test]
fn strange_fields_have_meshes() {
    let strange: [fn(f64, f64) -> f64; 4] =
        [|_, _| f64::NAN, |x, _| if x > 1.0 { f64::NAN } else { 1.0 }, |_, _| 1e30, |_, _| -5.0];
    for cells in [[1, 1], [1, 2], [3, 1], [6, 5]] {
        for level in strange {
            for bed in strange {
                let (level, bed) = (field(cells, level), field(cells, bed));
                let shown = view(&level, Some(&bed));
                assert_eq!(height_mesh("water", &shown).inconsistency(), None);
                assert_eq!(ground(&shown).inconsistency(), None);
            }
        }
    }
}

#[test]
fn dry_land_has_no_water() {
    let (level, bed) = (field([5, 4], |_, _| 0.0), field([5, 4], |_, _| 2.0));
    let mesh = height_mesh("water", &view(&level, Some(&bed)));
    assert_eq!(mesh.triangle_count(), 0);
    assert!(mesh.attribute(Quantity::Depth).unwrap().values.iter().all(|&depth| depth == 0.0));
}
