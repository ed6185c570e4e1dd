//! Normals and roughness of a water surface: simulated waves, ripples of wind and flow added for pictures, and the
//! variance of slopes below the footprint of a ray; foam.

use glam::{Vec2, Vec3};

use super::coated_diffuse::{CoatedDiffuse, WHITE};
use super::hit::{Hit, TraceMaterial};
use super::sampler::Sampler;
use super::scene::TraceScene;
use crate::noise::smoothstep;
use crate::preview::flow_ripples::Flow;
use crate::preview::land::Foam;

/// Water shallower than this, in metres, is a film that shows the grains of the ground.
const FILM: f32 = 0.006;
/// Variance of slopes of the grains under a film.
const GRAINS: f32 = 0.02;

impl TraceScene<'_> {
    /// Mean shading normal on the side of the ray, and the variance of slopes that a footprint of `width` metres
    /// averages out.
    pub fn water_normal(&self, hit: &Hit, direction: Vec3, width: f32) -> (Vec3, f32) {
        let open = self.open_water.as_ref().filter(|_| hit.material == TraceMaterial::Water);
        // The sides of a cut block are smooth.
        let Some(open) = open.filter(|_| hit.normal.z.abs() > 0.3) else { return (hit.normal, 0.0) };
        let at = hit.point.truncate();
        let grazing = (-direction.dot(hit.normal)).clamp(0.04, 1.0);
        let footprint = width / grazing.sqrt();
        let depth = open.land.as_ref().map_or(f32::INFINITY, |land| land.depth(hit.point));
        let count = (1.0 / grazing.sqrt()).round();
        let wind = open.water.ripples.sample_along(at, direction, footprint, count);
        let flow = open.land.as_ref().map_or(Flow::default(), |land| land.flow(hit.point));
        let flowing = open.water.ripples.flowing_along(at, flow, direction, footprint, count);
        let ripples = wind.times(self.ripple_strength(open, depth)).plus(flowing);
        let swell = self.swell(at, hit, footprint);
        let film = GRAINS * (1.0 - smoothstep(0.0, FILM, depth));
        let slopes = ripples.mean + swell.0;
        let up = if hit.is_outside { hit.normal } else { -hit.normal };
        let tilt = slopes.extend(0.0);
        let bumped = (up - tilt + up * tilt.dot(up)).normalize_or(up);
        let normal = if hit.is_outside { bumped } else { -bumped };
        let seen = -normal.dot(direction);
        let normal =
            if seen > 0.01 { normal } else { (normal - direction * (0.01 - seen)).normalize_or(hit.face) };
        (normal, ripples.variance + swell.1 + film)
    }

    /// The BSDF of foam, with the probability of its coverage: that of the foam attribute, or of the flow over land.
    pub fn foam(&self, hit: &Hit, width: f32, sampler: &mut Sampler) -> Option<CoatedDiffuse> {
        if hit.material != TraceMaterial::Water {
            return None;
        }
        let land = self.open_water.as_ref().and_then(|open| open.land.as_ref());
        let foam = Foam { strength: self.spec.foam, time: self.time };
        let flowing = land.map_or(0.0, |land| land.foam(foam, hit.point.truncate(), width));
        let cover = flowing.max(hit.foam);
        let albedo = if self.is_lossless { Vec3::ONE } else { WHITE };
        (cover > 0.0 && sampler.get_1d() < cover).then(|| CoatedDiffuse::diffuse(albedo, hit.normal))
    }

    // Mean and variance of the slopes on the sea around the mesh.
    fn swell(&self, at: Vec2, hit: &Hit, footprint: f32) -> (Vec2, f32) {
        let Some(sea) = &self.intersector.planes.sea else { return (Vec2::ZERO, 0.0) };
        let is_drawn = at.cmpge(sea.drawn[0]).all() && at.cmple(sea.drawn[1]).all();
        let Some(swell) = sea.swell.as_ref().filter(|_| !is_drawn && hit.face.z.abs() == 1.0) else {
            return (Vec2::ZERO, 0.0);
        };
        let slopes = swell.sample(at, footprint);
        (slopes.mean, slopes.variance)
    }

    /// Mean radiance around a point, which ends paths that are cut off.
    pub fn ambient_at(&self, point: Vec3, in_water: bool) -> Vec3 {
        let Some(open) = &self.open_water else { return self.environment.ambient };
        let visible_sky = open.land.as_ref().map_or(1.0, |land| land.daylight(point).1);
        let depth = if in_water { (open.water.basin.level - point.z).max(0.0) } else { 0.0 };
        self.environment.ambient * visible_sky * (-self.media.look.absorption * depth).map(f32::exp)
    }
}
