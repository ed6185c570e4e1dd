use undine_frame::{Frame, FrameRequest, Quantity, Surface};

use super::*;
use crate::{Tessellation, tessellate};

const SIZE: [u32; 2] = [24, 16];

fn heights(level: impl Fn(f64, f64) -> f64, bed: Option<fn(f64, f64) -> f64>) -> Heights {
    let at = |n: u32| [f64::from(n % SIZE[0]) + 0.5, f64::from(n / SIZE[0]) + 0.5];
    let count = SIZE[0] * SIZE[1];
    let values = |of: &dyn Fn(f64, f64) -> f64| -> Shared<f32> {
        (0..count).map(|n| of(at(n)[0], at(n)[1]) as f32).collect()
    };
    Heights {
        size: SIZE,
        origin: [0.5; 2],
        spacing: [1.0; 2],
        level: values(&level),
        bed: bed.map(|bed| values(&bed)),
        dry_depth: 1e-3,
        ..Heights::default()
    }
}

const FINE: SplineHeights = SplineHeights { factor: 4, rock: 0.0, rock_length: None };

#[test]
fn water_runs_through_its_samples_and_keeps_its_waves() {
    // A wave with level crests at the walls, 12 cells long: the error of a cubic spline is of fourth order
    let wave = |x: f64, y: f64| {
        (std::f64::consts::TAU * x / 12.0).cos() + 0.1 * (std::f64::consts::PI * y / 16.0).cos()
    };
    let odd = SplineHeights { factor: 3, ..FINE };
    let coarse = heights(wave, None);
    let (fine, slopes) = odd.water(&coarse);
    assert_eq!((fine.size, fine.spacing), ([72, 48], [1.0 / 3.0; 2]));
    for (n, level) in fine.level.iter().enumerate() {
        let [x, y] = [n % 72, n / 72].map(|i| (i as f64 + 0.5) / 3.0);
        assert!((f64::from(*level) - wave(x, y)).abs() < 2e-3, "{x} {y}: {level}");
        let tau = std::f64::consts::TAU;
        let steepness = -tau / 12.0 * (tau * x / 12.0).sin();
        assert!(
            (f64::from(slopes[n][0]) - steepness).abs() < 5e-3,
            "{x} {y}: {:?} for {steepness}",
            slopes[n]
        );
        if n % 72 % 3 == 1 && n / 72 % 3 == 1 {
            let sample = coarse.level[n / 72 / 3 * 24 + n % 72 / 3];
            assert!((level - sample).abs() < 1e-5, "a sample is missed");
        }
    }
}

#[test]
fn steps_of_cells_become_slopes_without_overshoot() {
    let stair: fn(f64, f64) -> f64 = |x, _| if x < 12.0 { 0.0 } else { 3.0 };
    let ground = heights(stair, None);
    let mesh = FINE.ground_mesh("ground", &ground, &[]);
    let levels: Vec<f32> = mesh.positions.iter().map(|at| at[2]).collect();
    assert!(levels.iter().all(|level| (-1e-5..=3.00001).contains(level)));
    // Level away from the step, steepest in its middle, where the slope of the B-spline is 3/4 of the jump per cell
    let at = |x: f32| mesh.positions.iter().position(|at| (at[0] - x).abs() < 0.13 && at[1] > 4.0).unwrap();
    assert_eq!(levels[at(2.0)], 0.0);
    let normal = mesh.normals[at(12.0)];
    let slope = -normal[0] / normal[2];
    // An eighth of a cell beside it, 3/4 − 1/64 of the jump
    assert!((slope - 3.0 * (0.75 - 1.0 / 64.0)).abs() < 1e-4, "{slope}");
    assert_eq!(mesh.inconsistency(), None);
}

