//! The surface of water as a path meets it: waves that are there, ripples drawn onto them, and the roughness of what is
//! too small to be seen.

use glam::{Vec2, Vec3};

use super::matter::{Matter, WHITE};
use super::numbers::Numbers;
use super::place::{Open, Place};
use super::touch::{Stuff, Touch};
use crate::noise::smoothstep;
use crate::preview::land::Foam;

/// Thinner water than this, in metres, is a film that shows the grains below it.
const FILM: f32 = 0.006;
/// Slopes of the grains under a film, as a variance.
const GRAINS: f32 = 0.02;

impl Place<'_> {
    /// The mean normal of a surface against the ray, and the variance of the slopes within a beam `width` metres wide
    /// that the mean does not show.
    pub fn water_normal(&self, touch: &Touch, direction: Vec3, width: f32) -> (Vec3, f32) {
        let open = self.open.as_ref().filter(|_| touch.stuff == Stuff::Water);
        // The sides of a block are cut and smooth.
        let Some(open) = open.filter(|_| touch.normal.z.abs() > 0.3) else { return (touch.normal, 0.0) };
        let at = touch.point.truncate();
        let grazing = (-direction.dot(touch.normal)).clamp(0.04, 1.0);
        let footprint = width / grazing.sqrt();
        let depth = open.land.as_ref().map_or(f32::INFINITY, |land| land.depth(touch.point));
        let ripples = open.water.ripples.along(at, direction, footprint, (1.0 / grazing.sqrt()).round());
        let ripples = ripples.times(self.rippled(open, depth));
        let swell = self.swell(open, at, touch, footprint);
        let film = GRAINS * (1.0 - smoothstep(0.0, FILM, depth));
        let slopes = ripples.mean + swell.0;
        let up = if touch.outside { touch.normal } else { -touch.normal };
        let tilt = slopes.extend(0.0);
        let bumped = (up - tilt + up * tilt.dot(up)).normalize_or(up);
        let normal = if touch.outside { bumped } else { -bumped };
        let seen = -normal.dot(direction);
        let normal =
            if seen > 0.01 { normal } else { (normal - direction * (0.01 - seen)).normalize_or(touch.face) };
        (normal, ripples.variance + swell.1 + film)
    }

    /// The foam at a spot of water, as often as it covers the spot: what the water tells, or what its flow over land does.
    pub fn foam(&self, touch: &Touch, width: f32, numbers: &mut Numbers) -> Option<Matter> {
        if touch.stuff != Stuff::Water {
            return None;
        }
        let land = self.open.as_ref().and_then(|open| open.land.as_ref());
        let foam = Foam { strength: self.spec.foam, time: self.time };
        let flowing = land.map_or(0.0, |land| land.foam(foam, touch.point.truncate(), width));
        let cover = flowing.max(touch.foam);
        let albedo = if self.is_white { Vec3::ONE } else { WHITE };
        (cover > 0.0 && numbers.one() < cover).then(|| Matter::plain(albedo, touch.normal))
    }

    // Mean slopes and their variance on the sea around the sheet.
    fn swell(&self, _: &Open<'_>, at: Vec2, touch: &Touch, footprint: f32) -> (Vec2, f32) {
        let Some(sea) = &self.world.planes.sea else { return (Vec2::ZERO, 0.0) };
        let is_drawn = at.cmpge(sea.drawn[0]).all() && at.cmple(sea.drawn[1]).all();
        let Some(swell) = sea.swell.as_ref().filter(|_| !is_drawn && touch.face.z.abs() == 1.0) else {
            return (Vec2::ZERO, 0.0);
        };
        let slopes = swell.under(at, footprint);
        (slopes.mean, slopes.variance)
    }

    /// The mean radiance around a point, in which paths end that are cut off.
    pub fn ambient_at(&self, point: Vec3, in_water: bool) -> Vec3 {
        let Some(open) = &self.open else { return self.light.ambient };
        let share = open.land.as_ref().map_or(1.0, |land| land.daylight(point).1);
        let depth = if in_water { (open.water.basin.level - point.z).max(0.0) } else { 0.0 };
        self.light.ambient * share * (-self.media.look.absorption * depth).map(f32::exp)
    }
}
