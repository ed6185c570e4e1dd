//! A path tracer.
//!
//! It renders the same frame with the same keys as a [`preview`](crate::preview), in three stages: adaptive sampling
//! of camera paths, an edge-avoiding denoiser, and a filmic tone curve. A sample depends only on its frame, pixel and
//! number, so that the picture has the same bits for any number of threads.

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
use undine_surface::with_overviews;

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

/// Quality presets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TraceQuality {
    /// For trials.
    Draft,
    /// For films.
    #[default]
    Good,
    /// For stills.
    Best,
}

impl TraceQuality {
    /// Minimum and maximum of samples per pixel.
    pub fn samples(self) -> [u32; 2] {
        match self {
            TraceQuality::Draft => [4, 8],
            TraceQuality::Good => [8, 24],
            TraceQuality::Best => [32, 512],
        }
    }

    /// Greatest standard error of a pixel, in units of white.
    fn tolerance(self) -> f32 {
        match self {
            TraceQuality::Draft => 0.04,
            TraceQuality::Good => 0.02,
            TraceQuality::Best => 0.004,
        }
    }

    /// Limits of paths.
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

/// Settings of a traced picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceSpec {
    /// What is shown: the settings in common with previews.
    pub scene: PreviewSpec,
    /// Quality preset.
    pub quality: TraceQuality,
    /// Most paths per pixel; `None` for the preset's.
    pub paths: Option<u32>,
    /// Most bounces of a path; `None` for the preset's.
    pub bounces: Option<u32>,
    /// Whether the denoiser is left out.
    pub keeps_noise: bool,
    /// Diameter of the lens in metres; 0 for a pinhole.
    pub aperture: f32,
    /// Distance of the plane of focus in metres; `None` for that of the target.
    pub focus: Option<f32>,
    /// Exposure time in seconds.
    pub shutter: f32,
    /// Distance of the port of an underwater housing in metres; 0 for none.
    pub port: f32,
    /// Render passes that go with the picture.
    pub passes: Vec<RenderPass>,
    /// Lamps in the scene.
    pub lamps: Vec<SphereLight>,
    /// Environment map in place of sky and studio, and the factor that turns its values into kcd/m².
    pub panorama: Option<(EnvironmentMap, f32)>,
}

impl TraceSpec {
    /// Minimum and maximum of samples per pixel.
    pub fn samples(&self) -> [u32; 2] {
        let [least, most] = self.quality.samples();
        self.paths.map_or([least, most], |paths| [least.min(paths), paths])
    }

    fn limits(&self) -> PathLimits {
        let limits = self.quality.limits();
        PathLimits { bounces: self.bounces.unwrap_or(limits.bounces), ..limits }
    }
}

/// Luminance that is shown half as bright as white at exposure 1, in kcd/m².
const MID_LUMINANCE: f32 = 8.0;

/// Renders a frame as seen from `view` under `sky`, with the requested passes. Sunlight through water is taken from
/// `through_water` if given.
pub fn draw(
    spec: &TraceSpec,
    sky: &SkySpec,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
    through_water: Option<ThroughWater<'_>>,
) -> Result<PictureWithPasses, DrawError> {
    let frame = &*with_overviews(frame);
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
            mid_luminance: MID_LUMINANCE / self.scene.exposure.max(1e-6),
            frame,
        };
        let mut film = render_film(&integrator, &lens, &sampling, size);
        if !self.keeps_noise {
            denoise::denoise(&mut film);
        }
        film
    }
}
