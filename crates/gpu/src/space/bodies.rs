//! Vertex buffers of solid bodies, terrain meshes, closed liquids and the edges of a tank.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};
use undine_frame::{Frame, Material, Mesh, Triangles};
use wgpu::{Buffer, BufferUsages, Device, Queue, RenderPass, VertexAttribute, VertexFormat};

use super::lattice::buffer;

/// A vertex of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MeshVertex {
    point: [f32; 3],
    normal: [f32; 3],
    colour: [f32; 4],
}

/// Fourth component of a vertex colour: it uses the colour of solids, that of ground, or its own.
const SOLID: f32 = 0.0;
const GROUND: f32 = 1.0;
const VERTEX_COLOUR: f32 = 2.0;

/// Layout of mesh vertices.
pub const VERTEX_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<MeshVertex>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &[
        VertexAttribute { format: VertexFormat::Float32x3, offset: 0, shader_location: 0 },
        VertexAttribute { format: VertexFormat::Float32x3, offset: 12, shader_location: 1 },
        VertexAttribute { format: VertexFormat::Float32x4, offset: 24, shader_location: 2 },
    ],
};

/// Instance layout of the two ends of an edge.
pub const EDGE_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: 24,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &[
        VertexAttribute { format: VertexFormat::Float32x3, offset: 0, shader_location: 0 },
        VertexAttribute { format: VertexFormat::Float32x3, offset: 12, shader_location: 1 },
    ],
};

/// The meshes of a frame as one vertex array and one index array.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshBatch {
    vertices: Vec<MeshVertex>,
    indices: Vec<u32>,
}

impl MeshBatch {
    /// The solid bodies and the terrain and solid meshes of a frame.
    pub fn solids(frame: &Frame) -> MeshBatch {
        let mut batch = MeshBatch::default();
        for mesh in frame.meshes.iter().filter(|mesh| mesh.material != Material::Water) {
            // The bed of a height field is drawn with its lattice
            if frame.surfaces.iter().any(|surface| surface.name == mesh.name) {
                continue;
            }
            let colour_source = if mesh.material == Material::Ground { GROUND } else { SOLID };
            batch.add(mesh, colour_source, Quat::IDENTITY, Vec3::ZERO);
        }
        for body in &frame.bodies {
            let rotation = Quat::from_array(body.rotation).normalize();
            let rotation = if rotation.is_finite() { rotation } else { Quat::IDENTITY };
            batch.add(&body.mesh, SOLID, rotation, body.position.into());
        }
        batch
    }

    /// The closed liquid meshes of a frame.
    pub fn liquids(frame: &Frame) -> MeshBatch {
        let mut batch = MeshBatch::default();
        let is_closed =
            |mesh: &&Mesh| mesh.material == Material::Water && matches!(mesh.triangles, Triangles::List(_));
        frame
            .meshes
            .iter()
            .filter(is_closed)
            .for_each(|mesh| batch.add(mesh, SOLID, Quat::IDENTITY, Vec3::ZERO));
        batch
    }

    // Adds a transformed mesh. An inconsistent one is left out.
    fn add(&mut self, mesh: &Mesh, colour_source: f32, rotation: Quat, translation: Vec3) {
        let first = self.vertices.len() as u32;
        let count = self.vertices.len() + mesh.positions.len();
        if mesh.inconsistency().is_some() || u32::try_from(count).is_err() || !translation.is_finite() {
            return;
        }
        let computed = if mesh.normals.is_empty() { normals(mesh) } else { Vec::new() };
        let normals = if mesh.normals.is_empty() { &computed } else { &mesh.normals };
        let colours = mesh.colours();
        let colour_of = |vertex: usize| match colours {
            Some(colours) => {
                let [red, green, blue] = colours[vertex];
                [red, green, blue, VERTEX_COLOUR]
            }
            None => [0.0, 0.0, 0.0, colour_source],
        };
        let vertices = mesh.positions.iter().zip(normals).enumerate();
        self.vertices.extend(vertices.map(|(vertex, (&position, &normal))| {
            let point = rotation * Vec3::from(position) + translation;
            let point = if point.is_finite() { point } else { translation };
            let normal = rotation * Vec3::from(normal);
            MeshVertex { point: point.to_array(), normal: normal.to_array(), colour: colour_of(vertex) }
        }));
        self.indices.extend(mesh.triangles().flatten().map(|corner| corner + first));
    }
}

// Area-weighted vertex normals, for a mesh without normals.
fn normals(mesh: &Mesh) -> Vec<[f32; 3]> {
    let mut sums = vec![Vec3::ZERO; mesh.positions.len()];
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|corner| Vec3::from(mesh.positions[corner as usize]));
        let across = (b - a).cross(c - a);
        corners.into_iter().for_each(|corner| sums[corner as usize] += across);
    }
    sums.into_iter().map(|sum| sum.normalize_or(Vec3::Z).to_array()).collect()
}

