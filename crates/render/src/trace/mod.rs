//! Water as light finds it: a path tracer.
//!
//! The same frame stands on the same stage, under the same keys, as in a [`preview`](crate::preview); here paths of
//! light are followed through it one by one. A picture is made in three passes: samples are taken, more where they
//! disagree; a filter that knows the surfaces takes the noise away; a filmic curve develops the light. A sample depends
//! on its frame, its pixel and its number alone, so that the picture has the same bits for any number of threads.

mod denoise;
mod film;
mod geometry;
mod light;
mod matter;
mod numbers;
mod path;
mod place;
mod spread;
mod sun;
mod waves;
mod world;

use undine_frame::Frame;

pub use path::Limits;
pub use place::ThroughWater;

use crate::DrawError;
use crate::picture::Picture;
use crate::preview::{PreviewSpec, Viewpoint, setting, stage, tone};
use crate::sky::{Sky, SkySpec};
use film::{Exposure, expose};
use path::Walker;
use place::{Place, Staged};

/// How a picture is traced.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSpec {
    /// What is shown: all that previews and traced pictures have in common.
    pub scene: PreviewSpec,
    /// Samples that every pixel gets, and the most that one gets.
    pub samples: [u32; 2],
    /// How far paths are followed.
    pub limits: Limits,
    /// Whether noise is filtered away.
    pub denoises: bool,
    /// Width of the lens in metres; 0 for everything sharp.
    pub aperture: f32,
    /// Distance at which things are sharp, in metres; `None` for that of the target.
    pub focus: Option<f32>,
    /// Seconds for which the shutter is open.
    pub shutter: f32,
}

impl Default for TraceSpec {
    fn default() -> Self {
        TraceSpec {
            scene: PreviewSpec::default(),
            samples: [8, 24],
            limits: Limits { bounces: 16, scatters: 2, splits: 2, clamp: 40.0 },
            denoises: true,
            aperture: 0.0,
            focus: None,
            shutter: 0.0,
        }
    }
}

/// Draws a frame as seen from `view` under `sky`.
pub fn draw(
    spec: &TraceSpec,
    sky: &SkySpec,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
) -> Result<Picture, DrawError> {
    frame.meshes.iter().try_for_each(stage::check)?;
    let visibility = sky.visibility.or_else(|| setting::clear_air(frame));
    let seed = sky.seed;
    let sky = Sky::new(&SkySpec { visibility, ..sky.clone() }, frame.time);
    let mut staged = Staged::new(&spec.scene, &sky, seed, view, size, frame)?;
    let (place, eye) = Place::new(&mut staged, &spec.scene, &sky, frame, spec.shutter);
    let walker = Walker { place: &place, limits: spec.limits };
    let exposure = Exposure { samples: spec.samples, frame: frame.index };
    let mut film = expose(&walker, eye, &exposure, size);
    if spec.denoises {
        denoise::denoise(&mut film);
    }
    Ok(tone::develop(film.light(), spec.scene.exposure, spec.scene.bloom))
}
