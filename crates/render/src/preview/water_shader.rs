//! How water looks: what it mirrors, what shines through it, and the glitter of the sun.
//!
//! Light from a smooth facet is split by the exact Fresnel law. A pixel that covers many facets sees them as a Gaussian
//! of slopes with some variance: the mirrored sky is blurred, the sun becomes a glitter path (a GGX lobe of the same
//! variance [walter2007]), and at grazing angles the facets that lean towards the eye are seen most, which darkens
//! the far water as it does in nature. Inside, light fades by Beer's law per colour down to the bed and back, and the
//! water itself scatters some. Waves do not mirror each other: a ray that leaves downwards meets a mean sea.

use std::f32::consts::{FRAC_1_PI, FRAC_PI_2, PI};

use glam::{Vec2, Vec3};

use super::basin::{Basin, Beyond};
use super::bed::BedKind;
use super::look::WaterLook;
use super::ripples::Ripples;
use super::slope_map::Slopes;
use super::treeline::Treeline;
use crate::noise::smoothstep;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::sky::{SUN_RADIUS, Sky};

/// What is seen of solid things below the surface.
#[derive(Debug, Clone, Copy)]
pub struct RefractedHit {
    /// Light that leaves them, as if there were no water.
    pub radiance: Vec3,
    /// Length of the path through the water.
    pub path: f32,
}

/// What a spot of water has around it.
pub trait WaterEnvironment {
    /// Solid things under the surface along the refracted direction.
    fn below(&self, ray: Vec3) -> Option<RefractedHit>;

    /// The light of land that the mirrored direction meets, blurred over about `spread` radians, and the fraction of the
    /// mirror that it fills.
    fn mirrored(&self, ray: Vec3, spread: f32) -> Option<(Vec3, f32)>;

    /// How often the sun of still water the simulated waves send to a point of the bed, over about `footprint` metres.
    fn gathered(&self, _end: Vec3, _footprint: f32) -> f32 {
        1.0
    }
}

/// Water with nothing around it.
pub struct NoEnvironment;

impl WaterEnvironment for NoEnvironment {
    fn below(&self, _: Vec3) -> Option<RefractedHit> {
        None
    }

    fn mirrored(&self, _: Vec3, _: f32) -> Option<(Vec3, f32)> {
        None
    }
}

/// A spot of water surface under a pixel or sample.
#[derive(Debug, Clone, Copy)]
pub struct ShadingPoint {
    /// The point.
    pub point: Vec3,
    /// Unit normal without ripples, upwards.
    pub normal: Vec3,
    /// Variance of the slopes that the normal does not show, per axis.
    pub variance: f32,
    /// Distance from the eye.
    pub distance: f32,
    /// Width of the spot across the view, in metres.
    pub width: f32,
    /// Fraction of the small ripples that are on it.
    pub rippled: f32,
    /// Fraction of the sun that reaches it.
    pub sunlit: f32,
}

