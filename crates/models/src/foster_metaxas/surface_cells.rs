//! Velocities on the open faces of Surface cells: §3.2.3 of [foster1996].
//!
//! A face of a Surface cell is open where its neighbour is Empty. Along each axis a cell is closed, half-open or both-open;
//! that makes ten classes for the 64 configurations in 3-D, and six for the 16 in 2-D. With D_c the divergence of the closed
//! axes and n the number of half-open ones:
//!
//! - half-open axes share out −D_c: the open face has the velocity of the face opposite − δ D_c/n. For one open side that is
//!   eq. (10); where no axis is closed ∂u/∂x, ∂w/∂z, … vanish separately.
//! - both-open axes beside half-open ones, and in a cell that touches nothing, follow the body force and do not otherwise
//!   change: D ≠ 0.
//! - both-open axes beside closed ones only follow the body force in their mean, and share out −D_c, half of it at each face.
//!
//! So D = 0 in 32 of 64 configurations, and in 10 of 16. Open faces depend on closed ones only, never on each other, so the
//! order of the cells does not matter.

use undine_frame::CellKind;

use super::flow::Flow;

/// Sides of a cell that are open: low and high along each axis.
pub(super) type OpenSides<const D: usize> = [[bool; 2]; D];

/// A Surface cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceCell<const D: usize> {
    /// Its place in the arrays of the flow.
    pub at: usize,
    pub open: OpenSides<D>,
}

/// All Surface cells of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct SurfaceCells<const D: usize> {
    list: Vec<SurfaceCell<D>>,
}

impl<const D: usize> SurfaceCells<D> {
    /// An empty list with room for this many cells.
    pub fn with_capacity(count: usize) -> Self {
        SurfaceCells { list: Vec::with_capacity(count) }
    }

    /// Lists the Surface cells of a flow.
    pub fn find(&mut self, flow: &Flow<D>) {
        let (strides, width) = (flow.index.strides(), flow.grid.cells()[0]);
        self.list.clear();
        for start in flow.index.rows() {
            let first = flow.index.at(start);
            for at in first..first + width {
                if flow.kinds[at] == CellKind::Surface {
                    let is_empty = |at: usize| flow.kinds[at] == CellKind::Empty;
                    let open =
                        std::array::from_fn(|a| [is_empty(at - strides[a]), is_empty(at + strides[a])]);
                    self.list.push(SurfaceCell { at, open });
                }
            }
        }
    }

    /// All of them, in the order of the arrays.
    pub fn iter(&self) -> impl Iterator<Item = &SurfaceCell<D>> {
        self.list.iter()
    }

