//! Renders 2-D scenes as flat pages: `cargo run --release -p undine-gpu --example flat`
//! writes `flat-*.png` into the folder given, or the current one.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use undine_frame::{Frame, FrameRequest};
use undine_gpu::{ColourMapping, FlatLayer, FlatView, Headless, RenderSettings};
use undine_render::Picture;
use undine_render::plots::HslRamp;
use undine_scene::{LoadOptions, Scene};
use undine_sim::Runner;

const SIZE: [u32; 2] = [1280, 720];

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| String::from(".")));
    let mut device = Headless::new()?;
    let grid = || FlatLayer::Grid { field: named("speed"), colour: [1.0, 1.0, 1.0, 0.25] };
    let arrows = |colour| FlatLayer::Vectors { field: named("velocity"), spacing: 24.0, colour };
    let solids = |colour| FlatLayer::Solids { field: named("distance"), colour };
    let pages: [(&str, u64, Vec<FlatLayer>); 8] = [
        ("ink", 120, vec![FlatLayer::Dye { field: named("dye"), strength: 2.2, is_ink: false }]),
        (
            "karman",
            90,
            vec![FlatLayer::Dye { field: named("dye"), strength: 2.0, is_ink: false }, solids([0.6; 3])],
        ),
        ("karman", 90, vec![field("speed", "lagoon", [0.0, 2.0]), arrows([1.0; 3]), solids([0.5; 3])]),
        (
            "stir",
            60,
            vec![
                FlatLayer::Dye { field: named("dye"), strength: 4.5, is_ink: true },
                solids([0.25, 0.15, 0.07]),
            ],
        ),
        (
            "cavity",
            96,
            vec![ramp("vorticity", 4.0), arrows([0.9; 3]), FlatLayer::Particles { size: 1.0 }, grid()],
        ),
        (
            "dam-break-2d",
            24,
            vec![FlatLayer::Liquid { field: named("distance") }, FlatLayer::Particles { size: 0.25 }],
        ),
        ("dam-pillar-2d", 36, vec![FlatLayer::Cells { field: named("cells") }, grid(), arrows([0.0; 3])]),
        ("km-hump", 60, vec![FlatLayer::Profile]),
    ];
    for (number, (scene, frames, layers)) in pages.into_iter().enumerate() {
        let subject = ran(scene, frames)?;
        let view = framed(&subject, layers);
        let picture = device.draw(&subject, &RenderSettings::Flat(view), SIZE)?;
        write(&folder.join(format!("flat-{number}-{scene}.png")), &picture)?;
    }
    Ok(())
}

fn named(name: &str) -> String {
    name.to_owned()
}

fn field(field: &str, map: &str, limits: [f32; 2]) -> FlatLayer {
    let colours = ColourMapping::Map { map: named(map), limits, is_log: false };
    FlatLayer::Field { field: named(field), colours, is_smooth: true, opacity: 1.0 }
}

fn ramp(field: &str, unit: f32) -> FlatLayer {
    let colours = ColourMapping::Hsl { ramp: HslRamp::default(), unit };
    FlatLayer::Field { field: named(field), colours, is_smooth: true, opacity: 1.0 }
}

// A bundled scene at half its resolution, after some frames.
fn ran(name: &str, frames: u64) -> Result<Frame, Failure> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name).join("scene.toml");
    let text = std::fs::read_to_string(file)?;
    let scene = Scene::parse(name, &text, &LoadOptions { scale: 0.5, ..LoadOptions::default() })?;
    let mut runner = Runner::new(&scene, undine_models::MODELS, None)?;
    for _ in 0..frames {
        runner.next_frame()?;
    }
    let request = FrameRequest { meshes: false, liquid_meshes: false, ..FrameRequest::ALL };
    Ok(undine_sim::capture(&runner, &request))
}

// A page that fits the first field, or the section of a height field.
fn framed(subject: &Frame, layers: Vec<FlatLayer>) -> FlatView {
    let is_section = layers.contains(&FlatLayer::Profile);
    let (mut low, mut high) = ([0.0; 2], [1.0; 2]);
    if let Some(raster) = subject.fields.first() {
        for axis in 0..2 {
            low[axis] = (raster.origin[axis] - 0.5 * raster.spacing[axis]) as f32;
            high[axis] = low[axis] + (raster.spacing[axis] * f64::from(raster.size[axis])) as f32;
        }
    }
    if let Some((_, heights)) = subject.heights().next().filter(|_| is_section) {
        let ends = heights.bed.iter().flatten().chain(&heights.level);
        (low[1], high[1]) = ends.fold((0.0, 0.0), |(low, high), z| (f32::min(low, *z), f32::max(high, *z)));
    }
    let centre = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]));
    let wide = (high[0] - low[0]) * SIZE[1] as f32 / SIZE[0] as f32;
    let tall = 1.04 * wide.max(high[1] - low[1]);
    FlatView { centre, height: tall, background: [0.02, 0.025, 0.03], layers }
}

fn write(path: &Path, picture: &Picture) -> Result<(), Failure> {
    let file = File::create(path)?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
