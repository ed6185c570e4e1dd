//! What a water shows of itself, borrowed.

use undine_frame::{Posed, RasterKind};
use undine_grid::{Field, Grid, Value, par};

/// Everything there is to see of a water now.
#[derive(Default)]
pub struct View<'a> {
    /// Its surface, if it has one.
    pub surface: Option<SurfaceView<'a>>,
    /// Its particles, if it has any.
    pub particles: Option<ParticlesView<'a>>,
    /// Solid bodies in it or around it, where they are now.
    pub bodies: Vec<Posed>,
    /// Its named fields, for plots, maps and the studio.
    pub fields: Vec<NamedField<'a>>,
}

/// A surface in the form in which the model has it.
pub enum SurfaceView<'a> {
    /// Levels over a regular lattice.
    Height(HeightView<'a>),
    /// A lattice whose vertices the model has moved itself.
    Sheet(SheetView<'a>),
    /// The closed surface of a liquid in a box, beside its particles.
    Liquid(LiquidView<'a>),
}

/// A height field: the level of the water over each sample.
///
/// Its parts are lattices of any storage, all of the same size; nothing is computed until somebody asks for values.
pub struct HeightView<'a> {
    /// Level of the surface in metres.
    pub level: Box<dyn Lattice + 'a>,
    /// Level of the ground in metres; where it is not below the water by more than `dry_depth`, there is no water.
    pub bed: Option<Box<dyn Lattice + 'a>>,
    /// Horizontal velocity in m/s, along x and y.
    pub velocity: Option<[Box<dyn Lattice + 'a>; 2]>,
    /// How wet the ground is: 1 under water, falling to 0 as it dries.
    pub wetness: Option<Box<dyn Lattice + 'a>>,
    /// Water thinner than this, in metres, is not drawn.
    pub dry_depth: f32,
}

/// A sheet of vertices over a lattice that need not be even.
pub struct SheetView<'a> {
    /// Where the columns of the lattice are at rest, in metres.
    pub columns: &'a [f64],
    /// Where its rows are at rest, in metres.
    pub rows: &'a [f64],
    /// Where its vertices are now, column fastest.
    pub positions: &'a [[f32; 3]],
    /// Unit normals.
    pub normals: &'a [[f32; 3]],
    /// Velocities in m/s.
    pub velocities: &'a [[f32; 3]],
}

/// A liquid in a box: where its surface is, as a distance. Its particles come beside it, in [`View::particles`].
pub struct LiquidView<'a> {
    /// Signed distance from the surface at cell centres in metres, negative in the liquid, kept within a few cells of
    /// it.
    pub distance: Box<dyn Lattice + 'a>,
    /// Signed distance from solids at the nodes of the grid in metres, positive in the open; absent where there is
    /// none.
    pub solids: Option<Box<dyn Lattice + 'a>>,
    /// Lowest and highest corner of the box in metres.
    pub bounds: [[f64; 3]; 2],
    /// Edge of a cell of the simulation in metres.
    pub cell: f64,
}

/// Particles in columns.
#[derive(Debug, Clone, Default)]
pub struct ParticlesView<'a> {
    /// Positions in metres.
    pub positions: &'a [[f32; 3]],
    /// Velocities in m/s.
    pub velocities: &'a [[f32; 3]],
    /// Their radius in metres.
    pub radius: f32,
    /// What each of them weighs as a metaball; empty where all weigh 1.
    pub masses: &'a [f32],
    /// Further numbers that particles carry; colours come as `red`, `green` and `blue`.
    pub attributes: Vec<ColumnView<'a>>,
}

/// A named number per particle.
#[derive(Debug, Clone, Copy)]
pub struct ColumnView<'a> {
    /// Its name, such as `red` or `age`.
    pub name: &'static str,
    /// Its unit, empty for a pure number.
    pub unit: &'static str,
    /// One value per particle.
    pub values: &'a [f32],
}

/// A field with a name, which any renderer or exporter can be asked for.
pub struct NamedField<'a> {
    /// Its name, such as `height`.
    pub name: &'static str,
    /// Its unit, empty for a pure number.
    pub unit: &'static str,
    /// What its values mean.
    pub kind: RasterKind,
    /// Its samples.
    pub samples: Box<dyn Lattice + 'a>,
}

/// Samples on a regular lattice, whatever their storage: fields of any dimension and formulae.
pub trait Lattice {
    /// Samples along x, y and z.
    fn size(&self) -> [usize; 3];
    /// Position of the first sample in metres.
    fn origin(&self) -> [f64; 3];
    /// Distance of neighbouring samples in metres.
    fn spacing(&self) -> [f64; 3];
    /// Numbers per sample.
    fn components(&self) -> usize;
    /// The values, components fastest, then x.
    fn values(&self) -> Vec<f32>;
}

