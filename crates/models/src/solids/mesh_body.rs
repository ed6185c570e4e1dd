//! A mesh as an obstacle: a closed mesh is solid inside, an open one is a sheet of given thickness.
//!
//! The distances of a stationary mesh are computed triangle by triangle, exact within a narrow band. Those of a moving
//! mesh are computed once on a grid in local coordinates and interpolated; only its sign is computed again.

use undine_grid::par;

use super::triangle::{self, Triangle, dot, normal, subtract};
use super::triangle_grid::TriangleGrid;
use super::winding::{NodeBox, WindingScan};

/// Largest number of nodes of the local distance grid of a moving mesh.
const MOST_NODES: f64 = (1 << 24) as f64;

/// Largest number of sphere-tracing steps towards a sheet.
const MAX_TRACE_STEPS: u32 = 24;

/// A mesh in local coordinates, with its distances at the nodes of a box.
#[derive(Debug, Clone)]
pub struct MeshBody {
    triangle_grid: TriangleGrid,
    half_thickness: Option<f64>,
    /// Its triangles in the current pose.
    placed: Vec<Triangle>,
    local: Option<LocalDistances>,
    winding: WindingScan,
    /// Unsigned distances at the nodes of the box sampled last.
    distances: Vec<f64>,
}

/// Distances at nodes in the mesh's local coordinates. Signed for a closed mesh, so that interpolation across its
/// surface is right; unsigned for a sheet.
#[derive(Debug, Clone)]
struct LocalDistances {
    nodes: NodeBox,
    distances: Vec<f64>,
    band: f64,
}

impl MeshBody {
    /// A closed mesh, or a sheet if a thickness is given.
    pub fn new(triangles: Vec<Triangle>, thickness: Option<f64>) -> MeshBody {
        MeshBody {
            placed: triangles.clone(),
            triangle_grid: TriangleGrid::new(triangles),
            half_thickness: thickness.map(|thickness| 0.5 * thickness),
            local: None,
            winding: WindingScan::default(),
            distances: Vec::new(),
        }
    }

    /// Its triangles in local coordinates.
    pub fn triangles(&self) -> &[Triangle] {
        self.triangle_grid.triangles()
    }

    /// Thickness of a sheet in metres.
    pub fn thickness(&self) -> Option<f64> {
        self.half_thickness.map(|half| 2.0 * half)
    }

    /// Distance by which the solid extends beyond its triangles.
    pub fn margin(&self) -> f64 {
        self.half_thickness.unwrap_or(0.0)
    }

    /// Signed distance of a point in local coordinates, exact up to `within`.
    pub fn distance(&self, point: [f64; 3], within: f64) -> f64 {
        let distances = self.triangle_grid.distance(point, within + self.margin());
        match self.half_thickness {
            Some(half) => distances - half,
            None if self.triangle_grid.winds_around(point) => -distances,
            None => distances,
        }
    }

    /// Parameter t ∈ [0, 1] at which a segment in local coordinates enters the solid; for a sheet never past its
    /// surface.
    pub fn entry(&self, segment: [[f64; 3]; 2]) -> Option<f64> {
        match self.half_thickness {
            None => self.triangle_grid.first_hit(segment),
            Some(half) => self.sphere_trace(segment, half),
        }
    }

    /// Whether a segment in local coordinates intersects a triangle.
    pub fn is_crossed(&self, segment: [[f64; 3]; 2]) -> bool {
        self.triangle_grid.first_hit(segment).is_some()
    }

    /// Whether a point in local coordinates lies inside a closed mesh; always false for a sheet, which has no inside.
    pub fn holds(&self, point: [f64; 3]) -> bool {
        self.half_thickness.is_none() && self.triangle_grid.winds_around(point)
    }

