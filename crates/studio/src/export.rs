//! What leaves the studio: files as bytes, for a disk or for a browser's downloads.

use undine::Frame;
use undine::export::{Options, format};
use undine::render::{PictureKind, PictureSpec, Pictures, draw};
use undine::scene::Scene;

/// A file with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The meshes or maps of a frame in a format of `undine::export::FORMATS`.
pub fn frame_pieces(scene: &Scene, frame: &Frame, format_name: &str) -> Result<Vec<Piece>, String> {
    let Some(format) = format(format_name) else { return Err(format!("there is no format {format_name:?}")) };
    let parts = format.to_memory(frame, &Options::default()).map_err(|error| error.to_string())?;
    if parts.is_empty() {
        return Err(format!("this scene has nothing for {format_name}: {}", format.summary));
    }
    let stem = format!("{}-{:06}", scene.name, frame.index);
    Ok(parts
        .into_iter()
        .map(|part| Piece { name: format!("{stem}-{}", part.name), bytes: part.bytes })
        .collect())
}

/// The first picture that the scene asks for, of a frame, as PNG.
pub fn still(scene: &Scene, frame: &Frame) -> Result<Piece, String> {
    let pictures = Pictures::read(scene).map_err(|errors| errors.to_string())?;
    let Some(spec) = pictures.first() else { return Err(String::from("the scene has no picture")) };
    let picture = draw(spec, frame).map_err(|error| error.to_string())?;
    let name = format!("{}-{:06}.png", scene.name, frame.index);
    Ok(Piece { name, bytes: png(picture.width, picture.height, &picture.rgb)? })
}

/// A picture as PNG.
pub fn png(width: u32, height: u32, rgb: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    undine::export::png::encode_rgb8(&mut bytes, width, height, rgb).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The scene file as a piece.
pub fn scene_piece(scene: &Scene, script: String) -> Piece {
    Piece { name: format!("{}.toml", scene.name), bytes: script.into_bytes() }
}

/// Makes previews of traced pictures, which are drawn many times as fast.
pub fn leave_out_paths(pictures: &mut [PictureSpec]) {
    for picture in pictures {
        if let PictureKind::Trace(trace) = &picture.kind {
            picture.kind = PictureKind::Preview(trace.scene.clone());
        }
    }
}