/// Vertex and index buffer of a batch.
#[derive(Default)]
pub struct MeshBuffers {
    vertices: Option<Buffer>,
    indices: Option<Buffer>,
    count: u32,
}

impl MeshBuffers {
    /// Uploads a batch; false if it exceeds a buffer of `most` bytes, in which case nothing is drawn.
    pub fn upload(&mut self, device: &Device, queue: &Queue, batch: &MeshBatch, most: u64) -> bool {
        let (vertices, indices): (&[u8], &[u8]) =
            (bytemuck::cast_slice(&batch.vertices), bytemuck::cast_slice(&batch.indices));
        let fits =
            vertices.len().max(indices.len()) as u64 <= most && u32::try_from(batch.indices.len()).is_ok();
        self.count = if fits { batch.indices.len() as u32 } else { 0 };
        if self.count > 0 {
            fill(device, queue, &mut self.vertices, BufferUsages::VERTEX, vertices);
            fill(device, queue, &mut self.indices, BufferUsages::INDEX, indices);
        }
        fits
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Draws them with the pipeline that is bound.
    pub fn draw(&self, pass: &mut RenderPass<'_>) {
        let (Some(vertices), Some(indices)) = (&self.vertices, &self.indices) else { return };
        if self.count > 0 {
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..self.count, 0, 0..1);
        }
    }
}

/// The twelve edges of a tank.
#[derive(Default)]
pub struct TankEdges {
    edges: Option<Buffer>,
    /// Lowest and highest corner of the tank, if there is one.
    pub corners: Option<[Vec3; 2]>,
}

impl TankEdges {
    /// Uploads the edges.
    pub fn upload(&mut self, device: &Device, queue: &Queue, corners: Option<[[f32; 3]; 2]>) {
        let corners = corners.map(|corners| corners.map(Vec3::from));
        self.corners = corners.filter(|[low, high]| low.is_finite() && high.is_finite());
        let Some([low, high]) = self.corners else { return };
        let corner = |number: usize| {
            let pick = |axis: usize| if number >> axis & 1 == 0 { low[axis] } else { high[axis] };
            [pick(0), pick(1), pick(2)]
        };
        let edges: Vec<[[f32; 3]; 2]> = (0..3)
            .flat_map(|axis| {
                (0..8_usize).filter(move |from| from >> axis & 1 == 0).map(move |from| (from, axis))
            })
            .map(|(from, axis)| [corner(from), corner(from | 1 << axis)])
            .collect();
        fill(device, queue, &mut self.edges, BufferUsages::VERTEX, bytemuck::cast_slice(&edges));
    }

    /// Draws the edges with the pipeline that is bound.
    pub fn draw(&self, pass: &mut RenderPass<'_>) {
        if let Some(edges) = self.edges.as_ref().filter(|_| self.corners.is_some()) {
            pass.set_vertex_buffer(0, edges.slice(..));
            pass.draw(0..4, 0..12);
        }
    }
}

// Writes bytes into a buffer, reallocating it if it is too small.
fn fill(device: &Device, queue: &Queue, into: &mut Option<Buffer>, usage: BufferUsages, bytes: &[u8]) {
    if into.as_ref().is_none_or(|buffer| buffer.size() < bytes.len() as u64) {
        *into = Some(buffer(device, "shapes", usage | BufferUsages::COPY_DST, bytes.len() as u64));
    }
    if let Some(buffer) = into {
        queue.write_buffer(buffer, 0, bytes);
    }
}

#[cfg(test)]
mod tests {
    use undine_frame::Body;

    use super::*;

    #[test]
    fn bodies_are_moved_and_broken_ones_left_out() {
        let shape = Mesh { material: Material::Solid, ..Mesh::flat_sheet("raft", [1.0, 1.0], [2, 2]) };
        let broken = Mesh { triangles: Triangles::List(vec![[0, 1, 9]]), ..shape.clone() };
        let posed =
            |shape: Mesh| Body { position: [5.0, 0.0, 0.0], rotation: [0.0; 4], ..Body::standing(0, shape) };
        let frame = Frame { bodies: vec![posed(shape), posed(broken)], ..Frame::default() };
        let batch = MeshBatch::solids(&frame);
        assert_eq!((batch.vertices.len(), batch.indices.len()), (4, 6));
        assert_eq!(batch.vertices[0].point, [5.0, 0.0, 0.0]);
    }

    #[test]
    fn missing_normals_are_made() {
        let sheet = Mesh { normals: Vec::new(), ..Mesh::flat_sheet("sea", [1.0, 1.0], [3, 3]) };
        assert!(normals(&sheet).iter().all(|normal| normal[2] > 0.99));
    }
}
