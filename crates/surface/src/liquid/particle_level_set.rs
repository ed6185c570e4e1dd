//! The level set of particles on the nodes of a tile: height above the surface from kernel-weighted means.

use undine_grid::simd;

use super::Scales;
use super::bins::{BinnedParticle, ParticleBins};
use super::half_space::{DEEPEST, HALF_SPACE, open_fraction};
use super::lattice::{SurfaceLattice, TILE};
use super::tiles::{LatticeTile, NODES};

/// SIMD lanes.
const LANES: usize = 8;
/// Tolerated excess of the particles' mean distance over that near a level surface, in units of R, before they count as
/// those of another body; and the factor by which a greater excess raises the node.
const TOLERANCE: f32 = 0.04;
const LIFT: f32 = 2.0;
/// Kernel sum from which on particles are not a lone drop.
const MIN_GROUP_WEIGHT: f32 = 3.0;
/// Filled fractions of the kernel at which smoothing begins, and from which on it is full.
const THIN: f32 = 0.35;
const THICK: f32 = 0.75;

/// Kernel sums for the nodes of a row: weights, weighted offsets along x, y and z, weighted squared distances.
type RowKernelSums = [[f32; TILE]; 5];

/// Coordinates at which the nodes of a tile are evaluated, in units of R from its first node. Nodes beyond the box are
/// evaluated on its wall.
struct NodeCoordinates {
    coordinates: [[f32; TILE]; 3],
}

impl NodeCoordinates {
    fn new(lattice: &SurfaceLattice<'_>, first: [usize; 3], reach: f32) -> NodeCoordinates {
        let coordinates = std::array::from_fn(|axis| {
            std::array::from_fn(|index| {
                let point = ((first[axis] + index) as f32).clamp(0.5, lattice.side[axis]);
                (point - first[axis] as f32) / reach
            })
        });
        NodeCoordinates { coordinates }
    }
}

/// Computes the values of a tile.
pub fn fill(
    tile: &mut LatticeTile,
    lattice: &SurfaceLattice<'_>,
    bins: &ParticleBins,
    near: &[u8],
    scales: &Scales,
) {
    // Kernel sums of the particles around all nodes.
    let first = tile.first();
    let nodes = NodeCoordinates::new(lattice, first, scales.reach);
    let mut sums = vec![[[0.0; TILE]; 5]; TILE * TILE];
    let has_any = for_each_nearby(lattice, bins, near, first, scales, |particles| {
        add(&nodes, first, scales.reach, particles, &mut sums);
    });
    // Whether a solid is within the kernel radius of the tile.
    let middle = first.map(|first| first as f32 + 0.5 * (TILE as f32 - 1.0));
    let half = 0.5 * TILE as f32;
    let low = middle.map(|x| x - half);
    let has_solid = lattice.nearest_solid(low, middle.map(|x| x + half)) < scales.reach;
    (tile.level, tile.smoothness, tile.wall) =
        (vec![scales.clamp; NODES], vec![0.0; NODES], vec![0.0; NODES]);
    // Level of each node from its moments, joined with the simulation's distance deep inside.
    for node in 0..NODES {
        let at = [node % TILE, node / TILE % TILE, node / TILE / TILE];
        let point = std::array::from_fn(|axis| (first[axis] + at[axis]) as f32);
        let solid = if has_solid { lattice.solid(point).unwrap_or(f32::INFINITY) } else { f32::INFINITY };
        tile.wall[node] = lattice.box_wall(point).0.min(solid);
        let row = &sums[node / TILE];
        if has_any && row[0][at[0]] > 1e-6 {
            let moments = KernelMoments::new(row, at[0]);
            let (level, smoothness) = moments.level(lattice, point, has_solid, scales);
            (tile.level[node], tile.smoothness[node]) = (level, smoothness);
        }
        let deep = lattice.distance(point) + scales.margin;
        tile.level[node] = tile.level[node].min(deep.max(-scales.clamp));
    }
}

/// Calls `take` with the particles near the surface that may reach a tile; returns whether there are any.
fn for_each_nearby(
    lattice: &SurfaceLattice<'_>,
    bins: &ParticleBins,
    near: &[u8],
    first: [usize; 3],
    scales: &Scales,
    mut take: impl FnMut(&[BinnedParticle]),
) -> bool {
    let [x, y, z] = [0, 1, 2].map(|axis| {
        let (low, high) = (first[axis] as f32, (first[axis] + TILE - 1) as f32);
        let inside = |point: f32| point.clamp(0.5, lattice.side[axis]);
        lattice.cell(inside(low) - scales.reach, axis)..=lattice.cell(inside(high) + scales.reach, axis)
    });
    let mut has_any = false;
    for (z, y) in z.flat_map(|z| y.clone().map(move |y| (z, y))) {
        for x in x.clone() {
            let cell = super::bins::linear_index(lattice.cells, [x, y, z]);
            if near[cell] != 0 && !bins.is_empty(cell) {
                has_any = true;
                take(bins.row([x, y, z], 1));
            }
        }
    }
    has_any
}

/// Adds particles to the sums, with the widest SIMD instructions of the machine.
fn add(
    nodes: &NodeCoordinates,
    first: [usize; 3],
    reach: f32,
    particles: &[BinnedParticle],
    sums: &mut [RowKernelSums],
) {
    simd::dispatch(
        #[inline(always)]
        || add_generic(nodes, first, reach, particles, sums),
    );
}

