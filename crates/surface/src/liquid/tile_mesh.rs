//! The mesh of one tile: vertices on the edges that begin in it, triangles in its cells.

use super::lattice::{SurfaceLattice, TILE, unit};
use super::marching_cubes::{EDGES, TRIANGLES};
use super::smooth::with_margin;
use super::tiles::{LatticeTile, NODES, TileTable};

/// Nodes along an edge of the neighbourhood: one before the tile, and two after it.
const WIDTH: usize = TILE + 3;
/// Nodes along an edge of the cells of a tile.
const CELL_NODES: usize = TILE + 1;
/// Vertices keep this fraction of an edge away from its ends, against degenerate triangles.
const MARGIN: f32 = 0.002;
/// An edge without a vertex.
const NONE: u16 = u16::MAX;

/// A vertex on an edge of the lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeVertex {
    /// The node at which the edge begins.
    pub node: [usize; 3],
    /// Offset of the vertex from it, along each axis.
    pub offset: [f32; 3],
    /// The unit normal, outwards.
    pub normal: [f32; 3],
}

/// The mesh of one tile.
#[derive(Debug, Clone, Default)]
pub struct TileMesh {
    pub vertices: Vec<EdgeVertex>,
    /// Index of the vertex on each edge, three edges per node.
    vertex_indices: Vec<u16>,
    /// Whether each node of its cells is liquid.
    inside: Vec<bool>,
    /// Number of vertices of all tiles before it.
    pub first_vertex: usize,
}

/// Levels and wall distances of a tile and its neighbours.
struct TileNeighbourhood<'a> {
    first: [usize; 3],
    levels: Vec<f32>,
    walls: Vec<f32>,
    lattice: &'a SurfaceLattice<'a>,
}

impl TileMesh {
    /// Places the vertices of a tile.
    pub fn find(
        tiles: &[LatticeTile],
        table: &TileTable,
        lattice: &SurfaceLattice<'_>,
        far: f32,
        tile: &LatticeTile,
    ) -> TileMesh {
        let neighbourhood = TileNeighbourhood::new(tiles, table, lattice, far, tile);
        let mut tile_mesh = TileMesh { vertex_indices: vec![NONE; 3 * NODES], ..TileMesh::default() };
        tile_mesh.inside = (0..CELL_NODES.pow(3))
            .map(|node| neighbourhood.is_inside(neighbourhood_index(cell_node(node))))
            .collect();
        if tile_mesh.inside.iter().all(|&inside| inside == tile_mesh.inside[0]) {
            return TileMesh { vertex_indices: Vec::new(), inside: Vec::new(), ..tile_mesh };
        }
        for node in 0..NODES {
            let at = [node % TILE, node / TILE % TILE, node / TILE / TILE];
            let here = cell_node_index(at);
            for (axis, stride) in [1, CELL_NODES, CELL_NODES * CELL_NODES].into_iter().enumerate() {
                if tile_mesh.inside[here] != tile_mesh.inside[here + stride] {
                    // A tile has fewer edges than a u16 counts
                    tile_mesh.vertex_indices[3 * node + axis] = tile_mesh.vertices.len() as u16;
                    tile_mesh.vertices.push(neighbourhood.vertex(at, axis));
                }
            }
        }
        tile_mesh
    }

    /// The triangles in the cells of the tile at `at`, by global vertex indices.
    pub fn triangles(&self, meshes: &[TileMesh], table: &TileTable, at: [usize; 3]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        if self.inside.is_empty() {
            return triangles;
        }
        for cell in 0..NODES {
            // The case of the cell, one bit per inside corner.
            let node = [cell % TILE, cell / TILE % TILE, cell / TILE / TILE];
            let here = cell_node_index(node);
            let corner = |corner: usize| {
                usize::from(self.inside[here + cell_node_index(corner_step(corner))]) << corner
            };
            let case: usize = (0..8).map(corner).sum();
            // Its triangles, by the vertices on their edges; those may belong to neighbouring tiles.
            for edges in &TRIANGLES[case] {
                let vertex = |edge: usize| {
                    let (low, axis) = EDGES[edge];
                    let step = corner_step(low);
                    global_vertex_index(
                        meshes,
                        table,
                        at,
                        std::array::from_fn(|i| node[i] + step[i]),
                        axis,
                        self,
                    )
                };
                if let (Some(a), Some(b), Some(c)) = (vertex(edges[0]), vertex(edges[1]), vertex(edges[2])) {
                    triangles.push([a, b, c]);
                }
            }
        }
        triangles
    }

    fn vertex_index(&self, node: [usize; 3], axis: usize) -> Option<u32> {
        let edge = 3 * ((node[2] * TILE + node[1]) * TILE + node[0]) + axis;
        let index = self.vertex_indices.get(edge).filter(|&&index| index != NONE)?;
        u32::try_from(self.first_vertex + usize::from(*index)).ok()
    }
}

