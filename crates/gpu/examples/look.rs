//! Draws bundled scenes with the graphics card, to be looked at.
//!
//! `cargo run -p undine-gpu --example look -- FOLDER [SCENE[@FRAME] …]` writes a PNG for each scene and frame into a
//! folder. Scenes are named after folders below `scenes/`.

use std::error::Error;
use std::path::{Path, PathBuf};

use glam::Vec3;
use undine_frame::{Triangles, Wants};
use undine_gpu::{Effects, Headless, Heights, Particles, Shot, SpaceView, Stuff, Style, Subject};
use undine_render::preview::{PreviewSpec, Subject as Framing};
use undine_render::{Picture, PictureSpec, Pictures};
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Lattice, Runner, SurfaceView};
use undine_surface::{Metaballs, Surfacing, capture};

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
    let view = view(&spec, &subject, runner.time());
    Ok(device.draw(&subject, &Shot::Space(Box::new(view)), SIZE)?)
}

fn subject(scene: &Scene, runner: &Runner) -> Result<Subject, Box<dyn Error>> {
    let wants = Wants { rasters: false, smoke: false, ..Wants::ALL };
    let frame = capture(runner, &Metaballs::read_all(scene, runner)?, &Surfacing::read_all(scene)?, wants);
    let mut subject = Subject { time: frame.time, bodies: frame.posed, ..Subject::default() };
    for water in runner.waters() {
        match &water.simulation.view().surface {
            Some(SurfaceView::Height(height)) => subject.heights.push(Heights {
                name: water.name.clone(),
                size: [height.level.size()[0] as u32, height.level.size()[1] as u32],
                origin: [height.level.origin()[0] as f32, height.level.origin()[1] as f32],
                spacing: [height.level.spacing()[0] as f32, height.level.spacing()[1] as f32],
                level: height.level.values(),
                bed: values(height.bed.as_deref()),
                wetness: values(height.wetness.as_deref()),
                velocity: height.velocity.as_ref().map_or_else(Vec::new, |[u, v]| {
                    u.values().into_iter().zip(v.values()).map(|(u, v)| [u, v]).collect()
                }),
                dry_depth: height.dry_depth,
            }),
            Some(SurfaceView::Liquid(liquid)) => {
                subject.tank = Some(liquid.bounds.map(|corner| corner.map(|part| part as f32)));
            }
            _ => {}
        }
    }
    let has_heights = !subject.heights.is_empty();
    let is_kept = |mesh: &undine_frame::Mesh| !has_heights || matches!(mesh.triangles, Triangles::List(_));
    subject.meshes = frame.meshes.into_iter().filter(is_kept).collect();
    if has_heights {
        subject.meshes.clear();
    }
    Ok(subject)
}

fn values(lattice: Option<&(dyn Lattice + '_)>) -> Vec<f32> {
    lattice.map_or_else(Vec::new, Lattice::values)
}

fn view(spec: &PictureSpec, subject: &Subject, time: f64) -> SpaceView {
    let scene: PreviewSpec = spec.in_space().cloned().unwrap_or_default();
    let [width, height] = SIZE.map(|side| side as usize);
    SpaceView {
        eye: spec.viewpoint(time).eye(&framing(subject), width, height),
        sky: spec.daylight.at(time),
        style: Style::Water,
        stuff: Stuff {
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
        particles: Particles::Hidden,
        drape: None,
        shows_grid: false,
        exposure: scene.exposure,
    }
}

fn framing(subject: &Subject) -> Framing {
    if let Some([low, high]) = subject.tank {
        return Framing::Tank([low.into(), high.into()]);
    }
    if let Some(heights) = subject.heights.first() {
        let range = |values: &[f32]| {
            values.iter().fold([f32::MAX, f32::MIN], |[low, high], &value| [low.min(value), high.max(value)])
        };
        let ([low, _], [_, high]) = (range(&heights.bed), range(&heights.level));
        let far = |axis: usize| heights.origin[axis] + heights.spacing[axis] * heights.size[axis] as f32;
        let corners = [Vec3::new(heights.origin[0], heights.origin[1], low), Vec3::new(far(0), far(1), high)];
        return Framing::Land(corners);
    }
    let frame = undine_frame::Frame { meshes: subject.meshes.clone(), ..undine_frame::Frame::default() };
    Framing::Sheet(frame.bounds())
}

fn save(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
