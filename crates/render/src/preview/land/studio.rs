//! A neutral studio: a floor that bends up into a wall, with the soft shadow of the block that stands on it.

use glam::{Vec2, Vec3};

use super::Land;
use crate::noise::smoothstep;
use crate::sky::Sky;

/// The studio around a block of land, or around things that need no block.
#[derive(Debug, Clone)]
pub struct StudioBackdrop {
    colour: Vec3,
    /// The shadow of a block is drawn on the floor.
    has_block: bool,
    floor: f32,
    low: Vec2,
    high: Vec2,
    top: f32,
    light: f32,
}

/// Layers of the block's box.
const LAYERS: usize = 12;

/// The floor's colour, nearly white and a little cool.
const PALE: Vec3 = Vec3::new(0.90, 0.925, 0.95);
/// The floor's colour in a dark studio.
const DARK: Vec3 = Vec3::new(0.044, 0.049, 0.058);
/// Fraction of the floor's light that comes from the sun, in which there are shadows.
const FROM_SUN: f32 = 0.62;

impl StudioBackdrop {
    /// The studio for a block, as bright as the daylight on it.
    pub fn new(land: &Land, sky: &Sky) -> Self {
        let [low, high] = land.lattice.corners();
        let top = land.heights.iter().sum::<f32>() / land.heights.len().max(1) as f32;
        let light = brightness(sky);
        StudioBackdrop { colour: PALE, has_block: true, floor: land.base(), low, high, top, light }
    }

    /// A studio around a box with something in it that stands on nothing.
    pub fn around([low, high]: [Vec3; 2], sky: &Sky, is_dark: bool) -> Self {
        let colour = if is_dark { DARK } else { PALE };
        let flat = |corner: Vec3| Vec2::new(corner.x, corner.y);
        let (floor, top, light) = (low.z, high.z, brightness(sky));
        StudioBackdrop { colour, has_block: false, floor, low: flat(low), high: flat(high), top, light }
    }

    /// A studio around a slab between two corners that lies on the floor.
    pub fn under([low, high]: [Vec3; 2], sky: &Sky, is_dark: bool) -> Self {
        StudioBackdrop { has_block: true, ..StudioBackdrop::around([low, high], sky, is_dark) }
    }

    /// The light of a pale surface that lies in it, with a share `lit` of the sun.
    pub fn surface(&self, lit: Vec3) -> Vec3 {
        let sunlit = 1.0 - FROM_SUN * (1.0 - lit);
        self.colour.max(0.22 * PALE) * sunlit * (0.94 * self.light)
    }

    /// Height of its floor.
    pub(crate) fn floor(&self) -> f32 {
        self.floor
    }

    /// The fraction of light that its floor and walls reflect.
    pub(crate) fn colour(&self) -> Vec3 {
        self.colour
    }

    /// How far a point of the floor lies on the bend up into the wall: 0 on the floor, 1 on the wall.
    pub(crate) fn bend(&self, at: Vec2) -> f32 {
        let size = self.high - self.low;
        let tall = if self.has_block { 0.0 } else { self.top - self.floor };
        let width = size.max_element().max(0.7 * tall);
        smoothstep(1.2, 4.5, (at - 0.5 * (self.low + self.high)).length() / width)
    }

    /// Its walls, and its ceiling, which is darker, as something that mirrors shows them to an eye with this heading.
    pub(crate) fn walls(&self, heading: Vec2, direction: Vec3) -> Vec3 {
        let ceiling = 1.0 - 0.72 * smoothstep(0.02, 0.75, direction.z);
        self.backdrop(direction) * (ceiling * carded(heading, direction))
    }

    /// A wide lamp where the sun is, and a long one across the ceiling behind the eye: only mirrors show them.
    pub(crate) fn lamps(&self, sun: Vec3, direction: Vec3) -> Vec3 {
        let towards = direction.dot(sun.with_z(sun.z.max(0.45)).normalize_or(Vec3::Z));
        let key = 2.4 * smoothstep(0.86, 0.93, towards);
        let aside = direction.truncate().dot(Vec2::new(-0.5, 0.866));
        let strip = 0.9 * smoothstep(0.10, 0.04, (aside + 0.35).abs()) * smoothstep(0.3, 0.5, direction.z);
        self.lamp() * (key + strip)
    }

