//! The small pictures of the bundled scenes, which `build.rs` made from their golden pictures.

use std::collections::HashMap;
use std::io::Cursor;

use egui::{ColorImage, Context, TextureHandle, TextureOptions};

/// Every picture as a PNG file, by the name of its scene.
static PICTURES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/thumbnails.rs"));

/// How many pictures are unpacked in one frame of the window, so that opening the gallery does not stutter.
const PER_FRAME: usize = 3;

/// The pictures that have been looked at so far, on the graphics card.
#[derive(Clone, Default)]
pub struct Thumbnails {
    textures: HashMap<&'static str, Option<TextureHandle>>,
    made_in: u64,
    made: usize,
}

impl Thumbnails {
    /// The picture of a scene; `None` while it is yet to be unpacked, and for a scene that has none.
    pub fn get(&mut self, context: &Context, scene: &str) -> Option<TextureHandle> {
        let (name, bytes) = PICTURES.iter().find(|(name, _)| *name == scene)?;
        if let Some(texture) = self.textures.get(name) {
            return texture.clone();
        }
        let pass = context.cumulative_pass_nr();
        if self.made_in != pass {
            (self.made_in, self.made) = (pass, 0);
        }
        if self.made == PER_FRAME {
            context.request_repaint();
            return None;
        }
        self.made += 1;
        let texture = unpacked(bytes)
            .map(|image| context.load_texture(format!("thumbnail of {name}"), image, TextureOptions::LINEAR));
        self.textures.insert(name, texture.clone());
        texture
    }
}

fn unpacked(bytes: &[u8]) -> Option<ColorImage> {
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
            assert_eq!(unpacked(bytes).unwrap().size, [192, 108]);
        }
        let bytes: usize = PICTURES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 700_000, "{bytes} bytes");
    }
}
