//! What is different when the window is a web page: how it starts, where files come from and go to, and how a program can
//! look over its shoulder.

#[cfg(target_arch = "wasm32")]
mod files;
mod hook;
#[cfg(target_arch = "wasm32")]
mod page;

#[cfg(target_arch = "wasm32")]
pub use files::{Chooser, Chosen, download};
pub use hook::{Hook, State, Widget};
#[cfg(target_arch = "wasm32")]
pub use page::{Studio, Wanted};
