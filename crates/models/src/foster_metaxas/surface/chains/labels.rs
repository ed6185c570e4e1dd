//! Cell contents from chains: the cells that links cross, and the others by winding number or by region growing.
//!
//! The winding number of a cell's centre counts how often the chains go around it: crossings of links with the ray
//! towards high x, +1 where the link goes up (the liquid lies to its left) and −1 where it goes down. Liquid is where it
//! is above zero. So air that a chain encloses stays air, and chains that cross give what they enclose together.
//!
//! The paper grows regions instead (fig. 5): Empty from a cell that is known to be, then Full from the cells with
//! surface; enclosed air becomes Full.

use undine_frame::CellKind;

use super::super::super::cells::{Cells, is_obstacle};
use super::super::sliding::ON_FACE;
use super::link_bins::{LinkBins, cell_range, for_each_cell};
use super::rings::Rings;
use super::segments::{meets_box, minus};
use super::{Contents, plane};

/// A link crosses a cell if it comes this far into it, in cells: one along a face crosses neither of its cells.
const DEPTH: f64 = 1e-3;

/// What region growing knows of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    Unknown,
    Empty,
    Full,
    Obstacle,
}

/// The contents of the cells, and the links in them.
#[derive(Debug, Clone)]
pub struct ChainLabels<const D: usize> {
    size: [usize; 2],
    /// The chains that were labelled, which the links belong to.
    rings: Rings<D>,
    bins: LinkBins,
    is_crossed: Vec<bool>,
    /// Winding numbers of the centres; while they are summed up, changes from one cell to the next.
    winding: Vec<i32>,
    regions: Vec<Region>,
    front: Vec<u32>,
}

impl<const D: usize> ChainLabels<D> {
    /// Memory for a grid of this many cells.
    pub fn new(size: [usize; 2], spacing: [f64; 2]) -> Self {
        let count = size[0] * size[1];
        ChainLabels {
            size,
            rings: Rings::new(spacing),
            bins: LinkBins::default(),
            is_crossed: vec![false; count],
            winding: vec![0; count],
            regions: vec![Region::Unknown; count],
            front: Vec::with_capacity(count),
        }
    }

    /// Labels all cells but obstacles by loops of points in cells; loop n begins at `starts[n]`.
    pub fn label(&mut self, points: &[[f64; D]], starts: &[u32], cells: &mut Cells<D>, contents: Contents) {
        self.rings.load(points, starts);
        self.is_crossed.fill(false);
        self.winding.fill(0);
        let rings = &self.rings;
        self.bins.build(self.size, [0.0; 2], rings.len(), |link| Some(ends(rings, link)));
        for link in 0..self.rings.len() {
            let ends = ends(&self.rings, link);
            self.mark_crossed(ends);
            self.add_winding(ends);
        }
        self.sum_winding();
        if contents == Contents::Growth {
            self.grow_regions(cells);
        }
        for index in 0..self.is_crossed.len() {
            if is_obstacle(cells.kinds()[index]) {
                continue;
            }
            let is_liquid = match contents {
                Contents::Winding => self.is_crossed[index] || self.winding[index] > 0,
                Contents::Growth => self.regions[index] == Region::Full,
            };
            cells.set(index, if is_liquid { CellKind::Full } else { CellKind::Empty });
        }
        cells.mark_surface();
    }

    fn mark_crossed(&mut self, ends: [[f64; 2]; 2]) {
        let size = self.size;
        for_each_cell(cell_range(ends, [0.0; 2], size), |[i, j]| {
            let low = [i as f64 + DEPTH, j as f64 + DEPTH];
            let high = [low[0] + 1.0 - 2.0 * DEPTH, low[1] + 1.0 - 2.0 * DEPTH];
            self.is_crossed[i + j * size[0]] |= meets_box(ends, low, high);
        });
    }

    /// Adds a link to the changes of the winding number along the rows whose centres it passes.
    fn add_winding(&mut self, [a, b]: [[f64; 2]; 2]) {
        let (low, high, turn) = if a[1] < b[1] { (a, b, 1) } else { (b, a, -1) };
        let row_above = |y: f64| ((y - 0.5).ceil().max(0.0) as usize).min(self.size[1]);
        for j in row_above(low[1])..row_above(high[1]) {
            let t = (j as f64 + 0.5 - low[1]) / (high[1] - low[1]);
            let x = low[0] + t * (high[0] - low[0]);
            // It goes around all centres to the left of it
            let to_the_left = ((x - 0.5).ceil().max(0.0) as usize).min(self.size[0]);
            if to_the_left > 0 {
                self.winding[j * self.size[0] + to_the_left - 1] += turn;
            }
        }
    }

