//! Decoder of Radiance images: a byte for each colour and one for their common exponent [ward1994].

use glam::Vec3;

use super::EnvironmentMapError;
use super::environment_map::{MOST, Pixels};

/// Decodes the pixels of an image: header lines, a line with the size, then scanlines, flat or run-length encoded.
pub fn read(bytes: &[u8]) -> Result<Pixels, EnvironmentMapError> {
    let mut rest = bytes;
    if !bytes.starts_with(b"#?") {
        return Err(EnvironmentMapError::Strange);
    }
    let size = loop {
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or(EnvironmentMapError::Short)?;
        let line = std::str::from_utf8(&rest[..end]).unwrap_or_default().trim().to_owned();
        rest = &rest[end + 1..];
        if line.starts_with("-Y") {
            break line;
        }
    };
    let words: Vec<&str> = size.split_whitespace().collect();
    let [_, height, "+X", width] = words[..] else { return Err(EnvironmentMapError::Strange) };
    let number = |word: &str| word.parse::<usize>().map_err(|_| EnvironmentMapError::Strange);
    let (width, height) = (number(width)?, number(height)?);
    if width.checked_mul(height).is_none_or(|pixels| pixels > MOST) {
        return Err(EnvironmentMapError::TooLarge);
    }
    let mut pixels = Vec::new();
    let mut row = vec![[0_u8; 4]; width];
    for _ in 0..height {
        rest = read_row(rest, &mut row)?;
        pixels.extend(row.iter().map(light));
    }
    Ok((width, height, pixels))
}

fn light([red, green, blue, exponent]: &[u8; 4]) -> Vec3 {
    let scale = if *exponent == 0 { 0.0 } else { (f32::from(*exponent) - 136.0).exp2() };
    Vec3::new(f32::from(*red), f32::from(*green), f32::from(*blue)) * scale
}

fn read_row<'b>(bytes: &'b [u8], row: &mut [[u8; 4]]) -> Result<&'b [u8], EnvironmentMapError> {
    let width = row.len();
    let is_packed =
        matches!(bytes, [2, 2, high, low, ..] if usize::from(*high) << 8 | usize::from(*low) == width);
    // Flat pixels of four bytes.
    if !is_packed {
        let (own, rest) = bytes.split_at_checked(4 * width).ok_or(EnvironmentMapError::Short)?;
        for (pixel, bytes) in row.iter_mut().zip(own.chunks_exact(4)) {
            pixel.copy_from_slice(bytes);
        }
        return Ok(rest);
    }
    // Run-length encoded, one channel after the other: a count above 128 repeats the next byte.
    let mut rest = &bytes[4..];
    for channel in 0..4 {
        let mut at = 0;
        while at < width {
            let (&count, after) = rest.split_first().ok_or(EnvironmentMapError::Short)?;
            let repeats = count > 128;
            let count = usize::from(if repeats { count - 128 } else { count }).min(width - at);
            let length = if repeats { 1 } else { count };
            let (run, after) = after.split_at_checked(length).ok_or(EnvironmentMapError::Short)?;
            if count == 0 {
                return Err(EnvironmentMapError::Strange);
            }
            for (step, pixel) in row[at..at + count].iter_mut().enumerate() {
                pixel[channel] = run[if repeats { 0 } else { step }];
            }
            (at, rest) = (at + count, after);
        }
    }
    Ok(rest)
}
