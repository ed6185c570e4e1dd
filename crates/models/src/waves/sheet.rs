//! The sheet on which closed-form waves are evaluated: a uniform lattice over the domain, continued to the horizon with
//! growing spacing.

use glam::{DVec2, DVec3};
use undine_grid::{Grid, par};
use undine_scene::{SceneErrors, Values};
use undine_sim::{SheetView, StepError};

/// Ratio of successive spacings beyond the domain.
const GROWTH: f64 = 1.1;

/// Vertices, normals and velocities of the surface.
pub(super) struct WaveSheet {
    pub columns: SheetAxis,
    pub rows: SheetAxis,
    /// The domain as a grid of cells, for fields and plots.
    pub grid: Grid<2>,
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub velocities: Vec<[f32; 3]>,
    horizon: f64,
    row_sums: Vec<SheetIntegrals>,
}

/// The lines of the lattice along one axis.
pub(super) struct SheetAxis {
    /// Coordinates of the lines.
    pub at: Vec<f64>,
    /// The larger of the two spacings at each line.
    pub spacing: Vec<f64>,
    /// Quadrature weights in metres; nonzero inside the domain only.
    pub weights: Vec<f64>,
    /// Bounds of the domain.
    pub low: f64,
    pub high: f64,
}

impl WaveSheet {
    /// Reads the domain and builds the lattice.
    pub fn new(values: &Values) -> Result<WaveSheet, SceneErrors> {
        let size: [f64; 2] = values.vector("size");
        let center: [f64; 2] = values.vector("center");
        let horizon = values.number("horizon");
        let cells = cells(values);
        let spacing = [size[0] / cells[0] as f64, size[1] / cells[1] as f64];
        let low = [center[0] - 0.5 * size[0], center[1] - 0.5 * size[1]];
        let grid = Grid::new(cells, spacing, low).map_err(|error| {
            values.problem("resolution", error.to_string(), "choose a smaller resolution")
        })?;
        let axis = |axis: usize| SheetAxis::new(low[axis], spacing[axis], cells[axis], horizon);
        let (columns, rows) = (axis(0), axis(1));
        let vertices = columns.at.len() * rows.at.len();
        let row_sums = vec![SheetIntegrals::default(); rows.at.len()];
        Ok(WaveSheet {
            columns,
            rows,
            grid,
            positions: vec![[0.0; 3]; vertices],
            normals: vec![[0.0; 3]; vertices],
            velocities: vec![[0.0; 3]; vertices],
            horizon,
            row_sums,
        })
    }

    /// Number of vertices, computed without building the sheet.
    pub fn vertices(values: &Values) -> u64 {
        let size: [f64; 2] = values.vector("size");
        let cells = cells(values);
        let lines = |axis: usize| {
            let spacing = size[axis] / cells[axis] as f64;
            (cells[axis] + 1 + 2 * widening(spacing, values.number("horizon")).count()) as u64
        };
        lines(0).saturating_mul(lines(1))
    }

    /// Whether a point lies in the domain or within the horizon.
    pub fn contains(&self, xy: DVec2) -> bool {
        let within =
            |axis: &SheetAxis, at: f64| at >= axis.low - self.horizon && at <= axis.high + self.horizon;
        within(&self.columns, xy.x) && within(&self.rows, xy.y)
    }

    /// Area of the domain in m².
    pub fn area(&self) -> f64 {
        (self.columns.high - self.columns.low) * (self.rows.high - self.rows.low)
    }

