//! The studio: water under your hands, in a window and, from the same code, in a web page.
//!
//! A [`session`] holds the water and everything that was done to it; a [`worker`] drives it, on a thread of its own or in
//! slices of time; the [`app`] shows it in panes with panels around them. Between them go [`order::Order`]s one way and
//! [`news::News`] the other.

pub mod app;
#[cfg(not(target_arch = "wasm32"))]
pub mod bench;
#[cfg(not(target_arch = "wasm32"))]
pub mod desktop;
pub mod export;
pub mod hand;
pub mod news;
pub mod order;
pub mod pane;
pub mod panels;
pub mod session;
pub mod view;
pub mod web;
pub mod worker;