#[inline(always)]
fn add_generic(
    nodes: &NodeCoordinates,
    first: [usize; 3],
    reach: f32,
    particles: &[BinnedParticle],
    sums: &mut [RowKernelSums],
) {
    for particle in particles {
        let local: [f32; 3] = std::array::from_fn(|axis| particle.position[axis] - first[axis] as f32);
        // One node more to each side: those beyond a wall are evaluated on the wall
        let low = local.map(|x| ((x - reach).max(0.0) as usize).saturating_sub(1));
        let high = local.map(|x| ((x + reach + 2.0).max(0.0) as usize).min(TILE));
        let at = local.map(|x| x / reach);
        for z in low[2]..high[2] {
            let dz = at[2] - nodes.coordinates[2][z];
            for y in low[1]..high[1] {
                let dy = at[1] - nodes.coordinates[1][y];
                let left = 1.0 - (dz * dz + dy * dy);
                if left > 0.0 && low[0] < high[0] {
                    let row = &mut sums[z * TILE + y];
                    add_to_row(row, &nodes.coordinates[0], low[0], high[0], [at[0], dy, dz], left);
                }
            }
        }
    }
}

/// Adds a particle to the nodes of a row, in one or two vectors.
#[inline(always)]
fn add_to_row(
    row: &mut RowKernelSums,
    nodes: &[f32; TILE],
    low: usize,
    high: usize,
    at: [f32; 3],
    left: f32,
) {
    if high - low <= LANES {
        add_to_lanes(row, nodes, low.min(TILE - LANES), at, left);
    } else {
        add_to_lanes(row, nodes, 0, at, left);
        add_to_lanes(row, nodes, LANES, at, left);
    }
}

#[inline(always)]
fn add_to_lanes(row: &mut RowKernelSums, nodes: &[f32; TILE], start: usize, [x, y, z]: [f32; 3], left: f32) {
    let Some(nodes) = nodes[start..].first_chunk::<LANES>() else { return };
    let (mut weight, mut offsets, mut square) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let offset = x - nodes[lane];
        let inside = (left - offset * offset).max(0.0);
        weight[lane] = inside * inside * inside;
        offsets[lane] = weight[lane] * offset;
        square[lane] = weight[lane] * (1.0 - inside);
    }
    for lane in 0..LANES {
        row[0][start + lane] += weight[lane];
        row[1][start + lane] += offsets[lane];
        row[2][start + lane] += weight[lane] * y;
        row[3][start + lane] += weight[lane] * z;
        row[4][start + lane] += square[lane];
    }
}

/// Moments of the particles around a node, in units of R.
struct KernelMoments {
    weight: f32,
    /// Weighted mean of the offsets from the node.
    mean: [f32; 3],
    /// Weighted mean square distance.
    square: f32,
}

impl KernelMoments {
    fn new(row: &RowKernelSums, at: usize) -> KernelMoments {
        let weight = row[0][at];
        KernelMoments {
            weight,
            mean: [1, 2, 3].map(|column| row[column][at] / weight),
            square: row[4][at] / weight,
        }
    }

    /// Height of the node above the surface in lattice cells, and the strength of its smoothing.
    fn level(
        mut self,
        lattice: &SurfaceLattice<'_>,
        point: [f32; 3],
        has_solid: bool,
        scales: &Scales,
    ) -> (f32, f32) {
        let open = self.mirror_in_box(lattice, point, scales.reach);
        let open = open * if has_solid { self.mirror_in_solid(lattice, point, scales.reach) } else { 1.0 };
        let mean = self.mean.iter().map(|x| x * x).sum::<f32>().sqrt();
        // A lone drop has a radius of its own
        let alone = 1.0 - smooth_step(self.weight / MIN_GROUP_WEIGHT);
        let expected = HALF_SPACE.at(mean * (1.0 + alone * (scales.lone_drop_scale - 1.0)));
        let excess = self.square.max(0.0).sqrt() - expected.spread - TOLERANCE;
        let height = expected.height.max(DEEPEST) + LIFT * excess.max(0.0);
        let filled = self.weight / (scales.full * open.max(0.05) * expected.filled.max(0.01));
        let level = (height * scales.reach).clamp(-scales.clamp, scales.clamp);
        (level, smooth_step((filled - THIN) / (THICK - THIN)))
    }

    /// Removes the bias of the mean away from the walls of the box, as if the liquid were mirrored in them. Returns the
    /// fraction of the kernel inside the box.
    fn mirror_in_box(&mut self, lattice: &SurfaceLattice<'_>, point: [f32; 3], reach: f32) -> f32 {
        let mut open = 1.0;
        for axis in 0..3 {
            let low = ((point[axis] - 0.5) / reach).max(0.0);
            let high = ((lattice.side[axis] - point[axis]) / reach).max(0.0);
            let wall = if self.mean[axis] > 0.0 { low } else { high };
            self.mean[axis] *= smooth_step(wall);
            open *= open_fraction(low) + open_fraction(high) - 1.0;
        }
        open
    }

    /// The same with solids.
    fn mirror_in_solid(&mut self, lattice: &SurfaceLattice<'_>, point: [f32; 3], reach: f32) -> f32 {
        let Some((distance, away)) = lattice.nearby_solid(point, reach) else { return 1.0 };
        let projection: f32 = (0..3).map(|axis| self.mean[axis] * away[axis]).sum();
        let bias = projection.max(0.0) * (1.0 - smooth_step(distance / reach));
        let depth = (-distance / reach).max(0.0);
        // A node in the solid is evaluated on its wall
        self.square = (self.square - 2.0 * depth * projection + depth * depth).max(0.0);
        (0..3).for_each(|axis| self.mean[axis] -= bias * away[axis]);
        open_fraction((distance / reach).max(0.0))
    }
}

fn smooth_step(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
