//! Velocities around the fluid, for the cells that it enters next.
//!
//! A cell that becomes fluid brings faces that lay between Empty cells. They start with the mean velocity of the known faces
//! beside them, found in two layers of Empty cells around the fluid: the surface crosses less than a cell in a step.

use undine_frame::CellKind;

use super::flow::Flow;
use super::surface_cells::SurfaceCells;

/// Layers of Empty cells.
const LAYERS: u64 = 2;

/// Lists of a step.
#[derive(Debug, Clone)]
pub(super) struct VelocityExtension<const D: usize> {
    /// When each face was last extended, for each component; larger in later layers.
    stamps: [Vec<u64>; D],
    /// When each cell was last listed.
    listed: Vec<u64>,
    now: u64,
    layer: Vec<usize>,
    next: Vec<usize>,
}

impl<const D: usize> VelocityExtension<D> {
    /// For the cells of a flow.
    pub fn new(flow: &Flow<D>) -> Self {
        let length = flow.index.length();
        VelocityExtension {
            stamps: std::array::from_fn(|_| vec![0; length]),
            listed: vec![0; length],
            now: 0,
            layer: Vec::with_capacity(flow.grid.cell_count()),
            next: Vec::with_capacity(flow.grid.cell_count()),
        }
    }

    /// Extends the velocity from the Surface cells.
    pub fn extend(&mut self, flow: &mut Flow<D>, surface: &SurfaceCells<D>) {
        let start = self.now;
        self.layer.clear();
        self.layer.extend(surface.iter().map(|cell| cell.at));
        for _ in 0..LAYERS {
            self.now += 1;
            self.list_next_layer(flow, start);
            for number in 0..self.next.len() {
                self.extend_cell(flow, self.next[number], start);
            }
            std::mem::swap(&mut self.layer, &mut self.next);
        }
    }

    /// The Empty neighbours of the last layer.
    fn list_next_layer(&mut self, flow: &Flow<D>, start: u64) {
        self.next.clear();
        for &at in &self.layer {
            for stride in flow.index.strides() {
                for neighbour in [at - stride, at + stride] {
                    if flow.kinds[neighbour] == CellKind::Empty && self.listed[neighbour] <= start {
                        self.listed[neighbour] = self.now;
                        self.next.push(neighbour);
                    }
                }
            }
        }
    }

    /// Sets the unknown faces of an Empty cell to the mean of the faces beside them that were known before this layer.
    fn extend_cell(&mut self, flow: &mut Flow<D>, cell: usize, start: u64) {
        let strides = flow.index.strides();
        for a in 0..D {
            for face in [cell, cell + strides[a]] {
                let is_open = [face - strides[a], face].iter().all(|&at| flow.kinds[at] == CellKind::Empty);
                if !is_open || self.stamps[a][face] > start {
                    continue;
                }
                let (mut sum, mut count) = (0.0, 0.0);
                for stride in strides {
                    for beside in [face - stride, face + stride] {
                        if self.is_known(flow, a, beside, start) {
                            sum += flow.velocity[a][beside];
                            count += 1.0;
                        }
                    }
                }
                if count > 0.0 {
                    flow.velocity[a][face] = sum / count;
                    self.stamps[a][face] = self.now;
                }
            }
        }
    }

    /// Whether a face bounds fluid, or was extended in an earlier layer.
    fn is_known(&self, flow: &Flow<D>, a: usize, face: usize, start: u64) -> bool {
        let stride = flow.index.strides()[a];
        if face < stride || face >= flow.kinds.len() {
            return false;
        }
        let stamp = self.stamps[a][face];
        let is_fluid = |at: usize| super::cells::is_fluid(flow.kinds[at]);
        is_fluid(face) || is_fluid(face - stride) || stamp > start && stamp < self.now
    }
}
