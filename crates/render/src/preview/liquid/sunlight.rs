//! The sun on the floor of a tank: what a liquid and the bodies in it let through, and where they gather it.
//!
//! Rays of the sun are sent towards the points of an even lattice on the floor and followed through everything on
//! their way. Each brings its light to where it lands, spread over the four lattice points around. Where nothing is in
//! its way a ray lands on its own point, so that the count is the brightness: 1 in the open, less in shadows, more
//! where light is gathered. The width of the sun is a blur of a lattice step or two.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::tank::Tank;

/// About how many rays there are.
const RAYS: f32 = 90_000.0;
/// Light that is gathered more than this is shown as this.
const BRIGHTEST: f32 = 5.0;
/// A sun lower than this casts shadows as if it were as high.
const LOWEST: f32 = 0.25;

/// The share of the sun at every point of the floor.
#[derive(Debug, Clone)]
pub struct Sunlight {
    low: Vec2,
    step: f32,
    size: [usize; 2],
    floor: f32,
    slant: Vec2,
    light: Vec<Vec3>,
}

impl Sunlight {
    /// Sends rays from a sun in direction `sun` to the level `floor`. `follow` follows a ray from a point along a
    /// direction and gives the light that is left and the place at that level where it lands, if any of it does.
    pub fn new(
        tank: &Tank,
        floor: f32,
        sun: Vec3,
        follow: impl Fn(Vec3, Vec3) -> Option<(Vec3, Vec2)> + Sync,
    ) -> Self {
        let sun = sun.with_z(sun.z.max(LOWEST)).normalize_or(Vec3::Z);
        let slant = Vec2::new(sun.x, sun.y) / sun.z;
        let height = tank.high.z - tank.low.z;
        let reach = -slant * height;
        // All points whose rays pass through the box, and some around them.
        let room = 0.06 * tank.size();
        let low = tank.low.truncate().min(tank.low.truncate() + reach) - room;
        let high = tank.high.truncate().max(tank.high.truncate() + reach) + room;
        let step = ((high - low).x * (high - low).y / RAYS).sqrt().max(1e-6);
        let size = ((high - low) / step).to_array().map(|steps| (steps as usize + 2).min(4096));
        let from_above = sun * (1.1 * height / sun.z + tank.size());
        let place = |index: usize| low + Vec2::new((index % size[0]) as f32, (index / size[0]) as f32) * step;
        let landed: Vec<Option<(Vec3, Vec2)>> = (0..size[0] * size[1])
            .into_par_iter()
            .map(|index| follow(place(index).extend(floor) + from_above, -sun))
            .collect();
        let mut light = vec![Vec3::ZERO; size[0] * size[1]];
        for (colour, at) in landed.into_iter().flatten() {
            spread(&mut light, size, (at - low) / step, colour);
        }
        let light = smoothed(&smoothed(&smoothed(&light, size), size), size);
        Sunlight { low, step, size, floor, slant, light }
    }

    /// The share of the sun at a point on the floor, or a little below it.
    pub fn at(&self, point: Vec3) -> Vec3 {
        // What lands lower has gone on along its ray; that of the open sun is taken for all.
        let at = point.truncate() + self.slant * (self.floor - point.z);
        let place = (at - self.low) / self.step;
        let last = Vec2::new((self.size[0] - 1) as f32, (self.size[1] - 1) as f32);
        let aside = (place - place.clamp(Vec2::ZERO, last)).length();
        if !place.is_finite() || aside > 6.0 {
            return Vec3::ONE;
        }
        let place = place.clamp(Vec2::ZERO, last);
        let (column, row) =
            ((place.x as usize).min(self.size[0] - 2), (place.y as usize).min(self.size[1] - 2));
        let (along, up) = (place.x - column as f32, place.y - row as f32);
        let first = row * self.size[0] + column;
        let lower = self.light[first].lerp(self.light[first + 1], along);
        let upper = self.light[first + self.size[0]].lerp(self.light[first + self.size[0] + 1], along);
        lower.lerp(upper, up).min(Vec3::splat(BRIGHTEST)).lerp(Vec3::ONE, aside / 6.0)
    }
}

fn spread(light: &mut [Vec3], size: [usize; 2], at: Vec2, colour: Vec3) {
    let last = Vec2::new((size[0] - 1) as f32, (size[1] - 1) as f32);
    // Rays for the rims land on them but for the last bits.
    let inside = at.clamp(Vec2::ZERO, last);
    if (at - inside).abs().max_element() > 0.25 || !(at.is_finite() && colour.is_finite()) {
        return;
    }
    let at = inside;
    let (column, row) = ((at.x as usize).min(size[0] - 2), (at.y as usize).min(size[1] - 2));
    let (along, up) = (at.x - column as f32, at.y - row as f32);
    let first = row * size[0] + column;
    light[first] += colour * ((1.0 - along) * (1.0 - up));
    light[first + 1] += colour * (along * (1.0 - up));
    light[first + size[0]] += colour * ((1.0 - along) * up);
    light[first + size[0] + 1] += colour * (along * up);
}

// Each point mixed with its neighbours, by 1 2 1 along both axes.
fn smoothed(light: &[Vec3], [columns, rows]: [usize; 2]) -> Vec<Vec3> {
    let mean = |index: usize, stride: usize, place: usize, count: usize| {
        let low = if place > 0 { index - stride } else { index };
        let high = if place + 1 < count { index + stride } else { index };
        [low, index, high]
    };
    let mixed = |values: &[Vec3], [low, middle, high]: [usize; 3]| {
        0.25 * values[low] + 0.5 * values[middle] + 0.25 * values[high]
    };
    let along: Vec<Vec3> =
        (0..light.len()).map(|index| mixed(light, mean(index, 1, index % columns, columns))).collect();
    (0..light.len()).map(|index| mixed(&along, mean(index, columns, index / columns, rows))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preview::liquid::tank::TankKind;

    const TANK: Tank = Tank { low: Vec3::ZERO, high: Vec3::ONE, kind: TankKind::Plinth };

    // A ray that nothing stops, brought to the floor.
    fn straight(from: Vec3, direction: Vec3) -> Vec2 {
        (from + direction * (-from.z / direction.z)).truncate()
    }

    #[test]
    fn in_the_open_the_sun_is_whole() {
        let sun = Vec3::new(0.3, -0.4, 0.8).normalize();
        let light = Sunlight::new(&TANK, 0.0, sun, |from, along| Some((Vec3::ONE, straight(from, along))));
        for point in [Vec3::ZERO, Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.9, 0.1, 0.0), Vec3::splat(40.0)] {
            assert!((light.at(point) - 1.0).length() < 1e-3, "{point}: {}", light.at(point));
        }
    }

    #[test]
    fn what_is_stopped_is_missing_and_what_is_moved_is_elsewhere() {
        let light = Sunlight::new(&TANK, 0.0, Vec3::Z, |from, along| {
            let at = straight(from, along);
            let is_stopped = at.x < 0.3;
            let moved = if at.x > 0.7 { Vec2::new(0.7, at.y) } else { at };
            (!is_stopped).then_some((Vec3::new(1.0, 0.5, 0.25), moved))
        });
        assert_eq!(light.at(Vec3::new(0.1, 0.5, 0.0)), Vec3::ZERO);
        assert!((light.at(Vec3::new(0.5, 0.5, 0.0)) - Vec3::new(1.0, 0.5, 0.25)).length() < 1e-3);
        assert!(light.at(Vec3::new(0.7, 0.5, 0.0)).x > 3.0);
        assert!(light.at(Vec3::new(0.9, 0.5, 0.0)).x < 0.1);
    }
}
