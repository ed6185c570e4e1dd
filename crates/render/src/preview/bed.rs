//! Procedural albedo of beds and banks: sand, pebbles, tiles, mud, grass.

use glam::{Vec2, Vec3};

use crate::noise::{self, fractal, smoothstep, unit};

/// Material of the bed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BedKind {
    /// Pale sand with faint ridges.
    #[default]
    Sand,
    /// Rounded stones.
    Pebbles,
    /// Square tiles, as in a pool.
    Tiles,
    /// Dark mud.
    Dark,
}

impl BedKind {
    /// Albedo at a point, filtered over `footprint` metres.
    pub fn albedo(self, at: Vec2, footprint: f32) -> Vec3 {
        match self {
            BedKind::Sand => sand(at, footprint),
            BedKind::Pebbles => pebbles(at, footprint),
            BedKind::Tiles => tiles(at, footprint),
            BedKind::Dark => {
                Vec3::new(0.055, 0.05, 0.035) * (0.6 + 0.8 * fractal(at * 0.8, 3, footprint * 0.8, 11))
            }
        }
    }
}

/// Sand: broad patches, faint ridges, fine grain.
pub fn sand(at: Vec2, footprint: f32) -> Vec3 {
    let patches = fractal(at * 0.35, 4, footprint * 0.35, 21) - 0.5;
    let bent = at.y * 6.0 + at.x * 1.5 + 5.0 * fractal(at * 0.7, 2, footprint * 0.7, 22);
    let ridges = bent.sin() * (1.0 - footprint * 4.0).clamp(0.0, 1.0);
    let grain = fractal(at * 38.0, 2, footprint * 38.0, 23) - 0.5;
    // Dark patches of weed or stones
    let weed = smoothstep(0.56, 0.70, fractal(at * 0.11, 5, footprint * 0.11, 24));
    Vec3::new(0.50, 0.42, 0.29) * ((1.0 + 0.5 * patches + 0.045 * ridges + 0.35 * grain) * (1.0 - 0.6 * weed))
}

// Large stones scattered between small ones.
fn pebbles(at: Vec2, footprint: f32) -> Vec3 {
    let ground = Vec3::new(0.21, 0.19, 0.155) * (0.65 + 0.7 * fractal(at * 0.7, 3, footprint * 0.7, 31));
    let (small, small_cover) = stones(at, 0.06, footprint, 32);
    let (large, large_cover) = stones(at + 7.3, 0.17, footprint, 36);
    let scattered = smoothstep(0.46, 0.54, fractal(at * 1.7, 2, footprint * 1.7, 39));
    ground.lerp(small, 0.8 * small_cover).lerp(large, large_cover * scattered)
}

// Worley noise: each cell of a lattice holds one stone, and a point belongs to the nearest one. Returns its colour and
// coverage.
fn stones(at: Vec2, size: f32, footprint: f32, seed: u32) -> (Vec3, f32) {
    let kept = (1.4 - 2.0 * footprint / size).clamp(0.0, 1.0);
    if kept <= 0.0 {
        return (Vec3::ZERO, 0.0);
    }
    let local = at / size;
    let (column, row) = (noise::floor(local.x), noise::floor(local.y));
    let (mut nearest, mut second, mut stone) = (f32::MAX, f32::MAX, (0, 0));
    for offset in 0..9 {
        let cell = (column.wrapping_add(offset % 3 - 1), row.wrapping_add(offset / 3 - 1));
        let jitter = Vec2::new(unit(cell.0, cell.1, seed), unit(cell.0, cell.1, seed + 1));
        let distance = (Vec2::new(cell.0 as f32, cell.1 as f32) + 0.15 + 0.7 * jitter - local).length();
        if distance < nearest {
            (second, nearest, stone) = (nearest, distance, cell);
        } else {
            second = second.min(distance);
        }
    }
    let (tone, warm) = (unit(stone.0, stone.1, seed + 2), unit(stone.0, stone.1, seed + 3));
    let colour = Vec3::new(0.30, 0.29, 0.27).lerp(Vec3::new(0.33, 0.25, 0.17), warm) * (0.45 + 0.75 * tone);
    let round = (0.55 - nearest) * 1.6 + (second - nearest) * 0.8;
    let cover = smoothstep(0.0, 0.25 + footprint / size, round);
    (colour * (1.08 - 0.5 * nearest * nearest), cover * kept)
}

