//! Tracked surfaces of Foster and Metaxas: where the liquid is [foster1996 §4].
//!
//! Three ways to track it, each given the velocity of the cells after every step:
//!
//! - [`Markers`]: massless particles throughout the liquid (§4.1); a cell that holds one holds liquid.
//! - [`Chains`]: closed, oriented chains of particles along the surface, in the plane only (§4.2).
//! - [`HeightField`]: one height per column of cells, the last axis up (§4.3).
//!
//! They label the cells Empty or liquid (step 3 of §6), give the position of the surface between two cells to the pressure
//! there, and move (step 8). They depend on the solver by [`Cells`] and the velocity alone.

mod area_weighting;
mod chains;
mod height_field;
mod markers;
mod sliding;

use std::io;

use undine_grid::MacVelocity;
use undine_sim::{Reader, Writer};

use super::cells::Cells;
pub(super) use chains::{ChainSettings, Chains, Contents};
pub(super) use height_field::{HeightField, HeightForm, HeightSettings};
pub(super) use markers::{MarkerMotion, MarkerSettings, Markers};

/// The least and greatest distance from the centre of a Surface cell to the surface, in cells; negative where the surface
/// lies behind the centre. The pressure of the cell is extrapolated from the Full cell behind it to the surface.
pub(super) const INTERFACE_RANGE: [f64; 2] = [-0.5, 1.0];

/// What a surface moves by: the cells and the velocity of a step of `dt` seconds.
#[derive(Clone, Copy)]
pub(super) struct SurfaceStep<'a, const D: usize> {
    pub cells: &'a Cells<D>,
    pub velocity: &'a MacVelocity<f64, D>,
    pub dt: f64,
}

/// A face through which water comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InflowFace<const D: usize> {
    /// The cell of the kind Inflow.
    pub cell: [usize; D],
    /// The axis across the face.
    pub axis: usize,
    /// Whether the water flows towards higher coordinates: the face is the high one of the inflow cell.
    pub towards_high: bool,
}

/// The faces of one inflow, and the markers that are born there.
#[derive(Debug, Clone, Copy)]
pub(super) struct InflowFaces<'a, const D: usize> {
    pub faces: &'a [InflowFace<D>],
    /// Markers per second through all faces; `None`: as many as fill the inflowing water as densely as at the start.
    pub markers_per_second: Option<f64>,
}

/// What a step has changed beside moving the surface. Volumes in m³, or m² in the plane.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct SurfaceChange {
    /// Volume that came in through inflow faces (height field: what the columns received; chains: by the chain's area).
    pub inflow: f64,
    /// Volume that left through outflow faces (height field and chains), less what came back.
    pub outflow: f64,
    /// Volume by which a limit changed the surface: heights kept in the domain (eq. 12), particles pushed out of solids.
    pub limited: f64,
    /// Volume that could not move as the velocity asked for, and was kept where it was (height field in flux form).
    pub held_back: f64,
    /// Volume that does not fit below the ceilings of its columns, and waits in them (height field).
    pub surplus: f64,
    /// Area gained (or lost, if negative) by deleting near particles and by reconnecting chains, removed loops included.
    pub resampled: f64,
    /// Area of the loops that were removed, the sum of their absolute values.
    pub removed_loops: f64,
    /// Particles born at inflows, or inserted in chains.
    pub born: usize,
    /// Markers that left through outflow faces.
    pub left: usize,
    /// Markers removed because they were in a solid: of an edited scene, or of a restored state.
    pub lost: usize,
    /// Markers that were not born because there are too many already.
    pub refused: usize,
    /// Crosswise reconnections of chains.
    pub reconnections: usize,
}

/// The surface of the liquid, tracked in one of three ways.
#[derive(Debug, Clone)]
pub(super) enum TrackedSurface<const D: usize> {
    Markers(Markers<D>),
    /// In the plane only.
    Chains(Chains<D>),
    HeightField(HeightField<D>),
}

impl<const D: usize> TrackedSurface<D> {
    /// Moves the surface by the velocity for a step (step 8 of §6).
    pub fn advance(&mut self, step: &SurfaceStep<'_, D>, inflows: &[InflowFaces<'_, D>]) -> SurfaceChange {
        match self {
            TrackedSurface::Markers(markers) => markers.advance(step, inflows),
            TrackedSurface::Chains(chains) => chains.advance(step, inflows),
            TrackedSurface::HeightField(heights) => heights.advance(step),
        }
    }

    /// Labels all cells but obstacles Empty, Surface or Full (step 3 of §6). Answers the number of holes, Empty cells
    /// without an Empty neighbour, that were refilled.
    pub fn label(&mut self, cells: &mut Cells<D>) -> usize {
        match self {
            TrackedSurface::Markers(markers) => markers.label(cells),
            TrackedSurface::Chains(chains) => {
                chains.label(cells);
                0
            }
            TrackedSurface::HeightField(heights) => {
                heights.label(cells);
                0
            }
        }
    }

    /// Distance in metres along `axis` from the centre of a Surface cell to the surface, within [`INTERFACE_RANGE`] of
    /// the cell's length; of the state that was last labelled.
    pub fn interface(&self, cells: &Cells<D>, cell: [usize; D], axis: usize, towards_high: bool) -> f64 {
        let distance = match self {
            TrackedSurface::Markers(markers) => markers.interface(cells, cell, axis, towards_high),
            TrackedSurface::Chains(chains) => chains.interface(cell, axis, towards_high),
            TrackedSurface::HeightField(heights) => heights.interface(cell, axis, towards_high),
        };
        let [least, greatest] = INTERFACE_RANGE;
        distance.clamp(least, greatest) * cells.grid().spacing()[axis]
    }

    /// Volume inside the surface, in m³ or m².
    pub fn seen_volume(&self, cells: &Cells<D>) -> f64 {
        match self {
            TrackedSurface::Markers(markers) => markers.seen_volume(cells),
            TrackedSurface::Chains(chains) => chains.area(),
            TrackedSurface::HeightField(heights) => heights.volume(),
        }
    }

    /// Writes the state.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        match self {
            TrackedSurface::Markers(markers) => markers.save(to),
            TrackedSurface::Chains(chains) => chains.save(to),
            TrackedSurface::HeightField(heights) => heights.save(to),
        }
    }

    /// Reads what a surface of the same kind and grid has written.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        match self {
            TrackedSurface::Markers(markers) => markers.restore(from),
            TrackedSurface::Chains(chains) => chains.restore(from),
            TrackedSurface::HeightField(heights) => heights.restore(from),
        }
    }
}
