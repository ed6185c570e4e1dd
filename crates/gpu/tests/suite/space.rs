//! Perspective pictures, rendered without a window: colours are plausible, and invalid input does not fail.

use glam::Vec3;
use undine_frame::{
    Body, Frame, FrameRequest, Heights, Implicit, Material, Mesh, Raster, Surface, SurfaceRole, SurfaceShape,
    Triangles,
};
use undine_gpu::{
    ColourMapping, Effects, Headless, ParticleStyle, RenderSettings, SceneryMaterials, ShadingModel,
    SpaceView,
};
use undine_render::Picture;
use undine_render::classic::CubeMapShading;
use undine_render::preview::{Beyond, PinholeCamera, RippleSpec};
use undine_render::sky::SkySpec;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Disturbance, Runner, capture};

const SIZE: [u32; 2] = [192, 108];

fn device() -> Headless {
    Headless::new().unwrap_or_else(|error| panic!("{error}"))
}

fn view(eye: Vec3, target: Vec3) -> SpaceView {
    SpaceView {
        camera: PinholeCamera::new(eye, target, 0.8, SIZE[0] as usize, SIZE[1] as usize),
        sky: SkySpec { clouds: 0.0, ..SkySpec::default() },
        shading: ShadingModel::Water,
        materials: SceneryMaterials { depth: 30.0, ..SceneryMaterials::default() },
        effects: Effects::ALL,
        particles: ParticleStyle::Hidden,
        drape: None,
        shows_grid: false,
        exposure: 1.0,
    }
}

// A beach that rises along y, under still water at z = 0; the shore is at y = 6.
fn beach(size: [u32; 2]) -> Heights {
    let spacing = [12.0 / size[0].max(2) as f32, 12.0 / size[1].max(2) as f32];
    let bed: Vec<f32> = (0..size[0] * size[1])
        .map(|index| 0.3 * ((index / size[0].max(1)) as f32 * spacing[1] - 6.0))
        .collect();
    let level = bed.iter().map(|bed| bed.max(0.0)).collect();
    let spacing = spacing.map(f64::from);
    Heights { size, spacing, level, bed: Some(bed.into()), dry_depth: 1e-3, ..Heights::default() }
}

fn frame(heights: Vec<Heights>) -> Frame {
    let surfaces = heights.into_iter().flat_map(|heights| Surface::with_bed("beach", heights));
    Frame { surfaces: surfaces.collect(), ..Frame::default() }
}

fn mean(picture: &Picture, rows: std::ops::Range<u32>) -> [f32; 3] {
    let pixels: Vec<[u8; 3]> =
        rows.flat_map(|y| (0..picture.width).filter_map(move |x| picture.pixel(x, y))).collect();
    std::array::from_fn(|part| {
        pixels.iter().map(|pixel| f32::from(pixel[part])).sum::<f32>() / pixels.len().max(1) as f32
    })
}

#[test]
fn water_is_bluer_than_the_beach_and_the_sky_is_above() {
    let subject = frame(vec![beach([96, 96])]);
    let view = view(Vec3::new(6.0, -4.0, 5.0), Vec3::new(6.0, 6.0, 0.0));
    let picture = device().draw(&subject, &RenderSettings::Space(Box::new(view)), SIZE).unwrap();
    let (beach, water) = (mean(&picture, 46..52), mean(&picture, 95..107));
    assert!(beach[0] > beach[2] + 8.0, "sand is warm: {beach:?}");
    assert!(water[2] > water[0] + 8.0, "water is not: {water:?}");
}