// Half-metre tiles with pale joints at least a pixel wide.
fn tiles(at: Vec2, footprint: f32) -> Vec3 {
    let size = 0.5;
    let local = at / size;
    let (column, row) = (noise::floor(local.x), noise::floor(local.y));
    let inside = (local - Vec2::new(column as f32, row as f32) - 0.5).abs();
    let softness = (footprint / size).max(0.008);
    let edge = 0.5 - inside.max_element();
    let joint = (1.0 - smoothstep(0.02, 0.02 + softness, edge)) * (0.05 / softness.max(0.05)).min(1.0);
    let tone = (unit(column, row, 41) - 0.5) * (1.0 - footprint / size).clamp(0.0, 1.0);
    let tile = Vec3::new(0.20, 0.45, 0.55) * (1.0 + 0.35 * tone);
    tile.lerp(Vec3::splat(0.66), joint)
}

/// Albedo of ground outside a terrain, such as an island in the sea: rock where it is steep, else sand.
pub fn rock_and_sand(at: Vec2, normal: Vec3, footprint: f32) -> Vec3 {
    let mottle = 0.8 + 0.4 * fractal(at * 1.3, 3, footprint * 1.3, 71);
    let rock = Vec3::new(0.24, 0.22, 0.20) * mottle;
    rock.lerp(sand(at, footprint), smoothstep(0.70, 0.88, normal.z))
}

/// Albedo of a bank by its height above the water: wet sand, sand, grass.
pub fn land(at: Vec2, height: f32, bank: f32, footprint: f32) -> Vec3 {
    let wetness = 1.0 - smoothstep(0.02 * bank, 0.14 * bank, height);
    let shore = sand(at, footprint) * (0.78 - 0.36 * wetness);
    let ragged = 0.35 * (fractal(at * 0.9 / bank.max(0.05), 4, footprint * 0.9 / bank.max(0.05), 51) - 0.5);
    let green = smoothstep(0.30, 0.55, height / bank.max(1e-3) + ragged);
    shore.lerp(grass(at, footprint), green)
}

// Noise at the scales of meadow, tufts and blades.
fn grass(at: Vec2, footprint: f32) -> Vec3 {
    let noise =
        |scale: f32, octaves: u32, seed: u32| fractal(at * scale, octaves, footprint * scale, seed) - 0.5;
    let (meadow, patches) = (noise(0.09, 3, 61), noise(0.7, 2, 64));
    let (tufts, blades) = (noise(9.0, 3, 62), noise(55.0, 2, 63));
    let dry = smoothstep(-0.25, 0.25, meadow + 0.3 * patches + 0.35 * tufts);
    let colour = Vec3::new(0.052, 0.088, 0.020).lerp(Vec3::new(0.120, 0.130, 0.044), dry);
    colour * (1.0 + 1.1 * tufts + 0.9 * blades)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beds_reflect_some_but_not_all_light() {
        for kind in [BedKind::Sand, BedKind::Pebbles, BedKind::Tiles, BedKind::Dark] {
            for index in 0..500 {
                let at = Vec2::new(index as f32 * 0.173 - 20.0, (index % 37) as f32 * 0.31);
                for footprint in [0.0, 0.05, 10.0, f32::NAN] {
                    let albedo = kind.albedo(at, footprint);
                    assert!(
                        footprint.is_nan() || (albedo.min_element() > 0.0 && albedo.max_element() < 0.95)
                    );
                }
            }
        }
    }

    #[test]
    fn from_afar_a_bed_has_one_colour() {
        for kind in [BedKind::Sand, BedKind::Pebbles, BedKind::Tiles] {
            let (here, there) =
                (kind.albedo(Vec2::new(0.1, 0.1), 100.0), kind.albedo(Vec2::new(7.3, 2.2), 100.0));
            assert!((here - there).length() < 0.02, "{kind:?}");
        }
    }
}