    fn sum_winding(&mut self) {
        for row in self.winding.chunks_exact_mut(self.size[0]) {
            let mut sum = 0;
            for winding in row.iter_mut().rev() {
                sum += *winding;
                *winding = sum;
            }
        }
    }

    /// Grows Empty from the first cell in reading order that lies outside of all chains, then Full from the crossed cells.
    /// The paper starts in a corner above that is known to be empty.
    fn grow_regions(&mut self, cells: &Cells<D>) {
        for (index, region) in self.regions.iter_mut().enumerate() {
            let is_solid = is_obstacle(cells.kinds()[index]);
            *region = match self.is_crossed[index] {
                _ if is_solid => Region::Obstacle,
                true => Region::Full,
                false => Region::Unknown,
            };
        }
        // A link along a face crosses no cell; the one on its left holds liquid
        for link in 0..self.rings.len() {
            let [a, b] = ends(&self.rings, link);
            let along = minus(b, a);
            let length = along[0].hypot(along[1]).max(f64::MIN_POSITIVE);
            let left = [-along[1] * 2.0 * DEPTH / length, along[0] * 2.0 * DEPTH / length];
            let point = [0.5 * (a[0] + b[0]) + left[0], 0.5 * (a[1] + b[1]) + left[1]];
            let [[i, _], [j, _]] = cell_range([point, point], [0.0; 2], self.size);
            let region = &mut self.regions[i + j * self.size[0]];
            if *region == Region::Unknown {
                *region = Region::Full;
            }
        }
        let [nx, ny] = self.size;
        let reading_order = (0..ny).rev().flat_map(|j| (0..nx).map(move |i| i + j * nx));
        let is_air = |&index: &usize| self.regions[index] == Region::Unknown && self.winding[index] <= 0;
        let start = reading_order.clone().find(is_air);
        self.front.clear();
        if let Some(index) = start {
            self.regions[index] = Region::Empty;
            self.front.push(index as u32);
        }
        self.grow(Region::Empty);
        let full = self.regions.iter().enumerate().filter(|(_, region)| **region == Region::Full);
        self.front.extend(full.map(|(index, _)| index as u32));
        self.grow(Region::Full);
    }

    /// Grows a region from the cells of the front into unknown ones, across faces.
    fn grow(&mut self, region: Region) {
        let [nx, ny] = self.size;
        while let Some(index) = self.front.pop() {
            let index = index as usize;
            let [i, j] = [index % nx, index / nx];
            let beside = [
                (i > 0).then(|| index - 1),
                (i + 1 < nx).then_some(index + 1),
                (j > 0).then(|| index - nx),
                (j + 1 < ny).then_some(index + nx),
            ];
            for other in beside.into_iter().flatten() {
                if self.regions[other] == Region::Unknown {
                    self.regions[other] = region;
                    self.front.push(other as u32);
                }
            }
        }
    }

    /// Distance in cells from the centre of a cell along an axis to the first link that crosses the line to the next
    /// centre; a whole cell where none does. Where the centre lies outside of the liquid, minus the distance to the link
    /// behind it.
    pub fn interface(&self, cell: [usize; 2], axis: usize, towards_high: bool) -> f64 {
        let winding = self.winding.get(cell[0] + cell[1] * self.size[0]);
        let is_inside = winding.is_some_and(|&winding| winding > 0);
        let (across, sign) = (1 - axis, if towards_high { 1.0 } else { -1.0 });
        let centre = [cell[0] as f64 + 0.5, cell[1] as f64 + 0.5];
        let mut beyond = cell;
        beyond[axis] = match towards_high {
            true => (cell[axis] + 1).min(self.size[axis] - 1),
            false => cell[axis].saturating_sub(1),
        };
        let (mut nearest, mut behind) = (1.0_f64, -0.5_f64);
        for &link in self.bins.links(cell).iter().chain(self.bins.links(beyond)) {
            let [a, b] = ends(&self.rings, link as usize);
            if (a[across] <= centre[across]) != (b[across] <= centre[across]) {
                let t = (centre[across] - a[across]) / (b[across] - a[across]);
                let distance = sign * (a[axis] + t * (b[axis] - a[axis]) - centre[axis]);
                if distance.abs() < ON_FACE {
                    return distance;
                }
                if distance > 0.0 {
                    nearest = nearest.min(distance);
                } else {
                    behind = behind.max(distance);
                }
            }
        }
        if is_inside { nearest } else { behind }
    }
}

/// The ends of a link, in cells.
fn ends<const D: usize>(rings: &Rings<D>, link: usize) -> [[f64; 2]; 2] {
    [plane(rings.positions[link]), plane(rings.positions[rings.next(link)])]
}
