//! Outlines of a running 2-D water: in its frames, with the fields of its cells, and as bodies of revolution.

use undine_frame::{Frame, FrameRequest, Quantity};
use undine_models::foster_metaxas::ENTRY;
use undine_sim::{Runner, capture};
use undine_surface::{Surfacing, Tessellation, mesh_volume, tessellate};

use crate::shapes::assert_manifold;

/// A drop at the low side, above a pool.
fn runner() -> Runner {
    let text = format!(
        "[scene]\nduration = 1\nfps = 50\n[[water]]\nkind = '{}'\nsize = [0.3, 0.6]\nresolution = 15\nsurface = 'chains'\n\
         [[fill]]\nkind = 'level'\nlevel = 0.14\n[[fill]]\nkind = 'circle'\nat = [0, 0.35]\nradius = 0.06\n",
        ENTRY.name
    );
    undine_sim::conformance::build(&ENTRY, &text).unwrap()
}

fn revolved(runner: &Runner) -> Frame {
    let mut frame = capture(runner, &FrameRequest::ALL);
    let surfaces = vec![Surfacing { revolves: true, ..Surfacing::default() }];
    tessellate(&mut frame, &FrameRequest::ALL, &Tessellation { surfaces, ..Tessellation::default() });
    frame
}

#[test]
fn a_frame_holds_the_outline_and_what_the_cells_hold() {
    let frame = capture(&runner(), &FrameRequest::ALL);
    let (_, curves) = frame.curves().next().unwrap();
    assert_eq!(curves.iter().count(), 2, "a drop and a pool");
    let area = 0.3 * 0.14 + 0.5 * std::f64::consts::PI * 0.06 * 0.06;
    assert!((curves.area() / area - 1.0).abs() < 0.02, "{} for {area}", curves.area());
    for quantity in [Quantity::CellKind, Quantity::Pressure, Quantity::Velocity] {
        let field = frame.field_of(quantity).unwrap();
        assert_eq!(&field.size[..2], [15, 30], "{}", field.name);
    }
    // Samples of the distance inside the outline are as many as its area
    let distance = frame.field_of(Quantity::SurfaceDistance).unwrap();
    let sample = distance.spacing[0] * distance.spacing[1];
    let inside = distance.values.iter().filter(|&&distance| distance < 0.0).count() as f64 * sample;
    assert!((inside / curves.area() - 1.0).abs() < 0.02, "{inside} for {}", curves.area());
}

#[test]
fn the_bodies_stay_closed_while_the_drop_falls_into_the_pool() {
    let mut runner = runner();
    let mut loops = Vec::new();
    for frame in 0..20 {
        let shown = revolved(&runner);
        let mesh = shown.meshes.first().unwrap();
        assert_manifold(mesh);
        assert!(mesh.normals.iter().all(|n| (n.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4));
        loops.push(shown.curves().next().unwrap().1.iter().count());
        if frame == 0 {
            // A cylinder and a ball, rounded at the edge of the cylinder
            let pi = std::f64::consts::PI;
            let expected = pi * 0.09 * 0.14 + 4.0 / 3.0 * pi * 0.06_f64.powi(3);
            let volume = mesh_volume(mesh);
            assert!((volume / expected - 1.0).abs() < 0.03, "{volume} for {expected}");
        }
        runner.next_frame().unwrap();
    }
    // What splashes off has outlines of its own later
    assert!(loops[0] == 2 && loops.contains(&1), "the drop merges with the pool: {loops:?}");
}
