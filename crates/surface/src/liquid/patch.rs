//! The part of the surface in one tile: vertices on the edges that begin in it, triangles in its cells.

use super::cubes::{EDGES, TRIANGLES};
use super::smooth::with_rim;
use super::tank::{TILE, Tank, unit};
use super::tiles::{NODES, Tile, Tiles};

/// Nodes along an edge of the part that is looked at: one before the tile, and two after it.
const WIDE: usize = TILE + 3;
/// Nodes along an edge of the cells of a tile.
const CLOSED: usize = TILE + 1;
/// Vertices keep this share of an edge away from its ends, so that no triangle shrinks to nothing.
const MARGIN: f32 = 0.002;
/// No vertex on this edge.
const NONE: u16 = u16::MAX;

/// A vertex on an edge of the lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// The node at which the edge begins.
    pub node: [usize; 3],
    /// How far beyond it the vertex is, along each axis.
    pub beyond: [f32; 3],
    /// The unit normal, outwards.
    pub normal: [f32; 3],
}

/// The part of the surface in one tile.
#[derive(Debug, Clone, Default)]
pub struct Patch {
    pub vertices: Vec<Vertex>,
    /// The number of the vertex on each edge, three edges to a node.
    numbers: Vec<u16>,
    /// Whether the nodes of its cells are liquid.
    inside: Vec<bool>,
    /// How many vertices the patches before it have.
    pub before: usize,
}

/// What a tile and its neighbours say about the nodes of a patch.
struct Surroundings<'a> {
    first: [usize; 3],
    levels: Vec<f32>,
    walls: Vec<f32>,
    tank: &'a Tank<'a>,
}

impl Patch {
    /// Finds the vertices of a tile.
    pub fn find(list: &[Tile], tiles: &Tiles, tank: &Tank<'_>, far: f32, tile: &Tile) -> Patch {
        let around = Surroundings::new(list, tiles, tank, far, tile);
        let mut patch = Patch { numbers: vec![NONE; 3 * NODES], ..Patch::default() };
        patch.inside = (0..CLOSED.pow(3)).map(|node| around.is_inside(wide(closed_place(node)))).collect();
        if patch.inside.iter().all(|&inside| inside == patch.inside[0]) {
            return Patch { numbers: Vec::new(), inside: Vec::new(), ..patch };
        }
        for node in 0..NODES {
            let at = [node % TILE, node / TILE % TILE, node / TILE / TILE];
            let here = closed(at);
            for (axis, stride) in [1, CLOSED, CLOSED * CLOSED].into_iter().enumerate() {
                if patch.inside[here] != patch.inside[here + stride] {
                    // A tile has fewer edges than a u16 counts
                    patch.numbers[3 * node + axis] = patch.vertices.len() as u16;
                    patch.vertices.push(around.vertex(at, axis));
                }
            }
        }
        patch
    }

    /// The triangles in the cells of the tile at `at`, by the numbers of their vertices among all.
    pub fn triangles(&self, patches: &[Patch], tiles: &Tiles, at: [usize; 3]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        if self.inside.is_empty() {
            return triangles;
        }
        for cell in 0..NODES {
            let node = [cell % TILE, cell / TILE % TILE, cell / TILE / TILE];
            let here = closed(node);
            let corner =
                |corner: usize| usize::from(self.inside[here + closed(corner_step(corner))]) << corner;
            let case: usize = (0..8).map(corner).sum();
            for edges in &TRIANGLES[case] {
                let number = |edge: usize| {
                    let (low, axis) = EDGES[edge];
                    let step = corner_step(low);
                    number(
                        patches,
                        tiles,
                        at,
                        std::array::from_fn(|along| node[along] + step[along]),
                        axis,
                        self,
                    )
                };
                if let (Some(a), Some(b), Some(c)) = (number(edges[0]), number(edges[1]), number(edges[2])) {
                    triangles.push([a, b, c]);
                }
            }
        }
        triangles
    }

    fn number(&self, node: [usize; 3], axis: usize) -> Option<u32> {
        let edge = 3 * ((node[2] * TILE + node[1]) * TILE + node[0]) + axis;
        let number = self.numbers.get(edge).filter(|&&number| number != NONE)?;
        u32::try_from(self.before + usize::from(*number)).ok()
    }
}

/// The number of the vertex on an edge that begins in a tile or right beyond it.
fn number(
    patches: &[Patch],
    tiles: &Tiles,
    tile: [usize; 3],
    node: [usize; 3],
    axis: usize,
    own: &Patch,
) -> Option<u32> {
    if node.iter().all(|&along| along < TILE) {
        return own.number(node, axis);
    }
    let home = tiles.slot(std::array::from_fn(|along| tile[along] + node[along] / TILE)).ok()?;
    patches[home].number(node.map(|along| along % TILE), axis)
}

