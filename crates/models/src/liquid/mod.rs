//! `liquid`: a splashing liquid of particles on a staggered grid, in 2-D and 3-D, around solids.
mod bulk;
mod cells;
mod distance;
mod extend;
mod follow;
mod ledger;
mod liquid;
mod particles;
mod pressure;
mod seed;
mod state;
mod step;
mod tension;
#[cfg(test)]
mod tests;
mod tiles;
mod transfer;
mod view;
pub mod viscosity;
mod viscous;
mod volume;
mod walls;
