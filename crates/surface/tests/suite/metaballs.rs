//! Metaballs: known radii, merging, closed meshes, and clouds that are strange.

use std::collections::HashMap;

use undine_frame::{Attribute, Cloud, Domain, Material, Mesh, Quantity};
use undine_scene::{LoadOptions, Scene};
use undine_surface::{Metaballs, metaball_mesh, metaball_raster};

fn cloud(positions: &[[f32; 3]]) -> Cloud {
    Cloud { positions: positions.to_vec(), radius: 0.1, ..Cloud::default() }
}

fn mesh_of(positions: &[[f32; 3]], masses: &[f32], metaballs: &Metaballs) -> Mesh {
    let velocities: Vec<[f32; 3]> = positions.iter().map(|at| [at[0], 2.0, 0.0]).collect();
    let mut cloud = Cloud { velocities, ..cloud(positions) };
    if !masses.is_empty() {
        cloud.attributes.push(Attribute::new("mass", Quantity::Mass, 1, masses.to_vec()));
    }
    let mesh = metaball_mesh("balls", &cloud, metaballs);
    assert_eq!(mesh.inconsistency(), None);
    assert_closed(&mesh);
    assert_outward(&mesh);
    mesh
}

/// Every edge is walked once in each direction.
fn assert_closed(mesh: &Mesh) {
    let mut walked: HashMap<(u32, u32), i32> = HashMap::new();
    for [a, b, c] in mesh.triangles() {
        for edge in [(a, b), (b, c), (c, a)] {
            *walked.entry(edge).or_default() += 1;
        }
    }
    for (&(from, to), &count) in &walked {
        assert_eq!((count, walked.get(&(to, from))), (1, Some(&1)), "edge {from}-{to}");
    }
}

/// Triangles face the way of their normals, which have length one.
fn assert_outward(mesh: &Mesh) {
    for normal in &mesh.normals {
        assert!((length(*normal) - 1.0).abs() < 1e-4, "{normal:?}");
    }
    let along = |[a, b, c]: [u32; 3]| {
        let at = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
        let (one, other) = (minus(at(b), at(a)), minus(at(c), at(a)));
        let across = [
            one[1] * other[2] - one[2] * other[1],
            one[2] * other[0] - one[0] * other[2],
            one[0] * other[1] - one[1] * other[0],
        ];
        let normal = mesh.normals[a as usize].map(f64::from);
        (0..3).map(|axis| across[axis] * normal[axis]).sum::<f64>()
    };
    let facing: f64 = mesh.triangles().map(along).sum();
    let against: f64 = mesh.triangles().map(along).filter(|area| *area < 0.0).sum();
    assert!(-against <= 0.02 * facing, "{against} of {facing} faces inwards");
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn length(vector: [f32; 3]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// The volume that a closed mesh encloses.
fn volume(mesh: &Mesh) -> f64 {
    let at = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
    let tetrahedron = |[a, b, c]: [u32; 3]| {
        let (a, b, c) = (at(a), at(b), at(c));
        let across = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        (0..3).map(|axis| a[axis] * across[axis]).sum::<f64>() / 6.0
    };
    mesh.triangles().map(tetrahedron).sum()
}

/// How many pieces the mesh falls into.
fn pieces(mesh: &Mesh) -> usize {
    let mut parent: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
        while parent[vertex as usize] != vertex {
            parent[vertex as usize] = parent[parent[vertex as usize] as usize];
            vertex = parent[vertex as usize];
        }
        vertex
    }
    for [a, b, c] in mesh.triangles() {
        for (from, to) in [(a, b), (b, c)] {
            let (from, to) = (root(&mut parent, from), root(&mut parent, to));
            parent[from as usize] = to;
        }
    }
    (0..parent.len() as u32).filter(|&vertex| root(&mut parent, vertex) == vertex).count()
}

/// Places that look random but are always the same.
fn scattered(count: usize, within: f32) -> Vec<[f32; 3]> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 * within
    };
    (0..count).map(|_| [next(), next(), next()]).collect()
}

#[test]
fn a_ball_alone_has_the_radius_of_its_mass() {
    for (mass, threshold) in [(1.0f32, 4.0f64), (9.0, 4.0), (0.5, 100.0), (1.0, 1e-4)] {
        let radius = (f64::from(mass) / threshold).sqrt();
        let middle = [0.3, -0.7, 12.345];
        let mesh = mesh_of(&[middle], &[mass], &Metaballs::new(threshold));
        assert!(mesh.positions.len() > 50 && mesh.material == Material::Water);
        for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
            let arm: [f32; 3] = std::array::from_fn(|axis| position[axis] - middle[axis]);
            assert!((f64::from(length(arm)) / radius - 1.0).abs() < 2e-3, "{} for {radius}", length(arm));
            let along: f32 = (0..3).map(|axis| arm[axis] * normal[axis]).sum();
            assert!(along > 0.999 * length(arm));
        }
        assert!(mesh.velocities.iter().all(|velocity| length(minus32(*velocity, [0.3, 2.0, 0.0])) < 1e-5));
    }
}

