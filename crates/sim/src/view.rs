//! Views: the output of a water, borrowed.

use std::fmt;

use undine_frame::{Body, CloudRole, Curves, Quantity};
use undine_grid::{Field, Grid, Location, Value, par};

use crate::TileStamps;

/// The output of a water at its current time.
#[derive(Default)]
pub struct View<'a> {
    /// Its surfaces, if it has any.
    pub surfaces: Vec<SurfaceView<'a>>,
    /// Its particles, each kind of them apart.
    pub clouds: Vec<CloudView<'a>>,
    /// Solid bodies in it or around it, where they are now.
    pub bodies: Vec<Body>,
    /// Its named fields, for plots, maps and the studio.
    pub fields: Vec<FieldView<'a>>,
}

/// Numbers of cells and particles of one or several waters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Cells of its grid, or samples of its surface.
    pub cells: u64,
    /// Particles of a liquid, tracers, or drops in the air.
    pub particles: u64,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cells", self.cells)?;
        if self.particles > 0 {
            write!(f, ", {} particles", self.particles)?;
        }
        Ok(())
    }
}

impl View<'_> {
    /// Counts what is to be seen. Nothing is computed for it.
    pub fn count(&self) -> Count {
        let samples = |lattice: &dyn Lattice| lattice.size().into_iter().product::<usize>();
        let cells = match self.surfaces.first() {
            Some(SurfaceView::Height(height)) => samples(&*height.level),
            Some(SurfaceView::Sheet(sheet)) => sheet.positions.len(),
            Some(SurfaceView::Liquid(liquid)) => samples(&*liquid.distance),
            Some(SurfaceView::Curve(_)) | None => {
                self.fields.first().map_or(0, |field| samples(&*field.samples))
            }
        };
        let particles = self.clouds.iter().map(|cloud| cloud.positions.len()).sum::<usize>();
        Count { cells: cells as u64, particles: particles as u64 }
    }
}

/// A surface in the form in which the model has it.
pub enum SurfaceView<'a> {
    /// Levels over a regular lattice.
    Height(HeightView<'a>),
    /// A lattice whose vertices the model has moved itself.
    Sheet(SheetView<'a>),
    /// The closed surface of a liquid in a box, beside its particles.
    Liquid(LiquidView<'a>),
    /// The outline of a 2-D liquid. Pages fill it by the field of an [`OutlineDistance`](crate::OutlineDistance), which
    /// the model adds to [`View::fields`].
    Curve(Curves),
}

/// A height field: the level of the water over each sample.
///
/// Its parts are lattices of any storage, all of the same size; nothing is computed until values are requested.
pub struct HeightView<'a> {
    /// Level of the surface in metres.
    pub level: Box<dyn Lattice + 'a>,
    /// Level of the ground in metres; where it is not below the water by more than `dry_depth`, there is no water.
    pub bed: Option<Box<dyn Lattice + 'a>>,
    /// Horizontal velocity in m/s: two numbers per sample, along x and y.
    pub velocity: Option<Box<dyn Lattice + 'a>>,
    /// How wet the ground is: 1 under water, falling to 0 as it dries.
    pub wetness: Option<Box<dyn Lattice + 'a>>,
    /// Water thinner than this, in metres, is not drawn.
    pub dry_depth: f32,
}

/// A sheet of vertices over a lattice that need not be even.
pub struct SheetView<'a> {
    /// x of the columns at rest, in metres.
    pub columns: &'a [f64],
    /// y of the rows at rest, in metres.
    pub rows: &'a [f64],
    /// Positions of the vertices, column fastest.
    pub positions: &'a [[f32; 3]],
    /// Unit normals.
    pub normals: &'a [[f32; 3]],
    /// Velocities in m/s.
    pub velocities: &'a [[f32; 3]],
}

/// A liquid in a box: where its surface is, as a distance. Beside it come its particles, in [`View::clouds`] as
/// [`CloudRole::Liquid`], and in [`View::fields`] the same distance and, if there are solids, that from them at the nodes
/// of the grid: its mesh is made of these.
pub struct LiquidView<'a> {
    /// Signed distance from the surface at cell centres in metres, negative in the liquid, kept within a few cells of
    /// it.
    pub distance: Box<dyn Lattice + 'a>,
    /// Lowest and highest corner of the box in metres.
    pub bounds: [[f64; 3]; 2],
    /// Edge of a cell of the simulation in metres.
    pub cell: f64,
}

/// Particles in columns.
#[derive(Debug, Clone, Default)]
pub struct CloudView<'a> {
    /// Their role.
    pub role: CloudRole,
    /// Positions in metres.
    pub positions: &'a [[f32; 3]],
    /// Velocities in m/s.
    pub velocities: &'a [[f32; 3]],
    /// Their radius in metres.
    pub radius: f32,
    /// Further numbers that particles carry, such as their colour or their mass.
    pub attributes: Vec<AttributeView<'a>>,
}

