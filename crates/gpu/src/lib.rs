//! Water drawn in real time by the graphics card: in a window, in a web page, or into a picture without either.
//!
//! A [`Painter`] belongs to a device. It is given a [`Frame`](undine_frame::Frame), what there is to see at one moment,
//! as plain data, and paints a [`Shot`] of it into any texture: water in space, or a fluid that fills the page. It needs nothing but
//! vertex and fragment shaders, so that it runs on WebGL2 as on Vulkan, Metal, DirectX and WebGPU.

mod context;
mod flat;
mod fluid;
mod half;
#[cfg(not(target_arch = "wasm32"))]
mod headless;
mod heights;
mod noise;
mod painter;
mod pipeline;
mod shot;
mod space;
#[cfg(not(target_arch = "wasm32"))]
mod speed;
mod stage;
mod upload;
mod world;

#[cfg(not(target_arch = "wasm32"))]
pub use headless::{Headless, HeadlessError};
pub use painter::{PaintError, Painter};
pub use shot::{
    Colours, Effects, FlatLayer, FlatView, Particles, Shot, SpaceView, Stuff, Style, classic_bumps,
};
#[cfg(not(target_arch = "wasm32"))]
pub use speed::measure;
