//! The studio as a web page: start, files, films; and the hook by which tests read its state, which the desktop window
//! has too.

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