/// Further numbers per particle.
#[derive(Debug, Clone)]
pub struct AttributeView<'a> {
    /// Its name, such as `colour` or `age`.
    pub name: &'static str,
    /// Its unit, empty for a pure number.
    pub unit: &'static str,
    /// What it measures.
    pub quantity: Quantity,
    /// Its components, each a value per particle.
    pub columns: Vec<&'a [f32]>,
}

impl CloudView<'_> {
    /// The only component of an attribute; empty where the particles do not carry it.
    pub fn column(&self, quantity: Quantity) -> &[f32] {
        let found = self.attributes.iter().find(|attribute| attribute.quantity == quantity);
        found.and_then(|attribute| attribute.columns.first()).copied().unwrap_or_default()
    }
}

/// A field of a water, available to every renderer and exporter.
pub struct FieldView<'a> {
    /// Its name, such as `height`, by which people ask for it.
    pub name: &'static str,
    /// Its unit, empty for a pure number.
    pub unit: &'static str,
    /// What it measures.
    pub quantity: Quantity,
    /// Its samples.
    pub samples: Box<dyn Lattice + 'a>,
}

impl<'a> FieldView<'a> {
    /// A field with its name, unit and quantity.
    pub fn new(
        name: &'static str,
        unit: &'static str,
        quantity: Quantity,
        samples: Box<dyn Lattice + 'a>,
    ) -> FieldView<'a> {
        FieldView { name, unit, quantity, samples }
    }
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
    /// The same lattice, if it knows which of its tiles have changed.
    fn tiled(&self) -> Option<&dyn TiledLattice> {
        None
    }
}

/// A lattice in the plane that knows which of its tiles have changed, so that only those are copied.
pub trait TiledLattice: Lattice + Sync {
    /// The stamps of its tiles.
    fn stamps(&self) -> TileStamps<'_>;
    /// Writes the values of samples in a row, from `first` on.
    fn write_row(&self, first: [usize; 2], values: &mut [f32]);
}

/// Writes the numbers of a sample.
type SampleValue<'a, const D: usize> = Box<dyn Fn([isize; D], &mut [f32]) + Sync + 'a>;

/// A field on a grid that is not stored but computed on demand from the index of a sample.
///
/// ```
/// use undine_grid::{Grid, Location};
/// use undine_sim::SampleField;
/// let grid = Grid::new([2, 1], [1.0, 1.0], [0.0, 0.0])?;
/// let nodes = SampleField::boxed(grid, Location::Node, 2, |[x, y], out| out.copy_from_slice(&[x as f32, y as f32]));
/// assert_eq!((nodes.size(), nodes.origin()), ([3, 2, 1], [0.0; 3]));
/// assert_eq!(nodes.values(), [0., 0., 1., 0., 2., 0., 0., 1., 1., 1., 2., 1.]);
/// # Ok::<(), undine_grid::GridError>(())
/// ```
pub struct SampleField<'a, const D: usize> {
    grid: Grid<D>,
    location: Location,
    components: usize,
    value: SampleValue<'a, D>,
    stamps: Option<TileStamps<'a>>,
}