#[test]
fn effects_change_the_picture_and_time_moves_the_ripples() {
    let mut device = device();
    let subject = |time: f64| Frame { time, ..frame(vec![beach([96, 96])]) };
    let plain = view(Vec3::new(6.0, -4.0, 5.0), Vec3::new(6.0, 6.0, 0.0));
    let mut draw = |view: &SpaceView, time: f64| {
        device.draw(&subject(time), &RenderSettings::Space(Box::new(view.clone())), SIZE).unwrap()
    };
    let all = draw(&plain, 0.0);
    assert!(all == draw(&plain, 0.0), "the same picture twice is the same");
    assert!(all != draw(&plain, 0.4));
    let bare = SpaceView { effects: Effects::NONE, ..plain.clone() };
    assert!(all != draw(&bare, 0.0));
    // Grid lines are visible at a short distance and fade at a long one
    let near = view(Vec3::new(6.0, 2.0, 1.0), Vec3::new(6.0, 3.0, 0.0));
    let lined = SpaceView { shows_grid: true, ..near.clone() };
    assert!(draw(&near, 0.0) != draw(&lined, 0.0));
    let cut = SpaceView {
        materials: SceneryMaterials { beyond: Beyond::Nothing, ..plain.materials.clone() },
        ..plain
    };
    assert!(all != draw(&cut, 0.0));
}

#[test]
fn ripples_drift_with_the_flow_and_still_water_has_none() {
    let mut device = device();
    let mut draw = |speed: f32, flow_strength: f32, time: f64| {
        let stream = Heights { velocity: Some(vec![[speed, 0.0]; 64 * 64].into()), ..beach([64, 64]) };
        let mut seen = view(Vec3::new(6.0, -3.0, 3.0), Vec3::new(6.0, 3.0, 0.0));
        seen.materials.ripples = RippleSpec { strength: 0.0, flow_strength, ..RippleSpec::default() };
        let frame = Frame { time, ..frame(vec![stream]) };
        device.draw(&frame, &RenderSettings::Space(Box::new(seen)), SIZE).unwrap()
    };
    let change = |one: &Picture, other: &Picture| undine_render::difference(one, other).unwrap().0;
    assert!(change(&draw(0.0, 0.1, 3.0), &draw(0.0, 0.0, 3.0)) < 1e-4);
    let (plain, now, later) = (draw(1.8, 0.0, 3.0), draw(1.8, 0.1, 3.0), draw(1.8, 0.1, 3.1));
    let (added, moved) = (change(&plain, &now), change(&now, &later));
    assert!(added > 0.003 && moved > 0.001, "{added} and {moved}");
    assert_eq!(now, draw(1.8, 0.1, 3.0));
}

#[test]
fn a_field_is_draped_over_the_water() {
    let raster = Raster {
        name: String::from("speed"),
        size: [96, 96, 1],
        components: 1,
        spacing: [0.125, 0.125, 1.0],
        values: vec![1.0; 96 * 96].into(),
        ..Raster::default()
    };
    let subject = Frame { fields: vec![raster], ..frame(vec![beach([96, 96])]) };
    let colours = ColourMapping::Map { map: String::from("ember"), limits: [0.0, 2.0], is_log: false };
    let mut view = view(Vec3::new(6.0, -4.0, 5.0), Vec3::new(6.0, 2.0, 0.0));
    view.drape = Some((String::from("speed"), colours));
    let picture = device().draw(&subject, &RenderSettings::Space(Box::new(view)), SIZE).unwrap();
    let water = mean(&picture, 42..68);
    assert!(water[0] > 1.3 * water[2], "the middle of the map is red: {water:?}");
}

