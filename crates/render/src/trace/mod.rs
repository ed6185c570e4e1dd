//! Water as light finds it: a path tracer.
//!
//! The same frame stands on the same stage, under the same keys, as in a [`preview`](crate::preview); here paths of
//! light are followed through it one by one. A picture is made in three passes: samples are taken, more where they
//! disagree; a filter that knows the surfaces takes the noise away; a filmic curve develops the light. A sample depends
//! on its frame, its pixel and its number alone, so that the picture has the same bits for any number of threads.

mod aux_features;
#[cfg(any(test, feature = "checks"))]
pub mod checks;
mod coated_diffuse;
mod denoise;
mod dielectric;
mod direct_light;
mod droplet;
mod environment;
mod film;
#[cfg(any(test, feature = "checks"))]
mod furnace;
mod geometry;
mod glints;
mod height_field;
mod hit;
mod integrator;
mod intersector;
pub(crate) mod keys;
mod lens;
mod medium;
mod passes;
mod sampler;
mod sampling;
mod scene;
mod settings;
mod shafts;
#[cfg(any(test, feature = "checks"))]
pub mod speed;
mod sphere_light;
mod water_surface;

use undine_frame::Frame;

pub use integrator::PathLimits;
pub use passes::{PASSES, RenderPass};
pub use scene::ThroughWater;
pub(crate) use settings::read_trace;
pub use sphere_light::SphereLight;

use crate::DrawError;
use crate::picture::PictureWithPasses;
use crate::preview::pinhole_camera::PinholeCamera;
use crate::preview::{PreviewSpec, Viewpoint, scene_geometry, tone_mapping};
use crate::sky::{EnvironmentMap, Sky, SkySpec};
use film::{AdaptiveSampling, Film, render_film};
use integrator::PathIntegrator;
use lens::Lens;
use scene::{StagedFrame, TraceScene};

/// How much work a picture is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TraceQuality {
    /// For trying things out.
    Draft,
    /// For films.
    #[default]
    Good,
    /// For stills that hang on a wall.
    Best,
}

impl TraceQuality {
    /// Samples that every pixel gets and the most that one gets.
    pub fn samples(self) -> [u32; 2] {
        match self {
            TraceQuality::Draft => [4, 8],
            TraceQuality::Good => [8, 24],
            TraceQuality::Best => [32, 512],
        }
    }

    /// The error of a pixel with which it is content, as a share of white.
    fn tolerance(self) -> f32 {
        match self {
            TraceQuality::Draft => 0.04,
            TraceQuality::Good => 0.02,
            TraceQuality::Best => 0.004,
        }
    }

    /// How far paths are followed.
    pub fn limits(self) -> PathLimits {
        match self {
            TraceQuality::Draft => {
                PathLimits { bounces: 10, diffuse_bounces: 1, splits: 1, clamp: 40.0, min_throughput: 0.002 }
            }
            TraceQuality::Good => {
                PathLimits { bounces: 16, diffuse_bounces: 2, splits: 2, clamp: 40.0, min_throughput: 0.002 }
            }
            TraceQuality::Best => {
                PathLimits { bounces: 40, diffuse_bounces: 6, splits: 3, clamp: 120.0, min_throughput: 0.002 }
            }
        }
    }
}

/// How a picture is traced.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceSpec {
    /// What is shown: all that previews and traced pictures have in common.
    pub scene: PreviewSpec,
    /// How much work it is worth.
    pub quality: TraceQuality,
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
    pub passes: Vec<RenderPass>,
    /// Lamps in the scene.
    pub lamps: Vec<SphereLight>,
    /// Light all around from a file, in place of sky and studio, and by what its numbers are multiplied to become thousands
    /// of candela per square metre.
    pub panorama: Option<(EnvironmentMap, f32)>,
}

impl TraceSpec {
    /// Samples that every pixel gets and the most that one gets.
    pub fn samples(&self) -> [u32; 2] {
        let [least, most] = self.quality.samples();
        self.paths.map_or([least, most], |paths| [least.min(paths), paths])
    }

    fn limits(&self) -> PathLimits {
        let limits = self.quality.limits();
        PathLimits { bounces: self.bounces.unwrap_or(limits.bounces), ..limits }
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
) -> Result<PictureWithPasses, DrawError> {
    frame.meshes.iter().try_for_each(scene_geometry::check)?;
    let visibility = sky.visibility.or_else(|| crate::preview::scene::default_visibility(frame));
    let seed = sky.seed;
    let sky = Sky::new(&SkySpec { visibility, ..sky.clone() }, frame.time);
    let mut staged = StagedFrame::new(&spec.scene, &sky, seed, view, size, frame)?;
    let (scene, eye) = TraceScene::new(&mut staged, &spec.scene, &sky, frame, spec.shutter);
    let mut scene = TraceScene { through_water, ..scene };
    scene.intersector.lamps.clone_from(&spec.lamps);
    if let Some((panorama, scale)) = &spec.panorama {
        scene.environment.set_environment_map(panorama, *scale);
    }
    let film = spec.film(&scene, eye, size, frame.index);
    let passes = spec.passes.iter().map(|pass| pass.raster(&film, eye)).collect();
    Ok(PictureWithPasses {
        picture: tone_mapping::tone_map(film.light(), spec.scene.exposure, spec.scene.bloom),
        passes,
    })
}

impl TraceSpec {
    fn film(&self, scene: &TraceScene<'_>, eye: &PinholeCamera, size: [usize; 2], frame: u64) -> Film {
        let integrator = PathIntegrator { scene, limits: self.limits() };
        let lens = Lens {
            eye,
            radius: 0.5 * self.aperture.max(0.0),
            focus: self.focus.unwrap_or(eye.target_distance).max(1e-3),
            port: self.port.max(0.0),
            is_under_water: scene.intersector.is_in_water(eye.position, 0.0),
            has_shutter: self.shutter > 0.0,
        };
        let sampling = AdaptiveSampling {
            samples: self.samples(),
            tolerance: self.quality.tolerance(),
            middle: MIDDLE / self.scene.exposure.max(1e-6),
            frame,
        };
        let mut film = render_film(&integrator, &lens, &sampling, size);
        if !self.keeps_noise {
            denoise::denoise(&mut film);
        }
        film
    }
}
