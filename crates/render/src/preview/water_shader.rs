//! Water shading: reflection, refraction and sun glitter.
//!
//! Radiance is split by the exact Fresnel equations. The microfacets within a pixel have Gaussian slopes of some variance:
//! the reflected sky is prefiltered, the sun becomes a glitter path (a GGX lobe of the same variance [walter2007]), and at
//! grazing angles facets that face the camera are weighted by their projected area, which darkens distant water as in
//! nature. Inside the water, light is attenuated by Beer's law per channel down to the bed and back, and scattered in.
//! There are no interreflections between waves: a reflected ray that points down sees a mean sea.

use std::f32::consts::{FRAC_1_PI, FRAC_PI_2, PI};

use glam::{Vec2, Vec3};

use super::basin::{Basin, Beyond};
use super::bed::BedKind;
use super::flow_ripples::Flow;
use super::look::WaterLook;
use super::ripples::Ripples;
use super::slope_map::Slopes;
use super::treeline::Treeline;
use crate::noise::smoothstep;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::sky::{SUN_RADIUS, Sky};

/// What a refracted ray meets.
#[derive(Debug, Clone, Copy)]
pub struct RefractedHit {
    /// Radiance, as if there were no water.
    pub radiance: Vec3,
    /// Path length in the water.
    pub path: f32,
}

/// What secondary rays of water meet.
pub trait WaterEnvironment {
    /// Geometry under the surface along the refracted ray.
    fn refracted(&self, ray: Vec3) -> Option<RefractedHit>;

    /// Radiance of land along the reflected ray, filtered over about `spread` radians, and the fraction of the lobe that it
    /// fills.
    fn reflected(&self, ray: Vec3, spread: f32) -> Option<(Vec3, f32)>;

    /// Caustics at a point of the bed, relative to still water, filtered over about `footprint` metres.
    fn caustic_factor(&self, _end: Vec3, _footprint: f32) -> f32 {
        1.0
    }
}

/// Open water without other geometry.
pub struct NoEnvironment;

impl WaterEnvironment for NoEnvironment {
    fn refracted(&self, _: Vec3) -> Option<RefractedHit> {
        None
    }

    fn reflected(&self, _: Vec3, _: f32) -> Option<(Vec3, f32)> {
        None
    }
}

/// Shading point: the water surface under a pixel or sample.
#[derive(Debug, Clone, Copy)]
pub struct ShadingPoint {
    /// The point.
    pub point: Vec3,
    /// Unit normal without ripples, upwards.
    pub normal: Vec3,
    /// Slope variance per axis below the resolution of the normal.
    pub variance: f32,
    /// Distance from the camera.
    pub distance: f32,
    /// Width of the footprint across the view, in metres.
    pub width: f32,
    /// Amplitude factor of the small ripples, 0 to 1.
    pub rippled: f32,
    /// The flow, which has ripples of its own.
    pub flow: Flow,
    /// Visibility of the sun, 0 to 1.
    pub sunlit: f32,
}

/// Parameters of water shading.
pub struct WaterShader<'a> {
    /// Sky and sun.
    pub sky: &'a Sky,
    /// Ripples on top of the simulated waves.
    pub ripples: Ripples,
    /// The ground below.
    pub basin: Basin,
    /// Material of the bed.
    pub bed: BedKind,
    /// Optical properties of the water.
    pub look: WaterLook,
    /// Height of the highest crests above the rest level, in metres.
    pub crest: f32,
    /// The trees around a pond.
    pub treeline: Option<Treeline>,
    /// Radiance of infinitely deep water.
    pub deep: Vec3,
    sun_below: Vec3,
    sun_entering: f32,
}

