//! The studio: an interactive window for simulations, natively and, from the same code, as a web page.
//!
//! A [`session`] holds the running waters and the actions applied to them; a [`worker`] drives it, on a thread of its own
//! or in time slices; the [`app`] shows it in panes with panels around them. The window sends [`request::Request`]s and
//! receives [`update::SessionUpdate`]s.

pub mod app;
#[cfg(not(target_arch = "wasm32"))]
pub mod bench;
#[cfg(not(target_arch = "wasm32"))]
pub mod desktop;
pub mod export;
pub mod interaction;
pub mod pane;
pub mod panels;
pub mod request;
pub mod session;
pub mod update;
pub mod view;
pub mod web;
pub mod worker;
