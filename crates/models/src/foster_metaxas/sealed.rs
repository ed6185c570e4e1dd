//! Sealed water: Full cells from which no path through Full cells leads to a Surface cell or an outflow.
//!
//! It cannot take in or give off any volume, and its pressure equations have a solution only if it does not. Ports that
//! open into it are shut, and what they would have brought is entered in the ledger as refused.

use undine_frame::CellKind;

use super::flow::Flow;

/// The sealed cells of a flow.
#[derive(Debug, Clone)]
pub(super) struct SealedWater {
    is_sealed: Vec<bool>,
    stack: Vec<usize>,
}

impl SealedWater {
    /// Nothing sealed.
    pub fn new<const D: usize>(flow: &Flow<D>) -> Self {
        SealedWater {
            is_sealed: vec![false; flow.index.length()],
            stack: Vec::with_capacity(flow.grid.cell_count()),
        }
    }

    /// Whether a cell is sealed.
    pub fn contains(&self, at: usize) -> bool {
        self.is_sealed[at]
    }

    /// Unseals everything.
    pub fn clear(&mut self) {
        self.is_sealed.fill(false);
    }

    /// Finds the sealed cells: all Full ones that are not reached from Surface cells and outflows. Answers whether there are
    /// any.
    pub fn find<const D: usize>(&mut self, flow: &Flow<D>) -> bool {
        let strides = flow.index.strides();
        let is_full = |at: usize| flow.kinds[at] == CellKind::Full;
        self.stack.clear();
        for at in 0..flow.kinds.len() {
            self.is_sealed[at] = is_full(at);
        }
        for at in (0..flow.kinds.len()).filter(|&at| is_full(at)) {
            let is_vented = strides.iter().any(|s| {
                [at - s, at + s]
                    .iter()
                    .any(|&n| matches!(flow.kinds[n], CellKind::Surface | CellKind::Outflow))
            });
            if is_vented {
                self.is_sealed[at] = false;
                self.stack.push(at);
            }
        }
        while let Some(at) = self.stack.pop() {
            for neighbour in strides.iter().flat_map(|s| [at - s, at + s]) {
                if self.is_sealed[neighbour] {
                    self.is_sealed[neighbour] = false;
                    self.stack.push(neighbour);
                }
            }
        }
        self.is_sealed.contains(&true)
    }
}
