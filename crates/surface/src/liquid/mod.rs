//! Surfacing of liquids: particles to a smooth watertight mesh.
//!
//! At every node x of a lattice the particles within a radius R are averaged [zhu2005]:
//!
//! ```text
//! x̄ = Σ w xᵢ / Σ w,   w = (1 − |x − xᵢ|² / R²)³
//! ```
//!
//! Near a level surface |x − x̄| is a function of the height of x above it, which is inverted in a table
//! (`half_space`). So the height is exact wherever the liquid is thick, and does not depend on the density of
//! particles. Where their mean distance is greater than near a level surface, x lies between two bodies of liquid,
//! and its height is raised: the usual webs in gaps do not form. A lone drop has a radius of its own. Deep inside,
//! where there need not be particles, the distance field of the simulation tells that there is liquid.
//!
//! Heights are then smoothed where the liquid is thick, without shrinkage (`smooth`). At walls the mean is corrected
//! as if the liquid were mirrored in them, and the mesh ends flat on them. Triangles come from marching cubes with a
//! table that leaves no cracks and no edge with more than two triangles.
//!
//! Work is done in tiles, and only in those that the surface passes through or that touch a wall under water. Every
//! node belongs to one tile and sums its particles in a fixed order: the bits are the same for any number of threads.
//!
//! Bubbles and gaps narrower than about 1.2 R are filled; drops smaller than a lattice cell are drawn as large as one.

mod attribute_transfer;
#[cfg(feature = "checks")]
pub mod bench;
mod bins;
mod half_space;
mod keys;
mod lattice;
mod marching_cubes;
mod near_surface;
mod particle_level_set;
mod redistance;
mod smooth;
mod tile_mesh;
mod tiles;

use undine_frame::{Attribute, Liquid, Material, Mesh, Triangles};
use undine_grid::par;

pub use keys::{SURFACE, Surfacing};

use attribute_transfer::AttributeTransfer;
use bins::ParticleBins;
use lattice::SurfaceLattice;
use tile_mesh::TileMesh;
use tiles::{LatticeTile, TileTable};

/// Particles in a full cell of the simulation.
const FULL_CELL: f64 = 8.0;
/// Depth in cells of the simulation below which its distance field is used.
const MARGIN: f64 = 1.5;
/// Least radius of a lone drop in lattice cells: a little more than half the diagonal of a cell.
const MIN_DROP_RADIUS: f64 = 0.88;
/// Least kernel radius in lattice cells: no fewer nodes could resolve it.
const MIN_REACH: f64 = 1.6;

/// Lengths in lattice cells.
struct Scales {
    /// Kernel radius R of a particle.
    reach: f32,
    refinement: f32,
    /// Heights are clamped to ± this.
    clamp: f32,
    /// Nodes deeper than this by the simulation's distance field are liquid.
    margin: f32,
    /// Ratio of the distance of the mean at a level surface to the radius of a lone drop.
    lone_drop_scale: f32,
    /// Kernel sum around a node deep inside.
    full: f32,
}

impl Scales {
    fn new(surfacing: &Surfacing, lattice: &SurfaceLattice<'_>) -> Scales {
        let refinement = f64::from(lattice.refinement);
        let reach = (surfacing.reach * refinement).max(MIN_REACH);
        let mean_distance = half_space::mean_at_surface() * reach;
        let drop = (surfacing.radius * refinement).max(MIN_DROP_RADIUS);
        Scales {
            reach: reach as f32,
            refinement: lattice.refinement,
            clamp: -half_space::DEEPEST * reach as f32,
            margin: (MARGIN * refinement) as f32,
            lone_drop_scale: (mean_distance / drop) as f32,
            full: (FULL_CELL * (reach / refinement).powi(3) * half_space::FULL_BALL) as f32,
        }
    }

    /// The kernel radius in cells of the simulation, rounded up.
    fn reach_cells(&self) -> usize {
        (self.reach / self.refinement).ceil() as usize
    }
}

