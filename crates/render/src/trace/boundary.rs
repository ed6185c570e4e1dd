//! Surfaces that light passes: water, glass, thin panes.

use std::f32::consts::FRAC_PI_2;

use glam::Vec3;

use super::light::Way;
use super::matter::Matter;
use super::numbers::Numbers;
use super::path::{Ray, Seen, Step, Waiting, Walker};
use super::spread::facet;
use super::touch::{Stuff, Touch};
use crate::optics::{WATER_INDEX, fresnel, lifted, reflect, refract};
use crate::preview::liquid::media::Inside;
use crate::preview::liquid::tank::GLASS_INDEX;

/// What is left of light that passes an edge of the tank.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);
/// A liquid that scatters light more often than this on its way across the tank is followed only at its surface,
const DENSE: f32 = 25.0;
/// and so is one in which no colour gets farther than this part of the way.
const DARK: f32 = 60.0;
/// Sine of the angle at which rays leave open water, at least.
const GLANCE: f32 = 0.04;

impl Walker<'_> {
    // A surface of water or glass.
    pub(super) fn boundary(
        &self,
        step: &mut Step,
        touch: &Touch,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let (touch, after) = match self.across(step, touch) {
            Across::Stops(touch) => return self.matt(step, &touch, waiting, numbers, seen),
            Across::Enters(touch, after) => (touch, after),
        };
        let touch = &touch;
        let inside = step.ray.inside;
        let ratio = after.index() / inside.index();
        let offset = self.place.world.step(touch.point);
        if ratio == 1.0 {
            step.bounces += 1;
            step.ray.from = touch.point + step.ray.direction * offset;
            step.ray.inside = after;
            return true;
        }
        let direction = step.ray.direction;
        if let Some(foam) = self.place.foam(touch, step.ray.width, numbers) {
            return self.lit(step, touch, &foam, numbers, seen);
        }
        let (mean, variance) = self.place.water_normal(touch, direction, step.ray.width);
        let normal = if variance > 0.0 {
            visible_facet(facet(mean, variance, numbers.pair()), mean, variance, direction)
        } else {
            mean
        };
        self.note_surface(step, touch, mean, seen);
        if touch.stuff == Stuff::Water && touch.outside && step.scatters == 0 {
            let glitter = self.glitter(step, touch, mean, variance);
            self.add(step, glitter, seen);
        }
        let cosine = -direction.dot(normal);
        let share = if touch.on_wall { pane_share(cosine, ratio) } else { fresnel(cosine, ratio) };
        let spread = step.ray.spread + 1.5 * variance.sqrt();
        let way = if step.way == Way::Scattered { Way::Scattered } else { Way::Mirror };
        let back = Step {
            ray: Ray {
                from: touch.point + touch.face * offset,
                direction: self.lifted(touch, reflect(direction, normal)),
                spread,
                ..step.ray
            },
            way,
            bounces: step.bounces + 1,
            splits: step.splits + 1,
            ..*step
        };
        let Some(bent) = refract(direction, normal, ratio) else {
            *step = back;
            return true;
        };
        if self.is_dense(touch, after) {
            return self.dense(step, touch, back, share, waiting, numbers, seen);
        }
        let on = Step {
            ray: Ray {
                from: touch.point - touch.face * offset,
                direction: touch.inwards(bent),
                inside: after,
                spread: step.ray.spread + 0.4 * variance.sqrt(),
                ..step.ray
            },
            colour: touch.colour,
            ..back
        };
        *step = part(on, back, share, self.limits.splits, waiting, numbers);
        true
    }

    // Waves are smooth, but their triangles are not: a ray that leaves one at a glance would meet the next.
    fn lifted(&self, touch: &Touch, direction: Vec3) -> Vec3 {
        let least = if self.place.open.is_some() { GLANCE } else { 1e-3 };
        lifted(direction, touch.face, least)
    }

    // Both parts of a dense liquid's surface: the mirror, and the matt body below.
    fn dense(
        &self,
        step: &mut Step,
        touch: &Touch,
        back: Step,
        share: f32,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let (absorbed, scattered) = self.place.media.losses(touch.colour);
        let albedo = dense_albedo(scattered / (absorbed + scattered).max(Vec3::splat(1e-9)));
        if step.splits < self.limits.splits {
            waiting.push(Step { weight: back.weight * share, ..back });
            step.weight *= 1.0 - share;
        } else {
            // Each is followed as often as it is worth: in a dark liquid the mirror shows more than the body.
            let body = (1.0 - share) * albedo.max_element();
            let chance = share / (share + body).max(1e-9);
            if numbers.one() < chance {
                *step = Step { weight: back.weight * (share / chance), ..back };
                return true;
            }
            step.weight *= (1.0 - share) / (1.0 - chance).max(1e-6);
        }
        let matter = Matter::plain(albedo, touch.normal);
        self.lit(step, touch, &matter, numbers, seen)
    }

    fn is_dense(&self, touch: &Touch, after: Inside) -> bool {
        let (absorbed, scattered) = self.place.media.losses(touch.colour);
        let size = self.place.world.size();
        let is_opaque = scattered.element_sum() / 3.0 * size > DENSE
            || (absorbed + scattered).min_element() * size > DARK;
        self.place.open.is_none() && after.water && !after.glass && is_opaque
    }

    // A thin pane, or an edge of the tank: light goes straight on.
    pub(super) fn thin(
        &self,
        step: &mut Step,
        touch: &Touch,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let direction = step.ray.direction;
        let once = fresnel(-direction.dot(touch.normal), GLASS_INDEX);
        let both = pane_share(-direction.dot(touch.normal), 1.0);
        let (share, tint) = match touch.stuff {
            Stuff::Pane => (both, Vec3::ONE),
            _ => (once, if self.place.is_white { Vec3::ONE } else { EDGE_TINT }),
        };
        if touch.stuff == Stuff::Edge {
            self.note_surface(step, touch, touch.normal, seen);
        }
        let offset = self.place.world.step(touch.point);
        let way = if step.way == Way::Scattered { Way::Scattered } else { Way::Mirror };
        let back = Step {
            ray: Ray {
                from: touch.point + touch.face * offset,
                direction: reflect(direction, touch.normal),
                ..step.ray
            },
            way,
            bounces: step.bounces + 1,
            splits: step.splits + 1,
            ..*step
        };
        let passed = if touch.outside { step.weight * tint } else { step.weight };
        let on = Step {
            ray: Ray { from: touch.point - touch.face * offset, direction, ..step.ray },
            weight: if touch.stuff == Stuff::Edge { passed } else { step.weight },
            way: step.way,
            splits: step.splits,
            ..back
        };
        // Inside a liquid a pane is part of its wall, where the liquid itself decides.
        if step.ray.inside.water {
            *step = on;
            return true;
        }
        *step = part(on, back, share, self.limits.splits, waiting, numbers);
        true
    }

    // What lies behind a boundary. If that is air, a thin gap of it before something solid or glass is closed: surfaces
    // that touch were made apart from each other.
    fn across(&self, step: &Step, touch: &Touch) -> Across {
        let mut after = step.ray.inside;
        match touch.stuff {
            Stuff::Water => after.water = touch.outside,
            _ => after.glass = touch.outside,
        }
        let contact = self.place.media.contact;
        if after != Inside::default() || contact <= 0.0 {
            return Across::Enters(*touch, after);
        }
        let (direction, time) = (step.ray.direction, step.ray.time);
        let steepness = -direction.dot(touch.face);
        let gap = contact / steepness.max(0.08);
        // Two surfaces in one place may come in either order.
        let before = 4.0 * self.place.world.step(touch.point);
        let from = touch.point - direction * before;
        let solid = self.place.world.first_solid(from, direction, gap + before, time);
        // A drop or a bubble by the surface is met next.
        if let Some(solid) = solid.filter(|solid| !matches!(solid.stuff, Stuff::Spray | Stuff::Bubble)) {
            return Across::Stops(solid);
        }
        let from = touch.point + direction * (0.05 * before);
        match self.place.world.first_near_glass(from, direction, gap, time) {
            // The farther surface takes over the normal of the nearer one: there is one boundary, not two.
            Some(next) if next.outside => {
                let joined = Touch { point: next.point, colour: next.colour.or(touch.colour), ..*touch };
                match next.stuff {
                    Stuff::Water => after.water = true,
                    Stuff::Glass => after.glass = true,
                    _ => {}
                }
                Across::Enters(joined, after)
            }
            _ => Across::Enters(*touch, after),
        }
    }
}

