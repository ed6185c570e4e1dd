//! Attribute transfer from particles to mesh vertices.
//!
//! Velocities and attributes of particles are splatted onto the nodes of the simulation grid with trilinear weights,
//! and interpolated at the vertices with the same weights. Only nodes around vertices are computed.

use undine_frame::Cloud;

use super::bins::ParticleBins;
use super::lattice::{SurfaceLattice, TILE};
use super::tile_mesh::EdgeVertex;

/// The transferred columns: velocities first, if there are any, then the attributes.
pub struct AttributeTransfer<'a> {
    cloud: &'a Cloud,
    has_velocities: bool,
    /// Values of a vertex without particles near it: zero velocity, mean attributes.
    default: Vec<f32>,
}

impl<'a> AttributeTransfer<'a> {
    /// The columns of a cloud.
    pub fn new(cloud: &'a Cloud) -> AttributeTransfer<'a> {
        let count = cloud.positions.len();
        let has_velocities = count > 0 && cloud.velocities.len() == count;
        let still = if has_velocities { vec![0.0; 3] } else { Vec::new() };
        let means = cloud.attributes.iter().flat_map(|attribute| {
            let components = attribute.components as usize;
            (0..components).map(move |first| mean(attribute.values.iter().skip(first).step_by(components)))
        });
        AttributeTransfer { cloud, has_velocities, default: still.into_iter().chain(means).collect() }
    }

    /// Whether velocities are the first columns.
    pub fn has_velocities(&self) -> bool {
        self.has_velocities
    }

    /// Columns per vertex.
    pub fn width(&self) -> usize {
        self.default.len()
    }

    /// Adds a particle's values with a weight to the columns of a node; the last column sums the weights.
    fn add(&self, number: usize, weight: f32, node: &mut [f32]) {
        let velocity = self.cloud.velocities.get(number).filter(|_| self.has_velocities);
        let velocity = velocity.into_iter().flatten().copied();
        let attributes = &self.cloud.attributes;
        let others = attributes.iter().flat_map(|one| {
            let components = one.components as usize;
            let values = number * components..(number + 1) * components;
            values.map(|index| one.values.get(index).copied().unwrap_or(0.0))
        });
        let values = velocity.chain(others).chain([1.0]);
        node.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
    }

    /// The columns at all vertices of a tile, vertex by vertex.
    pub fn to_vertices(
        &self,
        vertices: &[EdgeVertex],
        lattice: &SurfaceLattice<'_>,
        bins: &ParticleBins,
    ) -> Vec<f32> {
        let Some(first) = vertices.first().filter(|_| self.width() > 0) else { return Vec::new() };
        let mut grid =
            TransferGrid::new(first.node.map(|node| node / TILE * TILE), self.width() + 1, lattice);
        vertices.iter().for_each(|vertex| grid.mark(vertex));
        grid.splat(self, lattice, bins);
        vertices.iter().flat_map(|vertex| grid.at(vertex, &self.default)).collect()
    }
}

fn mean<'v>(values: impl ExactSizeIterator<Item = &'v f32>) -> f32 {
    let count = values.len();
    let sum: f64 = values.map(|&value| f64::from(value)).sum();
    if count == 0 { 0.0 } else { (sum / count as f64) as f32 }
}

/// The part of the simulation grid under a tile.
struct TransferGrid {
    /// Its first node; one cell before the tile, where there is one.
    first: [usize; 3],
    counts: [usize; 3],
    columns: usize,
    refinement: f32,
    is_needed: Vec<bool>,
    values: Vec<f32>,
}

impl TransferGrid {
    fn new(tile: [usize; 3], columns: usize, lattice: &SurfaceLattice<'_>) -> TransferGrid {
        let first: [usize; 3] = std::array::from_fn(|axis| lattice.cell(tile[axis] as f32, axis));
        let counts: [usize; 3] =
            std::array::from_fn(|axis| lattice.cell((tile[axis] + TILE) as f32, axis) - first[axis] + 2);
        let nodes = counts.iter().product::<usize>();
        let (is_needed, values) = (vec![false; nodes], vec![0.0; nodes * columns]);
        TransferGrid { first, counts, columns, refinement: lattice.refinement, is_needed, values }
    }

