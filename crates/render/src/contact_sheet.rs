//! Contact sheet of a film: thumbnails of some frames in rows, each with its time below.

use glam::Vec2;
use rayon::prelude::*;

use crate::Picture;
use crate::colour::{decode, to_bytes};
use crate::plots::canvas::PlotCanvas;
use crate::plots::text::{Anchor, Typeface};

/// Most thumbnails on a sheet.
const MAX_PICTURES: usize = 12;
/// Thumbnails in a row.
const COLUMNS: usize = 4;
/// Greatest width and height of a thumbnail in pixels.
const MAX_WIDTH: usize = 320;
const MAX_HEIGHT: usize = 320;
/// Space between thumbnails, height of a caption, and height of the title, in pixels.
const GAP: usize = 12;
const CAPTION_HEIGHT: usize = 22;
const TITLE_HEIGHT: usize = 40;

const PAPER: [f32; 3] = [0.012, 0.014, 0.016];
const CAPTION: [f32; 3] = [0.42, 0.45, 0.47];
const HEADING: [f32; 3] = [0.85, 0.87, 0.88];

/// Indices of the frames shown of a film of `count` frames: evenly spaced, including the first and the last.
///
/// ```
/// use undine_render::contact_sheet::picked_frames;
///
/// assert_eq!(picked_frames(3), [0, 1, 2]);
/// assert_eq!((picked_frames(97).len(), picked_frames(97).first(), picked_frames(97).last()), (12, Some(&0), Some(&96)));
/// ```
pub fn picked_frames(count: usize) -> Vec<usize> {
    let shown = count.min(MAX_PICTURES);
    (0..shown).map(|index| (index * (count - 1) + (shown - 1) / 2) / (shown - 1).max(1)).collect()
}

/// Draws a sheet of pictures with captions. All cells have the size of the first picture; others are cropped.
pub fn draw(title: &str, pictures: &[(Picture, String)]) -> Picture {
    let size = pictures.first().map_or([1, 1], |(picture, _)| thumbnail_size(picture));
    let [wide, tall] = size;
    let columns = pictures.len().clamp(1, COLUMNS);
    let rows = pictures.len().div_ceil(columns).max(1);
    let width = GAP + columns * (wide + GAP);
    let mut canvas = PlotCanvas::new(width, TITLE_HEIGHT + rows * (tall + CAPTION_HEIGHT) + GAP, PAPER);
    let middle = Vec2::new(GAP as f32, 0.5 * (TITLE_HEIGHT + GAP / 2) as f32);
    Typeface::new(20.0).write(&mut canvas, middle, Anchor::Left, title, HEADING);
    let small: Vec<Vec<[f32; 3]>> =
        pictures.par_iter().map(|(picture, _)| downsample(picture, size)).collect();
    let face = Typeface::new(14.0);
    for (index, ((_, caption), pixels)) in pictures.iter().zip(&small).enumerate() {
        let (left, top) =
            (GAP + index % columns * (wide + GAP), TITLE_HEIGHT + index / columns * (tall + CAPTION_HEIGHT));
        for (y, row) in pixels.chunks(wide).enumerate() {
            let start = (top + y) * width + left;
            if let Some(into) = canvas.light.pixels.get_mut(start..start + row.len()) {
                into.copy_from_slice(row);
            }
        }
        let below = Vec2::new(left as f32, (top + tall) as f32 + 0.5 * CAPTION_HEIGHT as f32);
        face.write(&mut canvas, below, Anchor::Left, caption, CAPTION);
    }
    canvas.light.encode(|_, _, colour| to_bytes(colour))
}

/// The size of a thumbnail: never larger than the picture.
fn thumbnail_size(picture: &Picture) -> [usize; 2] {
    let [width, height] = [picture.width, picture.height].map(|pixels| pixels.max(1) as f64);
    let scale = (MAX_WIDTH as f64 / width).min(MAX_HEIGHT as f64 / height).min(1.0);
    [width, height].map(|pixels| (pixels * scale).round().max(1.0) as usize)
}