#[test]
fn a_rock_out_of_the_water_does_not_lift_it() {
    // Level on the rock is that of the ground, as solvers have it for dry cells
    let rock: fn(f64, f64) -> f64 = |x, y| if (x - 12.0).hypot(y - 8.0) < 3.0 { 5.0 } else { -2.0 };
    let lake = heights(move |x, y| rock(x, y).max(0.25), Some(rock));
    let (fine, slopes) = FINE.water(&lake);
    assert!(slopes.as_flattened().iter().all(|slope| slope.abs() < 1e-4));
    assert!(fine.level.iter().all(|level| (level - 0.25).abs() < 1e-5));
    let mesh = FINE.water_mesh("lake", &lake);
    let depth = mesh.attribute(Quantity::Depth).unwrap();
    assert!(depth.values.contains(&0.0) && depth.values.iter().any(|&depth| depth > 2.0));
    let dry = heights(rock, Some(rock));
    assert_eq!(FINE.water_mesh("lake", &dry).triangle_count(), 0);
}

#[test]
fn only_steep_ground_is_rock() {
    let cliff: fn(f64, f64) -> f64 = |x, _| if x < 12.0 { 0.0 } else { 4.0 };
    let ground = heights(cliff, None);
    let lattice = Refinement::of(&ground, 4);
    let (plain, _) = FINE.bed(&lattice, &ground.level);
    let (rough, _) = SplineHeights { rock: 0.5, ..FINE }.bed(&lattice, &ground.level);
    let moved: Vec<f32> = plain.iter().zip(&rough).map(|(plain, rough)| (rough - plain).abs()).collect();
    assert!(moved.iter().all(|&moved| moved < 0.5) && moved.iter().any(|&moved| moved > 0.1));
    assert!((0..moved.len()).filter(|n| !(30..66).contains(&(n % 96))).all(|n| moved[n] == 0.0));
    assert_eq!(rough, SplineHeights { rock: 0.5, ..FINE }.bed(&lattice, &ground.level).0);
}

#[test]
fn a_frame_is_drawn_by_splines_where_the_scene_asks_for_it() {
    let bed: fn(f64, f64) -> f64 = |x, _| -1.0 + (0.2 * x).floor();
    let lake = heights(|_, _| 0.5, Some(bed));
    let mut frame = Frame { surfaces: Surface::with_bed("lake", lake), ..Frame::new(0, 0.0) };
    frame.waters.push(undine_frame::WaterLabel { name: "lake".into(), domain: None });
    frame.surfaces[1].attributes.push(Attribute::new("wetness", Quantity::Wetness, 1, vec![0.5; 24 * 16]));
    let surfaces = vec![Surfacing { uses_spline: true, cells: 4.0, ..Surfacing::default() }];
    let mut plain = frame.clone();
    tessellate(&mut plain, &FrameRequest::ALL, &Tessellation::default());
    tessellate(&mut frame, &FrameRequest::ALL, &Tessellation { surfaces, ..Tessellation::default() });
    // A vertex per sample, and around them on the border
    assert_eq!(plain.meshes[0].positions.len(), 26 * 18);
    for mesh in &frame.meshes {
        assert_eq!((mesh.positions.len(), mesh.inconsistency()), (98 * 66, None), "{}", mesh.name);
    }
    let wetness = frame.mesh("lake-ground").unwrap().attribute(Quantity::Wetness).unwrap();
    assert!(wetness.values.iter().all(|&wetness| (wetness - 0.5).abs() < 1e-6));
}

#[test]
fn a_row_and_a_sample_are_refined_along_the_axes_that_they_have() {
    let row = Heights {
        size: [5, 1],
        spacing: [1.0; 2],
        level: vec![0.0, 1.0, 0.0, 1.0, 0.0].into(),
        ..Heights::default()
    };
    assert_eq!(FINE.water(&row).0.size, [20, 1]);
    let one = Heights { size: [1, 1], spacing: [1.0; 2], level: vec![2.0].into(), ..Heights::default() };
    assert_eq!(&*FINE.water(&one).0.level, &[2.0]);
    assert!(FINE.water(&Heights::default()).0.level.is_empty());
}