/// Everything that shades water.
pub struct WaterShader<'a> {
    /// The light.
    pub sky: &'a Sky,
    /// Ripples on top of the simulated waves.
    pub ripples: Ripples,
    /// The ground below.
    pub basin: Basin,
    /// What the bed is made of.
    pub bed: BedKind,
    /// The inner look.
    pub look: WaterLook,
    /// Height of the highest crests above the level, in metres.
    pub crest: f32,
    /// The wood around a pond.
    pub treeline: Option<Treeline>,
    /// The light of endlessly deep water.
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

    /// The light that comes from a spot to the eye against `direction`, before haze.
    pub fn shade(&self, spot: &ShadingPoint, direction: Vec3, around: &impl WaterEnvironment) -> Vec3 {
        let at = Vec2::new(spot.point.x, spot.point.y);
        let grazing = (-direction.dot(spot.normal)).clamp(0.04, 1.0);
        // A pixel's trace is long and thin at grazing angles: some spots in a row, each as wide as the mean of both.
        let footprint = spot.width / grazing.sqrt();
        let ripples = self.ripples.sample_along(at, direction, footprint, (1.0 / grazing.sqrt()).round());
        let facet = Microfacets::new(spot, ripples.times(spot.rippled), direction);
        let mirrored = self.mirrored(&facet, direction, around);
        let inner = self.inner(spot, &facet, direction, footprint, around);
        let reflectance = fresnel(facet.cosine, WATER_INDEX);
        mirrored * reflectance + inner * (1.0 - reflectance) + self.glitter(&facet, direction) * spot.sunlit
    }

    fn mirrored(&self, facet: &Microfacets, direction: Vec3, around: &impl WaterEnvironment) -> Vec3 {
        let ray = reflect(direction, facet.leaning);
        let lifted = Vec3::new(ray.x, ray.y, soft_above(ray.z)).normalize_or(Vec3::Z);
        let spread = 2.2 * facet.variance.sqrt();
        let land = around.mirrored(lifted, spread);
        if let Some((land, 1.0)) = land {
            return land;
        }
        let sky = self.sky.blurred_radiance(lifted, spread);
        // A sharp image of the wood's edge would flicker as thin dark lines on the crests.
        let sky = self.treeline.as_ref().map_or(sky, |treeline| treeline.over(lifted, spread.max(0.04), sky));
        // A ray that leaves downwards meets another wave, which mirrors the sky in part and shows its own depth.
        let blocked = smoothstep(0.06, -0.30, ray.z);
        let sky = if blocked > 0.0 { sky.lerp(sky * 0.35 + self.deep, 0.85 * blocked) } else { sky };
        land.map_or(sky, |(land, fraction)| sky.lerp(land, fraction))
    }

    // The glitter of the sun: F D G / (4 cos), with the sun's own width added to the lobe's.
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
        let towards_sun = facet.normal.dot(self.sky.sun).max(0.0);
        let shadowed = towards_sun / (towards_sun + 0.4 * width.sqrt()).max(1e-4);
        let reflectance = fresnel(-direction.dot(half), WATER_INDEX);
        let glitter = self.sky.sunlight * (reflectance * density * shadowed / (4.0 * facet.cosine.max(0.03)));
        // Brighter than this cannot be told apart in a picture, but would make single samples outweigh their pixel.
        let brightest = 1500.0;
        glitter * (brightest / (brightest + glitter.max_element()))
    }

    fn inner(
        &self,
        spot: &ShadingPoint,
        facet: &Microfacets,
        direction: Vec3,
        footprint: f32,
        around: &impl WaterEnvironment,
    ) -> Vec3 {
        let ray = refract(direction, facet.leaning, WATER_INDEX).unwrap_or(-facet.leaning);
        let ray = if ray.z > -0.05 { ray.with_z(-0.05).normalize() } else { ray };
        let extinction = self.look.extinction();
        let solid = around.below(ray);
        let path = solid.map_or_else(|| self.basin.reach(spot.point, ray), |solid| solid.path);
        let left = (-extinction * path).map(f32::exp);
        let lit = 0.35 + 0.65 * spot.sunlit;
        let scattered = (self.deep + self.glow(spot, facet, direction)) * lit * (Vec3::ONE - left);
        if left.max_element() < 2e-3 {
            return scattered;
        }
        let depth = path * -ray.z;
        let end = spot.point + ray * path;
        // Light comes down at the slant of the sun's rays before it goes up the path.
        let slant = depth / (-self.sun_below.z).max(0.3);
        let through = (-extinction * slant).map(f32::exp);
        let bottom = match solid {
            Some(solid) => solid.radiance,
            None => {
                let gathered = around.gathered(end, footprint);
                let light = self.light_below(end - self.sun_below * slant, depth, footprint, gathered);
                self.bed.albedo(Vec2::new(end.x, end.y), footprint) * light * FRAC_1_PI
            }
        };
        scattered + bottom * through * left
    }

    // Light that enters at a point of the surface and arrives at a depth, were the water clear. Ripples focus it: a
    // bent surface is a lens, and neighbouring rays close in by 1 − depth × power.
    fn light_below(&self, entry: Vec3, depth: f32, footprint: f32, gathered: f32) -> Vec3 {
        let focus = gathered * self.focus(Vec2::new(entry.x, entry.y), depth, footprint, 1.0);
        let sun = self.sky.sunlight * (self.sky.sun.z.max(0.0) * self.sun_entering * focus);
        sun + self.sky.skylight * 0.93
    }

    /// The sun on a level bed under still, clear water, in units of the sun's light on a surface that faces it.
    pub fn sun_arriving(&self) -> f32 {
        (self.sky.sun.z * self.sun_entering).max(1e-4)
    }

    /// Light of the sun at a depth over that under still water, where a share `rippled` of the ripples gathers it.
    pub fn focus(&self, entry: Vec2, depth: f32, footprint: f32, rippled: f32) -> f32 {
        // The sun's width blurs the pattern with depth.
        let blur = footprint.max(0.04 * depth).max(0.03);
        let lens = self.ripples.under(entry, blur);
        let power = -0.25 * rippled * lens.curvature * depth.min(1.6);
        (1.0 / ((1.0 - power).abs() + 0.16)).clamp(0.35, 3.6) * 1.05
    }

    /// Where the sunlight that arrives `depth` below a level surface at `end` came in.
    pub fn entry(&self, end: Vec3, depth: f32) -> Vec2 {
        let entry = end - self.sun_below * (depth / (-self.sun_below.z).max(0.3));
        Vec2::new(entry.x, entry.y)
    }

    // Sunlight that shines through the thin upper part of a wave towards the eye.
    fn glow(&self, spot: &ShadingPoint, facet: &Microfacets, direction: Vec3) -> Vec3 {
        let height = ((spot.point.z - self.basin.level) / self.crest.max(0.02)).clamp(0.0, 1.0);
        let level = Vec2::new(direction.x, direction.y);
        let towards = Vec2::new(self.sky.sun.x, self.sky.sun.y).dot(level).max(0.0);
        let steep = (1.0 - facet.normal.z).min(0.25) * 4.0;
        let strength =
            (self.crest / 0.8).min(1.0) * height * (0.25 * height + 1.6 * steep) * (0.15 + towards * towards);
        self.sky.sunlight * self.look.deep_albedo().map(f32::sqrt) * (0.055 * strength)
    }

    /// What an eye under water sees of the surface above it: the sky through a window, and the depths around it.
    pub fn shade_from_below(&self, spot: &ShadingPoint, direction: Vec3) -> Vec3 {
        let at = Vec2::new(spot.point.x, spot.point.y);
        let ripples = self.ripples.under(at, spot.width);
        let normal = -bumped(spot.normal, ripples.mean);
        let reflectance = fresnel(-direction.dot(normal), 1.0 / WATER_INDEX);
        let sky = refract(direction, normal, 1.0 / WATER_INDEX)
            .map_or(Vec3::ZERO, |ray| self.sky.radiance(ray, 0.01));
        self.sink(self.deep * reflectance + sky * (1.0 - reflectance), spot.distance)
    }

    /// Light after a way through the water.
    pub fn sink(&self, radiance: Vec3, path: f32) -> Vec3 {
        let left = (-self.look.extinction() * path).map(f32::exp);
        radiance * left + self.deep * (Vec3::ONE - left)
    }

    /// Whether the ground stands above the water at this point.
    pub fn is_dry(&self, point: Vec3) -> bool {
        self.basin.beyond == Beyond::Shore && self.basin.ground(Vec2::new(point.x, point.y)) > point.z
    }
}