/// The closed surface of a liquid, named after its particles; empty when the domain is flat, or without liquid.
pub fn liquid_mesh(liquid: &Liquid<'_>, surfacing: &Surfacing) -> Mesh {
    let mut mesh = Mesh {
        name: liquid.cloud.name.clone(),
        material: Material::Water,
        positions: Vec::new(),
        normals: Vec::new(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::List(Vec::new()),
    };
    let Some(lattice) = SurfaceLattice::new(liquid, surfacing.cells) else { return mesh };
    let scales = Scales::new(surfacing, &lattice);
    let bins = ParticleBins::new(liquid.cloud, &lattice);
    let (table, tiles, far) = levels(&lattice, &bins, &scales, surfacing);
    let mut meshes = vec![TileMesh::default(); tiles.len()];
    par::for_each_chunk(&mut meshes, 1, |index, tile_mesh| {
        tile_mesh[0] = TileMesh::find(&tiles, &table, &lattice, far, &tiles[index]);
    });
    let mut before = 0;
    for tile_mesh in &mut meshes {
        tile_mesh.first_vertex = before;
        before += tile_mesh.vertices.len();
    }
    let transfer = AttributeTransfer::new(liquid.cloud);
    let outputs = tile_outputs(&tiles, &meshes, &table, &lattice, &bins, &transfer);
    fill_mesh(&mut mesh, liquid, &meshes, outputs, &lattice, &transfer);
    mesh
}

/// The smoothed level set on all tiles that the surface may pass through, and the far value for all others.
fn levels(
    lattice: &SurfaceLattice<'_>,
    bins: &ParticleBins,
    scales: &Scales,
    surfacing: &Surfacing,
) -> (TileTable, Vec<LatticeTile>, f32) {
    let (mut table, mut tiles, near) = TileTable::find(lattice, bins, scales);
    par::for_each_chunk(&mut tiles, 1, |_, tile| {
        particle_level_set::fill(&mut tile[0], lattice, bins, &near, scales)
    });
    let far = smooth::smooth(&mut tiles, &table, lattice, scales.clamp, surfacing.smoothing as f32);
    table.close(&mut tiles, far);
    (table, tiles, far)
}

/// Triangles and attributes of a tile.
#[derive(Debug, Clone, Default)]
struct TileOutput {
    triangles: Vec<[u32; 3]>,
    attributes: Vec<f32>,
}

fn tile_outputs(
    tiles: &[LatticeTile],
    meshes: &[TileMesh],
    table: &TileTable,
    lattice: &SurfaceLattice<'_>,
    bins: &ParticleBins,
    transfer: &AttributeTransfer<'_>,
) -> Vec<TileOutput> {
    let mut outputs = vec![TileOutput::default(); meshes.len()];
    par::for_each_chunk(&mut outputs, 1, |index, output| {
        let tile_mesh = &meshes[index];
        output[0].triangles = tile_mesh.triangles(meshes, table, tiles[index].at);
        output[0].attributes = transfer.to_vertices(&tile_mesh.vertices, lattice, bins);
    });
    outputs
}

fn fill_mesh(
    mesh: &mut Mesh,
    liquid: &Liquid<'_>,
    meshes: &[TileMesh],
    outputs: Vec<TileOutput>,
    lattice: &SurfaceLattice<'_>,
    transfer: &AttributeTransfer<'_>,
) {
    let vertices = || meshes.iter().flat_map(|tile_mesh| &tile_mesh.vertices);
    mesh.positions = vertices().map(|vertex| lattice.to_metres(vertex.node, vertex.offset)).collect();
    mesh.normals = vertices().map(|vertex| vertex.normal).collect();
    let width = transfer.width();
    let rows = || outputs.iter().flat_map(|output| output.attributes.chunks_exact(width.max(1)));
    let skipped = if transfer.has_velocities() { 3 } else { 0 };
    if transfer.has_velocities() {
        mesh.velocities = rows().map(|row| [row[0], row[1], row[2]]).collect();
    }
    let mut column = skipped;
    for attribute in &liquid.cloud.attributes {
        let columns = column..column + attribute.components as usize;
        column = columns.end;
        let values = rows().flat_map(|row| &row[columns.clone()]).copied().collect();
        mesh.attributes.push(Attribute { values, ..attribute.clone() });
    }
    mesh.triangles = Triangles::List(outputs.into_iter().flat_map(|output| output.triangles).collect());
}