    /// Whether a point in local coordinates lies in the solid.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        match self.half_thickness {
            Some(half) => self.triangle_grid.distance(point, half) < half,
            None => self.triangle_grid.winds_around(point),
        }
    }

    /// Sphere tracing: advances along a segment by the distance to the sheet, which never passes through it.
    fn sphere_trace(&self, [from, to]: [[f64; 3]; 2], half: f64) -> Option<f64> {
        let along = subtract(to, from);
        let length = dot(along, along).sqrt();
        let mut t = 0.0;
        for _ in 0..MAX_TRACE_STEPS {
            let point = std::array::from_fn(|axis| from[axis] + t * along[axis]);
            let free = self.triangle_grid.distance(point, length + half) - half;
            if free <= 1e-6 * length {
                return Some(t);
            }
            t += free / length;
            if t >= 1.0 {
                return None;
            }
        }
        Some(t)
    }

    /// Transforms its triangles by `to` and returns their bounding box.
    pub(super) fn place(&mut self, to: impl Fn([f64; 3]) -> [f64; 3]) -> [[f64; 3]; 2] {
        self.placed
            .iter_mut()
            .zip(self.triangle_grid.triangles())
            .for_each(|(one, rest)| *one = rest.map(&to));
        triangle::bounds(&self.placed)
    }

    /// Computes the distances on a grid in local coordinates, for cells of this edge and a band of this width.
    pub(super) fn cache_local_distances(&mut self, edge: f64, band: f64) {
        if self.local.is_some() {
            return;
        }
        let [low, high] = triangle::bounds(self.triangle_grid.triangles());
        let reach = band + self.margin() + 3.0 * edge;
        let extent: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis] + 2.0 * reach);
        let spacing = edge.max((extent.iter().product::<f64>() / MOST_NODES).cbrt());
        let nodes = NodeBox {
            low: low.map(|x| x - reach),
            spacing: [spacing; 3],
            size: extent.map(|length| (length / spacing).ceil() as usize + 2),
        };
        // Values are clamped at the band, which would bias interpolation next to it: a band wider by two nodes
        let band = band + self.margin() + 2.0 * spacing;
        let mut distances = Vec::new();
        sample_distances(&nodes, band, self.triangle_grid.triangles(), &mut distances);
        if self.half_thickness.is_none() {
            self.winding.scan(&nodes, self.triangle_grid.triangles());
            let inside =
                distances.iter_mut().enumerate().filter(|(number, _)| self.winding.is_inside(*number));
            inside.for_each(|(_, distances)| *distances = -*distances);
        }
        self.local = Some(LocalDistances { nodes, distances, band });
    }

    /// Computes the signed distances at the nodes of a box, clamped to the band; `to_local` transforms a point to local
    /// coordinates. Read them with [`MeshBody::distance_at`].
    pub(super) fn sample_distances(
        &mut self,
        nodes: &NodeBox,
        band: f64,
        to_local: impl Fn([f64; 3]) -> [f64; 3] + Sync,
    ) {
        match &self.local {
            None => sample_distances(nodes, band + self.margin(), &self.placed, &mut self.distances),
            Some(local) => {
                let near = if self.half_thickness.is_some() { local.nodes.spacing[0] } else { 0.0 };
                let triangle_grid = &self.triangle_grid;
                fill(nodes, &mut self.distances, |point| {
                    let point = to_local(point);
                    let between = local.distance_at(point).abs();
                    // Interpolation between nodes on both sides of a sheet misses it: compute exactly nearby
                    if between < 2.0 * near { triangle_grid.distance(point, 2.0 * near) } else { between }
                });
            }
        }
        if self.half_thickness.is_none() {
            self.winding.scan(nodes, &self.placed);
        }
    }

    /// The signed distance at a node of the box sampled last.
    pub(super) fn distance_at(&self, number: usize) -> f64 {
        match self.half_thickness {
            Some(half) => self.distances[number] - half,
            None if self.winding.is_inside(number) => -self.distances[number],
            None => self.distances[number],
        }
    }
}

impl LocalDistances {
    /// The distance at a point, by trilinear interpolation.
    fn distance_at(&self, point: [f64; 3]) -> f64 {
        let (nodes, mut below, mut weight) = (&self.nodes, [0; 3], [0.0; 3]);
        for axis in 0..3 {
            let along = (point[axis] - nodes.low[axis]) / nodes.spacing[axis];
            let last = nodes.size[axis] as f64 - 1.0;
            if !(0.0..last).contains(&along) {
                return self.band;
            }
            below[axis] = along as usize;
            weight[axis] = along - below[axis] as f64;
        }
        let [x, y, z] = below;
        let first = x + nodes.size[0] * (y + nodes.size[1] * z);
        let (row, plane) = (nodes.size[0], nodes.size[0] * nodes.size[1]);
        let along_x =
            |at: usize| self.distances[at] + weight[0] * (self.distances[at + 1] - self.distances[at]);
        let along_y = |at: usize| along_x(at) + weight[1] * (along_x(at + row) - along_x(at));
        along_y(first) + weight[2] * (along_y(first + plane) - along_y(first))
    }
}

/// Sets a value at every node of a box, in parallel.
fn fill(nodes: &NodeBox, values: &mut Vec<f64>, value: impl Fn([f64; 3]) -> f64 + Sync) {
    values.resize(nodes.count(), 0.0);
    let [across, up, _] = nodes.size;
    par::for_each_chunk(values, across.max(1), |first, row| {
        let (y, z) = (first / across % up, first / (across * up));
        row.iter_mut().enumerate().for_each(|(x, node)| *node = value(nodes.point([x, y, z])));
    });
}

