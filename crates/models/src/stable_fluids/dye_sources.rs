//! Timed sources of dye and smoke placed interactively. The box is full, so no volume is added: the fluid is coloured.

use std::io;

use undine_grid::Grid;
use undine_sim::{Reader, Writer};

use super::emitters::InfluenceBall;
use super::transported_scalars::TransportedScalars;

/// Largest number of simultaneous sources; a further one replaces the oldest.
const MAX_SOURCES: usize = 64;

/// The active sources.
#[derive(Debug, Clone)]
pub(super) struct DyeSources<const D: usize> {
    dye_sources: Vec<DyeSource<D>>,
}

#[derive(Debug, Clone, Copy)]
struct DyeSource<const D: usize> {
    ball: InfluenceBall<D>,
    until: f64,
}

impl<const D: usize> DyeSources<D> {
    /// No sources.
    pub fn new() -> Self {
        DyeSources { dye_sources: Vec::with_capacity(MAX_SOURCES) }
    }

    /// Adds a source in a ball until a time.
    pub fn begin(&mut self, ball: InfluenceBall<D>, until: f64) {
        if self.dye_sources.len() == MAX_SOURCES {
            self.dye_sources.remove(0);
        }
        self.dye_sources.push(DyeSource { ball, until });
    }

    /// Applies the active sources in a step that begins at a time, and removes the expired ones.
    pub fn apply(&mut self, time: f64, grid: &Grid<D>, scalars: &mut TransportedScalars<D>) {
        self.dye_sources.retain(|dye_source| dye_source.until > time);
        self.dye_sources.iter().for_each(|dye_source| add_white_dye(dye_source.ball, grid, scalars));
    }

    /// Writes the sources.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("pour places", self.dye_sources.iter().map(|dye_source| dye_source.ball.at))?;
        to.records(
            "pours",
            self.dye_sources.iter().map(|dye_source| [dye_source.ball.radius, dye_source.until]),
        )
    }

    /// Restores saved sources.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.dye_sources.clear();
        from.records("pour places", |at| {
            if self.dye_sources.len() < MAX_SOURCES {
                self.dye_sources.push(DyeSource { ball: InfluenceBall { at, radius: 0.0 }, until: 0.0 });
            }
        })?;
        let mut dye_sources = self.dye_sources.iter_mut();
        from.records("pours", |[radius, until]: [f64; 2]| {
            dye_sources
                .next()
                .into_iter()
                .for_each(|dye_source| (dye_source.ball.radius, dye_source.until) = (radius, until));
        })
    }
}

/// Fills a ball with white dye and thick smoke, whichever of them the fluid transports.
pub(super) fn add_white_dye<const D: usize>(
    ball: InfluenceBall<D>,
    grid: &Grid<D>,
    scalars: &mut TransportedScalars<D>,
) {
    let centre = |at: [usize; D]| grid.centre(at.map(|x| x as isize));
    ball.for_each_weighted(grid.cells(), centre, grid, |at, weight| {
        scalars.mix(at, weight as f32, Some([1.0; 3]), Some(1.0), None);
    });
}
