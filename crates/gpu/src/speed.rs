//! Frame rates of the renderer.

use std::time::Instant;

use glam::Vec3;
use undine_frame::{Attribute, Frame, Heights, Quantity, Surface, SurfaceRole};
use undine_render::preview::PinholeCamera;
use undine_render::sky::SkySpec;

use crate::{
    Effects, Headless, HeadlessError, ParticleStyle, RenderSettings, SceneryMaterials, ShadingModel,
    SpaceView,
};

/// Size of the pictures.
const SIZE: [u32; 2] = [1280, 720];
/// Samples along each side of the height field.
const SAMPLES: u32 = 256;
/// Pictures rendered before timing starts, and while it runs.
const WARM: u32 = 2;
const COUNTED: u32 = 12;

/// Pictures per second of a height field of 256² samples over a beach at 1280 × 720, for several settings by name. In
/// all but the last the water moves between pictures.
pub fn measure(device: &mut Headless) -> Result<Vec<(String, f64)>, HeadlessError> {
    let cases = [
        ("all effects", Effects::ALL, true),
        ("no effects", Effects::NONE, true),
        ("all effects, still water", Effects::ALL, false),
    ];
    let timed =
        cases.map(|(name, effects, moves)| Ok((name.to_owned(), pictures_a_second(device, effects, moves)?)));
    timed.into_iter().collect()
}

fn pictures_a_second(device: &mut Headless, effects: Effects, moves: bool) -> Result<f64, HeadlessError> {
    let target_texture = device.target_texture(SIZE).create_view(&wgpu::TextureViewDescriptor::default());
    let settings = RenderSettings::Space(Box::new(view(effects)));
    let subjects: Vec<Frame> = (0..4).map(|step| beach(0.25 * f64::from(step))).collect();
    let mut started = Instant::now();
    // As in a window, a picture is encoded while the device still renders the one before
    let mut last = None;
    for number in 0..WARM + COUNTED {
        if number == WARM {
            device.wait()?;
            started = Instant::now();
        }
        let (gpu, queue, renderer) = device.parts();
        if moves || number == 0 {
            renderer.upload(gpu, queue, &subjects[number as usize % subjects.len()]);
        }
        let mut encoder = gpu.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        renderer.render(gpu, queue, &mut encoder, &target_texture, SIZE, &settings);
        let submission = queue.submit([encoder.finish()]);
        if let Some(before) = last.replace(submission) {
            device.wait_for(before)?;
        }
    }
    device.wait()?;
    Ok(f64::from(COUNTED) / started.elapsed().as_secs_f64())
}

// Waves on a beach that fills the picture.
fn beach(time: f64) -> Frame {
    let step = 30.0 / SAMPLES as f32;
    let sample = |index: u32| [(index % SAMPLES) as f32 * step, (index / SAMPLES) as f32 * step];
    let bed = |[x, y]: [f32; 2]| 0.11 * (y - 18.0) + 0.05 * (0.9 * x).sin();
    let level = |[x, y]: [f32; 2]| {
        let phase = 1.4 * (y + 0.3 * x) - 2.0 * time as f32;
        (0.12 * phase.sin() + 0.04 * (2.7 * phase + x).cos()).max(bed([x, y]))
    };
    let count = SAMPLES * SAMPLES;
    let heights = Heights {
        size: [SAMPLES; 2],
        spacing: [f64::from(step); 2],
        level: (0..count).map(|index| level(sample(index))).collect(),
        bed: Some((0..count).map(|index| bed(sample(index))).collect()),
        velocity: Some(vec![[0.5, 0.8]; count as usize].into()),
        dry_depth: 1e-3,
        ..Heights::default()
    };
    let wetness = Attribute::new("wetness", Quantity::Wetness, 1, vec![0.5; count as usize]);
    let mut surfaces = Surface::with_bed("beach", heights);
    surfaces
        .iter_mut()
        .filter(|one| one.role == SurfaceRole::Bed)
        .for_each(|bed| bed.attributes.push(wetness.clone()));
    Frame { surfaces, ..Frame::new(0, time) }
}

fn view(effects: Effects) -> SpaceView {
    let (eye, target) = (Vec3::new(15.0, -6.0, 6.0), Vec3::new(15.0, 14.0, 0.0));
    SpaceView {
        camera: PinholeCamera::new(eye, target, 0.8, SIZE[0] as usize, SIZE[1] as usize),
        sky: SkySpec::default(),
        shading: ShadingModel::Water,
        materials: SceneryMaterials::default(),
        effects,
        particles: ParticleStyle::Hidden,
        drape: None,
        shows_grid: false,
        exposure: 1.0,
    }
}
