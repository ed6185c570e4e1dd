//! Procedural ground texture: albedo and bump slopes from noise, by slope and height.
//!
//! The octaves of the noise are fixed in the world and fade in and out with the pixel footprint, so that there is detail of
//! a few to some hundred pixels at any distance, without aliasing.

use glam::{Vec2, Vec3};

use crate::noise::{fractal, smoothstep, value};
use crate::preview::bed::BedKind;

/// Surface material of land.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroundKind {
    /// Sand by the water line, grass on gentle land, rock where it is steep.
    #[default]
    Auto,
    /// Sand.
    Sand,
    /// Bare rock.
    Rock,
    /// Grass, with rock where it is steep.
    Grass,
    /// Bare earth.
    Earth,
    /// Meadows, rock, and snow on the heights.
    Alpine,
    /// A material of beds: stones or tiles.
    Bed(BedKind),
}

/// Ground texture of a terrain.
#[derive(Debug, Clone)]
pub struct GroundTexture {
    /// Material.
    pub kind: GroundKind,
    /// Height of the water at rest, where sand meets grass; `None` if there is none.
    pub waterline: Option<f32>,
    /// Lowest and highest ground.
    pub range: [f32; 2],
    /// Width of the land in metres.
    pub width: f32,
}

/// Filtered texture under a pixel.
#[derive(Debug, Clone, Copy)]
pub struct GroundSample {
    /// Albedo of dry ground.
    pub albedo: Vec3,
    /// Slopes of small bumps along x and y.
    pub bumps: Vec2,
}

/// Arguments of a texture lookup: position, mottle noise, footprint, and whether bumps are needed.
struct TextureLookup {
    at: Vec2,
    mottle: f32,
    footprint: f32,
    has_bumps: bool,
}

impl GroundTexture {
    /// The texture at `point` with the geometric normal `normal`, filtered over `footprint` metres.
    pub fn sample(&self, point: Vec3, normal: Vec3, footprint: f32) -> GroundSample {
        self.sample_with(point, normal, footprint, true)
    }

    /// The albedo alone, without bumps.
    pub fn albedo(&self, point: Vec3, normal: Vec3, footprint: f32) -> Vec3 {
        self.sample_with(point, normal, footprint, false).albedo
    }

    fn sample_with(&self, point: Vec3, normal: Vec3, footprint: f32, has_bumps: bool) -> GroundSample {
        // Oblique projection, so that the noise is not stretched on steep faces
        let at = Vec2::new(point.x + 0.71 * point.z, point.y - 0.53 * point.z);
        let lookup = &TextureLookup { at, mottle: mottle(at, footprint, 91), footprint, has_bumps };
        let steep = smoothstep(0.84, 0.62, normal.z + 0.12 * lookup.mottle);
        let rock = |GroundSample { albedo, bumps }: GroundSample| {
            if steep <= 0.0 {
                return GroundSample { albedo, bumps };
            }
            let rock = self.rock(point, lookup);
            GroundSample { albedo: albedo.lerp(rock.albedo, steep), bumps: bumps.lerp(rock.bumps, steep) }
        };
        match self.kind {
            GroundKind::Sand => sand(lookup),
            GroundKind::Rock => self.rock(point, lookup),
            GroundKind::Earth => earth(lookup),
            GroundKind::Grass => rock(grass(lookup)),
            GroundKind::Alpine => self.snow(point, normal, lookup.mottle, rock(grass(lookup))),
            GroundKind::Bed(kind) => GroundSample { albedo: kind.albedo(at, footprint), bumps: Vec2::ZERO },
            GroundKind::Auto => rock(self.shore(point, lookup)),
        }
    }

    // Sand below and slightly above the waterline, grass higher up.
    fn shore(&self, point: Vec3, lookup: &TextureLookup) -> GroundSample {
        let Some(waterline) = self.waterline else { return grass(lookup) };
        let span = (self.range[1] - waterline).clamp(0.02 * self.width, 0.08 * self.width).max(1e-3);
        let above = (point.z - waterline) / span + 0.25 * lookup.mottle;
        let green = smoothstep(0.16, 0.34, above);
        if green <= 0.0 {
            return sand(lookup);
        }
        let (sand, grass) = (sand(lookup), grass(lookup));
        GroundSample {
            albedo: sand.albedo.lerp(grass.albedo, green),
            bumps: sand.bumps.lerp(grass.bumps, green),
        }
    }

    fn rock(&self, point: Vec3, lookup: &TextureLookup) -> GroundSample {
        let TextureLookup { at, mottle, footprint, .. } = *lookup;
        let span = (self.range[1] - self.range[0]).max(1e-3);
        // Strata of some hundredths of the terrain's height, distorted
        let layers = Vec2::new(at.x * 0.6 / span, point.z * 24.0 / span + 1.5 * mottle);
        let band = fractal(layers, 2, footprint * 24.0 / span, 95) - 0.5;
        let tone = 1.0 + 0.55 * mottle + 0.5 * band;
        let hue = Vec3::new(0.235, 0.215, 0.19).lerp(Vec3::new(0.20, 0.195, 0.195), 0.5 + band);
        GroundSample { albedo: hue * tone, bumps: bumps(lookup, 0.55, 96) }
    }

    fn snow(&self, point: Vec3, normal: Vec3, mottle: f32, below: GroundSample) -> GroundSample {
        let height = (point.z - self.range[0]) / (self.range[1] - self.range[0]).max(1e-3);
        let lies = smoothstep(0.62, 0.72, height + 0.12 * mottle) * smoothstep(0.62, 0.80, normal.z);
        GroundSample {
            albedo: below.albedo.lerp(Vec3::new(0.80, 0.83, 0.88), lies),
            bumps: below.bumps * (1.0 - 0.8 * lies),
        }
    }
}

