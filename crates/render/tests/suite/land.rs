//! Previews of water on land.

use glam::Vec3;
use undine_frame::{Attribute, Cloud, CloudRole, Frame, Material, Mesh, Quantity, Triangles};
use undine_render::preview::{
    self, BackdropKind, BedKind, Beyond, GroundKind, PreviewSpec, RippleSpec, Viewpoint,
};
use undine_render::sky::SkySpec;
use undine_render::{Picture, difference};

const BEYOND: [Beyond; 4] = [Beyond::Sea, Beyond::Shore, Beyond::Land, Beyond::Nothing];

/// A beach that rises along x, with water of a level on it, on a lattice of vertices.
fn beach(vertices: [u32; 2], wetness: f32) -> Frame {
    let mut ground = Mesh::flat_sheet("ground", [40.0, 30.0], vertices);
    ground.material = Material::Ground;
    let mut water = Mesh::flat_sheet("water", [40.0, 30.0], vertices);
    let mut depths = Vec::new();
    for (bed, surface) in ground.positions.iter_mut().zip(&mut water.positions) {
        bed[2] = 0.1 * (bed[0] - 20.0) + 0.3 * (0.7 * bed[1]).sin();
        surface[2] = 0.05 * (0.8 * surface[0]).sin();
        depths.push((surface[2] - bed[2]).max(0.0));
    }
    let count = ground.positions.len();
    let normal = |at: &[f32; 3]| Vec3::new(-0.1, -0.21 * (0.7 * at[1]).cos(), 1.0).normalize().to_array();
    ground.normals = ground.positions.iter().map(normal).collect();
    ground.attributes.push(Attribute::new("wetness", Quantity::Wetness, 1, vec![wetness; count]));
    water.velocities = vec![[2.0, 0.5, 0.0]; count];
    water.attributes.push(Attribute::new("depth", Quantity::Depth, 1, depths));
    let mut frame = Frame::new(0, 1.5);
    frame.meshes = vec![water, ground];
    frame.clouds.push(Cloud {
        role: CloudRole::Rain,
        positions: (0..200)
            .map(|index| [index as f32 * 0.2, (index % 30) as f32, 0.5 + 0.01 * index as f32])
            .collect(),
        velocities: vec![[0.0, 0.0, -6.0]; 200],
        radius: 0.003,
        ..Cloud::default()
    });
    frame
}

fn spec(beyond: Beyond) -> PreviewSpec {
    PreviewSpec { beyond, samples: 2, ..PreviewSpec::default() }
}

fn drawn(spec: &PreviewSpec, view: &Viewpoint, frame: &Frame) -> Picture {
    preview::draw(spec, &SkySpec::default(), view, [96, 54], frame).unwrap()
}

fn brightness(picture: &Picture) -> f64 {
    picture.rgb.iter().map(|&byte| f64::from(byte)).sum::<f64>() / picture.rgb.len() as f64
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let frame = beach([60, 45], 0.5);
    for beyond in BEYOND {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| drawn(&spec(beyond), &Viewpoint::default(), &frame))
        };
        let one = on(1);
        assert_eq!(one, on(2), "{beyond:?}");
        assert_eq!(one, on(5), "{beyond:?}");
    }
}

#[test]
fn wet_ground_is_darker() {
    // From above, away from the mirror of the sun, all of it dry land.
    let view = Viewpoint {
        eye: Some(Vec3::new(36.0, 15.0, 9.0)),
        target: Some(Vec3::new(36.0, 15.1, 0.0)),
        field: Some(20.0),
        ..Viewpoint::default()
    };
    for ground in [GroundKind::Sand, GroundKind::Earth, GroundKind::Grass] {
        let shown = |wetness: f32| {
            let backdrop = BackdropKind::Sky;
            let spec = PreviewSpec { ground, backdrop, bloom: 0.0, ..spec(Beyond::Nothing) };
            let mut frame = beach([60, 45], wetness);
            frame.clouds.clear();
            brightness(&drawn(&spec, &view, &frame))
        };
        let (dry, damp, wet) = (shown(0.0), shown(0.5), shown(1.0));
        assert!(dry > 1.03 * damp && damp > 1.03 * wet, "{ground:?}: {dry} {damp} {wet}");
    }
}

#[test]
fn hills_cast_shadows() {
    let shown = |elevation: f32| {
        let mut ground = Mesh::flat_sheet("ground", [60.0, 60.0], [61, 61]);
        ground.material = Material::Ground;
        for position in &mut ground.positions {
            // A ridge along y in the middle.
            position[2] = 12.0 * (-((position[0] - 30.0) / 3.0).powi(2)).exp();
        }
        ground.normals.clear();
        let mut frame = Frame::new(0, 0.0);
        frame.meshes.push(ground);
        let sky = SkySpec { sun_azimuth: 0.0, sun_elevation: elevation, clouds: 0.0, ..SkySpec::default() };
        let view = Viewpoint { elevation: Some(89.0), azimuth: Some(-90.0), ..Viewpoint::default() };
        let spec = PreviewSpec { ground: GroundKind::Sand, ..spec(Beyond::Nothing) };
        let picture = preview::draw(&spec, &sky, &view, [96, 96], &frame).unwrap();
        let at = |x: u32| picture.pixel(x, 48).unwrap().iter().map(|&byte| u32::from(byte)).sum::<u32>();
        (at(36), at(72))
    };
    let (west, east) = shown(25.0);
    assert!(3 * west < 2 * east, "the side away from the sun is as bright: {west} and {east}");
}

