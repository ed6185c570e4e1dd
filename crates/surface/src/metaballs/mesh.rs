//! The closed mesh of metaballs.

use undine_frame::{Cloud, Material, Mesh, Triangles};
use undine_grid::par;

use super::Metaballs;
use super::balls::{BallCloud, Metaball};
use super::block::{self, CELLS, LatticeBlock, NODES, packed};
use super::crossings::{self, Crossing};
use super::marching_tetrahedra::{LEVEL, add_triangles, corner_offset, edge_node};

/// The mesh of one block.
#[derive(Debug, Clone)]
struct BlockMesh {
    block: LatticeBlock,
    /// The vertices on the edges that begin in the block.
    vertices: Vec<Crossing>,
    /// The triangles in its cells, by edge keys.
    triangles: Vec<[u64; 3]>,
    /// Number of vertices of all blocks before it.
    before: usize,
    /// The triangles by vertex indices.
    joined: Vec<[u32; 3]>,
}

/// The surface around the particles of a water; empty when there are none. Particles whose position or mass is not
/// finite are left out.
pub fn metaball_mesh(name: &str, particles: &Cloud, metaballs: &Metaballs) -> Mesh {
    let mut mesh = Mesh {
        name: name.to_owned(),
        material: Material::Water,
        positions: Vec::new(),
        normals: Vec::new(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::List(Vec::new()),
    };
    let Some(cloud) = BallCloud::new(particles, metaballs) else { return mesh };
    let meshes = meshes(&cloud);
    let vertices = || meshes.iter().flat_map(|mesh_part| &mesh_part.vertices);
    mesh.positions = vertices().map(|vertex| vertex.position(&cloud)).collect();
    mesh.normals = vertices().map(Crossing::normal).collect();
    if !particles.velocities.is_empty() {
        mesh.velocities = vertices().map(Crossing::velocity).collect();
    }
    mesh.triangles = Triangles::List(meshes.into_iter().flat_map(|mesh_part| mesh_part.joined).collect());
    mesh
}

fn meshes(cloud: &BallCloud) -> Vec<BlockMesh> {
    let (blocks, members) = block::blocks(cloud);
    let empty = |block| BlockMesh { block, vertices: vec![], triangles: vec![], before: 0, joined: vec![] };
    let mut meshes: Vec<BlockMesh> = blocks.into_iter().map(empty).collect();
    par::for_each_chunk(&mut meshes, 1, |_, mesh_part| {
        let members = &members[mesh_part[0].block.balls.clone()];
        mesh_part[0].find(members.iter().map(|&ball| &cloud.balls[ball as usize]));
    });
    meshes.retain(|mesh_part| !mesh_part.vertices.is_empty() || !mesh_part.triangles.is_empty());
    let mut before = 0;
    for mesh_part in &mut meshes {
        mesh_part.before = before;
        before += mesh_part.vertices.len();
    }
    join(&mut meshes);
    meshes
}

impl BlockMesh {
    /// Finds the vertices and triangles of the block.
    fn find<'b>(&mut self, balls: impl Iterator<Item = &'b Metaball> + Clone) {
        let first = self.block.first();
        let potential = block::potential(first, balls.clone());
        self.vertices = crossings::find(first, &potential);
        crossings::refine(first, &mut self.vertices, balls);
        for cell in crossings::cells() {
            let index = (cell[2] * NODES + cell[1]) * NODES + cell[0];
            let inside: [bool; 8] =
                std::array::from_fn(|corner| potential[index + corner_offset(corner)] >= LEVEL);
            if inside.contains(&true) && inside.contains(&false) {
                let node = std::array::from_fn(|axis| first[axis] + cell[axis] as i32);
                add_triangles(node, inside, &mut self.triangles);
            }
        }
    }

    /// Global index of the vertex on an edge that begins in this block.
    fn number(&self, edge: u64) -> Option<u32> {
        let index = self.vertices.binary_search_by_key(&edge, |vertex| vertex.key).ok()?;
        u32::try_from(self.before + index).ok()
    }
}

/// Turns edge keys into vertex indices. An edge on the border between blocks belongs to one of them.
fn join(meshes: &mut [BlockMesh]) {
    let mut joined: Vec<Vec<[u32; 3]>> = vec![Vec::new(); meshes.len()];
    let seen = &*meshes;
    let number = |edge: u64| {
        let home = home(edge);
        let index = seen.binary_search_by_key(&home, |mesh_part| mesh_part.block.key).ok()?;
        seen[index].number(edge)
    };
    par::for_each_chunk(&mut joined, 1, |index, list| {
        let corners = |[a, b, c]: &[u64; 3]| Some([number(*a)?, number(*b)?, number(*c)?]);
        list[0] = seen[index].triangles.iter().filter_map(corners).collect();
    });
    for (mesh_part, joined) in meshes.iter_mut().zip(joined) {
        mesh_part.joined = joined;
    }
}

/// The key of the block in which an edge begins.
fn home(edge: u64) -> u64 {
    packed(block::unpacked(edge_node(edge)).map(|x| x / CELLS))
}