/// The facets of a spot: their mean normal and spread, and the mean of those that the eye sees.
struct Microfacets {
    normal: Vec3,
    leaning: Vec3,
    cosine: f32,
    variance: f32,
}

impl Microfacets {
    fn new(spot: &ShadingPoint, ripples: Slopes, direction: Vec3) -> Self {
        let normal = bumped(spot.normal, ripples.mean);
        let variance = spot.variance + ripples.variance;
        // Facets are seen in proportion to their cosine to the eye. For Gaussian slopes the mean cosine of those seen
        // is σ √(π/2) at grazing and tends to c for c ≫ σ; this joins both ends.
        let cosine = -direction.dot(normal);
        let seen = 0.5 * (cosine + (cosine * cosine + 4.0 * FRAC_PI_2 * variance).sqrt());
        let seen = seen.max(0.01);
        let leaning =
            if seen == cosine { normal } else { (normal - direction * (seen - cosine)).normalize_or(normal) };
        Microfacets { normal, leaning, cosine: seen.min(1.0), variance }
    }
}

/// A normal tilted by slopes.
fn bumped(normal: Vec3, slopes: Vec2) -> Vec3 {
    let tilt = Vec3::new(slopes.x, slopes.y, 0.0);
    (normal - tilt + normal * tilt.dot(normal)).normalize_or(normal)
}

// Hardly changes heights above the horizon and folds those below softly onto it.
fn soft_above(z: f32) -> f32 {
    0.5 * (z + (z * z + 0.0008).sqrt())
}