fn sand(lookup: &TextureLookup) -> GroundSample {
    let TextureLookup { at, mottle, footprint, .. } = *lookup;
    let grain = fractal(at * 60.0, 1, footprint * 60.0, 97) - 0.5;
    let warm = Vec3::new(0.46, 0.375, 0.255).lerp(Vec3::new(0.40, 0.345, 0.26), 0.5 + mottle);
    GroundSample { albedo: warm * (1.0 + 0.30 * mottle + 0.22 * grain), bumps: bumps(lookup, 0.16, 98) }
}

fn earth(lookup: &TextureLookup) -> GroundSample {
    let mottle = lookup.mottle;
    let brown = Vec3::new(0.165, 0.118, 0.078).lerp(Vec3::new(0.23, 0.175, 0.125), 0.5 + mottle);
    GroundSample { albedo: brown * (1.0 + 0.4 * mottle), bumps: bumps(lookup, 0.45, 99) }
}

fn grass(lookup: &TextureLookup) -> GroundSample {
    let TextureLookup { at, mottle, footprint, .. } = *lookup;
    let tufts = fractal(at * 7.0, 2, footprint * 7.0, 62) - 0.5;
    let dry = smoothstep(-0.22, 0.26, mottle);
    let green = Vec3::new(0.046, 0.080, 0.020).lerp(Vec3::new(0.115, 0.125, 0.046), dry);
    GroundSample { albedo: green * (1.0 + 0.35 * mottle + 0.9 * tufts), bumps: bumps(lookup, 0.40, 63) }
}

/// Noise of about −0.5 to 0.5 whose octaves follow the footprint: features of some pixels and more at any distance.
pub fn mottle(at: Vec2, footprint: f32, seed: u32) -> f32 {
    const OCTAVES: i32 = 5;
    let finest = (3.0 * footprint.clamp(1e-4, 1e6)).log2();
    let first = finest.ceil();
    // Cross-fade: the finest octave fades in as the coarsest fades out
    let fraction = first - finest;
    let mut sum = 0.0;
    for octave in 0..OCTAVES {
        let exponent = first as i32 + octave;
        let weight = match octave {
            0 => fraction,
            octave if octave + 1 == OCTAVES => 1.0 - fraction,
            _ => 1.0,
        };
        let shifted = at * (-exponent as f32).exp2() + 17.31 * exponent as f32;
        sum += weight * (value(shifted, seed.wrapping_add(exponent as u32)) - 0.5);
    }
    sum * 0.42
}

// Noise slopes with features of a few pixels.
fn bumps(lookup: &TextureLookup, strength: f32, seed: u32) -> Vec2 {
    if !lookup.has_bumps {
        return Vec2::ZERO;
    }
    let TextureLookup { at, footprint, .. } = *lookup;
    let finest = (4.0 * footprint.clamp(1e-4, 1e6)).log2();
    let first = finest.ceil();
    let fraction = first - finest;
    let slopes = |exponent: f32| {
        let scaled = at * (-exponent).exp2();
        let seed = seed.wrapping_add(exponent as i32 as u32);
        Vec2::new(value(scaled, seed), value(scaled + 31.7, seed ^ 0x5a)) - 0.5
    };
    (slopes(first) * fraction + slopes(first + 1.0) * (1.0 - 0.4 * fraction)) * strength
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [GroundKind; 8] = [
        GroundKind::Auto,
        GroundKind::Sand,
        GroundKind::Rock,
        GroundKind::Grass,
        GroundKind::Earth,
        GroundKind::Alpine,
        GroundKind::Bed(BedKind::Tiles),
        GroundKind::Bed(BedKind::Pebbles),
    ];

    #[test]
    fn grounds_reflect_some_but_not_all_light() {
        for kind in KINDS {
            let texture = GroundTexture { kind, waterline: Some(1.0), range: [0.0, 9.0], width: 100.0 };
            for index in 0..600 {
                let point = Vec3::new(index as f32 * 0.37, (index % 31) as f32, (index % 90) as f32 * 0.1);
                let normal = Vec3::new((index % 10) as f32 * 0.1, 0.0, 1.0).normalize();
                for footprint in [0.0, 0.01, 1.0, 500.0] {
                    let albedo = texture.sample(point, normal, footprint).albedo;
                    assert!(albedo.min_element() > 0.0 && albedo.max_element() < 1.0, "{kind:?} {albedo}");
                }
            }
            texture.sample(Vec3::splat(f32::NAN), Vec3::Z, f32::NAN);
        }
    }

    #[test]
    fn noise_changes_smoothly_with_distance() {
        let at = Vec2::new(12.3, 4.5);
        let near = (0..4000).map(|step| mottle(at, 0.01 * 1.002_f32.powi(step), 3)).collect::<Vec<_>>();
        assert!(near.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.01));
    }

    #[test]
    fn sand_lies_by_the_water_and_grass_above() {
        let texture =
            GroundTexture { kind: GroundKind::Auto, waterline: Some(0.0), range: [-5.0, 20.0], width: 200.0 };
        let green = |z: f32| {
            let albedo = texture.sample(Vec3::new(3.0, 4.0, z), Vec3::Z, 0.1).albedo;
            albedo.y / albedo.x
        };
        assert!(green(0.2) < 1.0 && green(15.0) > 1.0);
    }
}
