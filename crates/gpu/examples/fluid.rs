//! Renders a dam break as a screen-space surface and as balls, and measures the frame rate for large clouds.
//! `cargo run --release -p undine-gpu --example fluid` writes `fluid-*.png` into
//! the folder given, or the current one.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use undine_frame::{Cloud, Frame, FrameRequest};
use undine_gpu::{
    Effects, Headless, ParticleStyle, RenderSettings, SceneryMaterials, ShadingModel, SpaceView,
};
use undine_render::Picture;
use undine_render::preview::{PinholeCamera, WaterLook};
use undine_render::sky::SkySpec;
use undine_scene::{LoadOptions, Scene};
use undine_sim::Runner;

const SIZE: [u32; 2] = [1280, 720];

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| String::from(".")));
    let mut device = Headless::new()?;
    let mut runner = dam_break()?;
    for step in 0..6 {
        let request = FrameRequest { surfaces: true, clouds: true, ..FrameRequest::default() };
        let subject = undine_sim::capture(&runner, &request);
        for (name, particles) in [("surface", ParticleStyle::Surface), ("balls", ParticleStyle::Balls)] {
            let picture = device.draw(&subject, &settings(particles), SIZE)?;
            write(&folder.join(format!("fluid-{name}-{step}.png")), &picture)?;
        }
        for _ in 0..8 {
            runner.next_frame()?;
        }
    }
    for count in [100_000, 1_000_000] {
        let subject = Frame { clouds: vec![pool(count)], ..Frame::default() };
        for (name, particles) in [("surface", ParticleStyle::Surface), ("balls", ParticleStyle::Balls)] {
            let rate = rate(&mut device, &subject, &settings(particles))?;
            report(&format!(
                "{count} particles as {name}: {rate:.2} pictures per second with {}",
                device.adapter
            ));
            let picture = device.draw(&subject, &settings(particles), SIZE)?;
            write(&folder.join(format!("fluid-{name}-{count}.png")), &picture)?;
        }
    }
    Ok(())
}

fn dam_break() -> Result<Runner, Failure> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/dam-break/scene.toml");
    let text = std::fs::read_to_string(file)?;
    let scene = Scene::parse("dam-break", &text, &LoadOptions { scale: 0.5, ..LoadOptions::default() })?;
    Ok(Runner::new(&scene, undine_models::MODELS, None)?)
}

// A tank with this many particles and a wavy surface.
fn pool(count: usize) -> Cloud {
    let spacing = (1.0 / count as f32).cbrt();
    let columns = (2.0 / spacing) as usize;
    let rows = (1.0 / spacing) as usize;
    let place = |index: usize| {
        let (column, row) = (index % columns, index / columns % rows);
        let layer = index / (columns * rows);
        let [x, y] = [column as f32, row as f32].map(|cell| (cell + 0.5) * spacing);
        let raised = 1.0 + 0.12 * (7.0 * x + 2.0 * y).sin() + 0.08 * (11.0 * y - 3.0 * x).cos();
        [x, y, (layer as f32 + 0.5) * spacing * raised]
    };
    let positions: Vec<[f32; 3]> = (0..count).map(place).collect();
    let velocities = positions.iter().map(|[x, _, z]| [z * (7.0 * x).cos(), 0.0, 0.0]).collect();
    Cloud { name: String::from("pool"), positions, velocities, radius: 0.866 * spacing, ..Cloud::default() }
}

fn settings(particles: ParticleStyle) -> RenderSettings {
    let (eye, target) = (Vec3::new(2.3, -2.4, 1.25), Vec3::new(0.95, 0.5, 0.36));
    RenderSettings::Space(Box::new(SpaceView {
        camera: PinholeCamera::new(eye, target, 0.62, SIZE[0] as usize, SIZE[1] as usize),
        sky: SkySpec::default(),
        shading: ShadingModel::Water,
        materials: SceneryMaterials {
            look: WaterLook::in_tank(),
            solid: Vec3::splat(0.5),
            ..SceneryMaterials::default()
        },
        effects: Effects::ALL,
        particles,
        drape: None,
        shows_grid: false,
        exposure: 1.0,
    }))
}

// Pictures per second of a frame that is already uploaded.
fn rate(device: &mut Headless, subject: &Frame, settings: &RenderSettings) -> Result<f64, Failure> {
    let target_texture = device.target_texture(SIZE);
    let view = target_texture.create_view(&Default::default());
    let (gpu, queue, renderer) = device.parts();
    renderer.upload(gpu, queue, subject);
    let render = |device: &mut Headless| {
        let (gpu, queue, renderer) = device.parts();
        let mut encoder = gpu.create_command_encoder(&Default::default());
        renderer.render(gpu, queue, &mut encoder, &view, SIZE, settings);
        queue.submit([encoder.finish()]);
        device.wait()
    };
    render(device)?;
    let (start, mut pictures) = (Instant::now(), 0);
    while pictures < 3 || start.elapsed().as_secs_f64() < 2.0 {
        render(device)?;
        pictures += 1;
    }
    Ok(f64::from(pictures) / start.elapsed().as_secs_f64())
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}

fn write(path: &Path, picture: &Picture) -> Result<(), Failure> {
    let file = File::create(path)?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