/// Global index of the vertex on an edge that begins in a tile or right beyond it.
fn global_vertex_index(
    meshes: &[TileMesh],
    table: &TileTable,
    tile: [usize; 3],
    node: [usize; 3],
    axis: usize,
    own: &TileMesh,
) -> Option<u32> {
    if node.iter().all(|&x| x < TILE) {
        return own.vertex_index(node, axis);
    }
    let owner = table.slot(std::array::from_fn(|i| tile[i] + node[i] / TILE)).ok()?;
    meshes[owner].vertex_index(node.map(|x| x % TILE), axis)
}

fn corner_step(corner: usize) -> [usize; 3] {
    [corner & 1, corner >> 1 & 1, corner >> 2]
}

/// Index of a node among those of the cells of a tile.
fn cell_node_index(at: [usize; 3]) -> usize {
    (at[2] * CELL_NODES + at[1]) * CELL_NODES + at[0]
}

fn cell_node(node: usize) -> [usize; 3] {
    [node % CELL_NODES, node / CELL_NODES % CELL_NODES, node / CELL_NODES / CELL_NODES]
}

/// Index of a node among those of the neighbourhood.
fn neighbourhood_index(at: [usize; 3]) -> usize {
    ((at[2] + 1) * WIDTH + at[1] + 1) * WIDTH + at[0] + 1
}

impl<'a> TileNeighbourhood<'a> {
    fn new(
        tiles: &[LatticeTile],
        table: &TileTable,
        lattice: &'a SurfaceLattice<'a>,
        far: f32,
        tile: &LatticeTile,
    ) -> Self {
        // The margin is the same on all sides; its last layer is not used
        let padded = with_margin(tiles, table, lattice, far, tile, 2);
        let width = TILE + 4;
        let row = |y: usize, z: usize| ((z + 1) * width + y + 1) * width + 1;
        let rows = (0..WIDTH * WIDTH).map(|index| row(index % WIDTH, index / WIDTH));
        let levels = rows.flat_map(|row| padded[row..row + WIDTH].iter().copied()).collect();
        let first = tile.first();
        let low = first.map(|x| x as f32 - 1.0);
        let has_solid = lattice.nearest_solid(low, low.map(|x| x + WIDTH as f32)) < 2.0;
        let wall = |index: usize| {
            let at = [index % WIDTH, index / WIDTH % WIDTH, index / WIDTH / WIDTH];
            let point: [f32; 3] = std::array::from_fn(|axis| low[axis] + at[axis] as f32);
            let solid = if has_solid { lattice.solid(point).unwrap_or(f32::INFINITY) } else { f32::INFINITY };
            lattice.box_wall(point).0.min(solid)
        };
        TileNeighbourhood { first, levels, walls: (0..WIDTH.pow(3)).map(wall).collect(), lattice }
    }

    fn is_inside(&self, node: usize) -> bool {
        self.levels[node] < 0.0 && self.walls[node] > 0.0
    }

    /// The vertex on the edge from a node along an axis, which is known to cross the surface.
    fn vertex(&self, at: [usize; 3], axis: usize) -> EdgeVertex {
        let step = [1, WIDTH, WIDTH * WIDTH][axis];
        let here = neighbourhood_index(at);
        let is_rising = self.is_inside(here);
        let (liquid, other) = if is_rising { (here, here + step) } else { (here + step, here) };
        // The liquid ends at its surface or at a wall, whichever comes first
        let open =
            if self.levels[other] >= 0.0 { crossing(self.levels[liquid], self.levels[other]) } else { 1.0 };
        let wall =
            if self.walls[other] <= 0.0 { crossing(self.walls[liquid], self.walls[other]) } else { 1.0 };
        let fraction = open.min(wall).clamp(MARGIN, 1.0 - MARGIN);
        let fraction = if is_rising { fraction } else { 1.0 - fraction };
        let node = std::array::from_fn(|i| self.first[i] + at[i]);
        let offset = std::array::from_fn(|i| if i == axis { fraction } else { 0.0 });
        let normal = if wall < open {
            self.wall_normal(std::array::from_fn(|i| node[i] as f32 + offset[i]))
        } else {
            let (low, high) = (self.slope(here), self.slope(here + step));
            unit(std::array::from_fn(|i| low[i] + fraction * (high[i] - low[i])))
        };
        EdgeVertex { node, offset, normal }
    }

    fn slope(&self, node: usize) -> [f32; 3] {
        [1, WIDTH, WIDTH * WIDTH].map(|step| self.levels[node + step] - self.levels[node - step])
    }

    /// The direction into the wall at a point on it.
    fn wall_normal(&self, point: [f32; 3]) -> [f32; 3] {
        let (side, axis) = self.lattice.box_wall(point);
        match self.lattice.nearby_solid(point, side) {
            Some((_, away)) => away.map(|x| -x),
            None => {
                let is_low = point[axis] - 0.5 < self.lattice.side[axis] - point[axis];
                std::array::from_fn(|i| match i == axis {
                    true if is_low => -1.0,
                    true => 1.0,
                    false => 0.0,
                })
            }
        }
    }
}

/// Fraction between two values of different signs at which the linear interpolant is zero.
fn crossing(from: f32, to: f32) -> f32 {
    let fraction = from / (from - to);
    if fraction.is_finite() { fraction } else { 0.5 }
}
