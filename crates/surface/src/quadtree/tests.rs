//! Tests of quadtree meshes: no cracks, balance, error bound, and agreement with the mesh of all samples.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use undine_frame::{Attribute, Frame, FrameRequest, Heights, Mesh, Quantity, Surface};

use super::select::ERROR_PIXELS;
use super::*;
use crate::{Tessellation, ground_mesh, height_mesh, tessellate};

/// Lakes among rough hills, one metre a sample.
fn lakes(size: [u32; 2]) -> Heights {
    let at = |sample: u32| [sample % size[0], sample / size[0]].map(|index| index as f32);
    let count = size[0] * size[1];
    let bed = |sample: u32| {
        let [x, y] = at(sample);
        6.0 * (0.061 * x).sin() * (0.047 * y).cos() + 0.9 * (0.71 * x + 0.3 * y).sin() + 0.2 * (2.1 * y).cos()
    };
    let level = |sample: u32| (-1.0 + 0.05 * (0.4 * at(sample)[0]).sin()).max(bed(sample));
    Heights {
        size,
        origin: [3.0, -7.0],
        spacing: [1.0, 1.0],
        level: (0..count).map(level).collect(),
        bed: Some((0..count).map(bed).collect()),
        velocity: Some((0..count).map(|sample| [0.001 * sample as f32, 0.5]).collect()),
        dry_depth: 1e-3,
    }
}

fn view(eye: Vec3, target: Vec3, pixel_angle: f32) -> QuadtreeView {
    let forward = (target - eye).normalize();
    let right = forward.cross(Vec3::Z).normalize();
    let up = right.cross(forward);
    QuadtreeView { eye, right, up, forward, half_extent: Vec2::new(0.7, 0.4), pixel_angle }
}

fn views() -> [QuadtreeView; 4] {
    let target = Vec3::new(90.0, 60.0, 0.0);
    [
        view(Vec3::new(20.0, 10.0, 9.0), target, 2e-3),
        view(Vec3::new(-300.0, -500.0, 400.0), target, 2e-3),
        view(Vec3::new(100.0, 70.0, 3.0), Vec3::new(0.0, 70.0, 1.0), 8e-3),
        view(Vec3::new(3000.0, 10.0, 2000.0), target, 5e-3),
    ]
}

/// Bits of a position in the plane, which name a vertex of the lattice.
fn key(mesh: &Mesh, vertex: u32) -> [u32; 2] {
    let [x, y, _] = mesh.positions[vertex as usize];
    [x.to_bits(), y.to_bits()]
}

#[test]
fn every_edge_is_shared_by_two_triangles() {
    for size in [[203, 150], [64, 64], [17, 300]] {
        let water = lakes(size);
        let tree = HeightQuadtree::new(&water).unwrap();
        let [low, high] = [[2.5, -7.5], [2.5 + size[0] as f32, -7.5 + size[1] as f32]];
        for view in views() {
            let mesh = tree.meshes(["w", "g"], &[], &view).ground;
            let (mut edges, mut area) = (HashMap::new(), 0.0);
            for triangle in mesh.triangles() {
                let corners = triangle.map(|vertex| Vec3::from(mesh.positions[vertex as usize]).truncate());
                let doubled = (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]);
                assert!(doubled > 0.0, "a triangle is turned over");
                area += 0.5 * f64::from(doubled);
                for side in 0..3 {
                    let [from, to] =
                        [triangle[side], triangle[(side + 1) % 3]].map(|vertex| key(&mesh, vertex));
                    assert!(edges.insert((from, to), ()).is_none(), "two triangles on one side of an edge");
                }
            }
            assert!((area - f64::from(size[0] * size[1])).abs() < 1e-6 * area, "{area}");
            for (from, to) in edges.keys() {
                let on_border = (0..2).any(|axis| {
                    [low[axis], high[axis]]
                        .iter()
                        .any(|line: &f32| from[axis] == line.to_bits() && to[axis] == line.to_bits())
                });
                assert!(on_border || edges.contains_key(&(*to, *from)), "a crack");
            }
        }
    }
}

#[test]
fn vertices_at_one_place_are_the_same() {
    let water = lakes([203, 150]);
    let tree = HeightQuadtree::new(&water).unwrap();
    for view in views() {
        let QuadtreeMeshes { ground, water } = tree.meshes(["w", "g"], &[], &view);
        for mesh in [ground, water] {
            let mut seen = HashMap::new();
            for vertex in 0..mesh.positions.len() as u32 {
                let of = (mesh.positions[vertex as usize], mesh.normals[vertex as usize]);
                assert_eq!(*seen.entry(key(&mesh, vertex)).or_insert(of), of);
            }
        }
    }
}

