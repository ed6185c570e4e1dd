//! The rectangle of ground under a water, and the water on it at the start.

use undine_grid::{Condition, Field, FieldError, Grid, GridError, Location};
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_terrain::Terrain;

use super::start;

/// Side of the square without a size of its own, in metres.
const DEFAULT_SIZE: f64 = 20.0;

/// The keys of the ground rectangle and of the water at the start, before a model's own.
macro_rules! land_keys {
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
pub(crate) use land_keys;

/// The ground under a water, and the water at the start.
pub struct Land {
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
    /// What a user should know but may want.
    pub warnings: Vec<Problem>,
}

impl Land {
    /// Reads the rectangle, the `[[terrain]]` on it and the water at the start. `values` are those of a schema made by
    /// `land_keys!`.
    pub fn read(scene: &Scene, values: &Values) -> Result<Land, SceneErrors> {
        let terrain = Terrain::read(scene)?;
        let frame = Rectangle::read(values, terrain.as_ref().and_then(Terrain::extent));
        let fault = |what: String| values.problem("resolution", what, "choose a smaller resolution");
        let grid = frame.grid(values).map_err(|error| fault(error.to_string()))?;
        let bed = terrain.map_or_else(|| blank(&grid), |terrain| terrain.sample(&grid));
        let bed = bed.map_err(|error| fault(error.to_string()))?;
        Land::with_bed(bed, values)
    }

    /// The water that `values` put on a given ground at the start.
    pub fn with_bed(bed: Field<f64, 2>, values: &Values) -> Result<Land, SceneErrors> {
        let grid = *bed.grid();
        let fault =
            |error: FieldError| values.problem("resolution", error.to_string(), "choose a smaller one");
        let lowest = undine_grid::par::min(&bed, |level| level);
        let mut land = Land {
            depth: blank(&grid).map_err(fault)?,
            velocity: [blank(&grid).map_err(fault)?, blank(&grid).map_err(fault)?],
            still_level: values.number_if("level").unwrap_or(lowest),
            warnings: Vec::new(),
            grid,
            bed,
        };
        start::fill(&mut land, values)?;
        Ok(land)
    }

    /// How many cells such a domain will have, told before it is made.
    pub fn cells(scene: &Scene, values: &Values) -> u64 {
        // The ground's files are looked at only when the domain depends on them.
        let extent = match values.is_given("size") {
            true => None,
            false => Terrain::read(scene).ok().flatten().and_then(|terrain| terrain.extent()),
        };
        let [columns, rows] = cells(values, Rectangle::read(values, extent).size);
        (columns as u64).saturating_mul(rows as u64)
    }
}

/// Where the domain lies.
struct Rectangle {
    size: [f64; 2],
    center: [f64; 2],
}

impl Rectangle {
    /// As the keys say, else as the terrain's file does.
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

fn cells(values: &Values, size: [f64; 2]) -> [usize; 2] {
    let along_x = values.integer("resolution").max(1) as usize;
    let along_y = (along_x as f64 * size[1] / size[0]).round().clamp(1.0, 1e6) as usize;
    [along_x, if values.flag("curve") { 1 } else { along_y }]
}

fn blank(grid: &Grid<2>) -> Result<Field<f64, 2>, FieldError> {
    Field::new(*grid, Location::Center, Condition::Open, 3)
}
