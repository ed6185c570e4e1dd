//! Studio background: a cyclorama (floor curving up into a wall) with the soft shadow of the object on it.

use glam::{Vec2, Vec3};

use super::Land;
use crate::noise::smoothstep;
use crate::sky::Sky;

/// The studio around a block of land or other objects.
#[derive(Debug, Clone)]
pub struct StudioBackdrop {
    colour: Vec3,
    /// Whether a box stands on the floor and shadows it.
    has_block: bool,
    floor: f32,
    low: Vec2,
    high: Vec2,
    top: f32,
    light: f32,
}

/// Layers of the box for its soft shadow.
const LAYERS: usize = 12;

/// Albedo of the pale studio, nearly white and slightly cool.
const PALE: Vec3 = Vec3::new(0.90, 0.925, 0.95);
/// Albedo of the dark studio.
const DARK: Vec3 = Vec3::new(0.044, 0.049, 0.058);
/// Fraction of the floor's light that comes from the sun and can be shadowed.
const FROM_SUN: f32 = 0.62;

impl StudioBackdrop {
    /// The studio for a block of land, as bright as the daylight on it.
    pub fn new(land: &Land, sky: &Sky) -> Self {
        let [low, high] = land.lattice.corners();
        let top = land.heights.iter().sum::<f32>() / land.heights.len().max(1) as f32;
        let light = brightness(sky);
        StudioBackdrop { colour: PALE, has_block: true, floor: land.base(), low, high, top, light }
    }

    /// A studio around a box whose contents do not stand on the floor.
    pub fn around([low, high]: [Vec3; 2], sky: &Sky, is_dark: bool) -> Self {
        let colour = if is_dark { DARK } else { PALE };
        let flat = |corner: Vec3| Vec2::new(corner.x, corner.y);
        let (floor, top, light) = (low.z, high.z, brightness(sky));
        StudioBackdrop { colour, has_block: false, floor, low: flat(low), high: flat(high), top, light }
    }

    /// A studio around a slab that lies on the floor.
    pub fn under([low, high]: [Vec3; 2], sky: &Sky, is_dark: bool) -> Self {
        StudioBackdrop { has_block: true, ..StudioBackdrop::around([low, high], sky, is_dark) }
    }

    /// The radiance of a pale surface in it, with the sun's visibility `lit`.
    pub fn surface(&self, lit: Vec3) -> Vec3 {
        let sunlit = 1.0 - FROM_SUN * (1.0 - lit);
        self.colour.max(0.22 * PALE) * sunlit * (0.94 * self.light)
    }

    /// Height of its floor.
    pub(crate) fn floor(&self) -> f32 {
        self.floor
    }

    /// Albedo of its floor and walls.
    pub(crate) fn colour(&self) -> Vec3 {
        self.colour
    }

    /// Blend from floor to wall at a point: 0 on the floor, 1 on the wall.
    pub(crate) fn bend(&self, at: Vec2) -> f32 {
        let size = self.high - self.low;
        let tall = if self.has_block { 0.0 } else { self.top - self.floor };
        let width = size.max_element().max(0.7 * tall);
        smoothstep(1.2, 4.5, (at - 0.5 * (self.low + self.high)).length() / width)
    }

    /// Radiance of walls and (darker) ceiling in reflections, for a camera with this heading.
    pub(crate) fn walls(&self, heading: Vec2, direction: Vec3) -> Vec3 {
        let ceiling = 1.0 - 0.72 * smoothstep(0.02, 0.75, direction.z);
        self.backdrop(direction) * (ceiling * carded(heading, direction))
    }

    /// Radiance of the key light in the direction of the sun and of a strip light on the ceiling, visible in reflections only.
    pub(crate) fn lamps(&self, sun: Vec3, direction: Vec3) -> Vec3 {
        let towards = direction.dot(sun.with_z(sun.z.max(0.45)).normalize_or(Vec3::Z));
        let key = 2.4 * smoothstep(0.86, 0.93, towards);
        let aside = direction.truncate().dot(Vec2::new(-0.5, 0.866));
        let strip = 0.9 * smoothstep(0.10, 0.04, (aside + 0.35).abs()) * smoothstep(0.3, 0.5, direction.z);
        self.lamp() * (key + strip)
    }

    /// Radiance in reflections: walls, ceiling and lights, without the cards that depend on the camera.
    pub fn shine(&self, sun: Vec3, direction: Vec3) -> Vec3 {
        self.walls(Vec2::ZERO, direction) + self.lamps(sun, direction)
    }

    /// Radiance of fully lit white, which is that of the lights.
    pub fn lamp(&self) -> Vec3 {
        PALE * self.light
    }

    /// Mean ambient radiance.
    pub fn glow(&self) -> Vec3 {
        self.colour.max(0.28 * PALE) * (0.5 * self.light)
    }

    /// Background radiance from `eye` along `direction`; `lit` is the sun's visibility at a point of the floor.
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
        // The floor blends into the wall with distance
        let middle = 0.5 * (self.low + self.high);
        floor.lerp(wall, smoothstep(1.2, 4.5, (at - middle).length() / width))
    }

    /// Radiance of the wall in a direction.
    pub fn backdrop(&self, direction: Vec3) -> Vec3 {
        self.colour * self.light * (1.0 - 0.30 * smoothstep(-0.05, 0.9, direction.z))
    }

    /// Radiance that water reflects: walls, and a large soft light above.
    pub fn mirrored(&self, ray: Vec3) -> Vec3 {
        self.backdrop(ray) * (1.0 + 0.35 * smoothstep(0.80, 0.95, ray.z))
    }

    // Contact shadow: ambient occlusion of the floor near the box.
    fn contact(&self, at: Vec2, width: f32) -> f32 {
        let aside = (self.low - at).max(at - self.high).max(Vec2::ZERO).length();
        let height = (self.top - self.floor).clamp(0.02 * width, 0.5 * width);
        1.0 - 0.55 * (-2.6 * aside / height).exp()
    }

    // Soft shadow of the box under an area light: the maximum over horizontal layers, whose penumbra grows with height.
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

/// Transmission factor of black cards (flags) beside the picture, which make the edges of transparent objects visible. A zero
/// heading, of a camera that looks straight down, disables them.
pub(crate) fn carded(heading: Vec2, direction: Vec3) -> f32 {
    let level = direction.truncate();
    let cosine = level.dot(heading) / level.length().max(1e-6);
    // Steep rays have no azimuth
    let steep = smoothstep(0.55, 0.85, direction.z.abs());
    let fraction = if heading == Vec2::ZERO { 0.0 } else { smoothstep(0.82, 0.35, cosine) * (1.0 - steep) };
    1.0 - 0.62 * fraction
}

// Brightness of the studio, equal to that of daylight.
fn brightness(sky: &Sky) -> f32 {
    let daylight = sky.skylight.y + 0.5 * sky.sunlight.y * sky.sun.z.max(0.0);
    (0.55 * daylight).clamp(6.0, 30.0)
}
