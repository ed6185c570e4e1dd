//! Camera-dependent quadtree mesh of a large height water and its ground, in time that follows the picture.
//!
//! [`HeightQuadtree::new`] measures the water in one pass. [`HeightQuadtree::meshes`] draws it as blocks of cells: few
//! where it is far or plane, all of them where it is near. Ground and water have the same blocks, so that both meet at
//! the same shoreline. Neighbouring blocks differ by one level at most and share their edges, so that there are no cracks.
//! The same water and view give the same bits.
//!
//! What follows the map is one pass over its values; [`with_overviews`] adds another for what lies outside the view: shadows,
//! reflections, light on the bed.

mod overview;
mod pyramid;
mod select;
#[cfg(test)]
mod tests;
mod triangulate;
mod vertices;

use glam::{Vec2, Vec3};
use undine_frame::{Attribute, Heights, Material, Mesh, Quantity, Triangles};
use undine_grid::par;

pub(crate) use overview::is_large;
pub use overview::with_overviews;

use crate::slopes::normal;
use pyramid::BlockLevel;
use select::{Leaf, line};
use triangulate::LeafTriangles;
use vertices::{Vertex, VertexHeights};

/// The viewpoint that a mesh is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadtreeView {
    /// Position of the camera.
    pub eye: Vec3,
    /// Unit vector to the right in the picture.
    pub right: Vec3,
    /// Unit vector up in the picture.
    pub up: Vec3,
    /// Unit view direction.
    pub forward: Vec3,
    /// Half the picture's width and height at distance one.
    pub half_extent: Vec2,
    /// The angle that a pixel spans, in radians.
    pub pixel_angle: f32,
}

/// A height water with a bed, ready to be meshed for any view.
pub struct HeightQuadtree<'h> {
    water: &'h Heights,
    vertices: VertexHeights<'h>,
    levels: Vec<BlockLevel>,
}

/// A mesh of the water and one of its ground, with the same vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadtreeMeshes {
    /// The ground.
    pub ground: Mesh,
    /// The water; dry ground has no triangles.
    pub water: Mesh,
}

impl<'h> HeightQuadtree<'h> {
    /// Measures a water; `None` if it has no bed, or its arrays do not fit.
    pub fn new(water: &'h Heights) -> Option<Self> {
        let vertices = VertexHeights::new(water)?;
        let levels = pyramid::pyramid(&vertices);
        Some(HeightQuadtree { water, vertices, levels })
    }

    /// The meshes for a view. `attributes` of the ground's samples become attributes of its vertices.
    pub fn meshes(&self, names: [&str; 2], attributes: &[Attribute], view: &QuadtreeView) -> QuadtreeMeshes {
        let leaves = self.leaves(view);
        // Blocks are meshed in parallel and joined in their order
        let mut parts: Vec<Option<LeafMesh>> = leaves.iter().map(|_| None).collect();
        par::for_each_chunk(&mut parts, 1, |first, chunk| {
            chunk[0] = Some(LeafMesh::new(self, &leaves[first], attributes, view));
        });
        self.join(names, attributes, parts.into_iter().flatten().collect())
    }

    /// The blocks that are drawn.
    fn leaves(&self, view: &QuadtreeView) -> Vec<Leaf> {
        let [dx, dy] = self.vertices.lattice.spacing;
        let last = self.vertices.last();
        let corners = |level: usize, at: [usize; 2]| {
            let end = |index: usize| {
                let vertex = [0, 1].map(|axis| line(level, at[axis], index, last[axis]));
                Vec2::from(self.vertices.position(vertex))
            };
            [end(0), end(pyramid::CELLS)]
        };
        select::select(&self.levels, view, dx.max(dy), corners)
    }

    fn join(&self, names: [&str; 2], attributes: &[Attribute], parts: Vec<LeafMesh>) -> QuadtreeMeshes {
        let empty = |name: &str, material: Material| Mesh {
            name: name.to_owned(),
            material,
            positions: Vec::new(),
            normals: Vec::new(),
            velocities: Vec::new(),
            uvs: Vec::new(),
            attributes: Vec::new(),
            triangles: Triangles::List(Vec::new()),
        };
        let mut water = empty(names[0], Material::Water);
        let mut ground = empty(names[1], Material::Ground);
        let (mut wet_triangles, mut triangles, mut depths) = (Vec::new(), Vec::new(), Vec::new());
        let mut values: Vec<Vec<f32>> = vec![Vec::new(); attributes.len()];
        for part in parts {
            let add = |list: &mut Vec<[u32; 3]>, part: Vec<[u32; 3]>, first: usize| {
                list.extend(part.into_iter().map(|triangle| triangle.map(|vertex| vertex + first as u32)));
            };
            add(&mut triangles, part.triangles, ground.positions.len());
            ground.positions.extend(part.ground);
            ground.normals.extend(part.ground_normals);
            values.iter_mut().zip(part.attributes).for_each(|(all, part)| all.extend(part));
            add(&mut wet_triangles, part.wet_triangles, water.positions.len());
            water.positions.extend(part.water);
            water.normals.extend(part.water_normals);
            water.velocities.extend(part.velocities);
            depths.extend(part.depths);
        }
        ground.triangles = Triangles::List(triangles);
        ground.attributes = attributes
            .iter()
            .zip(values)
            .map(|(attribute, values)| Attribute { values: values.into(), ..attribute.clone() })
            .collect();
        water.triangles = Triangles::List(wet_triangles);
        let depth = Attribute::new("depth", Quantity::Depth, 1, depths);
        water.attributes.push(Attribute { unit: "m".into(), ..depth });
        QuadtreeMeshes { ground, water }
    }
}