/// Downsamples a picture by a box filter in linear light.
fn downsample(picture: &Picture, [wide, tall]: [usize; 2]) -> Vec<[f32; 3]> {
    let light: Vec<f32> = (0..=255u8).map(|byte| decode(f32::from(byte) / 255.0)).collect();
    let source_range = |index: usize, count: usize, of: u32| {
        let [first, end] = [index, index + 1].map(|at| at as u64 * u64::from(of) / count.max(1) as u64);
        first as u32..(end.max(first + 1) as u32).min(of.max(1))
    };
    let mean = |x: usize, y: usize| {
        let mut sum = [0.0_f32; 3];
        let mut count = 0.0_f32;
        for row in source_range(y, tall, picture.height) {
            for column in source_range(x, wide, picture.width) {
                let Some(pixel) = picture.pixel(column, row) else { continue };
                count += 1.0;
                for (sum, byte) in sum.iter_mut().zip(pixel) {
                    *sum += light.get(usize::from(byte)).copied().unwrap_or_default();
                }
            }
        }
        sum.map(|sum| sum / count.max(1.0))
    };
    (0..tall).flat_map(|y| (0..wide).map(move |x| (x, y))).map(|(x, y)| mean(x, y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: u32, height: u32, colour: [u8; 3]) -> Picture {
        Picture { width, height, rgb: colour.repeat((width * height) as usize) }
    }

    #[test]
    fn the_chosen_are_spread_evenly() {
        assert_eq!(picked_frames(0), [0; 0]);
        assert_eq!(picked_frames(1), [0]);
        for count in [12, 13, 24, 97, 1000] {
            let steps: Vec<usize> = picked_frames(count).windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!((steps.len(), steps.iter().sum::<usize>()), (11, count - 1));
            assert!(steps.iter().max().unwrap() - steps.iter().min().unwrap() <= 1, "{steps:?}");
        }
    }

    #[test]
    fn every_picture_is_in_its_place_in_its_colour() {
        let colours = [[200, 10, 10], [10, 200, 10], [10, 10, 200], [200, 200, 10], [90, 90, 90]];
        let pictures: Vec<_> =
            colours.iter().map(|&colour| (plain(640, 360, colour), "1 s".to_owned())).collect();
        let sheet = draw("film", &pictures);
        assert_eq!((sheet.width, sheet.height), (12 + 4 * 332, 40 + 2 * 202 + 12));
        for (index, colour) in colours.iter().enumerate() {
            let (x, y) = (172 + index % 4 * 332, 130 + index / 4 * 202);
            assert_eq!(sheet.pixel(x as u32, y as u32), Some(*colour), "{index}");
        }
        let is_lit = |x: u32, y: u32| sheet.pixel(x, y).unwrap().iter().any(|&byte| byte > 60);
        assert!((12..60).any(|x| (220..242).any(|y| is_lit(x, y))), "the time stands below");
        assert!((12..60).any(|x| (8..36).any(|y| is_lit(x, y))), "the title stands above");
    }

    #[test]
    fn light_is_kept_when_pictures_shrink() {
        let mut stripes = plain(640, 360, [0, 0, 0]);
        stripes.rgb.chunks_exact_mut(6).for_each(|pair| pair[..3].fill(255));
        let sheet = draw("", &[(stripes, String::new())]);
        // Half the light of white, which is no half of its byte
        assert_eq!(sheet.pixel(100, 100), Some([188; 3]));
    }

    #[test]
    fn empty_and_extreme_pictures_give_a_sheet() {
        assert!(draw("nothing", &[]).width > 0);
        let odd = [(plain(0, 0, [0; 3]), String::new()), (plain(3000, 20, [9; 3]), "x".to_owned())];
        assert!(draw("odd", &odd).height > 0);
    }
}
