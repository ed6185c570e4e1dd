//! Bilinear interpolation on the vertices of a horizontal lattice.
//!
//! The lines of the lattice are evenly spaced but for the outermost ones, which may be closer: meshes of height fields end
//! half a cell beyond their last sample.

use std::ops::{Add, Mul};

use glam::Vec2;
use undine_frame::{Mesh, Triangles};

/// The lines of a lattice across one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LatticeAxis {
    count: usize,
    low: f32,
    high: f32,
    /// Position and index of the first evenly spaced line.
    first: f32,
    lead: f32,
    step: f32,
}

impl LatticeAxis {
    // Accepts increasing positions, evenly spaced but for the outermost.
    fn of(lines: &[f32]) -> Option<LatticeAxis> {
        let count = lines.len();
        let (&low, &high) = (lines.first()?, lines.last()?);
        let (lead, inner) = if count >= 4 { (1, &lines[1..count - 1]) } else { (0, lines) };
        let steps = inner.len().checked_sub(1).filter(|&steps| steps > 0)?;
        let (first, last) = (inner[0], inner[steps]);
        let step = (last - first) / steps as f32;
        let is_even =
            |(index, &line): (usize, &f32)| (line - first - index as f32 * step).abs() < 0.01 * step;
        let fits = step > 0.0 && low <= first && high >= last && high.is_finite() && low.is_finite();
        (fits && inner.iter().enumerate().all(is_even)).then_some(LatticeAxis {
            count,
            low,
            high,
            first,
            lead: lead as f32,
            step,
        })
    }

    // The line below a position and the fraction towards the next one, clamped to the border.
    #[inline]
    fn locate(&self, x: f32) -> (usize, f32) {
        let last = (self.count - 1) as f32;
        let even = (x - self.first) / self.step + self.lead;
        let at = if even < self.lead {
            (x - self.low) / (self.first - self.low).max(1e-20)
        } else if even > last - self.lead {
            let inner = self.first + (last - 2.0 * self.lead) * self.step;
            last - self.lead + (x - inner) / (self.high - inner).max(1e-20)
        } else {
            even
        };
        let at = at.clamp(0.0, last);
        let line = (at as usize).min(self.count - 2);
        (line, at - line as f32)
    }

    fn position(&self, line: usize) -> f32 {
        match line {
            0 => self.low,
            line if line + 1 == self.count => self.high,
            line => self.first + (line as f32 - self.lead) * self.step,
        }
    }
}

/// A lattice of vertices over a horizontal rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexLattice {
    axes: [LatticeAxis; 2],
}

/// Cell and bilinear weights of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BilinearWeights {
    first: usize,
    columns: usize,
    u: f32,
    v: f32,
}

impl BilinearWeights {
    /// Interpolates values given at the vertices.
    #[inline]
    pub fn interpolate<T>(&self, values: &[T]) -> T
    where
        T: Copy + Add<Output = T> + Mul<f32, Output = T>,
    {
        let row = |first: usize| values[first] * (1.0 - self.u) + values[first + 1] * self.u;
        row(self.first) * (1.0 - self.v) + row(self.first + self.columns) * self.v
    }
}

impl VertexLattice {
    /// The lattice of a lattice mesh; `None` for other meshes and uneven lattices.
    pub fn of(mesh: &Mesh) -> Option<VertexLattice> {
        let Triangles::Lattice { columns, rows } = mesh.triangles else { return None };
        VertexLattice::with(mesh, columns as usize, rows as usize)
    }

    /// The lattice of a mesh's vertices, also where some cells have no triangles.
    pub fn under(mesh: &Mesh) -> Option<VertexLattice> {
        let first = mesh.positions.first()?[1];
        let columns = mesh.positions.iter().take_while(|at| at[1] == first).count();
        VertexLattice::with(mesh, columns, mesh.positions.len() / columns.max(1))
    }

    fn with(mesh: &Mesh, columns: usize, rows: usize) -> Option<VertexLattice> {
        if columns < 2 || rows < 2 || mesh.positions.len() != columns * rows {
            return None;
        }
        let xs: Vec<f32> = mesh.positions[..columns].iter().map(|at| at[0]).collect();
        let ys: Vec<f32> = mesh.positions.iter().step_by(columns).map(|at| at[1]).collect();
        let is_straight =
            |(index, at): (usize, &[f32; 3])| at[0] == xs[index % columns] && at[1] == ys[index / columns];
        let straight = mesh.positions.iter().enumerate().all(is_straight);
        straight.then_some(VertexLattice { axes: [LatticeAxis::of(&xs)?, LatticeAxis::of(&ys)?] })
    }