    /// Place in the arrays of the flow of one of them.
    pub fn at(&self, number: usize) -> usize {
        self.list[number].at
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Accelerates the faces of both-open axes by the body force: Δu = δt g.
    pub fn apply_body_force(&self, velocity: &mut [Vec<f64>; D], strides: [usize; D], gain: [f64; D]) {
        for cell in &self.list {
            for a in 0..D {
                if cell.open[a] == [true; 2] {
                    velocity[a][cell.at] += gain[a];
                    velocity[a][cell.at + strides[a]] += gain[a];
                }
            }
        }
    }

    /// Sets the velocities of all open faces (steps 4 and 7 of §6).
    pub fn set_open_faces(&self, velocity: &mut [Vec<f64>; D], strides: [usize; D], spacing: [f64; D]) {
        for cell in &self.list {
            let mut faces: [[f64; 2]; D] =
                std::array::from_fn(|a| [velocity[a][cell.at], velocity[a][cell.at + strides[a]]]);
            balance_open_faces(&mut faces, cell.open, spacing);
            for a in 0..D {
                let [low, high] = cell.open[a];
                if low {
                    velocity[a][cell.at] = faces[a][0];
                }
                if high {
                    velocity[a][cell.at + strides[a]] = faces[a][1];
                }
            }
        }
    }
}

/// Sets the open ones of the face velocities of a Surface cell from its closed ones.
pub(super) fn balance_open_faces<const D: usize>(
    faces: &mut [[f64; 2]; D],
    open: OpenSides<D>,
    spacing: [f64; D],
) {
    let count = |sides: usize| {
        open.iter().filter(|pair| pair.iter().filter(|is_open| **is_open).count() == sides).count()
    };
    let (closed, half_open, both_open) = (count(0), count(1), count(2));
    let divergence: f64 =
        (0..D).filter(|&a| open[a] == [false; 2]).map(|a| (faces[a][1] - faces[a][0]) / spacing[a]).sum();
    for a in 0..D {
        let [low, high] = faces[a];
        faces[a] = match open[a] {
            [false, true] => [low, low - spacing[a] * divergence / half_open as f64],
            [true, false] => [high + spacing[a] * divergence / half_open as f64, high],
            [true, true] if half_open == 0 && closed > 0 => {
                let (mean, half) = (0.5 * (low + high), 0.5 * spacing[a] * divergence / both_open as f64);
                [mean + half, mean - half]
            }
            _ => [low, high],
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_sides<const D: usize>(configuration: usize) -> OpenSides<D> {
        std::array::from_fn(|a| [0, 1].map(|side| configuration >> (2 * a + side) & 1 == 1))
    }

    fn divergence<const D: usize>(faces: &[[f64; 2]; D], spacing: [f64; D]) -> f64 {
        (0..D).map(|a| (faces[a][1] - faces[a][0]) / spacing[a]).sum()
    }

    /// Every configuration against the rule of its class; answers in how many of them D is zero.
    fn balanced_configurations<const D: usize>(start: [[f64; 2]; D], spacing: [f64; D]) -> usize {
        let mut balanced = 0;
        for configuration in 0..1 << (2 * D) {
            let open = open_sides::<D>(configuration);
            let sides = |a: usize| open[a].iter().filter(|is_open| **is_open).count();
            let mut faces = start;
            balance_open_faces(&mut faces, open, spacing);
            let d = divergence(&faces, spacing);
            // What is closed never changes, and the rule changes nothing that it has set
            let mut again = faces;
            balance_open_faces(&mut again, open, spacing);
            for a in 0..D {
                (0..2).for_each(|side| assert!(open[a][side] || faces[a][side] == start[a][side]));
                (0..2).for_each(|side| assert!((again[a][side] - faces[a][side]).abs() < 1e-14));
            }
            let half: Vec<usize> = (0..D).filter(|&a| sides(a) == 1).collect();
            let both: Vec<usize> = (0..D).filter(|&a| sides(a) == 2).collect();
            let closed: f64 =
                (0..D).filter(|&a| sides(a) == 0).map(|a| (start[a][1] - start[a][0]) / spacing[a]).sum();
            // Each axis by the rule of the design: what it takes of the divergence of the closed ones
            for &a in &half {
                let taken = (faces[a][1] - faces[a][0]) / spacing[a];
                assert!((taken + closed / half.len() as f64).abs() < 1e-13, "{open:?}");
            }
            for &a in &both {
                let taken = (faces[a][1] - faces[a][0]) / spacing[a];
                let is_free = !half.is_empty() || both.len() == D;
                match is_free {
                    true => assert_eq!(faces[a], start[a], "{open:?}"),
                    false => {
                        assert!((taken + closed / both.len() as f64).abs() < 1e-13, "{open:?}");
                        let mean = |pair: [f64; 2]| 0.5 * (pair[0] + pair[1]);
                        assert!((mean(faces[a]) - mean(start[a])).abs() < 1e-14);
                    }
                }
            }
            // A cell without an open side is left to the relaxation
            if configuration != 0 && d.abs() < 1e-13 {
                balanced += 1;
            }
        }
        balanced
    }

    #[test]
    fn all_configurations_follow_the_rule_of_their_class() {
        assert_eq!(balanced_configurations([[0.3, -0.7], [1.1, 0.4]], [0.5, 0.2]), 10);
        assert_eq!(balanced_configurations([[0.3, -0.7], [1.1, 0.4], [-0.2, 0.9]], [0.5, 0.2, 0.3]), 32);
    }

    #[test]
    fn one_open_side_is_eq_10() {
        let (u, w) = ([0.3, 0.8], [0.25, f64::NAN]);
        let mut faces = [u, w];
        balance_open_faces(&mut faces, [[false; 2], [false, true]], [0.1, 0.2]);
        assert!((faces[1][1] - (w[0] - 0.2 / 0.1 * (u[1] - u[0]))).abs() < 1e-15);
    }
}