#[test]
fn neighbours_differ_by_one_level() {
    let water = lakes([203, 150]);
    let tree = HeightQuadtree::new(&water).unwrap();
    let columns = tree.levels[0].size[0];
    let mut most = 0;
    for view in views() {
        let mut painted = vec![usize::MAX; tree.levels[0].blocks.len()];
        for leaf in tree.leaves(&view) {
            most = most.max(leaf.level);
            let side = 1 << leaf.level;
            for row in leaf.at[1] * side..((leaf.at[1] + 1) * side).min(tree.levels[0].size[1]) {
                for column in leaf.at[0] * side..((leaf.at[0] + 1) * side).min(columns) {
                    assert_eq!(painted[row * columns + column], usize::MAX, "blocks overlap");
                    painted[row * columns + column] = leaf.level;
                }
            }
        }
        assert!(!painted.contains(&usize::MAX), "a gap between blocks");
        for (block, &level) in painted.iter().enumerate() {
            let east = (block % columns + 1 < columns).then(|| painted[block + 1]);
            for neighbour in east.into_iter().chain(painted.get(block + columns).copied()) {
                assert!(level.abs_diff(neighbour) <= 1);
            }
        }
    }
    assert!(most >= 2, "all blocks are fine");
}

/// Height of a mesh at a point, by looking at all triangles.
fn height(mesh: &Mesh, at: Vec2) -> Option<f32> {
    mesh.triangles().find_map(|triangle| {
        let [a, b, c] = triangle.map(|vertex| Vec3::from(mesh.positions[vertex as usize]));
        let area = (b - a).truncate().perp_dot((c - a).truncate());
        let second = (at - a.truncate()).perp_dot((c - a).truncate()) / area;
        let third = (b - a).truncate().perp_dot(at - a.truncate()) / area;
        let is_inside = second > -1e-5 && third > -1e-5 && second + third < 1.00001;
        is_inside.then_some(a.z + (b.z - a.z) * second + (c.z - a.z) * third)
    })
}

#[test]
fn the_error_is_less_than_half_a_pixel() {
    let water = lakes([150, 130]);
    let tree = HeightQuadtree::new(&water).unwrap();
    let view = view(Vec3::new(80.0, -160.0, 110.0), Vec3::new(80.0, 60.0, 0.0), 5e-3);
    let bed = Heights { level: water.bed.clone().unwrap(), bed: None, velocity: None, ..water.clone() };
    let all = ground_mesh("g", &bed, &[]);
    let meshes = tree.meshes(["w", "g"], &[], &view);
    assert!(meshes.ground.triangle_count() < all.triangle_count());
    let (mut most, mut checked) = (0.0_f32, 0);
    for place in 0..400 {
        let at = Vec2::new(3.0 + (place * 37 % 149) as f32 + 0.31, -7.0 + (place * 53 % 129) as f32 + 0.57);
        let (fine, drawn) = (height(&all, at).unwrap(), height(&meshes.ground, at).unwrap());
        let point = at.extend(fine);
        if view.may_see_point(point) {
            most = most.max((fine - drawn).abs() / (view.pixel_angle * point.distance(view.eye)));
            checked += 1;
        }
    }
    assert!(checked > 200 && most > 0.01, "{checked} {most}");
    assert!(most <= ERROR_PIXELS * 1.02, "{most} pixels");
}

impl QuadtreeView {
    fn may_see_point(&self, point: Vec3) -> bool {
        let offset = point - self.eye;
        let z = self.forward.dot(offset);
        self.right.dot(offset).abs() < self.half_extent.x * z
            && self.up.dot(offset).abs() < self.half_extent.y * z
    }
}

