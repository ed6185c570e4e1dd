//! x
pub mod news;
pub mod order;
pub mod panels;
pub mod view;