impl<'a> WaterShader<'a> {
    /// Water in a basin under a sky.
    pub fn new(
        sky: &'a Sky,
        ripples: Ripples,
        basin: Basin,
        bed: BedKind,
        look: WaterLook,
        crest: f32,
        treeline: Option<Treeline>,
    ) -> Self {
        let cosine = sky.sun.z.max(0.0);
        let sun_entering = if cosine > 0.0 { 1.0 - fresnel(cosine, WATER_INDEX) } else { 0.0 };
        let light = sky.sunlight * cosine * sun_entering + sky.skylight * 0.93;
        let deep = light * look.deep_albedo() * FRAC_1_PI;
        let sun_below = refract(-sky.sun, Vec3::Z, WATER_INDEX).unwrap_or(-Vec3::Z);
        WaterShader { sky, ripples, basin, bed, look, crest, treeline, deep, sun_below, sun_entering }
    }

    /// The radiance of a shading point seen along `direction`, before aerial perspective:
    /// L = F L_reflected + (1 − F) L_inner + L_glitter.
    pub fn shade(
        &self,
        shading_point: &ShadingPoint,
        direction: Vec3,
        environment: &impl WaterEnvironment,
    ) -> Vec3 {
        let at = Vec2::new(shading_point.point.x, shading_point.point.y);
        let grazing = (-direction.dot(shading_point.normal)).clamp(0.04, 1.0);
        // The footprint is elongated at grazing angles: filter anisotropically by several samples along it
        let footprint = shading_point.width / grazing.sqrt();
        let count = (1.0 / grazing.sqrt()).round();
        let wind = self.ripples.sample_along(at, direction, footprint, count).times(shading_point.rippled);
        let flowing = self.ripples.flowing_along(at, shading_point.flow, direction, footprint, count);
        let facet = Microfacets::new(shading_point, wind.plus(flowing), direction);
        let reflected = self.reflected(&facet, direction, environment);
        let inner = self.inner(shading_point, &facet, direction, footprint, environment);
        let reflectance = fresnel(facet.cosine, WATER_INDEX);
        reflected * reflectance
            + inner * (1.0 - reflectance)
            + self.glitter(&facet, direction) * shading_point.sunlit
    }

    fn reflected(&self, facet: &Microfacets, direction: Vec3, environment: &impl WaterEnvironment) -> Vec3 {
        let ray = reflect(direction, facet.visible_normal);
        let lifted = Vec3::new(ray.x, ray.y, smooth_positive(ray.z)).normalize_or(Vec3::Z);
        let spread = 2.2 * facet.variance.sqrt();
        let land = environment.reflected(lifted, spread);
        if let Some((land, 1.0)) = land {
            return land;
        }
        let sky = self.sky.blurred_radiance(lifted, spread);
        // A sharp reflection of the treeline's edge would alias to thin dark lines on the crests
        let sky = self.treeline.as_ref().map_or(sky, |treeline| treeline.over(lifted, spread.max(0.04), sky));
        // A reflected ray that points down meets another wave: part of the sky's reflection plus deep water
        let blocked = smoothstep(0.06, -0.30, ray.z);
        let sky = if blocked > 0.0 { sky.lerp(sky * 0.35 + self.deep, 0.85 * blocked) } else { sky };
        land.map_or(sky, |(land, fraction)| sky.lerp(land, fraction))
    }

    // Sun glitter: F D G / (4 cos θ) with the GGX distribution D; the angular size of the sun widens the lobe.
    fn glitter(&self, facet: &Microfacets, direction: Vec3) -> Vec3 {
        let half = (self.sky.sun - direction).normalize_or(Vec3::Z);
        let cosine = half.dot(facet.normal);
        if cosine <= 0.0 || self.sky.sun.z <= -0.05 {
            return Vec3::ZERO;
        }
        let width = 2.0 * facet.variance + 2.0 * SUN_RADIUS * SUN_RADIUS;
        let squared = cosine * cosine;
        let base = 1.0 + squared * (width - 1.0);
        let density = width / (PI * base * base);
        let cos_sun = facet.normal.dot(self.sky.sun).max(0.0);
        let shadowed = cos_sun / (cos_sun + 0.4 * width.sqrt()).max(1e-4);
        let reflectance = fresnel(-direction.dot(half), WATER_INDEX);
        let glitter = self.sky.sunlight * (reflectance * density * shadowed / (4.0 * facet.cosine.max(0.03)));
        // Soft clamp: single samples must not dominate their pixel (fireflies)
        let brightest = 1500.0;
        glitter * (brightest / (brightest + glitter.max_element()))
    }