    /// The sheet as a view.
    pub fn view(&self) -> SheetView<'_> {
        SheetView {
            columns: &self.columns.at,
            rows: &self.rows.at,
            positions: &self.positions,
            normals: &self.normals,
            velocities: &self.velocities,
        }
    }

    /// Evaluates all vertices, rows in parallel, and integrates their contributions over the domain.
    pub fn evaluate(
        &mut self,
        vertex: impl Fn(&SheetPoint) -> (SheetVertex, SheetIntegrals) + Sync,
    ) -> SheetIntegrals {
        let width = self.columns.at.len();
        let (columns, rows) = (&self.columns, &self.rows);
        let all_rows = SheetRows {
            first_row: 0,
            positions: &mut self.positions,
            normals: &mut self.normals,
            velocities: &mut self.velocities,
            sums: &mut self.row_sums,
        };
        all_rows.each_row(&|row, out| {
            let mut sums = SheetIntegrals::default();
            for column in 0..width {
                let xy = DVec2::new(columns.at[column], rows.at[row]);
                let (vertex, contribution) = vertex(&SheetPoint { column, row, xy });
                out.positions[column] = vertex.position.as_vec3().to_array();
                out.normals[column] = vertex.normal.normalize().as_vec3().to_array();
                out.velocities[column] = vertex.velocity.as_vec3().to_array();
                sums.add(columns.weights[column] * rows.weights[row], &contribution);
            }
            out.sums[0] = sums;
        });
        // Row by row, so that the order of the additions does not depend on the threads
        let mut total = SheetIntegrals::default();
        self.row_sums.iter().for_each(|sums| total.add(1.0, sums));
        total
    }
}

impl WaveSheet {
    /// An error that names the first vertex that is not finite, if there is one.
    pub fn check_finite(&self) -> Result<(), StepError> {
        let is_broken = |position: &[f32; 3]| position.iter().any(|value| !value.is_finite());
        let Some(vertex) = self.positions.iter().position(is_broken) else { return Ok(()) };
        let width = self.columns.at.len();
        Err(StepError::NotFinite { field: "surface", cell: [vertex % width, vertex / width, 0] })
    }
}

/// A block of rows of the sheet, written by one thread.
struct SheetRows<'a> {
    first_row: usize,
    positions: &'a mut [[f32; 3]],
    normals: &'a mut [[f32; 3]],
    velocities: &'a mut [[f32; 3]],
    sums: &'a mut [SheetIntegrals],
}

impl SheetRows<'_> {
    /// Calls `work` with every row; blocks are halved recursively and computed in parallel.
    fn each_row(self, work: &(impl Fn(usize, SheetRows<'_>) + Sync)) {
        let count = self.sums.len();
        if count <= 1 {
            return work(self.first_row, self);
        }
        let half = count / 2;
        let vertices = self.positions.len() / count * half;
        let (positions, normals) =
            (self.positions.split_at_mut(vertices), self.normals.split_at_mut(vertices));
        let (velocities, sums) = (self.velocities.split_at_mut(vertices), self.sums.split_at_mut(half));
        let (first_row, second_row) = (self.first_row, self.first_row + half);
        let low = SheetRows {
            first_row,
            positions: positions.0,
            normals: normals.0,
            velocities: velocities.0,
            sums: sums.0,
        };
        let high = SheetRows {
            first_row: second_row,
            positions: positions.1,
            normals: normals.1,
            velocities: velocities.1,
            sums: sums.1,
        };
        par::join(|| low.each_row(work), || high.each_row(work));
    }
}

/// A point of the lattice, at rest.
pub(super) struct SheetPoint {
    pub column: usize,
    pub row: usize,
    pub xy: DVec2,
}

/// A vertex of the moving surface.
pub(super) struct SheetVertex {
    pub position: DVec3,
    /// Not normalised.
    pub normal: DVec3,
    pub velocity: DVec3,
}

/// Integrals over the domain; as a contribution, values per square metre.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SheetIntegrals {
    pub volume: f64,
    /// The part of the volume that no flow accounts for.
    pub prescribed: f64,
    pub momentum: DVec3,
    pub kinetic: f64,
    pub potential: f64,
}

