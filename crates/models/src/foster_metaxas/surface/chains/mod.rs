//! Chains of free-surface particles, in the plane [foster1996 §4.2].
//!
//!   dx/dt = u(x)    for every particle of closed, oriented chains with the liquid to the left
//!
//! Chains run along the borders between liquid and air, and between liquid and obstacles. Particles move by area
//! weighting and the midpoint rule; those on the face of an obstacle, an inflow or an outflow move along it only. After
//! every step they are resampled and reconnected (see `remesh`).
//!
//! The volume is the area of the chains, by the shoelace formula (per metre of depth). What moves in a divergence-free
//! flow keeps it up to the length of the links, O(d_max²). Deleting and reconnecting changes it by at most about d_min
//! times the length of what meets: threads and films thinner than d_min part and are lost, gaps are filled. That is
//! reported. Chains that cross are disentangled where they cross, and loops that then lie within the liquid (or the air)
//! are removed: what lay in two of them counted twice.
//!
//! Not modelled: a link across the corner of an obstacle cuts it off, by at most d_max²/8.

mod contour;
mod inflow;
mod labels;
mod link_bins;
mod redundant_loops;
mod remesh;
mod rings;
mod segments;
mod spacing;
#[cfg(test)]
mod tests;

use std::io;

use undine_grid::{Grid, par};
use undine_sim::{Reader, Writer};

use super::super::cells::{Cells, is_obstacle};
use super::area_weighting::AreaWeighting;
use super::sliding::{along_faces, push_out, slide};
use super::{InflowFaces, SurfaceChange, SurfaceStep};
use labels::ChainLabels;
use remesh::NearLinks;
use rings::Rings;

/// Particles per parallel task.
const CHUNK: usize = 2048;

/// How cells within chains get their contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// By the winding number: enclosed air stays air.
    Winding,
    /// By the region growing of the paper: enclosed air becomes liquid.
    Growth,
}

/// When particles are inserted and deleted, and how cells get their contents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainSettings {
    /// d_max, in metres: longer links get a particle.
    pub max_link: f64,
    /// d_min, in metres, less than a third of d_max: nearer neighbours are deleted, nearer chains reconnected.
    pub min_distance: f64,
    pub contents: Contents,
}

impl ChainSettings {
    /// d_max of half a cell and d_min of a quarter of that, for cells with this shortest edge.
    pub fn of_cell(edge: f64, contents: Contents) -> Self {
        ChainSettings { max_link: 0.5 * edge, min_distance: 0.125 * edge, contents }
    }
}

/// Why there can be no such chains.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// Not in the plane.
    #[error("chains of particles exist in two dimensions only; use markers or a height field")]
    Space,
    /// d_min and d_max do not fit.
    #[error(
        "particles are deleted below {min} m and inserted above {max} m; the first must be less than a third"
    )]
    Distances {
        /// d_min.
        min: f64,
        /// d_max.
        max: f64,
    },
}

/// Closed chains of particles around the liquid. Only made for `D` = 2.
#[derive(Debug, Clone)]
pub struct Chains<const D: usize> {
    settings: ChainSettings,
    grid: Grid<D>,
    /// In cells, loop after loop.
    points: Vec<[f64; D]>,
    /// First point of every loop, and the number of points.
    starts: Vec<u32>,
    /// Metres of water that are due before each inflow face without liquid.
    due: Vec<f64>,
    weighting: AreaWeighting<D>,
    rings: Rings<D>,
    near: NearLinks,
    labels: Box<ChainLabels<D>>,
}

impl<const D: usize> Chains<D> {
    /// No chains yet: everything is air.
    pub fn new(grid: Grid<D>, settings: ChainSettings) -> Result<Self, ChainError> {
        if D != 2 {
            return Err(ChainError::Space);
        }
        let ChainSettings { min_distance: min, max_link: max, .. } = settings;
        if !(min > 0.0 && min < max / 3.0 && max.is_finite()) {
            return Err(ChainError::Distances { min, max });
        }
        Ok(Chains {
            settings,
            grid,
            points: Vec::new(),
            starts: vec![0],
            due: Vec::new(),
            weighting: AreaWeighting::new(grid.cells()),
            rings: Rings::new(plane(grid.spacing())),
            near: NearLinks::default(),
            labels: Box::new(ChainLabels::new(plane(grid.cells()), plane(grid.spacing()))),
        })
    }

    /// Adds the outlines of the part of the open cells that is `inside`, asked with points in metres: with `count`
    /// particles in all, or with links of half d_max. Answers the number of chains. What is narrower than an eighth of a cell
    /// may be missed.
    pub fn add_region(
        &mut self,
        cells: &Cells<D>,
        count: Option<usize>,
        inside: impl Fn([f64; D]) -> bool,
    ) -> usize {
        let outlines = contour::outlines(cells, &inside);
        let spacing = plane(self.grid.spacing());
        let length = |outline: &Vec<[f64; 2]>| spacing::perimeter(outline, spacing);
        let total: f64 = outlines.iter().map(length).sum();
        for outline in &outlines {
            let share = count.map(|count| (count as f64 * length(outline) / total).round() as usize);
            let share = share.map(|share| share.max(3));
            self.add_loop(&spacing::space_evenly(outline, spacing, 0.5 * self.settings.max_link, share));
        }
        outlines.len()
    }