/// A field that is a formula with `N` numbers per point: nothing is stored, and nothing is computed until asked for.
///
/// ```
/// use undine_grid::Grid;
/// use undine_sim::FormulaField;
/// let grid = Grid::new([2, 1], [1.0, 1.0], [0.0, 0.0])?;
/// let slope = FormulaField::boxed(grid, |x, _| [2.0 * x]);
/// assert_eq!((slope.size(), slope.values()), ([2, 1, 1], vec![1.0, 3.0]));
/// # Ok::<(), undine_grid::GridError>(())
/// ```
pub struct FormulaField<'a, const N: usize> {
    grid: Grid<2>,
    value: Box<dyn Fn(f64, f64) -> [f64; N] + Sync + 'a>,
}

impl<'a, const N: usize> FormulaField<'a, N> {
    /// The formula `value(x, y)` at the cell centres of `grid`.
    pub fn boxed(grid: Grid<2>, value: impl Fn(f64, f64) -> [f64; N] + Sync + 'a) -> Box<dyn Lattice + 'a> {
        Box::new(FormulaField { grid, value: Box::new(value) })
    }
}

impl<const N: usize> Lattice for FormulaField<'_, N> {
    fn size(&self) -> [usize; 3] {
        let [columns, rows] = self.grid.cells();
        [columns, rows, 1]
    }

    fn origin(&self) -> [f64; 3] {
        let [x, y] = self.grid.centre([0, 0]);
        [x, y, 0.0]
    }

    fn spacing(&self) -> [f64; 3] {
        let [along_x, along_y] = self.grid.spacing();
        [along_x, along_y, 1.0]
    }

    fn components(&self) -> usize {
        N
    }

    fn values(&self) -> Vec<f32> {
        let [columns, rows] = self.grid.cells();
        let mut values = vec![0.0; columns * rows * N];
        par::for_each_chunk(&mut values, columns * N, |first, row| {
            let y = (first / (columns * N)) as isize;
            for (x, sample) in row.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                let [x, y] = self.grid.centre([x as isize, y]);
                *sample = (self.value)(x, y).map(|value| value as f32);
            }
        });
        values
    }
}

/// A field with one number per cell of a grid, computed from the cell's index when somebody asks for it.
///
/// ```
/// use undine_grid::Grid;
/// use undine_sim::CellField;
/// let grid = Grid::new([2, 2], [1.0, 1.0], [0.0, 0.0])?;
/// let numbers = CellField::boxed(grid, |[x, y]| (x + 2 * y) as f32);
/// assert_eq!(numbers.values(), [0.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), undine_grid::GridError>(())
/// ```
pub struct CellField<'a> {
    grid: Grid<2>,
    value: Box<dyn Fn([usize; 2]) -> f32 + Sync + 'a>,
}

impl<'a> CellField<'a> {
    /// The number `value(cell)` at the cell centres of `grid`.
    pub fn boxed(grid: Grid<2>, value: impl Fn([usize; 2]) -> f32 + Sync + 'a) -> Box<dyn Lattice + 'a> {
        Box::new(CellField { grid, value: Box::new(value) })
    }
}

impl Lattice for CellField<'_> {
    fn size(&self) -> [usize; 3] {
        padded(self.grid.cells(), 1)
    }

    fn origin(&self) -> [f64; 3] {
        padded(self.grid.centre([0, 0]), 0.0)
    }

    fn spacing(&self) -> [f64; 3] {
        padded(self.grid.spacing(), 1.0)
    }

    fn components(&self) -> usize {
        1
    }

    fn values(&self) -> Vec<f32> {
        let [columns, rows] = self.grid.cells();
        let mut values = vec![0.0; columns * rows];
        par::for_each_chunk(&mut values, columns, |first, row| {
            let y = first / columns;
            row.iter_mut().enumerate().for_each(|(x, value)| *value = (self.value)([x, y]));
        });
        values
    }
}

impl<T: Value, const D: usize> Lattice for Field<T, D> {
    fn size(&self) -> [usize; 3] {
        padded(Field::size(self), 1)
    }

    fn origin(&self) -> [f64; 3] {
        padded(self.position([0; D]), 0.0)
    }

    fn spacing(&self) -> [f64; 3] {
        padded(self.grid().spacing(), 1.0)
    }

    fn components(&self) -> usize {
        1
    }

    fn values(&self) -> Vec<f32> {
        self.rows().flat_map(|(_, row)| row.iter().map(|value| value.to_f64() as f32)).collect()
    }
}

impl<L: Lattice + ?Sized> Lattice for &L {
    fn size(&self) -> [usize; 3] {
        (**self).size()
    }

    fn origin(&self) -> [f64; 3] {
        (**self).origin()
    }

    fn spacing(&self) -> [f64; 3] {
        (**self).spacing()
    }

    fn components(&self) -> usize {
        (**self).components()
    }

    fn values(&self) -> Vec<f32> {
        (**self).values()
    }
}

fn padded<T: Copy, const D: usize>(values: [T; D], rest: T) -> [T; 3] {
    std::array::from_fn(|axis| values.get(axis).copied().unwrap_or(rest))
}
