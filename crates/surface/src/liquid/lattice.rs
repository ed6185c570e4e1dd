//! The domain of a liquid and the lattice on which its surface is extracted.
//!
//! Lengths here are in cells of that lattice. Node k has the coordinate k, and the low walls of the box are at ½:
//! with an integral refinement the high walls too are half-way between nodes, where a crossing is found without
//! rounding.

use undine_frame::{Liquid, Raster};

/// Cells of the lattice along an edge of a tile.
pub const TILE: usize = 16;
/// Most nodes along an axis, and most tiles in all; the refinement is halved while there are more.
const MAX_NODES: f64 = 16_384.0;
const MAX_TILES: f64 = 4e6;

/// Distance of samples that are not finite.
const FAR: f32 = 1e6;

/// The box, its lattice, and the distance fields in it.
pub struct SurfaceLattice<'a> {
    /// Lowest corner in metres.
    low: [f64; 3],
    /// Spacing of the lattice in metres.
    pub spacing: f64,
    /// Lattice cells per cell of the simulation.
    pub refinement: f32,
    /// Cells of the simulation along each axis.
    pub cells: [usize; 3],
    /// Coordinates of the high walls.
    pub side: [f32; 3],
    /// Tiles along each axis.
    pub tiles: [usize; 3],
    distance: RasterSampler<'a>,
    solids: Option<RasterSampler<'a>>,
}

impl<'a> SurfaceLattice<'a> {
    /// The lattice of a liquid with so many lattice cells per cell of the simulation; `None` when it is flat or broken.
    pub fn new(liquid: &Liquid<'a>, refinement: f64) -> Option<SurfaceLattice<'a>> {
        let distance = liquid.distance;
        let (cells, dx) = (distance.size.map(|count| count as usize), distance.spacing[0]);
        if !is_sound(distance) || cells[2] == 1 {
            return None;
        }
        let mut refinement = refinement;
        while is_too_fine(cells, refinement) {
            refinement *= 0.5;
        }
        let side = cells.map(|count| count as f64 * refinement + 0.5);
        let solids = liquid.solids.filter(|solids| is_sound(solids));
        Some(SurfaceLattice {
            low: distance.origin.map(|first| first - 0.5 * dx),
            spacing: dx / refinement,
            refinement: refinement as f32,
            cells,
            side: side.map(|side| side as f32),
            tiles: side.map(|side| (side.ceil() as usize + 1).div_ceil(TILE)),
            distance: RasterSampler::new(distance, 0.5, refinement),
            solids: solids.map(|solids| RasterSampler::new(solids, 0.0, refinement)),
        })
    }

    /// Lattice coordinates of a position in metres, clamped to the box.
    pub fn to_lattice(&self, position: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|axis| {
            let cells = (f64::from(position[axis]) - self.low[axis]) / self.spacing;
            (cells as f32 + 0.5).clamp(0.5, self.side[axis])
        })
    }

    /// Position in metres of a point `beyond` a node.
    pub fn to_metres(&self, node: [usize; 3], beyond: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|axis| {
            let cells = node[axis] as f64 + (f64::from(beyond[axis]) - 0.5);
            (self.low[axis] + cells * self.spacing) as f32
        })
    }

    /// The cell of the simulation that holds a lattice coordinate.
    pub fn cell(&self, at: f32, axis: usize) -> usize {
        (((at - 0.5) / self.refinement).max(0.0) as usize).min(self.cells[axis] - 1)
    }

    /// Signed distance from the surface by the simulation.
    pub fn distance(&self, at: [f32; 3]) -> f32 {
        self.distance.at(at)
    }

    /// The same at the centre of a cell of the simulation, by its index.
    pub fn distance_in(&self, cell: usize) -> f32 {
        self.distance.scaled(cell)
    }

    /// Distance from the nearest wall of the box, negative beyond it, and the axis across that wall.
    pub fn box_wall(&self, at: [f32; 3]) -> (f32, usize) {
        let distance = |axis: usize| (at[axis] - 0.5).min(self.side[axis] - at[axis]);
        (1..3).fold((distance(0), 0), |nearest, axis| {
            let here = distance(axis);
            if here < nearest.0 { (here, axis) } else { nearest }
        })
    }

    /// Distance from solids, if there are any.
    pub fn solid(&self, at: [f32; 3]) -> Option<f32> {
        self.solids.as_ref().map(|solids| solids.at(at))
    }

    /// Distance from solids and the direction away from them, where they are nearer than `reach`.
    pub fn nearby_solid(&self, at: [f32; 3], reach: f32) -> Option<(f32, [f32; 3])> {
        let solids = self.solids.as_ref()?;
        let distance = solids.at(at);
        (distance < reach).then(|| (distance, solids.direction(at)))
    }

    /// Least and greatest distance from the surface in a box of points, both ends included.
    pub fn distances_within(&self, low: [f32; 3], high: [f32; 3]) -> (f32, f32) {
        self.distance.range(low, high)
    }

    /// Least distance from a wall of the box or a solid in a box of points.
    pub fn nearest_wall(&self, low: [f32; 3], high: [f32; 3]) -> f32 {
        let sides = (0..3).map(|axis| (low[axis] - 0.5).min(self.side[axis] - high[axis]));
        sides.fold(self.nearest_solid(low, high), f32::min)
    }

    /// Least distance from a solid in a box of points.
    pub fn nearest_solid(&self, low: [f32; 3], high: [f32; 3]) -> f32 {
        self.solids.as_ref().map_or(f32::INFINITY, |solids| solids.range(low, high).0)
    }
}

