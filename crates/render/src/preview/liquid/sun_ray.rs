//! Sun rays through a liquid to the floor.

use glam::Vec3;

use super::floor_sunlight::{SunRayEnd, with_event};
use super::media::{Media, RayMedium};
use super::tank_intersector::{TankIntersector, TankMaterial};
use crate::optics::{fresnel, reflect, refract};

/// Surfaces after which a ray is given up.
const MAX_SURFACES: usize = 8;

/// Traces a sun ray to the level `floor`; returns the light left and where it lands.
pub fn trace_sun_ray(
    intersector: &TankIntersector<'_>,
    media: &Media,
    floor: f32,
    from: Vec3,
    direction: Vec3,
) -> Option<SunRayEnd> {
    let (mut from, mut direction, mut light) = (from, direction, Vec3::ONE);
    let (mut medium, mut colour, mut history) = (RayMedium::default(), None, 0_u32);
    let attenuated = |light: Vec3, medium: RayMedium, colour: Option<Vec3>, distance: f32| {
        if medium.water { media.attenuated(light, colour, distance.max(0.0)) } else { light }
    };
    for _ in 0..MAX_SURFACES {
        // Up to the floor, unless something is hit before.
        let below = if direction.z < 0.0 { (floor - from.z) / direction.z } else { f32::INFINITY };
        let Some(hit) = intersector.closest_hit(from, direction, below.max(0.0)) else {
            let point = from + direction * below;
            let light = attenuated(light, medium, colour, below);
            return below.is_finite().then_some(SunRayEnd { light, at: point.truncate(), history });
        };
        medium = medium.before(&hit);
        let end = if hit.material == TankMaterial::Water { hit.colour } else { None };
        light = attenuated(light, medium, end.or(colour), hit.distance);
        match hit.material {
            TankMaterial::Solid => return None,
            TankMaterial::Slab => return Some(SunRayEnd { light, at: hit.point.truncate(), history }),
            // Refraction by thin glass is ignored.
            TankMaterial::Glass | TankMaterial::Edge => {
                history = with_event(history, 1);
                light *= 0.93;
                medium.glass = false;
                from = hit.point + direction * media.step;
            }
            // Refraction with its Fresnel transmittance, or total internal reflection.
            TankMaterial::Water => {
                let after = medium.after(&hit);
                let ratio = after.index() / medium.index();
                match refract(direction, hit.normal, ratio) {
                    Some(refracted) => {
                        history = with_event(history, 2 + u32::from(hit.is_outside));
                        light *= 1.0 - fresnel(-direction.dot(hit.normal), ratio);
                        from = hit.point - hit.face * media.step;
                        direction = hit.inwards(refracted);
                        (medium, colour) = (after, hit.colour);
                    }
                    None => {
                        history = with_event(history, 4);
                        direction = hit.outwards(reflect(direction, hit.normal));
                        from = hit.point + hit.face * media.step;
                    }
                }
            }
        }
    }
    None
}
