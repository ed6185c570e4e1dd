//! Closed liquids in a tank.
//!
//! Primary visibility comes from the rasteriser; secondary rays are traced through the liquid to the slab, the bodies
//! and the surroundings. Sunlight on the floor is computed beforehand. Layers show other views of the liquid: its
//! particles, mesh edges, velocities, the grid.

pub mod bvh;
mod bvh_build;
pub(crate) mod environment;
pub(crate) mod floor_sunlight;
mod line_overlay;
pub(crate) mod media;
mod particle_spheres;
mod ray_tracer;
mod shader;
pub(crate) mod sun_ray;
pub(crate) mod tank;
pub(crate) mod tank_intersector;

use glam::Vec3;
use rayon::prelude::*;
use undine_frame::{
    CloudRole, Frame, Implicit, Material, Mesh, Quantity, Raster as Field, SurfaceShape, Triangles,
};

pub use tank::TankKind;

use super::land::StudioBackdrop;
use super::pinhole_camera::PinholeCamera;
use super::rasteriser::Rasteriser;
use super::scene_geometry::{PrimitiveKind, SceneGeometry};
use super::viewpoint::{Subject, Viewpoint};
use super::{BAND, BackdropKind, PreviewSpec};
use crate::DrawError;
use crate::flat::{LayerContent, PictureLayer};
use crate::picture::RadianceImage;
use crate::sky::Sky;
use environment::TankEnvironment;
use floor_sunlight::FloorSunlight;
use line_overlay::LineOverlay;
use media::Media;
use particle_spheres::ParticleSpheres;
use ray_tracer::WhittedTracer;
use shader::LiquidShader;
use sun_ray::trace_sun_ray;
use tank::LiquidTank;
use tank_intersector::TankIntersector;

/// Settings of a liquid in a tank.
#[derive(Debug, Clone, PartialEq)]
pub struct LiquidSpec {
    /// Kind of tank.
    pub tank: TankKind,
    /// Lowest and highest corner of the tank; `None` for the domain of the simulation.
    pub corners: Option<[Vec3; 2]>,
    /// Bodies whose name contains this word are glass too.
    pub glass: String,
    /// Whether the coefficients of the water are scaled so that every tank looks like one of a few metres.
    pub fits_tank: bool,
    /// Strength of the dye given by particle colours.
    pub dye: f32,
    /// Layers; without any, the water and the bodies.
    pub layers: Vec<PictureLayer>,
}

impl Default for LiquidSpec {
    fn default() -> Self {
        LiquidSpec {
            tank: TankKind::default(),
            corners: None,
            glass: String::from("glass"),
            fits_tank: true,
            dye: 1.0,
            layers: Vec::new(),
        }
    }
}

impl LiquidSpec {
    fn shows(&self, matches_content: impl Fn(&LayerContent) -> bool) -> bool {
        self.layers.iter().any(|layer| matches_content(&layer.show))
    }

    fn shows_water(&self) -> bool {
        self.layers.is_empty() || self.shows(|show| matches!(show, LayerContent::Water(_)))
    }

    fn shows_bodies(&self) -> bool {
        self.layers.is_empty() || self.shows(|show| matches!(show, LayerContent::Solid(_)))
    }
}

/// Edge in metres of the cube for which the coefficients are meant.
const REFERENCE_SIZE: f32 = 1.3;
/// Absorption optical depth of glass across the tank: a little of the red and blue.
const GLASS: Vec3 = Vec3::new(1.1, 0.35, 0.5);

/// The liquid of a frame.
#[derive(Debug, Clone, Copy)]
pub struct TankLiquid {
    /// Its tank.
    pub(crate) tank: LiquidTank,
    /// Cell size of the simulation, or about a hundredth of the tank.
    pub(crate) cell: f32,
}