#[test]
fn water_of_no_depth_hardly_shows() {
    let film = |depth: f32| {
        let mut frame = beach([40, 30], 1.0);
        frame.clouds.clear();
        let ground = frame.meshes[1].positions.clone();
        for (position, ground) in frame.meshes[0].positions.iter_mut().zip(&ground) {
            position[2] = ground[2] + depth;
        }
        frame.meshes[0].normals = frame.meshes[1].normals.clone();
        frame.meshes[0].attributes[0].values.fill(depth.max(0.0));
        let view = Viewpoint { elevation: Some(50.0), ..Viewpoint::default() };
        let ripples = RippleSpec { strength: 0.0, ..RippleSpec::default() };
        drawn(
            &PreviewSpec { foam: 0.0, ripples, ground: GroundKind::Sand, ..spec(Beyond::Nothing) },
            &view,
            &frame,
        )
    };
    let (dry, wet, deep) = (film(-0.01), film(0.0005), film(3.0));
    let gap = difference(&dry, &wet).unwrap().0;
    assert!(gap < 0.015, "a film looks like a sheet: {gap}");
    let other = difference(&dry, &deep).unwrap().0;
    assert!(other > 2.0 * gap, "{other} against {gap}");
}

#[test]
fn strange_land_is_drawn() {
    let mut broken = beach([20, 15], f32::NAN);
    for (index, position) in broken.meshes[1].positions.iter_mut().enumerate() {
        match index % 5 {
            0 => position[2] = f32::NAN,
            1 => position[2] = f32::INFINITY,
            _ => {}
        }
    }
    broken.meshes[0].velocities[3] = [f32::NAN; 3];
    broken.meshes[0].positions[7][2] = f32::NAN;
    broken.clouds[0].velocities[0] = [f32::NAN; 3];
    let mut lost = beach([20, 15], 0.0);
    lost.meshes[1].positions.iter_mut().for_each(|position| position[2] = f32::NAN);
    let mut dry = beach([20, 15], 0.0);
    dry.meshes[0].triangles = Triangles::List(Vec::new());
    dry.meshes[0].attributes[0].values.fill(0.0);
    let mut bare = beach([20, 15], 0.0);
    bare.meshes.remove(0);
    let ribbons = [beach([50, 2], 0.3), beach([2, 50], 0.3), beach([2, 2], 0.0), beach([3, 3], 0.0)];
    for frame in [broken, lost, dry, bare].iter().chain(&ribbons) {
        for beyond in BEYOND {
            drawn(&PreviewSpec { samples: 1, ..spec(beyond) }, &Viewpoint::default(), frame);
        }
        let spec = PreviewSpec { backdrop: BackdropKind::Sky, samples: 1, ..spec(Beyond::Nothing) };
        drawn(&spec, &Viewpoint::default(), frame);
    }
}

#[test]
fn land_that_does_not_fit_together_is_refused() {
    let mut frame = beach([20, 15], 0.0);
    frame.meshes[1].attributes[0].values.pop();
    let error =
        preview::draw(&spec(Beyond::Land), &SkySpec::default(), &Viewpoint::default(), [16, 16], &frame);
    assert_eq!(error.unwrap_err().to_string(), "mesh \"ground\" is broken: 299 wetness for 300 vertices");
}

#[test]
fn every_ground_is_drawn_and_looks_different() {
    let kinds = [
        GroundKind::Sand,
        GroundKind::Rock,
        GroundKind::Grass,
        GroundKind::Earth,
        GroundKind::Bed(BedKind::Tiles),
        GroundKind::Bed(BedKind::Pebbles),
    ];
    let frame = beach([40, 30], 0.0);
    let pictures = kinds
        .map(|ground| drawn(&PreviewSpec { ground, ..spec(Beyond::Nothing) }, &Viewpoint::default(), &frame));
    for (index, one) in pictures.iter().enumerate() {
        for other in &pictures[index + 1..] {
            assert!(difference(one, other).unwrap().0 > 0.002);
        }
    }
}

#[test]
fn falling_drops_leave_faint_streaks() {
    let shown = |speed: f32| {
        let mut frame = beach([20, 15], 0.0);
        frame.clouds[0].radius = 0.05;
        frame.clouds[0].positions.truncate(1);
        frame.clouds[0].positions[0] = [20.0, 15.0, 2.5];
        frame.clouds[0].velocities.truncate(1);
        frame.clouds[0].velocities.iter_mut().for_each(|velocity| velocity[2] = -speed);
        drawn(&spec(Beyond::Nothing), &Viewpoint { elevation: Some(20.0), ..Viewpoint::default() }, &frame)
    };
    let mut empty = beach([20, 15], 0.0);
    empty.clouds.clear();
    let none =
        drawn(&spec(Beyond::Nothing), &Viewpoint { elevation: Some(20.0), ..Viewpoint::default() }, &empty);
    let (slow, fast) = (difference(&none, &shown(6.0)).unwrap(), difference(&none, &shown(60.0)).unwrap());
    assert!(slow.1 > fast.1 && fast.1 > 0.0, "{slow:?} {fast:?}");
}
