//! Perceptual difference of two pictures.

use crate::Picture;
use crate::colour::{decode, to_oklab};

/// The mean and the greatest OKLab distance of two pictures of one size (0.02 is just noticeable); `None` for pictures of
/// different sizes.
///
/// Both are box-filtered over 3 × 3 pixels first, so that an edge that moves by a fraction of a pixel, as by rounding on
/// another machine, counts less than a change of colour.
///
/// ```
/// use undine_render::{Picture, difference};
///
/// let grey = |level: u8| Picture { width: 4, height: 4, rgb: vec![level; 48] };
/// assert_eq!(difference(&grey(100), &grey(100)), Some((0.0, 0.0)));
/// assert!(difference(&grey(100), &grey(140)).unwrap().0 > 0.1);
/// ```
pub fn difference(a: &Picture, b: &Picture) -> Option<(f32, f32)> {
    if (a.width, a.height, a.rgb.len()) != (b.width, b.height, b.rgb.len()) || a.rgb.is_empty() {
        return None;
    }
    let (a_soft, b_soft) = (softened(a), softened(b));
    let distances = a_soft.iter().zip(&b_soft).map(|(a, b)| {
        let squares = (0..3).map(|channel| (a[channel] - b[channel]).powi(2));
        squares.sum::<f32>().sqrt()
    });
    let (mut sum, mut greatest) = (0.0f64, 0.0f32);
    for distance in distances {
        sum += f64::from(distance);
        greatest = greatest.max(distance);
    }
    Some(((sum / a_soft.len() as f64) as f32, greatest))
}

/// The picture in OKLab, box-filtered over 3 × 3 pixels.
fn softened(picture: &Picture) -> Vec<[f32; 3]> {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let pixels: Vec<[f32; 3]> = picture
        .rgb
        .as_chunks::<3>()
        .0
        .iter()
        .map(|rgb| to_oklab(rgb.map(|level| decode(f32::from(level) / 255.0))))
        .collect();
    let around = |x: usize, y: usize| {
        let columns = x.saturating_sub(1)..(x + 2).min(width);
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        let count = (columns.len() * rows.len()) as f32;
        let near = rows.flat_map(|row| columns.clone().map(move |column| row * width + column));
        let sum = near.fold([0.0; 3], |sum: [f32; 3], at| {
            std::array::from_fn(|channel| sum[channel] + pixels[at][channel])
        });
        sum.map(|channel| channel / count)
    };
    (0..width * height).map(|index| around(index % width, index / width)).collect()
}
