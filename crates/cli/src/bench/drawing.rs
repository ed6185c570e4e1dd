//! Pictures.

use undine::frame::{Frame, Wants};
use undine::{LoadOptions, MODELS, Runner, Scene};

use super::{Figures, best_of};

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
size = [1280, 720]
";

/// The preview picture, 1280 × 720 of a 512² mesh, beside the same picture with nothing in it but the sky.
pub fn preview(figures: &mut Figures) -> anyhow::Result<()> {
    let scene = Scene::parse("bench", SCENE, &LoadOptions::default())?;
    let runner = Runner::new(&scene, MODELS, None)?;
    let frame = undine::surface::capture(&runner, &[], &[], Wants::ALL);
    let picture = &undine::render::Pictures::read(&scene)?[0];
    let rate = |frame: &Frame| -> anyhow::Result<f64> {
        undine::render::draw(picture, frame)?;
        Ok(1.0 / best_of(5, || drop(undine::render::draw(picture, frame))))
    };
    let (water, sky) = (rate(&frame)?, rate(&Frame::new(0, 0.0))?);
    figures.rate("1280 × 720, mesh of 512²", water, "pictures/s", sky, "pictures/s of bare sky");
    Ok(())
}