impl SheetIntegrals {
    fn add(&mut self, weight: f64, other: &SheetIntegrals) {
        self.volume += weight * other.volume;
        self.prescribed += weight * other.prescribed;
        self.momentum += weight * other.momentum;
        self.kinetic += weight * other.kinetic;
        self.potential += weight * other.potential;
    }
}

impl SheetAxis {
    fn new(low: f64, spacing: f64, cells: usize, horizon: f64) -> SheetAxis {
        let high = low + spacing * cells as f64;
        let beyond: Vec<f64> = widening(spacing, horizon).collect();
        let before = beyond.iter().rev().map(|distance| low - distance);
        let inside = (0..=cells).map(|index| low + spacing * index as f64);
        let at: Vec<f64> =
            before.chain(inside).chain(beyond.iter().map(|distance| high + distance)).collect();
        let gap = |index: usize| at.get(index + 1).map_or(0.0, |next| next - at[index]);
        let spacing_at = |index: usize| gap(index).max(if index > 0 { gap(index - 1) } else { 0.0 });
        let mut weights = vec![0.0; at.len()];
        for (index, weight) in gregory_weights(cells + 1).into_iter().enumerate() {
            weights[beyond.len() + index] = weight * spacing;
        }
        SheetAxis { spacing: (0..at.len()).map(spacing_at).collect(), at, weights, low, high }
    }

    /// Amplitude factor on each line: 1 for at least four samples per wavelength, 0 for two or fewer, which would alias.
    pub fn fade(&self, wavelength_along_axis: f64) -> impl Iterator<Item = f64> + '_ {
        self.spacing.iter().map(move |spacing| smooth_step(0.5 * wavelength_along_axis / spacing - 1.0))
    }
}

/// 3x² − 2x³ for x clamped to [0, 1].
pub(super) fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Columns from `resolution`; rows so that cells are square.
fn cells(values: &Values) -> [usize; 2] {
    let size: [f64; 2] = values.vector("size");
    let along_x = values.integer("resolution").max(1) as usize;
    let along_y = (along_x as f64 * size[1] / size[0]).round().clamp(1.0, 1e6);
    [along_x, along_y as usize]
}

/// Distances beyond the domain of the lines up to the horizon.
fn widening(spacing: f64, horizon: f64) -> impl Iterator<Item = f64> {
    let mut gap = spacing;
    let mut distance = 0.0;
    std::iter::from_fn(move || {
        if distance >= horizon {
            return None;
        }
        gap *= GROWTH;
        distance = (distance + gap).min(horizon);
        Some(distance)
    })
}

/// Weights of the trapezoidal rule with Gregory's end corrections, of fourth order.
fn gregory_weights(count: usize) -> Vec<f64> {
    let mut weights = vec![1.0; count];
    let ends: &[f64] = if count >= 8 { &[9.0 / 24.0, 28.0 / 24.0, 23.0 / 24.0] } else { &[0.5] };
    for (index, &end) in ends.iter().enumerate() {
        weights[index] = end;
        weights[count - 1 - index] = end;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrature_is_of_fourth_order() {
        let error = |cells: usize| {
            let axis = SheetAxis::new(0.3, 2.0 / cells as f64, cells, 0.0);
            let sum: f64 = axis.at.iter().zip(&axis.weights).map(|(x, weight)| weight * x.sin()).sum();
            (sum - (0.3f64.cos() - 2.3f64.cos())).abs()
        };
        let order = (error(16) / error(32)).log2();
        assert!((3.7..5.0).contains(&order), "order {order}");
    }

    #[test]
    fn the_lattice_reaches_the_horizon_with_growing_gaps() {
        let axis = SheetAxis::new(-1.0, 0.1, 20, 500.0);
        assert_eq!((axis.at[0], *axis.at.last().unwrap()), (-501.0, 501.0));
        assert!(axis.at.windows(2).all(|pair| pair[1] > pair[0]));
        assert!((axis.weights.iter().sum::<f64>() - 2.0).abs() < 1e-12);
        assert!(axis.at.len() < 160);
    }
}