/// The liquid of a frame: one without land whose water is a closed surface, or that has a distance field. Its tank is the
/// domain of the simulation, which a body of revolution has as well.
pub fn find(spec: &PreviewSpec, frame: &Frame) -> Option<TankLiquid> {
    let is_closed =
        |mesh: &Mesh| mesh.material == Material::Water && matches!(mesh.triangles, Triangles::List(_));
    let is_ground = |mesh: &Mesh| mesh.material == Material::Ground;
    let field = distance(frame);
    if frame.meshes.iter().any(is_ground) || !(frame.meshes.iter().any(is_closed) || field.is_some()) {
        return None;
    }
    let revolved = revolved(frame);
    let domain = || field.map(box_of).or_else(|| revolved.map(|body| body.bounds.map(single)));
    let [low, high] = spec.liquid.corners.or_else(domain).unwrap_or_else(|| bounds(frame));
    let is_sound = low.is_finite() && high.is_finite() && (high - low).min_element() > 0.0;
    let [low, high] = if is_sound { [low, high] } else { [Vec3::ZERO, Vec3::ONE] };
    let tank = LiquidTank { low, high, kind: spec.liquid.tank };
    let cell = field.map(|field| field.spacing[0]).or_else(|| revolved.map(|body| body.cell));
    let cell = cell.map_or(0.01 * tank.size(), |cell| cell as f32);
    Some(TankLiquid { tank, cell: cell.clamp(1e-4 * tank.size(), 0.1 * tank.size()) })
}

// The distance field of a liquid in space.
fn distance(frame: &Frame) -> Option<&Field> {
    let is_in_space = |field: &&Field| field.size.iter().all(|&count| count > 1);
    frame.fields.iter().filter(|field| field.quantity == Quantity::SurfaceDistance).find(is_in_space)
}

// The box of a body of revolution, which has no distance field.
fn revolved(frame: &Frame) -> Option<&Implicit> {
    frame.surfaces.iter().find_map(|surface| match &surface.shape {
        SurfaceShape::Implicit(body) if body.bounds[1][2] > body.bounds[0][2] => Some(body),
        SurfaceShape::Heights(_)
        | SurfaceShape::Sheet(_)
        | SurfaceShape::Mesh(_)
        | SurfaceShape::Implicit(_)
        | SurfaceShape::Curve(_) => None,
    })
}

fn single(at: [f64; 3]) -> Vec3 {
    Vec3::from(at.map(|x| x as f32))
}

fn box_of(field: &Field) -> [Vec3; 2] {
    let (origin, spacing) = (single(field.origin), single(field.spacing));
    let low = origin - 0.5 * spacing;
    [low, low + spacing * Vec3::from(field.size.map(|count| count as f32))]
}

fn bounds(frame: &Frame) -> [Vec3; 2] {
    let bounds = frame.bounds().map(|(low, high)| [Vec3::from(low), Vec3::from(high)]);
    bounds.unwrap_or([Vec3::ZERO, Vec3::ONE])
}

/// Renders the radiance of a picture of a liquid.
pub fn render(
    liquid: &TankLiquid,
    spec: &PreviewSpec,
    sky: &Sky,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
) -> Result<RadianceImage, DrawError> {
    let tank = liquid.tank;
    // Geometry, camera and media.
    let geometry = scene_geometry(liquid, spec, frame)?;
    let eye = view.eye(&Subject::Tank(tank.corners()), size[0], size[1]);
    let intersector = TankIntersector::new(&geometry, tank, liquid.cell, &spec.liquid.glass);
    let media = liquid.media(spec);
    // Rays end just above the bottom of the liquid, which lies on the floor.
    let floor = tank.low.z + 2.0 * media.step;
    let sunlight = FloorSunlight::new(&tank, floor, sky.sun, &[sky.sun], |from, direction| {
        trace_sun_ray(&intersector, &media, floor, from, direction)
    });
    // Surroundings.
    let is_outdoors = spec.backdrop == BackdropKind::Sky;
    let is_dark = spec.backdrop == BackdropKind::Dark;
    let studio = (!is_outdoors).then(|| match tank.kind {
        TankKind::Bare => StudioBackdrop::around([tank.low.with_z(tank.ground()), tank.high], sky, is_dark),
        _ => StudioBackdrop::under(tank.slab(), sky, is_dark),
    });
    let heading = eye.forward.truncate().normalize_or_zero();
    let environment = TankEnvironment { sky, studio, sunlight, tank, heading };
    // Layers, and the shader of all pixels.
    let particles = ParticleSpheres::new(geometry.spheres.iter(), particle_layer(&spec.liquid));
    let overlay = LineOverlay::of_layers(liquid, &spec.liquid.layers, frame, &eye, size[1]);
    let tracer = WhittedTracer { intersector: &intersector, environment: &environment, media };
    let shader = LiquidShader {
        eye: &eye,
        intersector: &intersector,
        tracer,
        particles,
        samples: spec.samples.clamp(1, 8),
    };
    Ok(shade(&shader, &geometry, &overlay, &eye, size))
}