    /// Vertices along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.axes.map(|axis| axis.count)
    }

    /// Spacing of the lines, the smaller of both axes.
    pub fn step(&self) -> f32 {
        self.axes[0].step.min(self.axes[1].step)
    }

    /// The corners of the rectangle.
    pub fn corners(&self) -> [Vec2; 2] {
        let [x, y] = self.axes;
        [Vec2::new(x.low, y.low), Vec2::new(x.high, y.high)]
    }

    /// Moves the corners of the rectangle by less than a line's distance.
    pub fn set_corners(&mut self, [low, high]: [Vec2; 2]) {
        for (axis, lines) in self.axes.iter_mut().enumerate() {
            (lines.low, lines.high) = (low[axis], high[axis]);
        }
    }

    /// Whether a point lies within the rectangle.
    pub fn holds(&self, at: Vec2) -> bool {
        let [low, high] = self.corners();
        at.cmpge(low).all() && at.cmple(high).all()
    }

    /// Interpolation weights of a point, clamped to the border.
    #[inline]
    pub fn weights(&self, at: Vec2) -> BilinearWeights {
        let ((column, u), (row, v)) = (self.axes[0].locate(at.x), self.axes[1].locate(at.y));
        let columns = self.axes[0].count;
        BilinearWeights { first: row * columns + column, columns, u, v }
    }

    /// Position of a vertex.
    pub fn position(&self, [column, row]: [usize; 2]) -> Vec2 {
        Vec2::new(self.axes[0].position(column), self.axes[1].position(row))
    }

    /// Index of the vertex at `index` along `axis` in the line `line` of the other axis.
    pub fn vertex(&self, axis: usize, line: usize, index: usize) -> usize {
        if axis == 0 { line * self.axes[0].count + index } else { index * self.axes[0].count + line }
    }

    /// The line below a position along an axis and the fraction towards the next one; `None` beyond the border.
    pub fn locate_inside(&self, axis: usize, position: f32) -> Option<(usize, f32)> {
        let axis = &self.axes[axis];
        (position >= axis.low && position <= axis.high).then(|| axis.locate(position))
    }

    /// Position of a line along an axis.
    pub fn line(&self, axis: usize, line: usize) -> f32 {
        self.axes[axis].position(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rimmed() -> VertexLattice {
        let mut mesh = Mesh::flat_sheet("ground", [1.0, 1.0], [6, 5]);
        let (x, y) = ([0.0, 0.5, 1.5, 2.5, 3.5, 4.0], [1.0, 1.5, 2.5, 3.5, 4.0]);
        for (index, position) in mesh.positions.iter_mut().enumerate() {
            *position = [x[index % 6], y[index / 6], 0.0];
        }
        VertexLattice::of(&mesh).unwrap()
    }

    #[test]
    fn planes_are_exact_up_to_the_border() {
        let lattice = rimmed();
        let plane = |at: Vec2| 2.0 * at.x - 3.0 * at.y;
        let values: Vec<f32> = (0..30).map(|index| plane(lattice.position([index % 6, index / 6]))).collect();
        for (x, y) in [(0.0, 1.0), (0.2, 1.3), (1.7, 3.9), (3.9, 2.0), (4.0, 4.0)] {
            let at = Vec2::new(x, y);
            assert!((lattice.weights(at).interpolate(&values) - plane(at)).abs() < 1e-5, "{at}");
        }
        assert_eq!(lattice.weights(Vec2::new(-9.0, 99.0)).interpolate(&values), plane(Vec2::new(0.0, 4.0)));
        lattice.weights(Vec2::splat(f32::NAN)).interpolate(&values);
    }

    #[test]
    fn sheets_are_lattices_and_bent_ones_are_not() {
        assert!(VertexLattice::of(&Mesh::flat_sheet("w", [3.0, 2.0], [2, 2])).is_some());
        assert!(VertexLattice::of(&Mesh::flat_sheet("w", [3.0, 2.0], [3, 7])).is_some());
        assert!(VertexLattice::of(&Mesh::flat_sheet("w", [0.0, 0.0], [4, 4])).is_none());
        let mut bent = Mesh::flat_sheet("w", [3.0, 2.0], [8, 8]);
        bent.positions[20][0] += 0.1;
        assert!(VertexLattice::of(&bent).is_none());
    }
}