fn minus32(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

#[test]
fn two_balls_merge_as_they_come_near() {
    let metaballs = Metaballs::new(1.0);
    let apart = mesh_of(&[[0.0; 3], [4.0, 0.0, 0.0]], &[], &metaballs);
    let close = mesh_of(&[[0.0; 3], [2.5, 0.0, 0.0]], &[], &metaballs);
    assert_eq!((pieces(&apart), pieces(&close)), (2, 1));
    assert!(volume(&close) > volume(&apart));
    // In between the velocity goes over from one ball to the other.
    let middle = close.positions.iter().position(|at| (at[0] - 1.25).abs() < 0.1).unwrap();
    assert!((close.velocities[middle][0] - 1.25).abs() < 0.4);
}

#[test]
fn a_ball_that_burns_down_shrinks_and_vanishes() {
    let metaballs = Metaballs { cell: 0.05, ..Metaballs::new(1.0) };
    let volumes: Vec<f64> = [1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.03, 0.0]
        .iter()
        .map(|&mass| volume(&mesh_of(&[[0.0; 3]], &[mass], &metaballs)))
        .collect();
    assert!(volumes.is_sorted_by(|before, after| before > after), "{volumes:?}");
    assert_eq!(volumes[7], 0.0);
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((volumes[0] / exact - 1.0).abs() < 0.01, "{}", volumes[0]);
}

#[test]
fn nothing_and_nonsense_make_no_mesh() {
    let metaballs = Metaballs::new(1.0);
    assert!(mesh_of(&[], &[], &metaballs).positions.is_empty());
    let strange = [[f32::NAN, 0.0, 0.0], [0.0, f32::INFINITY, 0.0], [f32::MAX, 0.0, 0.0]];
    assert!(mesh_of(&strange, &[], &metaballs).positions.is_empty());
    for mass in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-38] {
        assert!(mesh_of(&[[0.0; 3]], &[mass], &metaballs).positions.is_empty());
    }
    // One place, many particles: a single larger ball.
    let heap = mesh_of(&[[1.0; 3]; 100], &[], &metaballs);
    assert_eq!(pieces(&heap), 1);
    assert!(heap.positions.iter().flatten().chain(heap.normals.iter().flatten()).all(|x| x.is_finite()));
    // A mass list that is too short leaves the others out; a huge mass gets coarse cells.
    assert_eq!(pieces(&mesh_of(&[[0.0; 3], [9.0; 3]], &[1.0], &metaballs)), 1);
    assert!(mesh_of(&[[0.0; 3]], &[1e20], &metaballs).positions.len() > 50);
}

#[test]
fn many_balls_make_a_closed_finite_mesh() {
    let positions = scattered(3000, 12.0);
    let masses: Vec<f32> = (0..3000).map(|index| (index % 17) as f32 / 16.0).collect();
    let mesh = mesh_of(&positions, &masses, &Metaballs::new(16.0));
    assert!(mesh.triangle_count() > 10_000);
    let numbers = mesh.positions.iter().chain(&mesh.normals).chain(&mesh.velocities).flatten();
    assert!(numbers.into_iter().all(|number| number.is_finite()));
    let again = mesh_of(&positions, &masses, &Metaballs::new(16.0));
    assert!(mesh == again, "not the same twice");
}

#[test]
fn a_hundred_thousand_balls_make_one_body_of_water() {
    let positions = scattered(100_000, 10.0);
    let mesh = metaball_mesh("crowd", &cloud(&positions), &Metaballs { cutoff: 0.5, ..Metaballs::new(25.0) });
    assert_closed(&mesh);
    assert!((1000.0..1400.0).contains(&volume(&mesh)), "{}", volume(&mesh));
    assert!(mesh.velocities.is_empty());
}

#[test]
fn in_the_plane_the_potential_is_a_field() {
    let over = Domain { size: [20, 10, 1], origin: [0.05, 0.05, 0.0], spacing: [0.1, 0.1, 1.0] };
    let positions = [[0.5, 0.5, 0.0], [1.5, 0.45, 0.0], [f32::NAN, 0.0, 0.0], [-40.0, 0.0, 0.0]];
    let masses = Attribute::new("mass", Quantity::Mass, 1, vec![1.0, 2.0, 1.0, 1.0]);
    let cloud = Cloud { attributes: vec![masses], ..cloud(&positions) };
    let metaballs = Metaballs { cell: 0.02, cutoff: 0.5, ..Metaballs::new(25.0) };
    let raster = metaball_raster("metaballs".into(), &cloud, &over, &metaballs);
    assert_eq!((raster.size, raster.inconsistency()), ([100, 50, 1], None));
    let at = |x: f64, y: f64| {
        let sample =
            |along: f64, axis: usize| ((along - raster.origin[axis]) / raster.spacing[axis]).round() as u32;
        raster.value([sample(x, 0), sample(y, 1), 0])
    };
    // Σ m/d² at the centre of the nearest sample, half a cell of 0.02 aside.
    assert!((at(0.71, 0.51) - 1.0 / (0.21f32.powi(2) + 0.01f32.powi(2))).abs() < 0.01);
    assert!((at(1.51, 0.67) - 2.0 / (0.01f32.powi(2) + 0.22f32.powi(2))).abs() < 0.01);
    assert!(raster.values.iter().all(|value| value.is_finite()));
}

#[test]
fn what_a_scene_says_is_checked() {
    let read = |section: &str| {
        let text = format!("[scene]\nduration = 1\n[[water]]\nkind = 'gerstner'\nresolution = 8\n{section}");
        let scene = Scene::parse("sea", &text, &LoadOptions::default()).unwrap();
        Metaballs::read_all(&scene).map_err(|errors| errors.to_string())
    };
    assert_eq!(read("[metaballs]\nthreshold = 4").unwrap(), [Metaballs::new(4.0)]);
    let fails = |section: &str, words: &str| {
        let errors = read(section).unwrap_err();
        assert!(errors.contains(words), "{errors}");
    };
    fails("[[metaballs]]", "threshold");
    fails("[[metaballs]]\nthreshold = 4\nwater = 'sea'", "no water is called");
    fails("[[metaballs]]\nthreshold = 4\ncutoff = 0.4", "cut off inside its radius");
    fails("[[metaballs]]\nthreshold = 4\ncell = 0.001", "more than 100 cells");
    fails("[[metaballs]]\nthreshold = 4\n[[metaballs]]\nthreshold = 4", "have metaballs already");
}