/// What a ray meets behind a boundary.
enum Across {
    /// Something that light does not pass.
    Stops(Touch),
    /// The boundary, and what is inside it.
    Enters(Touch, Inside),
}

// Follows both parts of a path where few have parted before, or else one of them, as often as its share tells.
pub(super) fn part(
    on: Step,
    back: Step,
    share: f32,
    splits: u32,
    waiting: &mut Waiting,
    numbers: &mut Numbers,
) -> Step {
    if share <= 0.0 {
        return on;
    }
    let mirrored = Step { weight: back.weight * share, ..back };
    if back.splits <= splits && back.scatters == 0 && waiting.push(mirrored) {
        return Step { weight: on.weight * (1.0 - share), ..on };
    }
    if numbers.one() < share { back } else { on }
}

// The share of light that a thin pane mirrors between media whose indices have this ratio. Both of its faces mirror, and
// light that is mirrored to and fro between them adds some; a liquid behind it dims one of the faces.
fn pane_share(cosine: f32, ratio: f32) -> f32 {
    let (outer, inner) = if ratio == 1.0 {
        let once = fresnel(cosine, GLASS_INDEX);
        (once, once)
    } else {
        // The angle in the air counts for the outer face, the one in the liquid for the inner.
        let bent = (1.0 - (1.0 - cosine * cosine) / (ratio * ratio)).max(0.0).sqrt();
        let (air, liquid) = if ratio > 1.0 { (cosine, bent) } else { (bent, cosine) };
        (fresnel(air, GLASS_INDEX), fresnel(liquid, GLASS_INDEX / WATER_INDEX))
    };
    (outer + inner - 2.0 * outer * inner) / (1.0 - outer * inner).max(1e-6)
}

// A facet that faces away from the eye cannot be seen: one that does takes its place.
fn visible_facet(facet: Vec3, mean: Vec3, variance: f32, direction: Vec3) -> Vec3 {
    if -facet.dot(direction) > 0.02 {
        return facet;
    }
    let cosine = -mean.dot(direction);
    let least = (0.5 * (cosine + (cosine * cosine + 4.0 * FRAC_PI_2 * variance).sqrt())).max(0.02);
    (mean - direction * (least - cosine).max(0.0)).normalize_or(mean)
}

// The share of light that a deep, dense liquid sends back, by the share that a single event scatters: van de Hulst's
// fit for light from all around and scattering to all sides [vandehulst1980].
fn dense_albedo(single: Vec3) -> Vec3 {
    single.map(|share| {
        let s = (1.0 - share.clamp(0.0, 1.0)).sqrt();
        (1.0 - s) * (1.0 - 0.139 * s) / (1.0 + 1.17 * s)
    })
}