fn shade(
    shader: &LiquidShader<'_>,
    geometry: &SceneGeometry<'_>,
    overlay: &LineOverlay,
    eye: &PinholeCamera,
    [width, height]: [usize; 2],
) -> RadianceImage {
    let raster = Rasteriser::new(eye, geometry, [width, height], shader.samples, BAND, |_| true);
    let mut light = RadianceImage::filled(width, height, [0.0; 3]);
    light.pixels.par_chunks_mut((BAND * width).max(1)).enumerate().for_each(|(index, pixels)| {
        let band = raster.rasterise_band(index);
        shader.shade_band(&band, index * BAND, width, pixels);
        overlay.draw(index, &band, shader.samples, width, pixels);
    });
    light
}

/// Everything of a frame that is shown, with the tank around it.
pub(crate) fn scene_geometry<'f>(
    liquid: &TankLiquid,
    spec: &PreviewSpec,
    frame: &'f Frame,
) -> Result<SceneGeometry<'f>, DrawError> {
    let parts = [liquid.tank.base(), liquid.tank.edges()];
    let parts = parts.into_iter().flatten().map(|mesh| (mesh, PrimitiveKind::Tank)).collect();
    let mut geometry = SceneGeometry::new(frame, Vec::new(), false, parts)?;
    let (shows_water, shows_bodies) = (spec.liquid.shows_water(), spec.liquid.shows_bodies());
    let shown = particle_layer(&spec.liquid);
    geometry.keep(
        |surface| match surface.mesh.material {
            _ if surface.kind == PrimitiveKind::Tank => true,
            Material::Water => shows_water,
            _ => shows_bodies,
        },
        // The liquid's own particles are shown only by a layer of particles.
        |cloud| match shown {
            Some(look) => look.cloud.as_ref().is_none_or(|name| *name == cloud.points.name),
            None => cloud.points.role != CloudRole::Liquid,
        },
    );
    Ok(geometry)
}

fn particle_layer(spec: &LiquidSpec) -> Option<&crate::flat::ParticleLayer> {
    spec.layers.iter().find_map(|layer| match &layer.show {
        LayerContent::Particles(look) => Some(look),
        _ => None,
    })
}

impl TankLiquid {
    /// The optical coefficients of its media.
    pub(crate) fn media(&self, spec: &PreviewSpec) -> Media {
        let size = self.tank.size();
        // In a long tank the view passes through its short side.
        let sides = self.tank.high - self.tank.low;
        let mean = (sides.x * sides.y * sides.z).cbrt().clamp(0.05 * size, size);
        let strength = if spec.liquid.fits_tank { REFERENCE_SIZE / mean } else { 1.0 };
        let look = if spec.liquid.fits_tank { super::WaterLook::in_tank() } else { spec.look };
        let look = super::WaterLook {
            absorption: look.absorption * strength,
            scattering: look.scattering * strength,
        };
        let reach = self.tank.low.abs().max(self.tank.high.abs()).max_element().max(size);
        Media {
            look,
            glass: GLASS / size,
            dye: 8.0 * spec.liquid.dye / size,
            dye_scatters: 0.35,
            solid: spec.solid.into(),
            step: 2e-5 * reach,
            contact: self.cell,
        }
    }
}
