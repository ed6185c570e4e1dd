//! Benchmarks of rendering.

use glam::Vec3;
use undine_checks::{Bench, Figures, best_of};
use undine_frame::{Frame, FrameRequest};
use undine_models::MODELS;
use undine_scene::{LoadOptions, Scene};
use undine_sim::Runner;
use undine_surface::{Tessellation, tessellate};

use crate::caustics::{Caustics, CausticsKind, CausticsSpec};
use crate::{Pictures, draw, trace};

/// Every benchmark of rendering.
pub static BENCHES: &[Bench] = &[
    Bench { name: "render/preview", run: preview },
    Bench { name: "render/classic", run: classic },
    Bench { name: "render/caustics", run: caustics },
    Bench { name: "render/trace", run: rays },
];

/// The scene of figure 7 of [kass1990].
const RAIN: &str = include_str!("../../../scenes/km-rain/scene.toml");

const SCENE: &str = "
[scene]
duration = 10
[[water]]
kind = 'gerstner'
size = [60, 60]
resolution = 511
wave = [
    { amplitude = 0.5, wavelength = 15 },
    { amplitude = 0.2, wavelength = 7, direction = [1, 1] },
    { amplitude = 0.05, wavelength = 3, direction = [1, -1] },
]
[[picture]]
kind = 'preview'
size = [1280, 720]
";

/// The preview picture, 1280 × 720 of a 512² mesh, beside the same picture with nothing in it but the sky.
pub fn preview(figures: &mut Figures) -> anyhow::Result<()> {
    let scene = Scene::parse("bench", SCENE, &LoadOptions::default())?;
    let runner = Runner::new(&scene, MODELS, None)?;
    let frame = captured(&runner);
    let picture = &Pictures::read(&scene)?[0];
    let rate = |frame: &Frame| -> anyhow::Result<f64> {
        draw(picture, frame)?;
        Ok(1.0 / best_of(5, || drop(draw(picture, frame))))
    };
    let (water, sky) = (rate(&frame)?, rate(&Frame::new(0, 0.0))?);
    figures.rate("1280 × 720, mesh of 512²", water, "pictures/s", sky, "pictures/s of bare sky");
    Ok(())
}

/// Simulated seconds until the puddle has waves, as in figure 7 (d) of [kass1990].
const RAINED: f64 = 9.0;
/// Seconds for a picture in 1990, and for its caustics alone.
const PICTURE_1990: f64 = 600.0;
const CAUSTICS_1990: f64 = 40.0;

/// The scene of figure 7 of [kass1990] on 256² samples after [`RAINED`] seconds.
fn rain() -> anyhow::Result<(Scene, Frame)> {
    let settings = ["water.0.resolution=256", "picture.0.kind='classic'", "picture.0.size=[640, 480]"];
    let overrides = settings.map(String::from).to_vec();
    let scene = Scene::parse("km-rain", RAIN, &LoadOptions { overrides, ..LoadOptions::default() })?;
    let mut runner = Runner::new(&scene, MODELS, None)?;
    while runner.time() < RAINED {
        runner.next_frame()?;
    }
    let frame = captured(&runner);
    Ok((scene, frame))
}

/// Figure 7 of [kass1990] as it was drawn: 256² samples, NTSC, two by two samples a pixel, caustics included.
pub fn classic(figures: &mut Figures) -> anyhow::Result<()> {
    let (scene, frame) = rain()?;
    let picture = &Pictures::read(&scene)?[0];
    draw(picture, &frame)?;
    let rate = 1.0 / best_of(7, || drop(draw(picture, &frame)));
    figures.rate("640 × 480, water of 256²", rate, "pictures/s", 1.0 / PICTURE_1990, "pictures/s in 1990");
    Ok(())
}

/// Caustics on the bed of the same water, by all three methods.
pub fn caustics(figures: &mut Figures) -> anyhow::Result<()> {
    let (_, frame) = rain()?;
    let sun = Vec3::new(0.4, 0.6, 0.7).normalize();
    let kinds = [
        ("paper", CausticsKind::IlluminationMap),
        ("beams", CausticsKind::Beams),
        ("photons", CausticsKind::Photons),
    ];
    for (name, kind) in kinds {
        let spec = CausticsSpec { kind, extends_water: true, ..CausticsSpec::default() };
        let seconds = best_of(3, || drop(Caustics::on_ground(&spec, &frame, sun, Vec3::ZERO)));
        figures.rate(name, 1.0 / seconds, "maps/s", 1.0 / CAUSTICS_1990, "maps/s in 1990");
    }
    Ok(())
}

/// Ray casting of the path tracer: BVH of 200 000 triangles, random rays.
pub fn rays(figures: &mut Figures) -> anyhow::Result<()> {
    let speed = trace::speed::measure(200_000, 1_000_000);
    figures.rate("rays, one thread", speed.rays / 1e6, "M rays/s", 1.5, "M/s asked for");
    figures.rate("tree of 200 000", speed.build / 1e6, "M triangles/s", 5.0, "M/s asked for");
    Ok(())
}

/// Everything of a runner's waters, with meshes.
fn captured(runner: &Runner) -> Frame {
    let mut frame = undine_sim::capture(runner, &FrameRequest::ALL);
    tessellate(&mut frame, &FrameRequest::ALL, &Tessellation::default());
    frame
}