impl<'a, const D: usize> SampleField<'a, D> {
    /// The numbers that `value` writes for each sample, `components` of them.
    pub fn boxed(
        grid: Grid<D>,
        location: Location,
        components: usize,
        value: impl Fn([isize; D], &mut [f32]) + Sync + 'a,
    ) -> Box<dyn Lattice + 'a> {
        Box::new(SampleField { grid, location, components, value: Box::new(value), stamps: None })
    }

    /// Numbers per cell, `components` of them, whose tiles have stamps. Without a stamp for every tile they count as
    /// changed.
    ///
    /// ```
    /// use undine_grid::Grid;
    /// use undine_sim::{SampleField, TileStamps};
    /// let grid = Grid::new([3, 1], [1.0, 1.0], [0.0, 0.0])?;
    /// let tiles = TileStamps { tile: [2, 2], stamps: &[7, 8] };
    /// let numbers = SampleField::in_tiles(grid, tiles, 1, |[x, _], out| out[0] = x as f32);
    /// let mut row = [0.0; 2];
    /// numbers.tiled().unwrap().write_row([1, 0], &mut row);
    /// assert_eq!((row, numbers.values()), ([1.0, 2.0], vec![0.0, 1.0, 2.0]));
    /// # Ok::<(), undine_grid::GridError>(())
    /// ```
    pub fn in_tiles(
        grid: Grid<D>,
        stamps: TileStamps<'a>,
        components: usize,
        value: impl Fn([usize; D], &mut [f32]) + Sync + 'a,
    ) -> Box<dyn Lattice + 'a> {
        let value: SampleValue<'a, D> = Box::new(move |cell, out| value(cell.map(|x| x as usize), out));
        let size: [usize; 3] = padded(grid.cells(), 1);
        let tiles = |axis: usize| size[axis].div_ceil(stamps.tile[axis].max(1));
        let is_whole = size[2] == 1 && stamps.stamps.len() == tiles(0) * tiles(1);
        let stamps = is_whole.then_some(stamps);
        Box::new(SampleField { grid, location: Location::Center, components, value, stamps })
    }

    /// One number per sample.
    pub fn scalar(
        grid: Grid<D>,
        location: Location,
        value: impl Fn([isize; D]) -> f32 + Sync + 'a,
    ) -> Box<dyn Lattice + 'a> {
        SampleField::boxed(grid, location, 1, move |sample, out| out[0] = value(sample))
    }

    /// One number per cell.
    ///
    /// ```
    /// use undine_grid::Grid;
    /// use undine_sim::SampleField;
    /// let grid = Grid::new([2, 2], [1.0, 1.0], [0.0, 0.0])?;
    /// let numbers = SampleField::per_cell(grid, |[x, y]| (x + 2 * y) as f32);
    /// assert_eq!(numbers.values(), [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), undine_grid::GridError>(())
    /// ```
    pub fn per_cell(grid: Grid<D>, value: impl Fn([usize; D]) -> f32 + Sync + 'a) -> Box<dyn Lattice + 'a> {
        SampleField::scalar(grid, Location::Center, move |cell| value(cell.map(|x| x as usize)))
    }

    /// A formula with `N` numbers per point, at the centres of cells.
    ///
    /// ```
    /// use undine_grid::Grid;
    /// use undine_sim::SampleField;
    /// let grid = Grid::new([2, 1], [1.0, 1.0], [0.0, 0.0])?;
    /// let slope = SampleField::formula(grid, |[x, _]| [2.0 * x]);
    /// assert_eq!((slope.size(), slope.values()), ([2, 1, 1], vec![1.0, 3.0]));
    /// # Ok::<(), undine_grid::GridError>(())
    /// ```
    pub fn formula<const N: usize>(
        grid: Grid<D>,
        value: impl Fn([f64; D]) -> [f64; N] + Sync + 'a,
    ) -> Box<dyn Lattice + 'a> {
        SampleField::boxed(grid, Location::Center, N, move |cell, out| {
            out.copy_from_slice(&value(grid.centre(cell)).map(|value| value as f32));
        })
    }
}

impl<const D: usize> Lattice for SampleField<'_, D> {
    fn size(&self) -> [usize; 3] {
        padded(self.grid.samples(self.location), 1)
    }

    fn origin(&self) -> [f64; 3] {
        padded(self.grid.position(self.location, [0; D]), 0.0)
    }

    fn spacing(&self) -> [f64; 3] {
        padded(self.grid.spacing(), 1.0)
    }

    fn components(&self) -> usize {
        self.components
    }

    fn values(&self) -> Vec<f32> {
        let [columns, rows, layers] = self.size();
        let row_values = columns * self.components;
        let mut values = vec![0.0; row_values * rows * layers];
        par::for_each_chunk(&mut values, row_values, |first, row| {
            let line = first / row_values;
            for (x, sample) in row.chunks_exact_mut(self.components).enumerate() {
                let at = [x, line % rows, line / rows];
                (self.value)(std::array::from_fn(|axis| at[axis] as isize), sample);
            }
        });
        values
    }

    fn tiled(&self) -> Option<&dyn TiledLattice> {
        self.stamps.is_some().then_some(self as &dyn TiledLattice)
    }
}

impl<const D: usize> TiledLattice for SampleField<'_, D> {
    fn stamps(&self) -> TileStamps<'_> {
        self.stamps.unwrap_or(TileStamps { tile: [1; 2], stamps: &[] })
    }

    fn write_row(&self, [first, line]: [usize; 2], values: &mut [f32]) {
        for (x, sample) in values.chunks_exact_mut(self.components).enumerate() {
            let at = [first + x, line, 0];
            (self.value)(std::array::from_fn(|axis| at[axis] as isize), sample);
        }
    }
}

/// Two lattices of one number per sample, as the components of one.
pub struct Components<'a>(pub [Box<dyn Lattice + 'a>; 2]);

impl Lattice for Components<'_> {
    fn size(&self) -> [usize; 3] {
        self.0[0].size()
    }

    fn origin(&self) -> [f64; 3] {
        self.0[0].origin()
    }

    fn spacing(&self) -> [f64; 3] {
        self.0[0].spacing()
    }

    fn components(&self) -> usize {
        2
    }

    fn values(&self) -> Vec<f32> {
        let [along_x, along_y] = &self.0;
        along_x.values().into_iter().zip(along_y.values()).flat_map(|(x, y)| [x, y]).collect()
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

    fn tiled(&self) -> Option<&dyn TiledLattice> {
        (**self).tiled()
    }
}

fn padded<T: Copy, const D: usize>(values: [T; D], rest: T) -> [T; 3] {
    std::array::from_fn(|axis| values.get(axis).copied().unwrap_or(rest))
}
