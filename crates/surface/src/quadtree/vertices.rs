//! The vertices over a height water and its ground, evaluated one at a time.
//!
//! They are those of `height_mesh` and `ground_mesh`, bit for bit, so that a mesh of few of them fits to one of all.

use undine_frame::Heights;

use crate::mesh_lattice::MeshLattice;
use crate::shoreline::{MIN_DEPTH_BELOW, ShorelineLevels};
use crate::slopes::slope_at;

/// Rows and columns around a sample that its extrapolated level depends on.
const REACH: usize = 2;

/// Number of a vertex along x and y.
pub type Vertex = [usize; 2];

/// A water with a bed, and the lattice of its vertices.
pub struct VertexHeights<'h> {
    /// Positions of the vertices.
    pub lattice: MeshLattice,
    levels: &'h [f32],
    beds: &'h [f32],
    dry_depth: f32,
}

/// A vertex of the ground and of the water above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// Height of the ground.
    pub ground: f32,
    /// Height of the water surface; below the ground where it is dry.
    pub water: f32,
    /// Whether there is water.
    pub is_wet: bool,
}

impl<'h> VertexHeights<'h> {
    /// The vertices over a water; `None` if it has no bed or fewer values than samples.
    pub fn new(water: &'h Heights) -> Option<Self> {
        let beds: &[f32] = water.bed.as_deref()?;
        let count = water.count();
        let fits = count > 0 && water.level.len() == count && beds.len() == count;
        fits.then(|| VertexHeights {
            lattice: MeshLattice::over(water),
            levels: &water.level,
            beds,
            dry_depth: water.dry_depth,
        })
    }

    /// Numbers of the last vertices along x and y.
    pub fn last(&self) -> Vertex {
        [self.lattice.columns.len() - 1, self.lattice.rows.len() - 1]
    }

    /// Position of a vertex.
    pub fn position(&self, [i, j]: Vertex) -> [f32; 2] {
        [self.lattice.columns[i].position, self.lattice.rows[j].position]
    }

    /// The sample that a vertex belongs to.
    pub fn sample(&self, [i, j]: Vertex) -> usize {
        self.lattice.rows[j].sample * self.lattice.samples[0] + self.lattice.columns[i].sample
    }

    /// Height of the ground and of the water as simulated, and whether it is wet: all that the error of a block needs.
    #[inline]
    pub fn simulated(&self, vertex: Vertex) -> Column {
        let sample = self.sample(vertex);
        let (ground, water) = (self.beds[sample], self.levels[sample]);
        let is_wet = water - ground > self.dry_depth;
        match self.is_on_border(vertex) {
            false => Column { ground, water, is_wet },
            true => Column { ground: self.ground(vertex), water: self.wet_level(vertex), is_wet },
        }
    }

    /// The column of a vertex, its water extrapolated beyond the shoreline.
    pub fn column(&self, vertex: Vertex) -> Column {
        let (sample, ground) = (self.sample(vertex), self.ground(vertex));
        if self.is_wet(sample) {
            return Column { ground, water: self.wet_level(vertex), is_wet: true };
        }
        let (level, slope) = self.extrapolated(sample);
        let water = extrapolated(level, slope, self.offset(vertex));
        let water = if self.is_on_border(vertex) { water.min(ground - MIN_DEPTH_BELOW) } else { water };
        Column { ground, water, is_wet: false }
    }

    /// Slope of the ground about a vertex, over `reach` samples to each side.
    pub fn ground_slope(&self, vertex: Vertex, reach: usize) -> [f32; 2] {
        self.slope(self.beds, vertex, reach, |_| true)
    }

    /// Slope of the water about a vertex, over `reach` samples to each side, as far as they are wet.
    pub fn water_slope(&self, vertex: Vertex, reach: usize) -> [f32; 2] {
        let sample = self.sample(vertex);
        if !self.is_wet(sample) {
            return self.extrapolated(sample).1;
        }
        let far = self.slope(self.levels, vertex, reach, |sample| self.is_wet(sample));
        if reach > 1 && far == [0.0; 2] { self.water_slope(vertex, 1) } else { far }
    }

    fn slope(
        &self,
        heights: &[f32],
        vertex: Vertex,
        reach: usize,
        counts: impl Fn(usize) -> bool,
    ) -> [f32; 2] {
        slope_at(heights, self.lattice.samples, self.lattice.spacing, self.sample(vertex), reach, counts)
    }

    fn is_wet(&self, sample: usize) -> bool {
        self.levels[sample] - self.beds[sample] > self.dry_depth
    }

    fn is_on_border(&self, [i, j]: Vertex) -> bool {
        let [last_i, last_j] = self.last();
        i == 0 || j == 0 || i == last_i || j == last_j
    }

    fn offset(&self, [i, j]: Vertex) -> [f32; 2] {
        [self.lattice.columns[i].offset, self.lattice.rows[j].offset]
    }

    fn ground(&self, vertex: Vertex) -> f32 {
        let bed = self.beds[self.sample(vertex)];
        match self.is_on_border(vertex) {
            false => bed,
            true => extrapolated(bed, self.ground_slope(vertex, 1), self.offset(vertex)),
        }
    }

    fn wet_level(&self, vertex: Vertex) -> f32 {
        let level = self.levels[self.sample(vertex)];
        match self.is_on_border(vertex) {
            false => level,
            true => {
                let slope = self.slope(self.levels, vertex, 1, |sample| self.is_wet(sample));
                extrapolated(level, slope, self.offset(vertex))
            }
        }
    }

    /// Level and slope of the water extrapolated to a dry sample, from the samples that they depend on.
    fn extrapolated(&self, sample: usize) -> (f32, [f32; 2]) {
        let [columns, rows] = self.lattice.samples;
        let (column, row) = (sample % columns, sample / columns);
        let around =
            |at: usize, count: usize, reach: usize| at.saturating_sub(reach)..(at + reach + 1).min(count);
        let is_wet_near =
            around(row, rows, 1).any(|y| around(column, columns, 1).any(|x| self.is_wet(y * columns + x)));
        if !is_wet_near {
            return (self.beds[sample] - MIN_DEPTH_BELOW, [0.0; 2]);
        }
        let (xs, ys) = (around(column, columns, REACH), around(row, rows, REACH));
        let patch = |values: &[f32]| -> Vec<f32> {
            ys.clone().flat_map(|y| values[y * columns + xs.start..y * columns + xs.end].to_vec()).collect()
        };
        let beds = patch(self.beds);
        let size = [xs.len(), ys.len()];
        let shore =
            ShorelineLevels::new(patch(self.levels), &beds, size, self.lattice.spacing, self.dry_depth);
        let centre = (row - ys.start) * xs.len() + column - xs.start;
        (shore.levels[centre], shore.slopes[centre])
    }
}

/// Linear extrapolation of a height from its sample by the slope there.
fn extrapolated(height: f32, [slope_x, slope_y]: [f32; 2], [dx, dy]: [f32; 2]) -> f32 {
    height + slope_x * dx + slope_y * dy
}
