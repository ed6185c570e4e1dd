//! Classic shading [li2007]: the GPU renderer against the software renderer.
//!
//! Tolerance, in OKLab, where 0.02 is just noticeable: 0.01 on average. The software renderer takes four samples a
//! pixel and the GPU one, so single pixels of the finest waves may differ by more.

use glam::Vec3;
use undine_frame::{Frame, Heights, Mesh, Surface};
use undine_gpu::{
    Effects, Headless, ParticleStyle, RenderSettings, SceneryMaterials, ShadingModel, SpaceView,
    classic_bumps,
};
use undine_render::classic::{ClassicSpec, CubeMapShading, Shading, draw};
use undine_render::preview::{RippleSpec, Subject as Framing, Viewpoint};
use undine_render::sky::SkySpec;
use undine_render::{Picture, difference};

const SIZE: [u32; 2] = [480, 270];
const MEAN: f32 = 0.01;
const SAMPLES: u32 = 193;
const WIDE: f32 = 24.0;

fn device() -> Headless {
    Headless::new().unwrap_or_else(|error| panic!("{error}"))
}

// Three wave trains: the height and the slopes at a point.
fn waves([x, y]: [f32; 2]) -> (f32, [f32; 2]) {
    let trains = [(0.16, 1.1, 0.4), (0.07, -0.7, 1.9), (0.03, 3.1, 2.3)];
    trains.iter().fold((0.0, [0.0; 2]), |(height, [along, across]), &(size, a, b)| {
        let phase = a * x + b * y;
        (height + size * phase.sin(), [along + size * a * phase.cos(), across + size * b * phase.cos()])
    })
}

fn sheet() -> Mesh {
    let mut mesh = Mesh::flat_sheet("sea", [WIDE, WIDE], [SAMPLES, SAMPLES]);
    for (position, normal) in mesh.positions.iter_mut().zip(&mut mesh.normals) {
        let (height, [along, across]) = waves([position[0], position[1]]);
        position[2] = height;
        *normal = Vec3::new(-along, -across, 1.0).normalize().to_array();
    }
    mesh
}

fn compare(subject: &Frame, ripples: RippleSpec, eye: Vec3) -> (Picture, Picture) {
    let sky = SkySpec { clouds: 0.4, ..SkySpec::default() };
    let mut frame = Frame::new(0, 1.5);
    frame.meshes.push(sheet());
    let view = Viewpoint { eye: Some(eye), target: Some(Vec3::new(12.0, 12.0, 0.0)), ..Viewpoint::default() };
    let [width, height] = SIZE.map(|side| side as usize);
    let spec = ClassicSpec {
        shading: Shading::CubeMap,
        bumps: classic_bumps(&ripples),
        shine: CubeMapShading::default(),
        ..ClassicSpec::default()
    };
    let expected = draw(&spec, &sky, &view, [width, height], &frame).unwrap();
    let settings = SpaceView {
        camera: view.eye(&Framing::Sheet(frame.bounds()), width, height),
        sky,
        shading: ShadingModel::Classic(CubeMapShading::default()),
        materials: SceneryMaterials { ripples, ..SceneryMaterials::default() },
        effects: Effects::ALL,
        particles: ParticleStyle::Hidden,
        drape: None,
        shows_grid: false,
        exposure: 1.0,
    };
    let found = device().draw(subject, &RenderSettings::Space(Box::new(settings)), SIZE).unwrap();
    (found, expected)
}

fn assert_alike((found, expected): (Picture, Picture)) {
    let (mean, greatest) = difference(&found, &expected).unwrap();
    assert!(mean < MEAN, "they differ by {mean} on average, {greatest} at most");
}

#[test]
fn a_height_field_matches_the_software_renderer() {
    let count = SAMPLES * SAMPLES;
    let step = WIDE / (SAMPLES - 1) as f32;
    let level = |index: u32| waves([(index % SAMPLES) as f32 * step, (index / SAMPLES) as f32 * step]).0;
    let heights = Heights {
        size: [SAMPLES; 2],
        spacing: [f64::from(step); 2],
        level: (0..count).map(level).collect(),
        ..Heights::default()
    };
    let subject = Frame { surfaces: Surface::with_bed("sea", heights), ..Frame::new(0, 1.5) };
    let still = RippleSpec { strength: 0.0, ..RippleSpec::default() };
    assert_alike(compare(&subject, still, Vec3::new(12.0, 2.0, 9.0)));
}

#[test]
fn a_sheet_with_bumps_matches_the_software_renderer() {
    let subject = Frame { meshes: vec![sheet()], ..Frame::new(0, 1.5) };
    let rippled = RippleSpec { strength: 0.08, ..RippleSpec::default() };
    assert_alike(compare(&subject, rippled, Vec3::new(9.0, 4.0, 7.0)));
}
