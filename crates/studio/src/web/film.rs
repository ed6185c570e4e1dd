//! Films in a page, encoded by the browser's `VideoEncoder` (VP8) and written as WebM.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::webm::{Chunk, webm};

#[wasm_bindgen(inline_js = r#"
export class Encoder {
  constructor(width, height, fps) {
    if (!globalThis.VideoEncoder) throw new Error("this browser cannot encode films");
    this.size = { codedWidth: width, codedHeight: height };
    this.fps = fps;
    this.chunks = [];
    const output = (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      this.chunks.push([bytes, chunk.type === "key", chunk.timestamp]);
    };
    this.encoder = new VideoEncoder({ output, error: (error) => (this.error = error) });
    const bitrate = Math.ceil(0.25 * width * height * fps);
    this.encoder.configure({ codec: "vp8", width, height, bitrate, framerate: fps });
  }
  add(rgba, index) {
    if (this.error) throw this.error;
    const timestamp = Math.round((1e6 * index) / this.fps);
    const picture = new VideoFrame(rgba, { format: "RGBX", ...this.size, timestamp });
    this.encoder.encode(picture, { keyFrame: index % 48 === 0 });
    picture.close();
  }
  async finish() {
    await this.encoder.flush();
    this.encoder.close();
    if (this.error) throw this.error;
    return this.chunks;
  }
}
"#)]
extern "C" {
    type Encoder;
    #[wasm_bindgen(constructor, catch)]
    fn new(width: u32, height: u32, fps: f64) -> Result<Encoder, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn add(this: &Encoder, rgba: &[u8], index: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method)]
    fn finish(this: &Encoder) -> Promise;
}

/// A film that is being encoded.
pub struct WebFilm {
    encoder: Encoder,
    size: [u32; 2],
    fps: f64,
    count: u32,
}

impl WebFilm {
    /// Starts a film of pictures of one size. VP8 needs even dimensions, so an odd last row or column is cropped.
    pub fn new(size: [u32; 2], fps: f64) -> Result<WebFilm, String> {
        let size = size.map(|pixels| (pixels & !1).max(2));
        let encoder =
            Encoder::new(size[0], size[1], fps).map_err(|error| super::files::error_text(&error))?;
        Ok(WebFilm { encoder, size, fps, count: 0 })
    }

    /// Adds a picture of RGBA bytes.
    pub fn add(&mut self, size: [u32; 2], rgba: &[u8]) -> Result<(), String> {
        if size.map(|pixels| (pixels & !1).max(2)) != self.size {
            return Err(String::from("the size of the window has changed while the film was recorded"));
        }
        let rows = rgba.chunks_exact(4 * size[0] as usize).take(self.size[1] as usize);
        let cropped: Vec<u8> = rows.flat_map(|row| &row[..4 * self.size[0] as usize]).copied().collect();
        self.encoder.add(&cropped, self.count).map_err(|error| super::files::error_text(&error))?;
        self.count += 1;
        Ok(())
    }

    /// Finishes encoding and returns the file.
    pub async fn finish(self) -> Result<Vec<u8>, String> {
        let text = |error: JsValue| super::files::error_text(&error);
        let chunks = JsFuture::from(self.encoder.finish()).await.map_err(text)?;
        let chunks: Vec<Chunk> =
            Array::from(&chunks).iter().map(|chunk| read(&Array::from(&chunk))).collect();
        Ok(webm(self.size, "V_VP8", f64::from(self.count) / self.fps, &chunks))
    }
}

fn read(chunk: &Array) -> Chunk {
    Chunk {
        bytes: chunk.get(0).unchecked_into::<Uint8Array>().to_vec(),
        is_key: chunk.get(1).is_truthy(),
        milliseconds: (chunk.get(2).as_f64().unwrap_or(0.0) / 1e3).round() as u64,
    }
}