/// The meshes of one block; the water has vertices only where the block has any water.
struct LeafMesh {
    triangles: Vec<[u32; 3]>,
    ground: Vec<[f32; 3]>,
    ground_normals: Vec<[f32; 3]>,
    attributes: Vec<Vec<f32>>,
    wet_triangles: Vec<[u32; 3]>,
    water: Vec<[f32; 3]>,
    water_normals: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    depths: Vec<f32>,
}

impl LeafMesh {
    fn new(tree: &HeightQuadtree<'_>, leaf: &Leaf, attributes: &[Attribute], view: &QuadtreeView) -> Self {
        let HeightQuadtree { vertices, water, .. } = tree;
        let LeafTriangles { vertices: used, triangles } = LeafTriangles::new(vertices, leaf);
        // Heights, and normals over the width of a pixel, whatever the level, so that neighbouring blocks agree
        let columns: Vec<_> = used.iter().map(|&vertex| vertices.column(vertex)).collect();
        let position = |vertex: Vertex, height: f32| {
            let [x, y] = vertices.position(vertex);
            [x, y, height]
        };
        let ground: Vec<[f32; 3]> =
            used.iter().zip(&columns).map(|(&vertex, column)| position(vertex, column.ground)).collect();
        let reaches: Vec<usize> = ground.iter().map(|&at| tree.reach(at.into(), view)).collect();
        let ground_normal = |(&vertex, &reach)| normal(vertices.ground_slope(vertex, reach));
        let of_samples = |attribute: &Attribute| {
            let components = attribute.components as usize;
            let values = |&vertex: &Vertex| {
                let first = vertices.sample(vertex) * components;
                attribute.values.get(first..first + components).unwrap_or_default().to_vec()
            };
            used.iter().flat_map(values).collect()
        };
        let mut mesh = LeafMesh {
            ground_normals: used.iter().zip(&reaches).map(ground_normal).collect(),
            attributes: attributes.iter().map(of_samples).collect(),
            ground,
            wet_triangles: Vec::new(),
            water: Vec::new(),
            water_normals: Vec::new(),
            velocities: Vec::new(),
            depths: Vec::new(),
            triangles,
        };
        // The water, where a triangle has a wet corner
        let has_wet = |corners: &&[u32; 3]| corners.iter().any(|&corner| columns[corner as usize].is_wet);
        mesh.wet_triangles = mesh.triangles.iter().filter(has_wet).copied().collect();
        if !mesh.wet_triangles.is_empty() {
            let all = || used.iter().zip(&columns);
            mesh.water = all().map(|(&vertex, column)| position(vertex, column.water)).collect();
            let water_normal = |(&vertex, &reach)| normal(vertices.water_slope(vertex, reach));
            mesh.water_normals = used.iter().zip(&reaches).map(water_normal).collect();
            let depth = |column: &vertices::Column| (column.water - column.ground).max(0.0);
            mesh.depths =
                columns.iter().map(|column| if column.is_wet { depth(column) } else { 0.0 }).collect();
            if let Some(velocity) = &water.velocity {
                let along = |&vertex: &Vertex| {
                    let [x, y] = velocity.get(vertices.sample(vertex)).copied().unwrap_or_default();
                    [x, y, 0.0]
                };
                mesh.velocities = used.iter().map(along).collect();
            }
        }
        mesh
    }
}

impl HeightQuadtree<'_> {
    /// Samples to each side over which the slope at a point is taken: about half a pixel.
    fn reach(&self, at: Vec3, view: &QuadtreeView) -> usize {
        let [dx, dy] = self.vertices.lattice.spacing;
        let pixel = view.pixel_angle * at.distance(view.eye);
        let samples = 0.5 * pixel / dx.min(dy).max(1e-20);
        let longest = self.vertices.last()[0].max(self.vertices.last()[1]).max(1);
        (samples.round() as usize).clamp(1, longest)
    }
}