/// Whether a raster can be sampled.
fn is_sound(raster: &Raster) -> bool {
    let spacing = raster.spacing[0];
    let samples = raster.values.len();
    let is_measured = spacing.is_finite() && spacing > 0.0 && raster.components == 1;
    is_measured && raster.inconsistency().is_none() && samples > 0 && samples < u32::MAX as usize - 2
}

fn is_too_fine(cells: [usize; 3], refinement: f64) -> bool {
    let nodes = cells.map(|count| count as f64 * refinement);
    let tiles: f64 = nodes.iter().map(|nodes| nodes / TILE as f64 + 1.0).product();
    refinement > 1e-3 && (tiles > MAX_TILES || nodes.iter().any(|&nodes| nodes > MAX_NODES))
}

/// Trilinear sampling of a raster in lattice coordinates.
struct RasterSampler<'a> {
    values: &'a [f32],
    size: [usize; 3],
    /// Offset of the first sample from the corner of the box, in samples.
    inset: f32,
    per_sample: f32,
    /// Lattice cells per metre.
    scale: f32,
}

impl<'a> RasterSampler<'a> {
    fn new(raster: &'a Raster, inset: f32, refinement: f64) -> RasterSampler<'a> {
        RasterSampler {
            values: &raster.values,
            size: raster.size.map(|count| count as usize),
            inset,
            per_sample: refinement as f32,
            scale: (refinement / raster.spacing[0]) as f32,
        }
    }

    fn scaled(&self, index: usize) -> f32 {
        let value = self.values[index] * self.scale;
        if value.is_finite() { value } else { FAR }
    }

    /// The samples on both sides of a coordinate, and its fraction between them.
    fn between(&self, at: f32, axis: usize) -> (usize, usize, f32) {
        let last = self.size[axis] - 1;
        let coordinate = ((at - 0.5) / self.per_sample - self.inset).clamp(0.0, last as f32);
        let low = coordinate as usize;
        (low, (low + 1).min(last), coordinate - low as f32)
    }

    /// The eight samples around a point, x fastest, and the fractions between them.
    fn around(&self, at: [f32; 3]) -> ([f32; 8], [f32; 3]) {
        let [x, y, z] = [0, 1, 2].map(|axis| self.between(at[axis], axis));
        let row = |y: usize, z: usize| (z * self.size[1] + y) * self.size[0];
        let rows = [row(y.0, z.0), row(y.1, z.0), row(y.0, z.1), row(y.1, z.1)];
        let corner = |corner: usize| self.scaled(rows[corner / 2] + if corner & 1 == 0 { x.0 } else { x.1 });
        (std::array::from_fn(corner), [x.2, y.2, z.2])
    }

    fn at(&self, at: [f32; 3]) -> f32 {
        let (corners, [x, y, z]) = self.around(at);
        let along_x = |pair: usize| lerp(corners[2 * pair], corners[2 * pair + 1], x);
        lerp(lerp(along_x(0), along_x(1), y), lerp(along_x(2), along_x(3), y), z)
    }

    /// Unit gradient; upwards where it vanishes.
    fn direction(&self, at: [f32; 3]) -> [f32; 3] {
        let half = 0.5 * self.per_sample;
        let slope = |axis: usize| {
            let shifted =
                |by: f32| std::array::from_fn(|other| at[other] + if other == axis { by } else { 0.0 });
            self.at(shifted(half)) - self.at(shifted(-half))
        };
        unit([slope(0), slope(1), slope(2)])
    }

    fn range(&self, low: [f32; 3], high: [f32; 3]) -> (f32, f32) {
        let [x, y, z] =
            [0, 1, 2].map(|axis| self.between(low[axis], axis).0..=self.between(high[axis], axis).1);
        let mut range = (f32::INFINITY, f32::NEG_INFINITY);
        for (z, y) in z.flat_map(|z| y.clone().map(move |y| (z, y))) {
            let row = (z * self.size[1] + y) * self.size[0];
            for sample in row + x.start()..=row + x.end() {
                let value = self.scaled(sample);
                range = (range.0.min(value), range.1.max(value));
            }
        }
        range
    }
}

fn lerp(low: f32, high: f32, t: f32) -> f32 {
    low + t * (high - low)
}

/// A normalised vector; upwards when it has no direction.
pub fn unit(vector: [f32; 3]) -> [f32; 3] {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let is_sound = length > 0.0 && length.is_finite();
    if is_sound { vector.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
}