    /// What mirrors show of it: walls, ceiling and lamps, without the cards that depend on the eye.
    pub fn shine(&self, sun: Vec3, direction: Vec3) -> Vec3 {
        self.walls(Vec2::ZERO, direction) + self.lamps(sun, direction)
    }

    /// The light of a white sheet in full light, as lamps have it.
    pub fn lamp(&self) -> Vec3 {
        PALE * self.light
    }

    /// The mean radiance that reaches things in it from all around.
    pub fn glow(&self) -> Vec3 {
        self.colour.max(0.28 * PALE) * (0.5 * self.light)
    }

    /// What is seen of it from `eye` along `direction`; `lit` is the fraction of the sun at a point of the floor.
    pub fn seen(&self, sky: &Sky, eye: Vec3, direction: Vec3, lit: impl Fn(Vec3) -> Vec3) -> Vec3 {
        let size = self.high - self.low;
        let tall = if self.has_block { 0.0 } else { self.top - self.floor };
        let width = size.max_element().max(0.7 * tall);
        let wall = self.backdrop(direction);
        let above = eye.z - self.floor;
        if direction.z >= -1e-4 || above <= 0.0 {
            return wall;
        }
        let distance = above / -direction.z;
        let point = eye + direction * distance;
        let at = Vec2::new(point.x, point.y);
        let shadow = if self.has_block { self.contact(at, width) * self.shadow(sky, at) } else { 1.0 };
        let sunlit = 1.0 - FROM_SUN * (1.0 - lit(point));
        let floor = self.colour * sunlit * (self.light * 0.94 * shadow);
        // Far off, floor and wall are one.
        let middle = 0.5 * (self.low + self.high);
        floor.lerp(wall, smoothstep(1.2, 4.5, (at - middle).length() / width))
    }

    /// The wall that is seen in a direction.
    pub fn backdrop(&self, direction: Vec3) -> Vec3 {
        self.colour * self.light * (1.0 - 0.30 * smoothstep(-0.05, 0.9, direction.z))
    }

    /// What water mirrors of it: the pale walls, and a large soft lamp above.
    pub fn mirrored(&self, ray: Vec3) -> Vec3 {
        self.backdrop(ray) * (1.0 + 0.35 * smoothstep(0.80, 0.95, ray.z))
    }

    // Close to the block less of the room's light comes in.
    fn contact(&self, at: Vec2, width: f32) -> f32 {
        let aside = (self.low - at).max(at - self.high).max(Vec2::ZERO).length();
        let height = (self.top - self.floor).clamp(0.02 * width, 0.5 * width);
        1.0 - 0.55 * (-2.6 * aside / height).exp()
    }

    // The shadow of the block's box under a wide lamp: the box is cut into layers, and a layer's shadow is the softer
    // the higher it is.
    fn shadow(&self, sky: &Sky, at: Vec2) -> f32 {
        let slant = Vec2::new(sky.sun.x, sky.sun.y) / sky.sun.z.max(0.4);
        let height = self.top - self.floor;
        let layer = |index: usize| {
            let up = (index as f32 + 0.5) / LAYERS as f32 * height;
            let shifted = at + slant * up;
            let inside = (shifted - self.low).min(self.high - shifted).min_element();
            let soft = height * slant.length() / LAYERS as f32 + 0.45 * up;
            smoothstep(-soft, soft, inside)
        };
        1.0 - 0.42 * (0..LAYERS).map(layer).fold(0.0, f32::max)
    }
}

/// What dark cards leave of the light from a direction: as photographers do, they stand beside the picture, so that clear
/// things show their edges by them. No heading for an eye that looks straight down, which has none.
pub(crate) fn carded(heading: Vec2, direction: Vec3) -> f32 {
    let level = direction.truncate();
    let cosine = level.dot(heading) / level.length().max(1e-6);
    // Rays that go steeply down or up have no heading of their own.
    let steep = smoothstep(0.55, 0.85, direction.z.abs());
    let fraction = if heading == Vec2::ZERO { 0.0 } else { smoothstep(0.82, 0.35, cosine) * (1.0 - steep) };
    1.0 - 0.62 * fraction
}

// As bright as the daylight outside.
fn brightness(sky: &Sky) -> f32 {
    let daylight = sky.skylight.y + 0.5 * sky.sunlight.y * sky.sun.z.max(0.0);
    (0.55 * daylight).clamp(6.0, 30.0)
}
