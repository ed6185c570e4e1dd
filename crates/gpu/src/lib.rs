//! Real-time rendering of water on the GPU: in a window, in a web page, or off screen.
//!
//! A [`Renderer`] belongs to a device. It uploads a [`Frame`](undine_frame::Frame), which is plain data, and renders it
//! by [`RenderSettings`] into any texture: in perspective, or as a flat page of layers. It uses vertex and fragment
//! shaders only, so that it runs on WebGL2 as well as on Vulkan, Metal, DirectX and WebGPU.

mod context;
mod flat;
mod fluid;
mod half;
#[cfg(not(target_arch = "wasm32"))]
mod headless;
mod height_field;
mod noise;
mod pipeline;
mod renderer;
mod settings;
mod space;
#[cfg(not(target_arch = "wasm32"))]
mod speed;
mod targets;
mod upload;
mod world;

#[cfg(not(target_arch = "wasm32"))]
pub use headless::{Headless, HeadlessError};
pub use renderer::{RenderError, Renderer};
pub use settings::{
    ColourMapping, Effects, FlatLayer, FlatView, ParticleStyle, RenderSettings, SceneryMaterials,
    ShadingModel, SpaceView, classic_bumps,
};
#[cfg(not(target_arch = "wasm32"))]
pub use speed::measure;
