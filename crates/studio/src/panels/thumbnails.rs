//! Thumbnails of the bundled scenes, which `build.rs` makes from their golden pictures.

use std::collections::HashMap;
use std::io::Cursor;

use egui::{ColorImage, Context, TextureHandle, TextureOptions};

/// Every thumbnail as a PNG file, by the name of its scene.
static PICTURES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/thumbnails.rs"));

/// Thumbnails decoded per frame of the window, so that opening the gallery does not stutter.
const MAX_PER_PASS: usize = 3;

/// The textures of the thumbnails that have been shown so far.
#[derive(Clone, Default)]
pub struct Thumbnails {
    textures: HashMap<&'static str, Option<TextureHandle>>,
    last_pass: u64,
    made: usize,
}

impl Thumbnails {
    /// The thumbnail of a scene; `None` until it is decoded, and for a scene that has none.
    pub fn get(&mut self, context: &Context, scene: &str) -> Option<TextureHandle> {
        let (name, bytes) = PICTURES.iter().find(|(name, _)| *name == scene)?;
        if let Some(texture) = self.textures.get(name) {
            return texture.clone();
        }
        let pass = context.cumulative_pass_nr();
        if self.last_pass != pass {
            (self.last_pass, self.made) = (pass, 0);
        }
        if self.made == MAX_PER_PASS {
            context.request_repaint();
            return None;
        }
        self.made += 1;
        let texture = decoded(bytes)
            .map(|image| context.load_texture(format!("thumbnail of {name}"), image, TextureOptions::LINEAR));
        self.textures.insert(name, texture.clone());
        texture
    }
}

fn decoded(bytes: &[u8]) -> Option<ColorImage> {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let size = [frame.width as usize, frame.height as usize];
    (frame.color_type == png::ColorType::Rgb && pixels.len() == 3 * size[0] * size[1])
        .then(|| ColorImage::from_rgb(size, &pixels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_scene_has_a_picture_and_all_are_small() {
        for scene in undine::SCENES {
            let (_, bytes) = PICTURES.iter().find(|(name, _)| *name == scene.name).unwrap();
            assert_eq!(decoded(bytes).unwrap().size, [192, 108]);
        }
        let bytes: usize = PICTURES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 700_000, "{bytes} bytes");
    }
}