    /// Adds a loop of points in cells.
    fn add_loop(&mut self, points: &[[f64; 2]]) {
        if points.len() > 2 {
            self.points.extend(points.iter().map(|point| in_space::<D>(*point)));
            self.starts.push(self.points.len() as u32);
        }
    }

    /// The particles of every chain in order, in metres, with the liquid to the left of the way.
    pub fn loops(&self) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = [f64; D]>> {
        let (origin, spacing) = (self.grid.origin(), self.grid.spacing());
        self.starts.windows(2).map(move |range| {
            let points = &self.points[range[0] as usize..range[1] as usize];
            points
                .iter()
                .map(move |point| std::array::from_fn(|axis| origin[axis] + point[axis] * spacing[axis]))
        })
    }

    /// Area inside all chains, that of air within them subtracted, in m².
    pub fn area(&self) -> f64 {
        self.starts.windows(2).map(|range| self.area_of(range)).sum()
    }

    fn area_of(&self, range: &[u32]) -> f64 {
        shoelace(&self.points[range[0] as usize..range[1] as usize]) * self.grid.cell_measure()
    }

    /// Moves all chains for a step, then inserts, deletes and reconnects.
    pub fn advance(&mut self, step: &SurfaceStep<'_, D>, inflows: &[InflowFaces<'_, D>]) -> SurfaceChange {
        self.weighting.update(step.cells, step.velocity);
        let weighting = &self.weighting;
        par::for_each_chunk(&mut self.points, CHUNK, |_, chunk| {
            chunk.iter_mut().for_each(|point| *point = destination(*point, step, weighting));
        });
        let mut change = SurfaceChange::default();
        self.begin_chains(step, inflows, &mut change);
        self.remesh(step.cells, &mut change);
        change
    }

    /// Inserts, deletes and reconnects particles. Those inserted on a link across an obstacle are moved onto its faces.
    fn remesh(&mut self, cells: &Cells<D>, change: &mut SurfaceChange) {
        let before = self.area();
        let size = plane(self.grid.cells());
        self.rings.load(&self.points, &self.starts);
        remesh::delete_near_neighbours(&mut self.rings, &self.settings);
        change.born += remesh::insert_on_long_links(&mut self.rings, &self.settings);
        change.reconnections += remesh::reconnect(&mut self.rings, &mut self.near, &self.settings, size);
        change.born += remesh::insert_on_long_links(&mut self.rings, &self.settings);
        self.rings.store(&mut self.points, &mut self.starts);
        self.points.iter_mut().for_each(|point| *point = push_out(cells, *point, is_obstacle));
        if change.reconnections > 0 {
            change.removed_loops += self.remove_redundant_loops();
        }
        change.resampled += self.area() - before;
    }

    /// Labels all cells but obstacles by the chains.
    pub fn label(&mut self, cells: &mut Cells<D>) {
        self.labels.label(&self.points, &self.starts, cells, self.settings.contents);
    }

    /// Distance in cells from the centre of a cell to the chain on the line to the next centre, of the last labelling.
    pub fn interface(&self, cell: [usize; D], axis: usize, towards_high: bool) -> f64 {
        self.labels.interface(plane(cell), axis, towards_high)
    }

    /// Writes the chains.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("chain_particles", self.points.iter().copied())?;
        to.values("chain_starts", &self.starts)?;
        to.values("chain_due", &self.due)
    }

    /// Reads what was written. The cells must be labelled again.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.points.clear();
        from.records("chain_particles", |point| self.points.push(point))?;
        from.list_into("chain_starts", &mut self.starts)?;
        from.list_into("chain_due", &mut self.due)?;
        let is_sound = self.starts.first() == Some(&0)
            && self.starts.is_sorted()
            && self.starts.last().is_some_and(|&end| end as usize == self.points.len())
            && self.points.iter().flatten().all(|x| x.is_finite());
        if is_sound {
            return Ok(());
        }
        (self.points, self.starts) = (Vec::new(), vec![0]);
        Err(io::Error::new(io::ErrorKind::InvalidData, "the saved chains do not fit together"))
    }
}

/// Where a particle comes to in a step.
fn destination<const D: usize>(
    point: [f64; D],
    step: &SurfaceStep<'_, D>,
    weighting: &AreaWeighting<D>,
) -> [f64; D] {
    let point = push_out(step.cells, point, is_obstacle);
    let displacement = |at: [f64; D]| {
        along_faces(step.cells, point, weighting.velocity(at).map(|u| u * step.dt), is_obstacle)
    };
    let by = displacement(point);
    let by = displacement(std::array::from_fn(|axis| point[axis] + 0.5 * by[axis]));
    slide(step.cells, point, by, is_obstacle)
}

/// Area of a closed polygon, positive if it goes around counter-clockwise. Taken from its first corner, so that far from
/// the origin nothing is lost.
fn shoelace<const D: usize>(points: &[[f64; D]]) -> f64 {
    let Some(&first) = points.first() else { return 0.0 };
    let from_first = |point: [f64; D]| segments::minus(plane(point), plane(first));
    0.5 * points.windows(2).map(|pair| segments::cross(from_first(pair[0]), from_first(pair[1]))).sum::<f64>()
}

/// The first two coordinates.
fn plane<T: Copy, const D: usize>(point: [T; D]) -> [T; 2] {
    [point[0], point[1]]
}

/// A point of the plane, as one of `D` coordinates.
fn in_space<const D: usize>(point: [f64; 2]) -> [f64; D] {
    std::array::from_fn(|axis| point.get(axis).copied().unwrap_or(0.0))
}
