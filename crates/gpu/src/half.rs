//! Conversion to half floats, the widest format that every device can filter.

/// The nearest half float. Values beyond its range are clamped, NaN becomes zero.
pub fn half(value: f32) -> u16 {
    if value.is_nan() {
        return 0;
    }
    let bits = value.clamp(-65504.0, 65504.0).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    // Below 2⁻¹⁴ half floats are subnormal: multiples of 2⁻²⁴
    if magnitude < 0x3880_0000 {
        let steps = f32::from_bits(magnitude) * 16_777_216.0;
        return sign | (steps + 0.5) as u16;
    }
    // Adding half a unit of the 13 dropped bits rounds to nearest
    sign | ((magnitude - 0x3800_0000 + 0x1000) >> 13).min(0x7bff) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(half: u16) -> f32 {
        let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
        let (exponent, fraction) = (i32::from(half >> 10 & 31), f32::from(half & 0x3ff));
        match exponent {
            0 => sign * fraction * 2.0_f32.powi(-24),
            exponent => sign * (1.0 + fraction / 1024.0) * 2.0_f32.powi(exponent - 15),
        }
    }

    #[test]
    fn conversion_rounds_to_nearest() {
        for step in 0..40_000 {
            let value = (step as f32 - 20_000.0) * 1.37e-3;
            assert!((back(half(value)) - value).abs() <= value.abs() / 2048.0 + 3e-8, "{value}");
        }
        for (value, bits) in
            [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (1e9, 0x7bff), (f32::NAN, 0), (6e-8, 1)]
        {
            assert_eq!(half(value), bits, "{value}");
        }
    }
}
