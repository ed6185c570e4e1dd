//! Drops of spray and bubbles of air: little balls that bend light.
//!
//! A ball is small against all else, so that light is followed through it in one go: it enters, is mirrored inside as often
//! as Fresnel's law has it, and leaves where that ends. On a sphere every chord meets the surface at the same angle, from
//! within and without, so that one share of mirrored light holds for all of them. A drop that is smaller than the beam that
//! meets it is a white speck instead: what it bends goes everywhere.

use glam::Vec3;

use super::boundary::part;
use super::light::Way;
use super::numbers::Numbers;
use super::path::{Ray, Seen, Step, Waiting, Walker};
use super::touch::{Stuff, Touch};
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};

/// A ball whose radius is smaller than this share of the beam's width is a speck.
const SPECK: f32 = 0.6;
/// Mirrored this often inside, light leaves: less than a millionth is left to be mirrored by then.
const LONGEST: usize = 32;

impl Walker<'_> {
    /// Whether what is met is a ball that bends light, seen large enough.
    pub(super) fn is_ball(&self, step: &Step, touch: &Touch) -> bool {
        let is_seen = touch.radius > SPECK * step.ray.width;
        // Under water a drop is more water, and what cannot be told apart is not there.
        touch.stuff == Stuff::Bubble || touch.stuff == Stuff::Spray && (is_seen || step.ray.inside.water)
    }

    // A ball of water in the air, or of air in water.
    pub(super) fn ball(
        &self,
        step: &mut Step,
        touch: &Touch,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let direction = step.ray.direction;
        let inner = if touch.stuff == Stuff::Spray { WATER_INDEX } else { 1.0 };
        let ratio = inner / step.ray.inside.index();
        let offset = self.place.world.step(touch.point).max(1e-4 * touch.radius);
        let cosine = -direction.dot(touch.normal);
        // A bubble that floats in the air is a thin film around it: both sides mirror, to and fro.
        let is_film = ratio == 1.0 && touch.stuff == Stuff::Bubble;
        let share = match is_film {
            true => {
                let once = fresnel(cosine, WATER_INDEX);
                2.0 * once / (1.0 + once)
            }
            false => fresnel(cosine, ratio),
        };
        if share > 0.0 {
            self.note_surface(step, touch, touch.normal, seen);
        }
        if touch.stuff == Stuff::Spray && step.scatters == 0 {
            let across = step.ray.width / touch.radius.max(1e-9);
            let sun = self.glitter(step, touch, touch.normal, 0.02 * across * across);
            self.add(step, sun, seen);
        }
        let back = Step {
            ray: Ray {
                from: touch.point + touch.normal * offset,
                direction: reflect(direction, touch.normal),
                spread: step.ray.spread + 2.0 * step.ray.width / touch.radius.max(1e-9),
                ..step.ray
            },
            way: if step.way == Way::Scattered { Way::Scattered } else { Way::Mirror },
            bounces: step.bounces + 1,
            splits: step.splits + 1,
            ..*step
        };
        let through = match refract(direction, touch.normal, ratio) {
            _ if ratio == 1.0 => Some(straight(touch, direction)),
            Some(bent) => Some(self.inside(touch, bent, ratio, share, numbers)),
            None => None,
        };
        let Some(Through { leaves, direction, way }) = through else {
            *step = back;
            return true;
        };
        let (absorbed, _) = self.place.media.losses(step.colour);
        let lost = if touch.stuff == Stuff::Spray { absorbed * way } else { Vec3::ZERO };
        let on = Step {
            ray: Ray { from: leaves + direction * offset, direction, ..back.ray },
            weight: step.weight * (-lost).map(f32::exp),
            ..back
        };
        *step = part(on, back, share, self.limits.splits, waiting, numbers);
        true
    }

    // Light inside a ball, which it entered towards `bent`.
    fn inside(&self, touch: &Touch, bent: Vec3, ratio: f32, share: f32, numbers: &mut Numbers) -> Through {
        let centre = touch.point - touch.normal * touch.radius;
        let (mut at, mut along, mut way) = (touch.point, bent, 0.0);
        for _ in 0..LONGEST {
            let chord = 2.0 * (centre - at).dot(along).max(0.0);
            at += along * chord;
            way += chord;
            let outward = (at - centre).normalize_or(along);
            let out = refract(along, -outward, 1.0 / ratio);
            if let Some(direction) = out.filter(|_| numbers.one() >= share) {
                return Through { leaves: at, direction, way };
            }
            along = reflect(along, -outward);
        }
        Through { leaves: at, direction: along, way }
    }
}

/// Light that went through a ball: where it leaves, to where, and how far it went inside.
struct Through {
    leaves: Vec3,
    direction: Vec3,
    way: f32,
}

fn straight(touch: &Touch, direction: Vec3) -> Through {
    let chord = 2.0 * touch.radius * -direction.dot(touch.normal);
    Through { leaves: touch.point + direction * chord.max(0.0), direction, way: 0.0 }
}
