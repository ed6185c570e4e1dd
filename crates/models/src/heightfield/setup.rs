//! The domain of a height-field model: its grid, the bed and the initial condition.

use undine_grid::{Condition, Field, FieldError, Grid, GridError, Location};
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_terrain::Terrain;

use super::initial_condition;

/// Side of the domain where neither `size` nor a terrain's file says it, in metres.
const DEFAULT_SIZE: f64 = 20.0;

/// The keys of the domain and of the initial condition, followed by a model's own.
macro_rules! height_field_keys {
    ($($more:expr),* $(,)?) => {
        &[
            Key::vector("size", 2).unit("m").optional("the extent of the terrain's file, else [20, 20]").positive_to(1e7)
                .help("extent of the domain along x and y"),
            Key::vector("center", 2).unit("m").optional("the middle of the terrain's file, else [0, 0]").within(-1e8, 1e8)
                .help("middle of the domain"),
            Key::integer("resolution").default(Absent::Integer(256)).within(1.0, 16384.0).scaled()
                .help("samples along x; along y there are as many as make the samples square"),
            Key::flag("curve").default(Absent::Flag(false))
                .help("a single row of samples along x: water in a slit, one-dimensional"),
            Key::number("level").unit("m").optional("dry land").within(-1e5, 1e5)
                .help("level of the still water; all ground below it is under water at the start"),
            Key::tables("fill", $crate::heightfield::FILL_KEYS)
                .help("boxes filled to a level of their own at the start, such as the lake behind a dam"),
            Key::tables("hump", $crate::heightfield::HUMP_KEYS)
                .help("rises and dips of the water at the start"),
            Key::number("drying").unit("1/s").or(0.05).within(0.0, 1e6)
                .live().help("wetness that uncovered ground loses per second"),
            $($more),*
        ]
    };
}
pub(crate) use height_field_keys;

/// What a height-field model starts from: grid, bed z, depth h and velocity u at t = 0.
pub struct HeightFieldSetup {
    /// The cells.
    pub grid: Grid<2>,
    /// Level of the ground at the cell centres, in metres.
    pub bed: Field<f64, 2>,
    /// Depth of the water at the start, in metres.
    pub depth: Field<f64, 2>,
    /// Velocity of the water at the start along x and y, in m/s.
    pub velocity: [Field<f64, 2>; 2],
    /// Level of the still water: what open sides and incoming waves refer to. The lowest ground where none is given.
    pub still_level: f64,
    /// Warnings for the user; the scene is valid all the same.
    pub warnings: Vec<Problem>,
}

impl HeightFieldSetup {
    /// Reads the domain, samples the `[[terrain]]` at its cell centres and sets the initial condition. `values` are those
    /// of a schema made by `height_field_keys!`.
    pub fn read(scene: &Scene, values: &Values) -> Result<HeightFieldSetup, SceneErrors> {
        let terrain = Terrain::read(scene)?;
        let rectangle = Rectangle::read(values, terrain.as_ref().and_then(Terrain::extent));
        let refused = |what: String| values.problem("resolution", what, "choose a smaller resolution");
        let grid = rectangle.grid(values).map_err(|error| refused(error.to_string()))?;
        let bed = terrain.map_or_else(|| blank(&grid), |terrain| terrain.sample(&grid));
        let bed = bed.map_err(|error| refused(error.to_string()))?;
        HeightFieldSetup::with_bed(bed, values)
    }

    /// The initial condition that `values` describe over a given bed.
    pub fn with_bed(bed: Field<f64, 2>, values: &Values) -> Result<HeightFieldSetup, SceneErrors> {
        let grid = *bed.grid();
        let refused =
            |error: FieldError| values.problem("resolution", error.to_string(), "choose a smaller one");
        let lowest = undine_grid::par::min(&bed, |level| level);
        let mut setup = HeightFieldSetup {
            depth: blank(&grid).map_err(refused)?,
            velocity: [blank(&grid).map_err(refused)?, blank(&grid).map_err(refused)?],
            still_level: values.number_if("level").unwrap_or(lowest),
            warnings: Vec::new(),
            grid,
            bed,
        };
        initial_condition::set(&mut setup, values)?;
        Ok(setup)
    }

    /// Number of cells, computed without building the grid.
    pub fn cells(scene: &Scene, values: &Values) -> u64 {
        // The terrain's files are read only when the extent depends on them
        let extent = match values.is_given("size") {
            true => None,
            false => Terrain::read(scene).ok().flatten().and_then(|terrain| terrain.extent()),
        };
        let [columns, rows] = cells(values, Rectangle::read(values, extent).size);
        (columns as u64).saturating_mul(rows as u64)
    }
}

/// Extent and centre of the domain.
struct Rectangle {
    size: [f64; 2],
    center: [f64; 2],
}

impl Rectangle {
    /// From the keys `size` and `center`, else from the extent of the terrain's file.
    fn read(values: &Values, extent: Option<[[f64; 2]; 2]>) -> Rectangle {
        let size = |[low, high]: [[f64; 2]; 2]| [high[0] - low[0], high[1] - low[1]];
        let center = |[low, high]: [[f64; 2]; 2]| [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
        Rectangle {
            size: values.vector_if("size").or(extent.map(size)).unwrap_or([DEFAULT_SIZE; 2]),
            center: values.vector_if("center").or(extent.map(center)).unwrap_or([0.0; 2]),
        }
    }

    fn grid(&self, values: &Values) -> Result<Grid<2>, GridError> {
        let cells = cells(values, self.size);
        let spacing = [0, 1].map(|axis| self.size[axis] / cells[axis] as f64);
        let low = [0, 1].map(|axis| self.center[axis] - 0.5 * self.size[axis]);
        Grid::new(cells, spacing, low)
    }
}

/// Columns from `resolution`; rows so that cells are square, or one with `curve`.
fn cells(values: &Values, size: [f64; 2]) -> [usize; 2] {
    let columns = values.integer("resolution").max(1) as usize;
    let rows = (columns as f64 * size[1] / size[0]).round().clamp(1.0, 1e6) as usize;
    [columns, if values.flag("curve") { 1 } else { rows }]
}

/// A field of zeros.
fn blank(grid: &Grid<2>) -> Result<Field<f64, 2>, FieldError> {
    Field::new(*grid, Location::Center, Condition::Open, 3)
}