    fn inner(
        &self,
        shading_point: &ShadingPoint,
        facet: &Microfacets,
        direction: Vec3,
        footprint: f32,
        environment: &impl WaterEnvironment,
    ) -> Vec3 {
        // Path of the refracted ray to the bed or to geometry in the water
        let ray = refract(direction, facet.visible_normal, WATER_INDEX).unwrap_or(-facet.visible_normal);
        let ray = if ray.z > -0.05 { ray.with_z(-0.05).normalize() } else { ray };
        let extinction = self.look.extinction();
        let solid = environment.refracted(ray);
        let path =
            solid.map_or_else(|| self.basin.distance_to_bed(shading_point.point, ray), |solid| solid.path);
        // In-scattered light, 1 − exp(−σ s) of that of deep water
        let transmittance = (-extinction * path).map(f32::exp);
        let lit = 0.35 + 0.65 * shading_point.sunlit;
        let scattered =
            (self.deep + self.glow(shading_point, facet, direction)) * lit * (Vec3::ONE - transmittance);
        if transmittance.max_element() < 2e-3 {
            return scattered;
        }
        let depth = path * -ray.z;
        let end = shading_point.point + ray * path;
        // Attenuation of the sunlight on its slanted way down to the bed
        let slant = depth / (-self.sun_below.z).max(0.3);
        let through = (-extinction * slant).map(f32::exp);
        let bottom = match solid {
            Some(solid) => solid.radiance,
            None => {
                let caustic_factor = environment.caustic_factor(end, footprint);
                let light = self.light_below(end - self.sun_below * slant, depth, footprint, caustic_factor);
                self.bed.albedo(Vec2::new(end.x, end.y), footprint) * light * FRAC_1_PI
            }
        };
        scattered + bottom * through * transmittance
    }

    // Irradiance at a depth below a point of the surface, without attenuation. Ripples focus it as thin lenses: the cross
    // section of a beam changes by 1 − depth × power.
    fn light_below(&self, entry: Vec3, depth: f32, footprint: f32, caustic_factor: f32) -> Vec3 {
        let focus = caustic_factor * self.focus(Vec2::new(entry.x, entry.y), depth, footprint, 1.0);
        let sun = self.sky.sunlight * (self.sky.sun.z.max(0.0) * self.sun_entering * focus);
        sun + self.sky.skylight * 0.93
    }

    /// Irradiance of the sun on a level bed under still, clear water, relative to that at normal incidence: T cos θ.
    pub fn sun_arriving(&self) -> f32 {
        (self.sky.sun.z * self.sun_entering).max(1e-4)
    }

    /// Irradiance of the sun at a depth under ripples of amplitude factor `rippled`, relative to still water.
    pub fn focus(&self, entry: Vec2, depth: f32, footprint: f32, rippled: f32) -> f32 {
        // The angular size of the sun blurs the pattern with depth
        let blur = footprint.max(0.04 * depth).max(0.03);
        let lens = self.ripples.sample(entry, blur);
        let power = -0.25 * rippled * lens.curvature * depth.min(1.6);
        (1.0 / ((1.0 - power).abs() + 0.16)).clamp(0.35, 3.6) * 1.05
    }

    /// Point of a level surface where sunlight that arrives at `end`, `depth` below, has entered.
    pub fn entry(&self, end: Vec3, depth: f32) -> Vec2 {
        let entry = end - self.sun_below * (depth / (-self.sun_below.z).max(0.3));
        Vec2::new(entry.x, entry.y)
    }

