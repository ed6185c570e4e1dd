//! A mesh as an obstacle: a closed one is solid throughout, an open one is a sheet of some thickness.
//!
//! One that stands is measured triangle by triangle, which is exact within a band of its surface. One that moves is
//! measured once in its own space; then its distances are read from there, and only what is inside is found anew.

use undine_grid::par;

use super::facets::Facets;
use super::mesh::{self, Triangle, dot, minus, normal};
use super::winding::{NodeBox, Winding};

/// The most nodes on which a moving mesh is measured in its own space.
const MOST_NODES: f64 = (1 << 24) as f64;

/// Most tries on the way to a sheet.
const TRIES: u32 = 24;

/// A mesh about its own origin.
#[derive(Debug, Clone)]
pub struct MeshBody {
    facets: Facets,
    half_thickness: Option<f64>,
    /// Its triangles where they are now.
    placed: Vec<Triangle>,
    own: Option<OwnSpace>,
    winding: Winding,
    /// Distances at the nodes that were asked for last, without a sign.
    away: Vec<f64>,
}

/// Distances at nodes of the mesh's own space: of a closed mesh negative inside, for only then is what lies between
/// nodes on both sides of its surface right; of a sheet without a sign.
#[derive(Debug, Clone)]
struct OwnSpace {
    nodes: NodeBox,
    away: Vec<f64>,
    band: f64,
}

impl MeshBody {
    /// A closed mesh, or with a thickness a sheet.
    pub fn new(triangles: Vec<Triangle>, thickness: Option<f64>) -> MeshBody {
        MeshBody {
            placed: triangles.clone(),
            facets: Facets::new(triangles),
            half_thickness: thickness.map(|thickness| 0.5 * thickness),
            own: None,
            winding: Winding::default(),
            away: Vec::new(),
        }
    }

    /// Its triangles before it is moved.
    pub fn triangles(&self) -> &[Triangle] {
        self.facets.triangles()
    }

    /// Thickness of a sheet in metres.
    pub fn thickness(&self) -> Option<f64> {
        self.half_thickness.map(|half| 2.0 * half)
    }

    /// How far its solid reaches beyond its triangles.
    pub fn margin(&self) -> f64 {
        self.half_thickness.unwrap_or(0.0)
    }

    /// Signed distance of a point of its own space, exact up to `within`.
    pub fn distance(&self, point: [f64; 3], within: f64) -> f64 {
        let away = self.facets.distance(point, within + self.margin());
        match self.half_thickness {
            Some(half) => away - half,
            None if self.facets.holds(point) => -away,
            None => away,
        }
    }

    /// How far along a stretch of its own space, as a share of it, the solid begins. It stops short of a sheet rather
    /// than in it.
    pub fn entry(&self, stretch: [[f64; 3]; 2]) -> Option<f64> {
        match self.half_thickness {
            None => self.facets.first_hit(stretch),
            Some(half) => self.approach(stretch, half),
        }
    }

    /// Whether a stretch of its own space passes through its triangles.
    pub fn is_crossed(&self, stretch: [[f64; 3]; 2]) -> bool {
        self.facets.first_hit(stretch).is_some()
    }

    /// Whether a point of its own space lies in a closed mesh; what lies in a sheet is on one of its sides.
    pub fn holds(&self, point: [f64; 3]) -> bool {
        self.half_thickness.is_none() && self.facets.holds(point)
    }

