//! Renders bundled scenes on the GPU, for inspection.
//!
//! `cargo run -p undine-gpu --example look -- FOLDER [SCENE[@FRAME] …]` writes a PNG for each scene and frame into a
//! folder. Scenes are named after folders below `scenes/`.

use std::error::Error;
use std::path::{Path, PathBuf};

use glam::Vec3;
use undine_frame::{Cloud, Frame, FrameRequest, SurfaceShape};
use undine_gpu::{
    Effects, Headless, ParticleStyle, RenderSettings, SceneryMaterials, ShadingModel, SpaceView,
};
use undine_render::preview::{PreviewSpec, Subject as Framing};
use undine_render::{Picture, PictureSpec, Pictures};
use undine_scene::{LoadOptions, Scene};
use undine_sim::Runner;
use undine_surface::{Tessellation, tessellate};

const SIZE: [u32; 2] = [1280, 720];
const USUAL: &[&str] =
    &["km-beach@60", "swell@30", "pond@60", "swimming-pool@40", "tsunami-bay@60", "dam-break@12"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("say into which folder")?);
    std::fs::create_dir_all(&folder)?;
    let mut wanted: Vec<String> = words.collect();
    if wanted.is_empty() {
        wanted = USUAL.iter().map(|&name| name.to_owned()).collect();
    }
    let mut device = Headless::new()?;
    for wanted in wanted {
        let (name, frames) = wanted.split_once('@').unwrap_or((&wanted, "30"));
        let scene = load(name)?;
        let mut runner = Runner::new(&scene, undine_models::MODELS, None)?;
        for frame in frames.split(',') {
            let frame: u64 = frame.parse()?;
            while runner.frame() < frame {
                runner.next_frame()?;
            }
            let picture = draw(&mut device, &scene, &runner)?;
            save(&folder.join(format!("{name}-{frame}.png")), &picture)?;
        }
    }
    Ok(())
}

fn load(name: &str) -> Result<Scene, Box<dyn Error>> {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    Ok(Scene::load(&scenes.join(name).join("scene.toml"), &LoadOptions::default())?)
}

fn draw(device: &mut Headless, scene: &Scene, runner: &Runner) -> Result<Picture, Box<dyn Error>> {
    let spec = Pictures::read(scene)?.into_iter().find(|spec| spec.in_space().is_some());
    let spec = spec.ok_or("the scene has no picture in space")?;
    let subject = subject(scene, runner)?;
    let view = view(&spec, &subject, runner.time())?;
    Ok(device.draw(&subject, &RenderSettings::Space(Box::new(view)), SIZE)?)
}

fn subject(scene: &Scene, runner: &Runner) -> Result<Frame, Box<dyn Error>> {
    let request = FrameRequest { surfaces: true, liquid_meshes: true, ..FrameRequest::default() };
    let mut frame = undine_sim::capture(runner, &request);
    tessellate(&mut frame, &request, &Tessellation::read(scene)?);
    Ok(frame)
}

fn view(spec: &PictureSpec, subject: &Frame, time: f64) -> Result<SpaceView, Box<dyn Error>> {
    let scene: PreviewSpec = spec.in_space().cloned().unwrap_or_default();
    let [width, height] = SIZE.map(|side| side as usize);
    Ok(SpaceView {
        camera: spec.viewpoint(time)?.eye(&framing(subject), width, height),
        sky: spec.daylight.at(time)?,
        shading: ShadingModel::Water,
        materials: SceneryMaterials {
            look: scene.look,
            ripples: scene.ripples.clone(),
            bed: scene.bed,
            depth: scene.depth,
            ground: scene.ground,
            beyond: scene.beyond,
            backdrop: scene.backdrop,
            solid: scene.solid.into(),
        },
        effects: Effects::ALL,
        particles: ParticleStyle::Hidden,
        drape: None,
        shows_grid: false,
        exposure: scene.exposure,
    })
}

fn framing(subject: &Frame) -> Framing {
    let single = |corner: [f64; 3]| Vec3::from(corner.map(|along| along as f32));
    if let Some(corners) = subject.tank() {
        return Framing::Tank(corners.map(single));
    }
    if let Some((_, heights)) = subject.heights().next() {
        let range = |values: &[f32]| {
            values.iter().fold([f32::MAX, f32::MIN], |[low, high], &value| [low.min(value), high.max(value)])
        };
        let beds = heights.bed.as_ref().map_or(&[] as &[f32], |bed| bed.as_slice());
        let ([low, _], [_, high]) = (range(beds), range(&heights.level));
        let far = |axis: usize| heights.origin[axis] + heights.spacing[axis] * f64::from(heights.size[axis]);
        let corners =
            [[heights.origin[0], heights.origin[1], f64::from(low)], [far(0), far(1), f64::from(high)]];
        return Framing::Land(corners.map(single));
    }
    let positions = subject.surfaces.iter().filter_map(|surface| match &surface.shape {
        SurfaceShape::Sheet(sheet) => Some(sheet.positions.to_vec()),
        SurfaceShape::Heights(_)
        | SurfaceShape::Mesh(_)
        | SurfaceShape::Implicit(_)
        | SurfaceShape::Curve(_) => None,
    });
    let mut sheets = Frame::default();
    sheets.clouds.extend(positions.map(|positions| Cloud { positions, ..Cloud::default() }));
    Framing::Sheet(sheets.bounds())
}

fn save(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