fn corner_step(corner: usize) -> [usize; 3] {
    [corner & 1, corner >> 1 & 1, corner >> 2]
}

/// The number of a node among those of the cells of a tile.
fn closed(at: [usize; 3]) -> usize {
    (at[2] * CLOSED + at[1]) * CLOSED + at[0]
}

fn closed_place(node: usize) -> [usize; 3] {
    [node % CLOSED, node / CLOSED % CLOSED, node / CLOSED / CLOSED]
}

/// The number of a node of a tile among those that are looked at.
fn wide(at: [usize; 3]) -> usize {
    ((at[2] + 1) * WIDE + at[1] + 1) * WIDE + at[0] + 1
}

impl<'a> Surroundings<'a> {
    fn new(list: &[Tile], tiles: &Tiles, tank: &'a Tank<'a>, far: f32, tile: &Tile) -> Self {
        // The rim is the same on all sides; the last layer of it is not looked at
        let broad = with_rim(list, tiles, tank, far, tile, 2);
        let width = TILE + 4;
        let row = |y: usize, z: usize| ((z + 1) * width + y + 1) * width + 1;
        let rows = (0..WIDE * WIDE).map(|index| row(index % WIDE, index / WIDE));
        let levels = rows.flat_map(|row| broad[row..row + WIDE].iter().copied()).collect();
        let first = tile.first();
        let low = first.map(|along| along as f32 - 1.0);
        let has_solid = tank.nearest_solid(low, low.map(|along| along + WIDE as f32)) < 2.0;
        let wall = |index: usize| {
            let at = [index % WIDE, index / WIDE % WIDE, index / WIDE / WIDE];
            let place: [f32; 3] = std::array::from_fn(|axis| low[axis] + at[axis] as f32);
            let solid = if has_solid { tank.solid(place).unwrap_or(f32::INFINITY) } else { f32::INFINITY };
            tank.box_wall(place).0.min(solid)
        };
        Surroundings { first, levels, walls: (0..WIDE.pow(3)).map(wall).collect(), tank }
    }

    fn is_inside(&self, node: usize) -> bool {
        self.levels[node] < 0.0 && self.walls[node] > 0.0
    }

    /// The vertex on the edge from a node of the tile along an axis, which is known to cross the surface.
    fn vertex(&self, at: [usize; 3], axis: usize) -> Vertex {
        let step = [1, WIDE, WIDE * WIDE][axis];
        let here = wide(at);
        let is_rising = self.is_inside(here);
        let (liquid, other) = if is_rising { (here, here + step) } else { (here + step, here) };
        // The liquid ends at its surface or at a wall, whichever comes first
        let open =
            if self.levels[other] >= 0.0 { crossing(self.levels[liquid], self.levels[other]) } else { 1.0 };
        let wall =
            if self.walls[other] <= 0.0 { crossing(self.walls[liquid], self.walls[other]) } else { 1.0 };
        let share = open.min(wall).clamp(MARGIN, 1.0 - MARGIN);
        let share = if is_rising { share } else { 1.0 - share };
        let node = std::array::from_fn(|along| self.first[along] + at[along]);
        let beyond = std::array::from_fn(|along| if along == axis { share } else { 0.0 });
        let normal = if wall < open {
            self.wall_normal(std::array::from_fn(|along| node[along] as f32 + beyond[along]))
        } else {
            let (low, high) = (self.slope(here), self.slope(here + step));
            unit(std::array::from_fn(|along| low[along] + share * (high[along] - low[along])))
        };
        Vertex { node, beyond, normal }
    }

    fn slope(&self, node: usize) -> [f32; 3] {
        [1, WIDE, WIDE * WIDE].map(|step| self.levels[node + step] - self.levels[node - step])
    }

    /// The direction into the wall at a place on it.
    fn wall_normal(&self, place: [f32; 3]) -> [f32; 3] {
        let (side, axis) = self.tank.box_wall(place);
        match self.tank.solid_nearer(place, side) {
            Some((_, away)) => away.map(|along| -along),
            None => {
                let is_low = place[axis] - 0.5 < self.tank.side[axis] - place[axis];
                std::array::from_fn(|along| match along == axis {
                    true if is_low => -1.0,
                    true => 1.0,
                    false => 0.0,
                })
            }
        }
    }
}

/// Where between two values of different signs zero is, as a share of the way.
fn crossing(from: f32, to: f32) -> f32 {
    let share = from / (from - to);
    if share.is_finite() { share } else { 0.5 }
}