    /// Whether a point of its own space lies in the solid.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        match self.half_thickness {
            Some(half) => self.facets.distance(point, half) < half,
            None => self.facets.holds(point),
        }
    }

    /// Goes along a stretch by as much as is free around it, which never passes a sheet.
    fn approach(&self, [from, to]: [[f64; 3]; 2], half: f64) -> Option<f64> {
        let along = minus(to, from);
        let length = dot(along, along).sqrt();
        let mut way = 0.0;
        for _ in 0..TRIES {
            let point = std::array::from_fn(|axis| from[axis] + way * along[axis]);
            let free = self.facets.distance(point, length + half) - half;
            if free <= 1e-6 * length {
                return Some(way);
            }
            way += free / length;
            if way >= 1.0 {
                return None;
            }
        }
        Some(way)
    }

    /// Moves its triangles, each corner to where `to` takes it, and returns the box that they lie in.
    pub(super) fn place(&mut self, to: impl Fn([f64; 3]) -> [f64; 3]) -> [[f64; 3]; 2] {
        self.placed.iter_mut().zip(self.facets.triangles()).for_each(|(one, rest)| *one = rest.map(&to));
        mesh::bounds(&self.placed)
    }

    /// Measures it once in its own space, for cells of this edge and a band of this width.
    pub(super) fn prepare_to_move(&mut self, edge: f64, band: f64) {
        if self.own.is_some() {
            return;
        }
        let [low, high] = mesh::bounds(self.facets.triangles());
        let reach = band + self.margin() + 3.0 * edge;
        let extent: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis] + 2.0 * reach);
        let spacing = edge.max((extent.iter().product::<f64>() / MOST_NODES).cbrt());
        let nodes = NodeBox {
            low: low.map(|along| along - reach),
            spacing: [spacing; 3],
            size: extent.map(|length| (length / spacing).ceil() as usize + 2),
        };
        // What lies beyond the band is left out, and would draw down what is read beside it
        let band = band + self.margin() + 2.0 * spacing;
        let mut away = Vec::new();
        measure(&nodes, band, self.facets.triangles(), &mut away);
        if self.half_thickness.is_none() {
            self.winding.scan(&nodes, self.facets.triangles());
            let inside = away.iter_mut().enumerate().filter(|(number, _)| self.winding.is_inside(*number));
            inside.for_each(|(_, away)| *away = -*away);
        }
        self.own = Some(OwnSpace { nodes, away, band });
    }

    /// Finds its signed distances at the nodes of a box, no greater than the band; `inwards` takes a point to its own
    /// space. Read them with [`MeshBody::at`].
    pub(super) fn measure(
        &mut self,
        nodes: &NodeBox,
        band: f64,
        inwards: impl Fn([f64; 3]) -> [f64; 3] + Sync,
    ) {
        match &self.own {
            None => measure(nodes, band + self.margin(), &self.placed, &mut self.away),
            Some(own) => {
                let near = if self.half_thickness.is_some() { own.nodes.spacing[0] } else { 0.0 };
                let facets = &self.facets;
                fill(nodes, &mut self.away, |point| {
                    let point = inwards(point);
                    let between = own.at(point).abs();
                    // Between nodes on both sides of a sheet nothing tells of it
                    if between < 2.0 * near { facets.distance(point, 2.0 * near) } else { between }
                });
            }
        }
        if self.half_thickness.is_none() {
            self.winding.scan(nodes, &self.placed);
        }
    }

    /// The signed distance at the node with this number of the box that was measured last.
    pub(super) fn at(&self, number: usize) -> f64 {
        match self.half_thickness {
            Some(half) => self.away[number] - half,
            None if self.winding.is_inside(number) => -self.away[number],
            None => self.away[number],
        }
    }
}

impl OwnSpace {
    /// The distance at a point, linear between nodes.
    fn at(&self, point: [f64; 3]) -> f64 {
        let (nodes, mut below, mut share) = (&self.nodes, [0; 3], [0.0; 3]);
        for axis in 0..3 {
            let along = (point[axis] - nodes.low[axis]) / nodes.spacing[axis];
            let last = nodes.size[axis] as f64 - 1.0;
            if !(0.0..last).contains(&along) {
                return self.band;
            }
            below[axis] = along as usize;
            share[axis] = along - below[axis] as f64;
        }
        let [x, y, z] = below;
        let first = x + nodes.size[0] * (y + nodes.size[1] * z);
        let (row, plane) = (nodes.size[0], nodes.size[0] * nodes.size[1]);
        let along_x = |at: usize| self.away[at] + share[0] * (self.away[at + 1] - self.away[at]);
        let along_y = |at: usize| along_x(at) + share[1] * (along_x(at + row) - along_x(at));
        along_y(first) + share[2] * (along_y(first + plane) - along_y(first))
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

/// Distances from triangles at the nodes of a box, up to a band: every triangle looks at the nodes around it.
fn measure(nodes: &NodeBox, band: f64, triangles: &[Triangle], away: &mut Vec<f64>) {
    away.clear();
    away.resize(nodes.count(), band);
    let plane = (nodes.size[0] * nodes.size[1]).max(1);
    let planes = nodes.size[2].div_ceil(16).max(1);
    par::for_each_chunk(away, planes * plane, |first, slab| {
        let own = first / plane..(first + slab.len()) / plane;
        for triangle in triangles {
            look_around(nodes, band, triangle, own.clone(), slab);
        }
    });
}

/// Lowers the distances of the nodes around a triangle, in the planes that a slab holds.
fn look_around(
    nodes: &NodeBox,
    band: f64,
    triangle: &Triangle,
    planes: std::ops::Range<usize>,
    slab: &mut [f64],
) {
    let [low, high] = mesh::bounds(std::slice::from_ref(triangle));
    let range = |axis: usize| nodes.between(axis, low[axis] - band, high[axis] + band);
    let (columns, rows, levels) = (range(0), range(1), range(2));
    let facing = normal(triangle);
    let length = dot(facing, facing).sqrt();
    let facing = facing.map(|along| if length > 0.0 { along / length } else { 0.0 });
    let above = dot(facing, triangle[0]);
    for z in levels.start.max(planes.start)..levels.end.min(planes.end) {
        for y in rows.clone() {
            let start = nodes.size[0] * (y + nodes.size[1] * (z - planes.start));
            for x in columns.clone() {
                let (point, nearest) = (nodes.point([x, y, z]), &mut slab[start + x]);
                // No point of a triangle is nearer than its plane
                if (dot(facing, point) - above).abs() < *nearest {
                    *nearest = nearest.min(mesh::distance(point, triangle));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::samples::{ball, sheet};
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
            standing.measure(&NODES, 0.3, back);
            let mut moving = MeshBody::new(triangles, thickness);
            moving.prepare_to_move(0.1, 0.3);
            moving.place(turned);
            moving.measure(&NODES, 0.3, back);
            for number in 0..NODES.count() {
                let [exact, read] = [&standing, &moving].map(|body| body.at(number).clamp(-0.3, 0.3));
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