    // Subsurface scattering of sunlight through wave crests towards the camera.
    fn glow(&self, shading_point: &ShadingPoint, facet: &Microfacets, direction: Vec3) -> Vec3 {
        let height = ((shading_point.point.z - self.basin.level) / self.crest.max(0.02)).clamp(0.0, 1.0);
        let level = Vec2::new(direction.x, direction.y);
        let towards = Vec2::new(self.sky.sun.x, self.sky.sun.y).dot(level).max(0.0);
        let steep = (1.0 - facet.normal.z).min(0.25) * 4.0;
        let strength =
            (self.crest / 0.8).min(1.0) * height * (0.25 * height + 1.6 * steep) * (0.15 + towards * towards);
        self.sky.sunlight * self.look.deep_albedo().map(f32::sqrt) * (0.055 * strength)
    }

    /// The radiance of the surface seen from below: the sky inside Snell's window, total internal reflection around it.
    pub fn shade_from_below(&self, shading_point: &ShadingPoint, direction: Vec3) -> Vec3 {
        let at = Vec2::new(shading_point.point.x, shading_point.point.y);
        let ripples = self.ripples.sample(at, shading_point.width);
        let normal = -perturbed_normal(shading_point.normal, ripples.mean);
        let reflectance = fresnel(-direction.dot(normal), 1.0 / WATER_INDEX);
        let sky = refract(direction, normal, 1.0 / WATER_INDEX)
            .map_or(Vec3::ZERO, |ray| self.sky.radiance(ray, 0.01));
        self.attenuate(self.deep * reflectance + sky * (1.0 - reflectance), shading_point.distance)
    }

    /// Radiance after a path through the water: L exp(−σ s) + L_deep (1 − exp(−σ s)).
    pub fn attenuate(&self, radiance: Vec3, path: f32) -> Vec3 {
        let transmittance = (-self.look.extinction() * path).map(f32::exp);
        radiance * transmittance + self.deep * (Vec3::ONE - transmittance)
    }

    /// Whether the ground stands above the water at this point.
    pub fn is_dry(&self, point: Vec3) -> bool {
        self.basin.beyond == Beyond::Shore && self.basin.ground(Vec2::new(point.x, point.y)) > point.z
    }
}

/// Microfacets of a shading point: mean normal, slope variance, and mean visible facet.
struct Microfacets {
    normal: Vec3,
    visible_normal: Vec3,
    cosine: f32,
    variance: f32,
}

impl Microfacets {
    fn new(shading_point: &ShadingPoint, ripples: Slopes, direction: Vec3) -> Self {
        let normal = perturbed_normal(shading_point.normal, ripples.mean);
        let variance = shading_point.variance + ripples.variance;
        // Facets are visible in proportion to their cosine to the camera. For Gaussian slopes the mean cosine of the visible
        // ones is σ √(π/2) at grazing and tends to c for c ≫ σ; this interpolates between both limits.
        let cosine = -direction.dot(normal);
        let seen = 0.5 * (cosine + (cosine * cosine + 4.0 * FRAC_PI_2 * variance).sqrt());
        let seen = seen.max(0.01);
        let visible_normal =
            if seen == cosine { normal } else { (normal - direction * (seen - cosine)).normalize_or(normal) };
        Microfacets { normal, visible_normal, cosine: seen.min(1.0), variance }
    }
}

/// A normal tilted by slopes.
fn perturbed_normal(normal: Vec3, slopes: Vec2) -> Vec3 {
    let tilt = Vec3::new(slopes.x, slopes.y, 0.0);
    (normal - tilt + normal * tilt.dot(normal)).normalize_or(normal)
}

// Smooth maximum of z and 0.
fn smooth_positive(z: f32) -> f32 {
    0.5 * (z + (z * z + 0.0008).sqrt())
}
