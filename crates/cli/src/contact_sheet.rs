//! The contact sheet of a film, from its pictures on disk.

use std::path::Path;

use undine_export::png::{PngError, read_rgb8, write_rgb8};
use undine_render::{Picture, contact_sheet};

use crate::PictureSink;

/// Writes the contact sheet of the pictures of these frames, each given with its time in seconds.
pub fn make_contact_sheet(
    title: &str,
    pictures: &Path,
    frames: &[(u64, f64)],
    sheet: &Path,
) -> Result<(), PngError> {
    let chosen = contact_sheet::picked_frames(frames.len());
    let read = |&(frame, time): &(u64, f64)| {
        let picture = read_rgb8(&PictureSink::file(pictures, frame))?;
        let picture = Picture { width: picture.width, height: picture.height, rgb: picture.pixels };
        Ok((picture, format!("{time:.2} s")))
    };
    let shown = chosen.iter().filter_map(|&index| frames.get(index)).map(read);
    let sheet_picture = contact_sheet::draw(title, &shown.collect::<Result<Vec<_>, PngError>>()?);
    write_rgb8(sheet, sheet_picture.width, sheet_picture.height, &sheet_picture.rgb)
}
