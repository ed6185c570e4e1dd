//! A ray of the sun on its way down through a liquid.

use glam::Vec3;

use super::media::{Inside, Media};
use super::scenery::{Scenery, TankMaterial};
use super::sunlight::{Landed, on};
use crate::optics::{fresnel, reflect, refract};

/// Boundaries after which a ray is given up.
const LONGEST: usize = 8;

/// Follows a ray of the sun through a scenery to the level `floor`: the light that is left of it, and where it lands.
pub fn sunbeam(scenery: &Scenery<'_>, media: &Media, floor: f32, from: Vec3, along: Vec3) -> Option<Landed> {
    let (mut from, mut direction, mut light) = (from, along, Vec3::ONE);
    let (mut inside, mut colour, mut way) = (Inside::default(), None, 0_u32);
    let faded = |light: Vec3, inside: Inside, colour: Option<Vec3>, distance: f32| {
        if inside.water { media.faded(light, colour, distance.max(0.0)) } else { light }
    };
    for _ in 0..LONGEST {
        let below = if direction.z < 0.0 { (floor - from.z) / direction.z } else { f32::INFINITY };
        let Some(touch) = scenery.first(from, direction, below.max(0.0)) else {
            let point = from + direction * below;
            let light = faded(light, inside, colour, below);
            return below.is_finite().then_some(Landed { light, at: point.truncate(), way });
        };
        inside = inside.before(&touch);
        let end = if touch.material == TankMaterial::Water { touch.colour } else { None };
        light = faded(light, inside, end.or(colour), touch.distance);
        match touch.material {
            TankMaterial::Solid => return None,
            TankMaterial::Slab => return Some(Landed { light, at: touch.point.truncate(), way }),
            // Thin glass lets the sun pass straight.
            TankMaterial::Glass | TankMaterial::Edge => {
                way = on(way, 1);
                light *= 0.93;
                inside.glass = false;
                from = touch.point + direction * media.step;
            }
            TankMaterial::Water => {
                let after = inside.after(&touch);
                let ratio = after.index() / inside.index();
                match refract(direction, touch.normal, ratio) {
                    Some(bent) => {
                        way = on(way, 2 + u32::from(touch.outside));
                        light *= 1.0 - fresnel(-direction.dot(touch.normal), ratio);
                        from = touch.point - touch.face * media.step;
                        direction = touch.inwards(bent);
                        (inside, colour) = (after, touch.colour);
                    }
                    None => {
                        way = on(way, 4);
                        direction = touch.outwards(reflect(direction, touch.normal));
                        from = touch.point + touch.face * media.step;
                    }
                }
            }
        }
    }
    None
}