    /// The lowest node around a point, and the fractions of the point beyond it.
    fn around(&self, at: [f32; 3]) -> ([usize; 3], [f32; 3]) {
        let coordinate = |axis: usize| {
            let x = (at[axis] - 0.5) / self.refinement - self.first[axis] as f32;
            x.clamp(0.0, (self.counts[axis] - 1) as f32)
        };
        let coordinates = [coordinate(0), coordinate(1), coordinate(2)];
        let low = std::array::from_fn(|axis| (coordinates[axis] as usize).min(self.counts[axis] - 2));
        (low, std::array::from_fn(|axis| coordinates[axis] - low[axis] as f32))
    }

    /// The eight nodes around a point with their trilinear weights.
    fn trilinear_weights(&self, at: [f32; 3]) -> [(usize, f32); 8] {
        let (low, beyond) = self.around(at);
        std::array::from_fn(|corner| {
            let step = [corner & 1, corner >> 1 & 1, corner >> 2];
            let at: [usize; 3] = std::array::from_fn(|axis| low[axis] + step[axis]);
            let weight = |axis: usize| if step[axis] == 1 { beyond[axis] } else { 1.0 - beyond[axis] };
            let node = (at[2] * self.counts[1] + at[1]) * self.counts[0] + at[0];
            (node, weight(0) * weight(1) * weight(2))
        })
    }

    fn mark(&mut self, vertex: &EdgeVertex) {
        self.trilinear_weights(lattice_position(vertex))
            .iter()
            .for_each(|&(node, _)| self.is_needed[node] = true);
    }

    /// Splats the particles onto the needed nodes.
    fn splat(&mut self, transfer: &AttributeTransfer<'_>, lattice: &SurfaceLattice<'_>, bins: &ParticleBins) {
        let (first, counts) = (self.first, self.counts);
        let range = |axis: usize| {
            first[axis].saturating_sub(1)..(first[axis] + counts[axis]).min(lattice.cells[axis])
        };
        for (z, y) in range(2).flat_map(|z| range(1).map(move |y| (z, y))) {
            for x in range(0) {
                if !self.is_near([x, y, z]) {
                    continue;
                }
                for particle in bins.row([x, y, z], 1) {
                    self.add(particle.position, |weight, node| {
                        transfer.add(particle.number as usize, weight, node)
                    });
                }
            }
        }
    }

    /// Whether a cell of the simulation has a needed corner.
    fn is_near(&self, cell: [usize; 3]) -> bool {
        (0..8).any(|corner| {
            let step = [corner & 1, corner >> 1 & 1, corner >> 2];
            let at: [usize; 3] =
                std::array::from_fn(|axis| (cell[axis] + step[axis]).wrapping_sub(self.first[axis]));
            let is_there = (0..3).all(|axis| at[axis] < self.counts[axis]);
            is_there && self.is_needed[(at[2] * self.counts[1] + at[1]) * self.counts[0] + at[0]]
        })
    }

    /// Adds a particle to those of its eight nodes that are in this part of the grid.
    fn add(&mut self, at: [f32; 3], add: impl Fn(f32, &mut [f32])) {
        let coordinates: [f32; 3] =
            std::array::from_fn(|axis| (at[axis] - 0.5) / self.refinement - self.first[axis] as f32);
        let low = coordinates.map(f32::floor);
        for corner in 0..8 {
            let step = [corner & 1, corner >> 1 & 1, corner >> 2].map(|step| step as f32);
            let node: [f32; 3] = std::array::from_fn(|axis| low[axis] + step[axis]);
            let is_there = (0..3).all(|axis| node[axis] >= 0.0 && node[axis] < self.counts[axis] as f32);
            if is_there {
                let weight = (0..3).map(|axis| 1.0 - (coordinates[axis] - node[axis]).abs()).product();
                let at = node.map(|x| x as usize);
                let node = (at[2] * self.counts[1] + at[1]) * self.counts[0] + at[0];
                add(weight, &mut self.values[node * self.columns..][..self.columns]);
            }
        }
    }

    /// The interpolated columns at a vertex.
    fn at(&self, vertex: &EdgeVertex, default: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.columns];
        for (node, weight) in self.trilinear_weights(lattice_position(vertex)) {
            let values = &self.values[node * self.columns..][..self.columns];
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
        let weight = sums.pop().unwrap_or(0.0);
        if weight > 1e-6 { sums.iter().map(|sum| sum / weight).collect() } else { default.to_vec() }
    }
}

fn lattice_position(vertex: &EdgeVertex) -> [f32; 3] {
    std::array::from_fn(|axis| vertex.node[axis] as f32 + vertex.offset[axis])
}
