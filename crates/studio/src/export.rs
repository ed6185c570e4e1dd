//! Exports as named byte arrays, to be written to disk or downloaded by a browser.

use undine::Frame;
use undine::export::{ExportedFile, Options, format};
use undine::render::{PictureKind, PictureSpec, Pictures, draw};
use undine::scene::Scene;

/// The meshes or maps of a frame in a format of `undine::export::FORMATS`.
pub fn frame_files(scene: &Scene, frame: &Frame, format_name: &str) -> Result<Vec<ExportedFile>, String> {
    let Some(format) = format(format_name) else { return Err(format!("there is no format {format_name:?}")) };
    let files = format.to_memory(frame, &Options::default()).map_err(|error| error.to_string())?;
    if files.is_empty() {
        return Err(format!("this scene has nothing for {format_name}: {}", format.summary));
    }
    let stem = format!("{}-{:06}", scene.name, frame.index);
    Ok(files
        .into_iter()
        .map(|file| ExportedFile { name: format!("{stem}-{}", file.name), bytes: file.bytes })
        .collect())
}

/// The first picture of the scene, of one frame, as PNG.
pub fn still(scene: &Scene, frame: &Frame) -> Result<ExportedFile, String> {
    let pictures = Pictures::read(scene).map_err(|errors| errors.to_string())?;
    let Some(spec) = pictures.into_iter().next() else {
        return Err(String::from("the scene has no picture"));
    };
    let picture = draw(&spec.traced_if_open(), frame).map_err(|error| error.to_string())?;
    let name = format!("{}-{:06}.png", scene.name, frame.index);
    Ok(ExportedFile { name, bytes: png(picture.width, picture.height, &picture.rgb)? })
}

/// A picture as PNG.
pub fn png(width: u32, height: u32, rgb: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    undine::export::png::encode_rgb8(&mut bytes, width, height, rgb).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The scene file including all actions.
pub fn scene_file(scene: &Scene, script: String) -> ExportedFile {
    ExportedFile { name: format!("{}.toml", scene.name), bytes: script.into_bytes() }
}

/// Replaces traced pictures by previews of the same scene, which are many times faster.
pub fn replace_traced_by_preview(pictures: &mut [PictureSpec]) {
    for picture in pictures {
        if let PictureKind::Trace(trace) = &picture.kind {
            picture.kind = PictureKind::Preview(trace.scene.clone());
        }
    }
}
