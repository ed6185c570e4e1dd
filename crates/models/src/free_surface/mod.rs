//! Tools for liquids with a free surface whose particles or markers move through a staggered (MAC) grid.
//!
//! For `liquid` (PIC, FLIP, APIC) and, when it comes, Foster and Metaxas's marker particles. The transfer of velocities
//! between particles and grid is not here: it belongs to each model.
//!
//! - `particles`: particles in columns; `tiles`: their order in memory, by cell and tile
//! - `cell_map`: a byte per cell, and its dilation
//! - `solid_boundary`: the sides of the box and the solids in it: open fractions of faces and cells, distances
//! - `surface_distance`: signed distance φ from the liquid's surface, from particles; `cut_cells`: the same in cells
//!   that solids cut
//! - `projection`: the pressure solve ∇·u = 0 with p given on the surface (ghost fluid) and cut cells at solids
//! - `extrapolation`: velocities beyond the surface, layer by layer

pub(crate) mod cell_map;
mod cut_cells;
pub(crate) mod extrapolation;
pub(crate) mod particles;
pub(crate) mod projection;
pub(crate) mod solid_boundary;
pub(crate) mod surface_distance;
pub(crate) mod tiles;
