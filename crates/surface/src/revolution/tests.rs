use std::collections::HashMap;
use std::f64::consts::PI;

use undine_frame::FrameRequest;

use super::*;
use crate::{Tessellation, mesh_volume, tessellate};

const CELL: f64 = 0.1;

/// The outline of a disc, or of its part beyond x = 0 with the axis as its side.
fn disc([x, y]: [f64; 2], radius: f64, is_half: bool) -> Vec<[f32; 2]> {
    let count = 120;
    let turn = if is_half { PI } else { TAU };
    let angle = |n: i32| turn * f64::from(n) / f64::from(count) - 0.5 * PI;
    let point = |n: i32| [(x + radius * angle(n).cos()) as f32, (y + radius * angle(n).sin()) as f32];
    let arc = (0..count + i32::from(is_half)).map(point);
    // The way back along the axis
    let back = (1..20).map(|n| [x as f32, (y + radius * (1.0 - 0.1 * f64::from(n))) as f32]);
    arc.chain(back.filter(|_| is_half)).collect()
}

fn revolved(loops: Vec<Vec<[f32; 2]>>, smoothing: f64) -> Mesh {
    let curves = Curves::new(loops, [[0.0; 2], [3.0, 3.0]], CELL);
    Revolution { axis: 0.0, smoothing, cells: 2.0 }.mesh("body", &curves)
}

/// Every directed edge belongs to one triangle, and its reverse to another; answers V − E + F.
fn euler_characteristic(mesh: &Mesh) -> i64 {
    assert_eq!(mesh.inconsistency(), None);
    let mut edges = HashMap::new();
    for [a, b, c] in mesh.triangles() {
        for edge in [(a, b), (b, c), (c, a)] {
            assert!(edges.insert(edge, ()).is_none(), "an edge belongs to two triangles of one side");
        }
    }
    assert!(edges.keys().all(|(a, b)| edges.contains_key(&(*b, *a))), "the mesh has a hole");
    let faces = mesh.triangle_count() as i64;
    mesh.positions.len() as i64 - edges.len() as i64 / 2 + faces
}

#[test]
fn half_a_disc_at_the_axis_becomes_a_ball() {
    for smoothing in [0.0, 0.75] {
        let ball = revolved(vec![disc([0.0, 1.5], 1.0, true)], smoothing);
        assert_eq!(euler_characteristic(&ball), 2);
        let error = mesh_volume(&ball) / (4.0 / 3.0 * PI) - 1.0;
        assert!(error.abs() < 2e-3, "volume: {error}");
        for (at, normal) in ball.positions.iter().zip(&ball.normals) {
            let from_centre = [at[0], at[1], at[2] - 1.5];
            let length = from_centre.iter().map(|x| x * x).sum::<f32>().sqrt();
            let apart = (0..3).map(|i| (from_centre[i] / length - normal[i]).powi(2)).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 2e-3 && apart < 0.02, "{at:?} {normal:?}");
        }
    }
}

#[test]
fn a_disc_beside_the_axis_becomes_a_torus() {
    // Pappus: area times the way of its centre
    let torus = revolved(vec![disc([2.0, 1.5], 0.5, false)], 0.75);
    assert_eq!(euler_characteristic(&torus), 0);
    let error = mesh_volume(&torus) / (PI * 0.25 * TAU * 2.0) - 1.0;
    assert!(error.abs() < 3e-3, "volume: {error}");
}

#[test]
fn several_outlines_become_several_bodies_and_a_bubble_is_hollow() {
    let mut bubble = disc([0.0, 1.5], 0.4, true);
    bubble.reverse();
    let hollow = revolved(vec![disc([0.0, 1.5], 1.0, true), bubble], 0.0);
    assert_eq!(euler_characteristic(&hollow), 4);
    let expected = 4.0 / 3.0 * PI * (1.0 - 0.4_f64.powi(3));
    let error = mesh_volume(&hollow) / expected - 1.0;
    assert!(error.abs() < 3e-3, "volume: {error}");
}

#[test]
fn a_pool_with_steps_is_a_smooth_bowl() {
    // A stair of cells as bowl, a level surface, and the axis as the side of the pool
    let stair = (0..10).flat_map(|n| {
        let (x, y) = (0.1 * n as f32, 0.01 * (n * n) as f32);
        [[x, y], [x + 0.1, y]]
    });
    let rim = [[1.0, 0.9], [1.0, 1.0]];
    let surface = (1..20).map(|n| [1.0 - 0.05 * n as f32, 1.0]);
    let side = (0..10).map(|n| [0.0, 1.0 - 0.1 * n as f32]);
    let outline: Vec<[f32; 2]> = stair.chain(rim).chain(surface).chain(side).collect();
    let curves = Curves::new([outline], [[0.0; 2], [1.0, 1.5]], CELL);
    let bowl = Revolution { axis: 0.0, smoothing: 0.75, cells: 2.0 }.mesh("soup", &curves);
    assert_eq!(euler_characteristic(&bowl), 2);
    // At the axis both poles are level, and the surface is where it was
    let top = bowl.positions.iter().zip(&bowl.normals).max_by(|a, b| a.0[2].total_cmp(&b.0[2])).unwrap();
    assert!((top.0[2] - 1.0).abs() < 0.03, "{top:?}");
    let poles = [
        (bowl.positions[0], bowl.normals[0]),
        (*bowl.positions.last().unwrap(), *bowl.normals.last().unwrap()),
    ];
    assert_eq!((poles[0].1, poles[1].1), ([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]));
    assert!((poles[1].0[2] - 1.0).abs() < 0.01 && poles[0].0[2].abs() < 0.05, "{poles:?}");
}

#[test]
fn a_frame_shows_curves_as_bodies_where_the_scene_asks_for_it() {
    let curves = Curves::new([disc([0.0, 1.5], 1.0, true)], [[0.0; 2], [3.0, 2.5]], CELL);
    let surface = Surface {
        name: "soup".into(),
        water: 0,
        role: SurfaceRole::Water,
        shape: SurfaceShape::Curve(curves),
        attributes: Vec::new(),
    };
    let frame = Frame { surfaces: vec![surface], ..Frame::new(0, 0.0) };
    let mut flat = frame.clone();
    tessellate(&mut flat, &FrameRequest::ALL, &Tessellation::default());
    assert_eq!(flat, frame);
    let surfaces = vec![Surfacing { revolves: true, ..Surfacing::default() }];
    let settings = Tessellation { surfaces, ..Tessellation::default() };
    let mut solid = frame.clone();
    for _ in 0..2 {
        tessellate(&mut solid, &FrameRequest::ALL, &settings);
        assert_eq!((solid.meshes.len(), solid.surfaces.len()), (1, 2));
    }
    assert_eq!(solid.tank(), Some([[-3.0, -3.0, 0.0], [3.0, 3.0, 2.5]]));
}

#[test]
fn any_outline_gives_a_sound_mesh() {
    let zigzag: Vec<[f32; 2]> =
        (0..60).map(|n| [if n % 2 == 0 { 0.02 } else { 0.9 }, 0.01 * n as f32]).collect();
    let thin: Vec<[f32; 2]> = vec![[0.5, 0.0], [0.5001, 0.0], [0.5, 2.0]];
    for loops in [vec![zigzag], vec![thin], vec![vec![[9.0, 9.0]; 50]], vec![]] {
        let mesh = revolved(loops, 0.75);
        euler_characteristic(&mesh);
        assert!(mesh.positions.iter().flatten().chain(mesh.normals.iter().flatten()).all(|x| x.is_finite()));
    }
}
