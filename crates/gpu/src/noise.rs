//! A periodic tile of fractal noise, which shaders sample for the texture of ground, foam and beds.

/// Side of the tile in texels.
pub const SIDE: u32 = 256;

/// Four channels with a mean of about ½: two independent fractals of low frequency, one of high frequency, one ridged.
pub fn tile() -> Vec<[f32; 4]> {
    let texel = |index: u32| {
        let at = [(index % SIDE) as f32 / SIDE as f32, (index / SIDE) as f32 / SIDE as f32];
        let ridge = 1.0 - (2.0 * fractal(at, 6, 5, 41) - 1.0).abs() * 1.6;
        [fractal(at, 4, 6, 11), fractal(at, 4, 6, 23), fractal(at, 32, 3, 37), ridge.clamp(0.0, 1.0)]
    };
    (0..SIDE * SIDE).map(texel).collect()
}

// Fractal sum of value noise; the first octave has `cells` cells along the tile.
fn fractal(at: [f32; 2], cells: u32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
    for octave in 0..octaves {
        sum += weight * value(at, cells << octave, seed.wrapping_add(octave * 101));
        weights += weight;
        weight *= 0.55;
    }
    // The sum of many octaves has a small variance: stretch the contrast
    (0.5 + 1.7 * (sum / weights - 0.5)).clamp(0.0, 1.0)
}

fn value(at: [f32; 2], cells: u32, seed: u32) -> f32 {
    let position = at.map(|x| x * cells as f32);
    let cell = position.map(|x| x as u32);
    let weights =
        [position[0] - cell[0] as f32, position[1] - cell[1] as f32].map(|t| t * t * (3.0 - 2.0 * t));
    let corner = |x: u32, y: u32| random((cell[0] + x) % cells, (cell[1] + y) % cells, seed);
    let row = |y: u32| corner(0, y) + (corner(1, y) - corner(0, y)) * weights[0];
    row(0) + (row(1) - row(0)) * weights[1]
}

fn random(x: u32, y: u32, seed: u32) -> f32 {
    let mut bits = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ seed.wrapping_mul(0xc2b2_ae3d);
    bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    bits = (bits ^ bits >> 12).wrapping_mul(0x297a_2d39);
    (bits ^ bits >> 15) as f32 / u32::MAX as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tile_has_no_seam_and_is_half_on_average() {
        let tile = tile();
        let texel = |x: u32, y: u32| tile[(y * SIDE + x) as usize];
        for part in 0..2 {
            let mean = tile.iter().map(|texel| texel[part]).sum::<f32>() / tile.len() as f32;
            assert!((0.4..0.6).contains(&mean), "{mean}");
            let step = |a: [f32; 4], b: [f32; 4]| (a[part] - b[part]).abs();
            let seam: f32 = (0..SIDE).map(|y| step(texel(SIDE - 1, y), texel(0, y))).sum();
            let inside: f32 = (0..SIDE).map(|y| step(texel(100, y), texel(101, y))).sum();
            assert!(seam < 2.0 * inside + 1.0, "{seam} against {inside}");
        }
    }
}
