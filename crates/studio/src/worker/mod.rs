//! Who drives the session: a thread of its own where there are threads, slices of time in a browser.

#[cfg(not(target_arch = "wasm32"))]
mod filming;
#[cfg(target_arch = "wasm32")]
mod slices;
#[cfg(not(target_arch = "wasm32"))]
mod thread;

#[cfg(target_arch = "wasm32")]
pub use slices::Worker;
#[cfg(not(target_arch = "wasm32"))]
pub use thread::Worker;
