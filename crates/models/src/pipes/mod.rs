//! Virtual pipes [thompson2009].

pub mod stacked_pipes;
pub mod thesis;