#[test]
fn the_finest_mesh_is_that_of_all_samples() {
    let water = lakes([70, 50]);
    let tree = HeightQuadtree::new(&water).unwrap();
    let wetness =
        Attribute::new("wetness", Quantity::Wetness, 1, (0..3500).map(|n| n as f32).collect::<Vec<_>>());
    let close = view(Vec3::new(30.0, 20.0, 9.0), Vec3::new(60.0, 20.0, 0.0), 1e-7);
    let meshes = tree.meshes(["w", "g"], std::slice::from_ref(&wetness), &close);
    let bed = Heights { level: water.bed.clone().unwrap(), bed: None, velocity: None, ..water.clone() };
    for (fine, all) in
        [(meshes.water, height_mesh("w", &water)), (meshes.ground, ground_mesh("g", &bed, &[wetness]))]
    {
        assert_eq!(fine.inconsistency(), None);
        assert_eq!(fine.triangle_count(), all.triangle_count());
        let vertices = |mesh: &Mesh| -> HashMap<[u32; 2], String> {
            let vertex = |index: usize| {
                let attribute = mesh.attributes[0].values[index];
                let velocity = mesh.velocities.get(index).copied();
                format!("{} {:?} {velocity:?} {attribute}", mesh.positions[index][2], mesh.normals[index])
            };
            let used: std::collections::BTreeSet<u32> = mesh.triangles().flatten().collect();
            used.into_iter().map(|index| (key(mesh, index), vertex(index as usize))).collect()
        };
        assert_eq!(vertices(&fine), vertices(&all), "{}", all.name);
    }
}

#[test]
fn triangles_follow_the_picture_and_not_the_map() {
    let triangles = |side: u32| {
        let coarse = lakes([side, side]);
        // The same terrain on four times as many samples
        let mut fine = Heights { size: [2 * side; 2], spacing: [0.5; 2], ..Heights::default() };
        let of = |values: &[f32]| {
            (0..4 * side * side)
                .map(|n| values[(n / 4 / side * side + n % (2 * side) / 2) as usize])
                .collect()
        };
        fine.level = of(&coarse.level);
        fine.bed = Some(of(coarse.bed.as_ref().unwrap()));
        let view = view(Vec3::new(-300.0, -300.0, 300.0), Vec3::new(100.0, 100.0, 0.0), 4e-3);
        [&coarse, &fine].map(|water| {
            HeightQuadtree::new(water).unwrap().meshes(["w", "g"], &[], &view).ground.triangle_count()
        })
    };
    let [coarse, fine] = triangles(256);
    assert!(2 * fine < 3 * coarse, "{fine} triangles for four times the samples of {coarse}");
}

#[test]
fn invalid_waters_and_views_do_not_panic() {
    let mut water = lakes([40, 40]);
    water.level[77] = f32::NAN;
    water.bed.as_mut().unwrap()[801] = f32::NAN;
    let tree = HeightQuadtree::new(&water).unwrap();
    let strange = [Vec3::NAN, Vec3::INFINITY, Vec3::ZERO];
    for eye in strange {
        let view = QuadtreeView { eye, ..views()[0] };
        assert_eq!(tree.meshes(["w", "g"], &[], &view).ground.inconsistency(), None);
        tree.meshes(["w", "g"], &[], &QuadtreeView { pixel_angle: f32::NAN, ..view });
    }
    assert!(HeightQuadtree::new(&Heights { bed: None, ..water.clone() }).is_none());
    assert!(HeightQuadtree::new(&Heights { size: [41, 40], ..water }).is_none());
    assert!(HeightQuadtree::new(&Heights::default()).is_none());
}

#[test]
fn only_large_waters_lack_a_mesh_and_have_an_overview() {
    let frame =
        |size: [u32; 2]| Frame { surfaces: Surface::with_bed("lakes", lakes(size)), ..Frame::new(0, 0.0) };
    let tessellated = |mut frame: Frame, large_meshes: bool| {
        let request = FrameRequest { meshes: true, large_meshes, ..FrameRequest::default() };
        tessellate(&mut frame, &request, &Tessellation::default());
        frame
    };
    let small = tessellated(frame([300, 200]), false);
    assert_eq!(small.meshes.len(), 2);
    assert_eq!(*with_overviews(&small), small);
    let large = tessellated(frame([801, 790]), false);
    assert!(large.meshes.is_empty());
    let full = tessellated(frame([801, 790]), true);
    assert_eq!(full.meshes[0].positions.len(), 803 * 792);
    // A picture is the same whether or not a file wants the mesh
    let overviews = with_overviews(&large).into_owned();
    assert_eq!(overviews.meshes, with_overviews(&full).into_owned().meshes);
    let (low, high) = overviews.bounds().unwrap();
    assert_eq!([low[0], low[1]], [2.5, -7.5]);
    assert_eq!([high[0], high[1]], [803.5, 782.5]);
    assert!(overviews.meshes[0].positions.len() <= 514 * 514);
}
