//! What is different when the window is a web page: how it starts, where files come from and go to, and how a program can
//! look over its shoulder.

#[cfg(target_arch = "wasm32")]
mod files;
#[cfg(target_arch = "wasm32")]
mod film;
mod hook;
#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(any(target_arch = "wasm32", test))]
mod webm;

#[cfg(target_arch = "wasm32")]
pub use files::{Chooser, Chosen, download};
#[cfg(target_arch = "wasm32")]
pub use film::WebFilm;
pub use hook::{Hook, StudioState, Widget};
#[cfg(target_arch = "wasm32")]
pub use page::{PageStart, Studio};
