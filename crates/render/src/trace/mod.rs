//! Water as light finds it: a path tracer.
//!
//! The same frame stands on the same stage, under the same keys, as in a [`preview`](crate::preview); here paths of
//! light are followed through it one by one. A picture is made in three passes: samples are taken, more where they
//! disagree; a filter that knows the surfaces takes the noise away; a filmic curve develops the light. A sample depends
//! on its frame, its pixel and its number alone, so that the picture has the same bits for any number of threads.

mod ball;
mod boundary;
#[cfg(any(test, feature = "checks"))]
pub mod checks;
mod denoise;
mod film;
#[cfg(any(test, feature = "checks"))]
mod furnace;
mod geometry;
mod glints;
mod guide;
pub(crate) mod keys;
mod lamp;
mod lens;
mod light;
mod matter;
mod medium;
mod numbers;
mod passes;
mod path;
mod place;
mod settings;
mod shafts;
mod sheet;
#[cfg(any(test, feature = "checks"))]
pub mod speed;
mod spread;
mod sun;
mod touch;
mod waves;
mod world;

use undine_frame::Frame;

pub use lamp::Lamp;
pub use passes::{PASSES, Pass};
pub use path::Limits;
pub use place::ThroughWater;
pub(crate) use settings::read_trace;

use crate::DrawError;
use crate::picture::Drawn;
use crate::preview::camera::Eye;
use crate::preview::{PreviewSpec, Viewpoint, setting, stage, tone};
use crate::sky::{Panorama, Sky, SkySpec};
use film::{Exposure, Film, expose};
use lens::Lens;
use path::Walker;
use place::{Place, Staged};

/// How much work a picture is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quality {
    /// For trying things out.
    Draft,
    /// For films.
    #[default]
    Good,
    /// For stills that hang on a wall.
    Best,
}

impl Quality {
    /// Samples that every pixel gets and the most that one gets.
    pub fn samples(self) -> [u32; 2] {
        match self {
            Quality::Draft => [4, 8],
            Quality::Good => [8, 24],
            Quality::Best => [32, 512],
        }
    }

    /// The error of a pixel with which it is content, as a share of white.
    fn tolerance(self) -> f32 {
        match self {
            Quality::Draft => 0.04,
            Quality::Good => 0.02,
            Quality::Best => 0.004,
        }
    }

    /// How far paths are followed.
    pub fn limits(self) -> Limits {
        match self {
            Quality::Draft => Limits { bounces: 10, scatters: 1, splits: 1, clamp: 40.0, faintest: 0.002 },
            Quality::Good => Limits { bounces: 16, scatters: 2, splits: 2, clamp: 40.0, faintest: 0.002 },
            Quality::Best => Limits { bounces: 40, scatters: 6, splits: 3, clamp: 120.0, faintest: 0.002 },
        }
    }
}

/// How a picture is traced.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceSpec {
    /// What is shown: all that previews and traced pictures have in common.
    pub scene: PreviewSpec,
    /// How much work it is worth.
    pub quality: Quality,
    /// The most paths that a pixel gets; `None` to suit the quality.
    pub paths: Option<u32>,
    /// The most bounces of a path; `None` to suit the quality.
    pub bounces: Option<u32>,
    /// Whether noise is left in.
    pub keeps_noise: bool,
    /// Width of the lens in metres; 0 for everything sharp.
    pub aperture: f32,
    /// Distance at which things are sharp, in metres; `None` for that of the target.
    pub focus: Option<f32>,
    /// Seconds for which the shutter is open.
    pub shutter: f32,
    /// Distance of the window of an underwater housing, in metres; 0 for none.
    pub port: f32,
    /// Fields that go with the picture.
    pub passes: Vec<Pass>,
    /// Lamps in the scene.
    pub lamps: Vec<Lamp>,
    /// Light all around from a file, in place of sky and studio, and by what its numbers are multiplied to become thousands
    /// of candela per square metre.
    pub panorama: Option<(Panorama, f32)>,
}

impl TraceSpec {
    /// Samples that every pixel gets and the most that one gets.
    pub fn samples(&self) -> [u32; 2] {
        let [least, most] = self.quality.samples();
        self.paths.map_or([least, most], |paths| [least.min(paths), paths])
    }

    fn limits(&self) -> Limits {
        let limits = self.quality.limits();
        Limits { bounces: self.bounces.unwrap_or(limits.bounces), ..limits }
    }
}

/// Light that looks half as bright as white at exposure 1, in thousands of candela per square metre.
const MIDDLE: f32 = 8.0;

/// Draws a frame as seen from `view` under `sky`, with the passes that the picture asks for. Sunlight that arrives through
/// water is taken from `through_water`, if somebody knows it.
pub fn draw(
    spec: &TraceSpec,
    sky: &SkySpec,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
    through_water: Option<ThroughWater<'_>>,
) -> Result<Drawn, DrawError> {
    frame.meshes.iter().try_for_each(stage::check)?;
    let visibility = sky.visibility.or_else(|| setting::clear_air(frame));
    let seed = sky.seed;
    let sky = Sky::new(&SkySpec { visibility, ..sky.clone() }, frame.time);
    let mut staged = Staged::new(&spec.scene, &sky, seed, view, size, frame)?;
    let (place, eye) = Place::new(&mut staged, &spec.scene, &sky, frame, spec.shutter);
    let mut place = Place { through_water, ..place };
    place.world.lamps.clone_from(&spec.lamps);
    if let Some((panorama, scale)) = &spec.panorama {
        place.light.surround(panorama, *scale);
    }
    let film = spec.film(&place, eye, size, frame.index);
    let passes = spec.passes.iter().map(|pass| pass.raster(&film, eye)).collect();
    Ok(Drawn { picture: tone::develop(film.light(), spec.scene.exposure, spec.scene.bloom), passes })
}

impl TraceSpec {
    fn film(&self, place: &Place<'_>, eye: &Eye, size: [usize; 2], frame: u64) -> Film {
        let walker = Walker { place, limits: self.limits() };
        let lens = Lens {
            eye,
            radius: 0.5 * self.aperture.max(0.0),
            focus: self.focus.unwrap_or(eye.reach).max(1e-3),
            port: self.port.max(0.0),
            is_under_water: place.world.is_in_water(eye.position, 0.0),
            has_shutter: self.shutter > 0.0,
        };
        let exposure = Exposure {
            samples: self.samples(),
            tolerance: self.quality.tolerance(),
            middle: MIDDLE / self.scene.exposure.max(1e-6),
            frame,
        };
        let mut film = expose(&walker, &lens, &exposure, size);
        if !self.keeps_noise {
            denoise::denoise(&mut film);
        }
        film
    }
}
