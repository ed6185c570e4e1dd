//! The columns of cells below a height field: their floors, ceilings and the obstacles within them.

use undine_grid::Grid;

use super::super::super::cells::{Cells, is_obstacle};
use undine_frame::CellKind;

/// The open part of every column. The number of a column is the index of its lowest cell.
#[derive(Debug, Clone)]
pub struct Columns<const D: usize> {
    grid: Grid<D>,
    strides: [usize; D],
    open: Vec<Open>,
    /// Indices of the inflow and outflow cells.
    ports: Vec<usize>,
}

/// The open cells of a column.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// First open layer, and one beyond the last; both zero in a closed column.
    layers: [u32; 2],
    /// Number of open layers.
    count: u32,
}

impl<const D: usize> Columns<D> {
    /// The columns of these cells.
    pub fn new(cells: &Cells<D>) -> Self {
        let grid = *cells.grid();
        let count = grid.cell_count() / grid.cells()[D - 1];
        let open = vec![Open { layers: [0; 2], count: 0 }; count];
        let mut columns = Columns { grid, strides: cells.strides(), open, ports: Vec::new() };
        columns.update(cells);
        columns
    }

    /// Takes over the obstacles of these cells.
    pub fn update(&mut self, cells: &Cells<D>) {
        let count = self.count();
        self.open.fill(Open { layers: [0; 2], count: 0 });
        self.ports.clear();
        for (layer, kinds) in cells.kinds().chunks_exact(count).enumerate() {
            for (column, (open, &kind)) in self.open.iter_mut().zip(kinds).enumerate() {
                if !is_obstacle(kind) {
                    if open.count == 0 {
                        open.layers[0] = layer as u32;
                    }
                    open.layers[1] = layer as u32 + 1;
                    open.count += 1;
                } else if kind != CellKind::Solid {
                    self.ports.push(column + layer * count);
                }
            }
        }
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<D> {
        &self.grid
    }

    /// The number of columns.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// The column of a cell.
    pub fn of_cell(&self, cell: [usize; D]) -> usize {
        (0..D - 1).map(|axis| cell[axis] * self.strides[axis]).sum()
    }

    /// Indices of the inflow and outflow cells.
    pub fn ports(&self) -> &[usize] {
        &self.ports
    }

    /// Whether a column has open cells.
    pub fn is_open(&self, column: usize) -> bool {
        self.open[column].count > 0
    }

    /// The open column beside one whose coordinate along `axis` is `at`.
    pub fn beside(&self, column: usize, at: usize, axis: usize, high: bool) -> Option<usize> {
        let other = match high {
            true if at + 1 < self.grid.cells()[axis] => column + self.strides[axis],
            false if at > 0 => column - self.strides[axis],
            _ => return None,
        };
        self.is_open(other).then_some(other)
    }

    /// Area of a column in m², or its width in the plane.
    pub fn area(&self) -> f64 {
        self.grid.spacing()[..D - 1].iter().product()
    }

    /// Metres of water that a column can hold.
    pub fn capacity(&self, column: usize) -> f64 {
        f64::from(self.open[column].count) * self.grid.spacing()[D - 1]
    }

    /// Lowest point of a layer of cells.
    pub fn floor_of_layer(&self, layer: usize) -> f64 {
        self.grid.origin()[D - 1] + layer as f64 * self.grid.spacing()[D - 1]
    }

    /// Floor and ceiling of a column.
    pub fn range(&self, column: usize) -> [f64; 2] {
        self.open[column].layers.map(|layer| self.floor_of_layer(layer as usize))
    }

    /// The layers of a column from its first open cell to its last.
    pub fn layers(&self, column: usize) -> std::ops::Range<usize> {
        let [first, end] = self.open[column].layers;
        first as usize..end as usize
    }

    /// The layer whose cell has the surface: the highest with water, within the open ones.
    pub fn surface_layer(&self, column: usize, height: f64) -> usize {
        let layers = self.layers(column);
        let above = (height - self.grid.origin()[D - 1]) / self.grid.spacing()[D - 1] - super::DEPTH;
        (above.max(0.0) as usize).clamp(layers.start, layers.end.max(layers.start + 1) - 1)
    }

    /// Metres of water in a column with its surface at `height`.
    pub fn depth_below(&self, cells: &Cells<D>, column: usize, height: f64) -> f64 {
        let [floor, ceiling] = self.range(column);
        let height = height.clamp(floor, ceiling);
        if self.is_undivided(column) {
            return height - floor;
        }
        let spacing = self.grid.spacing()[D - 1];
        let wet = |layer: usize| (height - self.floor_of_layer(layer)).clamp(0.0, spacing);
        self.open_layers(cells, column).map(wet).sum()
    }

    /// The surface of a column with so many metres of water; its ceiling if they do not fit, its floor if there are none.
    pub fn height_of(&self, cells: &Cells<D>, column: usize, depth: f64) -> f64 {
        let [floor, ceiling] = self.range(column);
        if self.is_undivided(column) {
            return (floor + depth).clamp(floor, ceiling);
        }
        let (spacing, mut left) = (self.grid.spacing()[D - 1], depth.max(0.0));
        let mut height = floor;
        for layer in self.open_layers(cells, column) {
            if left <= 0.0 {
                break;
            }
            height = self.floor_of_layer(layer) + left.min(spacing);
            left -= spacing;
        }
        height
    }

    /// Whether no obstacle lies between floor and ceiling.
    pub fn is_undivided(&self, column: usize) -> bool {
        let Open { layers: [first, end], count } = self.open[column];
        end - first == count
    }

    fn open_layers<'a>(&self, cells: &'a Cells<D>, column: usize) -> impl Iterator<Item = usize> + 'a {
        let count = self.count();
        self.layers(column).filter(move |layer| !is_obstacle(cells.kinds()[column + layer * count]))
    }
}