/// Unsigned distances to triangles at the nodes of a box, up to a band: each triangle updates the nodes around it.
fn sample_distances(nodes: &NodeBox, band: f64, triangles: &[Triangle], distances: &mut Vec<f64>) {
    distances.clear();
    distances.resize(nodes.count(), band);
    let plane = (nodes.size[0] * nodes.size[1]).max(1);
    let planes = nodes.size[2].div_ceil(16).max(1);
    par::for_each_chunk(distances, planes * plane, |first, slab| {
        let local = first / plane..(first + slab.len()) / plane;
        for triangle in triangles {
            lower_distances(nodes, band, triangle, local.clone(), slab);
        }
    });
}

/// Lowers the distances of the nodes around a triangle, in the planes that a slab holds.
fn lower_distances(
    nodes: &NodeBox,
    band: f64,
    triangle: &Triangle,
    planes: std::ops::Range<usize>,
    slab: &mut [f64],
) {
    let [low, high] = triangle::bounds(std::slice::from_ref(triangle));
    let range = |axis: usize| nodes.between(axis, low[axis] - band, high[axis] + band);
    let (columns, rows, levels) = (range(0), range(1), range(2));
    let facing = normal(triangle);
    let length = dot(facing, facing).sqrt();
    let facing = facing.map(|x| if length > 0.0 { x / length } else { 0.0 });
    let above = dot(facing, triangle[0]);
    for z in levels.start.max(planes.start)..levels.end.min(planes.end) {
        for y in rows.clone() {
            let start = nodes.size[0] * (y + nodes.size[1] * (z - planes.start));
            for x in columns.clone() {
                let (point, nearest) = (nodes.point([x, y, z]), &mut slab[start + x]);
                // The distance to the plane of a triangle is a lower bound
                if (dot(facing, point) - above).abs() < *nearest {
                    *nearest = nearest.min(triangle::distance(point, triangle));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::triangle::samples::{ball, sheet};
    use super::*;

    const NODES: NodeBox = NodeBox { low: [-1.5; 3], spacing: [0.1; 3], size: [31; 3] };

    fn at(number: usize) -> [f64; 3] {
        NODES.point([number % 31, number / 31 % 31, number / 961])
    }

    #[test]
    fn a_mesh_that_moves_is_measured_as_one_that_stands() {
        let turned = |[x, y, z]: [f64; 3]| [0.6 * x - 0.8 * y + 0.13, 0.8 * x + 0.6 * y, z - 0.07];
        let back = |[x, y, z]: [f64; 3]| {
            let (x, z) = (x - 0.13, z + 0.07);
            [0.6 * x + 0.8 * y, 0.6 * y - 0.8 * x, z]
        };
        for (triangles, thickness, most) in [(ball(0.8, 24), None, 0.006), (sheet(0.7), Some(0.02), 0.03)] {
            let mut standing = MeshBody::new(triangles.clone(), thickness);
            standing.place(turned);
            standing.sample_distances(&NODES, 0.3, back);
            let mut moving = MeshBody::new(triangles, thickness);
            moving.cache_local_distances(0.1, 0.3);
            moving.place(turned);
            moving.sample_distances(&NODES, 0.3, back);
            for number in 0..NODES.count() {
                let [exact, read] =
                    [&standing, &moving].map(|body| body.distance_at(number).clamp(-0.3, 0.3));
                let point = at(number);
                assert_eq!(exact < 0.0, read < 0.0, "{point:?}: {exact} {read}");
                assert!((exact - read).abs() < most, "{point:?}: {exact} {read}");
                let asked = standing.distance(back(point), 0.3);
                assert!((exact - asked.clamp(-0.3, 0.3)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_sheet_stops_what_comes_to_it_on_either_side() {
        let body = MeshBody::new(sheet(1.0), Some(0.02));
        let entry = body.entry([[-0.5, 0.2, 0.1], [0.5, 0.2, 0.1]]).unwrap();
        assert!((0.489..=0.49).contains(&entry), "{entry}");
        assert!(body.entry([[0.5, 0.2, 0.1], [-0.5, 0.2, 0.1]]).is_some());
        assert_eq!(body.entry([[0.5, 0.2, 0.1], [0.1, 0.2, 0.1]]), None);
        assert!(body.entry([[0.05, -0.5, 0.1], [0.005, 0.5, 0.1]]).is_some());
        assert_eq!(body.entry([[-0.5, 1.2, 0.1], [0.5, 1.2, 0.1]]), None);
    }
}
