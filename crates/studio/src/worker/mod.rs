//! Drives the session: on a thread of its own natively, in time slices between repaints in a browser.

#[cfg(not(target_arch = "wasm32"))]
mod film_job;
#[cfg(not(target_arch = "wasm32"))]
mod thread;
#[cfg(target_arch = "wasm32")]
mod time_slices;

#[cfg(not(target_arch = "wasm32"))]
pub use thread::Worker;
#[cfg(target_arch = "wasm32")]
pub use time_slices::Worker;