#[test]
fn invalid_frames_and_views_give_a_picture() {
    let mut device = device();
    let sheet = Mesh::flat_sheet("sea", [12.0, 12.0], [40, 30]);
    let odd = Mesh { positions: vec![[f32::NAN; 3]; 1200], ..sheet.clone() };
    let liquid = Mesh { triangles: Triangles::List(sheet.triangles().collect()), ..sheet.clone() };
    let solid = Mesh { material: Material::Solid, normals: Vec::new(), ..liquid.clone() };
    let body =
        Body { position: [1.0, 2.0, f32::NAN], rotation: [f32::NAN; 4], ..Body::standing(0, solid.clone()) };
    let mut hole = beach([40, 40]);
    hole.level[300..700].fill(f32::NAN);
    hole.bed.as_mut().unwrap()[500..900].fill(f32::NAN);
    let shape = SurfaceShape::Implicit(Implicit { bounds: [[0.0; 3], [12.0, 12.0, 3.0]], cell: 0.1 });
    let tank =
        Surface { name: String::new(), water: 0, role: SurfaceRole::Water, shape, attributes: Vec::new() };
    let subjects = [
        Frame::default(),
        frame(vec![Heights::default(), beach([40, 1]), beach([1, 1])]),
        Frame { time: f64::NAN, ..frame(vec![hole]) },
        Frame { meshes: vec![sheet, odd, solid], bodies: vec![body], ..Frame::default() },
        Frame { meshes: vec![liquid], surfaces: vec![tank], ..Frame::default() },
    ];
    let views = [
        view(Vec3::new(6.0, -4.0, 5.0), Vec3::new(6.0, 6.0, 0.0)),
        view(Vec3::splat(f32::NAN), Vec3::ZERO),
        SpaceView {
            shading: ShadingModel::Classic(CubeMapShading::default()),
            ..view(Vec3::new(6.0, 6.0, 0.5), Vec3::ZERO)
        },
        SpaceView { exposure: f32::NAN, ..view(Vec3::new(6.0, 6.0, -5.0), Vec3::new(6.0, 9.0, 2.0)) },
    ];
    for subject in &subjects {
        for view in &views {
            let settings = RenderSettings::Space(Box::new(view.clone()));
            assert_eq!(device.draw(subject, &settings, [64, 36]).unwrap().rgb.len(), 64 * 36 * 3);
            assert!(device.draw(subject, &settings, [0, 5]).unwrap().rgb.is_empty());
        }
    }
}

#[test]
fn of_water_that_sleeps_nothing_is_uploaded_and_of_water_that_wakes_what_moves() {
    let text = "[scene]\nduration = 100\n[[water]]\nkind = 'pipes'\nsize = [8, 8]\nresolution = 250\nlevel = -0.3\n\
        friction = 20\n[[terrain]]\nkind = 'bowl'\nradius = 5\ndepth = 1.2";
    let scene = Scene::parse("lake", text, &LoadOptions::default()).unwrap();
    let mut lake = Runner::new(&scene, undine_models::MODELS, None).unwrap();
    let awake = |lake: &Runner| {
        let counters = lake.waters()[0].simulation.counters();
        counters.iter().find(|counter| counter.name == "awake tiles").unwrap().count
    };
    for _ in 0..200 {
        if awake(&lake) == 0 {
            break;
        }
        lake.next_frame().unwrap();
    }
    assert_eq!(awake(&lake), 0, "the lake does not fall asleep");
    let request = FrameRequest { surfaces: true, ..FrameRequest::default() };
    let (mut device, view) = (device(), view(Vec3::new(0.0, -7.0, 4.0), Vec3::ZERO));
    let settings = RenderSettings::Space(Box::new(view));
    device.draw(&capture(&lake, &request), &settings, SIZE).unwrap();
    let whole = device.parts().2.height_bytes_uploaded();
    assert!(whole > 250 * 250 * 24, "{whole} bytes");
    for _ in 0..3 {
        lake.next_frame().unwrap();
        device.draw(&capture(&lake, &request), &settings, SIZE).unwrap();
    }
    assert_eq!(device.parts().2.height_bytes_uploaded(), whole);
    // A drop wakes a corner of it; the picture is that of a device that has seen nothing else
    let at = glam::DVec2::new(-1.5, 0.5);
    lake.disturb(&Disturbance::Drop { at, radius: 0.1, volume: 0.002 }).unwrap();
    for _ in 0..3 {
        let before = device.parts().2.height_bytes_uploaded();
        lake.next_frame().unwrap();
        let frame = capture(&lake, &request);
        let picture = device.draw(&frame, &settings, SIZE).unwrap();
        let written = device.parts().2.height_bytes_uploaded() - before;
        assert!(written > 0 && 2 * written < whole, "{written} of {whole} bytes");
        assert!(picture == self::device().draw(&frame, &settings, SIZE).unwrap());
    }
}
