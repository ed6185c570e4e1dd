//! The closed mesh around the particles.

use undine_frame::{Cloud, Material, Mesh, Triangles};
use undine_grid::par;

use super::Metaballs;
use super::balls::{Ball, BallCloud};
use super::block::{self, Block, CELLS, NODES, packed};
use super::crossings::{self, Crossing};
use super::tetrahedra::{LEVEL, add_triangles, corner_offset, edge_node};

/// The part of the surface in one block.
#[derive(Debug, Clone)]
struct Patch {
    block: Block,
    /// The vertices on the edges that begin in the block.
    vertices: Vec<Crossing>,
    /// The triangles in its cells, by the keys of the edges.
    triangles: Vec<[u64; 3]>,
    /// How many vertices the blocks before it have.
    before: usize,
    /// The triangles by the numbers of their vertices.
    joined: Vec<[u32; 3]>,
}

/// The surface around the particles of a water; empty when there are none. Particles whose place or mass is no finite
/// number are left out.
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
    let patches = patches(&cloud);
    let vertices = || patches.iter().flat_map(|patch| &patch.vertices);
    mesh.positions = vertices().map(|vertex| vertex.position(&cloud)).collect();
    mesh.normals = vertices().map(Crossing::normal).collect();
    if !particles.velocities.is_empty() {
        mesh.velocities = vertices().map(Crossing::velocity).collect();
    }
    mesh.triangles = Triangles::List(patches.into_iter().flat_map(|patch| patch.joined).collect());
    mesh
}

fn patches(cloud: &BallCloud) -> Vec<Patch> {
    let (blocks, members) = block::blocks(cloud);
    let empty = |block| Patch { block, vertices: vec![], triangles: vec![], before: 0, joined: vec![] };
    let mut patches: Vec<Patch> = blocks.into_iter().map(empty).collect();
    par::for_each_chunk(&mut patches, 1, |_, patch| {
        let members = &members[patch[0].block.balls.clone()];
        patch[0].find(members.iter().map(|&ball| &cloud.balls[ball as usize]));
    });
    patches.retain(|patch| !patch.vertices.is_empty() || !patch.triangles.is_empty());
    let mut before = 0;
    for patch in &mut patches {
        patch.before = before;
        before += patch.vertices.len();
    }
    join(&mut patches);
    patches
}

impl Patch {
    /// Finds the vertices and triangles of the block.
    fn find<'b>(&mut self, balls: impl Iterator<Item = &'b Ball> + Clone) {
        let first = self.block.first();
        let potential = block::potential(first, balls.clone());
        self.vertices = crossings::find(first, &potential);
        crossings::settle(first, &mut self.vertices, balls);
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

    /// The number of the vertex on an edge that begins in this block.
    fn number(&self, edge: u64) -> Option<u32> {
        let place = self.vertices.binary_search_by_key(&edge, |vertex| vertex.key).ok()?;
        u32::try_from(self.before + place).ok()
    }
}

/// Turns the keys of edges into the numbers of vertices. An edge on the border between blocks belongs to one of them.
fn join(patches: &mut [Patch]) {
    let mut joined: Vec<Vec<[u32; 3]>> = vec![Vec::new(); patches.len()];
    let seen = &*patches;
    let number = |edge: u64| {
        let home = home(edge);
        let place = seen.binary_search_by_key(&home, |patch| patch.block.key).ok()?;
        seen[place].number(edge)
    };
    par::for_each_chunk(&mut joined, 1, |index, list| {
        let corners = |[a, b, c]: &[u64; 3]| Some([number(*a)?, number(*b)?, number(*c)?]);
        list[0] = seen[index].triangles.iter().filter_map(corners).collect();
    });
    for (patch, joined) in patches.iter_mut().zip(joined) {
        patch.joined = joined;
    }
}

/// The key of the block in which an edge begins.
fn home(edge: u64) -> u64 {
    packed(block::unpacked(edge_node(edge)).map(|along| along / CELLS))
}
