//! The surface of a liquid: particles to a smooth closed mesh.
//!
//! At every node x of a lattice the particles within a reach R are averaged [zhu2005]:
//!
//! ```text
//! x̄ = Σ w xᵢ / Σ w,   w = (1 − |x − xᵢ|² / R²)³
//! ```
//!
//! Around a level surface |x − x̄| depends on nothing but the height of x above it, by polynomials that are inverted
//! in a table. So the height is that of the true surface wherever the liquid is thick, and it does not depend on how
//! densely particles are packed. Where they are further off in the mean than around a level surface, x is between two
//! bodies of liquid, and it is lifted out: the usual webs in gaps do not form. A lone drop gets a radius of its own.
//! Deep inside, where there need not be particles, the distance that the simulation keeps says that there is liquid.
//!
//! Heights are then smoothed where the liquid is thick, without shrinking what is round (see `smooth`). Walls do
//! not pull at the mean, as if the liquid were mirrored in them, and the mesh ends flat on them. Cells of the lattice
//! become triangles by marching cubes with a table that leaves no cracks and no edge with more than two triangles.
//!
//! The work is done in tiles, and only in those that the surface passes through or that touch a wall under water.
//! Nodes belong to one tile each and see their particles in a fixed order: the bits are the same for any number of
//! threads.
//!
//! Bubbles and gaps narrower than about 1.2 R are filled; drops smaller than a cell of the lattice are drawn as large
//! as one.

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

/// Particles per cell of the simulation that make a full one.
const FULL: f64 = 8.0;
/// From this depth on, in cells of the simulation, the distance that it keeps is believed.
const MARGIN: f64 = 1.5;
/// Radius of a lone drop in cells of the lattice, at least: a little more than half the diagonal of a cell.
const LEAST_DROP: f64 = 0.88;
/// How far a particle reaches in cells of the lattice, at least: no fewer nodes could see its distance.
const LEAST_REACH: f64 = 1.6;

/// Lengths in cells of the lattice.
struct Scales {
    /// How far a particle reaches.
    reach: f32,
    refinement: f32,
    /// Heights beyond this say no more.
    clamp: f32,
    /// Liquid whose distance is below minus this is there in any case.
    margin: f32,
    /// Factor by which the mean of a lone drop is nearer than it looks.
    lone_drop_scale: f32,
    /// Weight of all particles around a node deep inside.
    full: f32,
}

impl Scales {
    fn new(surfacing: &Surfacing, lattice: &SurfaceLattice<'_>) -> Scales {
        let refinement = f64::from(lattice.refinement);
        let reach = (surfacing.reach * refinement).max(LEAST_REACH);
        let usual = half_space::mean_at_surface() * reach;
        let drop = (surfacing.radius * refinement).max(LEAST_DROP);
        Scales {
            reach: reach as f32,
            refinement: lattice.refinement,
            clamp: -half_space::DEEPEST * reach as f32,
            margin: (MARGIN * refinement) as f32,
            lone_drop_scale: (usual / drop) as f32,
            full: (FULL * (reach / refinement).powi(3) * half_space::FULL_BALL) as f32,
        }
    }

    /// The reach in whole cells of the simulation.
    fn reach_cells(&self) -> usize {
        (self.reach / self.refinement).ceil() as usize
    }
}

/// The closed surface of a liquid, named after its particles; empty when it is flat, or when there is none.
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
    let (tiles, list, far) = levels(&lattice, &bins, &scales, surfacing);
    let mut meshes = vec![TileMesh::default(); list.len()];
    par::for_each_chunk(&mut meshes, 1, |index, tile_mesh| {
        tile_mesh[0] = TileMesh::find(&list, &tiles, &lattice, far, &list[index]);
    });
    let mut before = 0;
    for tile_mesh in &mut meshes {
        tile_mesh.before = before;
        before += tile_mesh.vertices.len();
    }
    let transfer = AttributeTransfer::new(liquid.cloud);
    let outputs = outputs(&list, &meshes, &tiles, &lattice, &bins, &transfer);
    fill_mesh(&mut mesh, liquid, &meshes, outputs, &lattice, &transfer);
    mesh
}

/// The smoothed levels of all tiles that the surface may pass through, and that of all others.
fn levels(
    lattice: &SurfaceLattice<'_>,
    bins: &ParticleBins,
    scales: &Scales,
    surfacing: &Surfacing,
) -> (TileTable, Vec<LatticeTile>, f32) {
    let (mut tiles, mut list, near) = TileTable::find(lattice, bins, scales);
    par::for_each_chunk(&mut list, 1, |_, tile| {
        particle_level_set::fill(&mut tile[0], lattice, bins, &near, scales)
    });
    let far = smooth::smooth(&mut list, &tiles, lattice, scales.clamp, surfacing.smoothing as f32);
    tiles.close(&mut list, far);
    (tiles, list, far)
}

/// What a patch adds to the mesh beside its vertices.
#[derive(Debug, Clone, Default)]
struct TileOutput {
    triangles: Vec<[u32; 3]>,
    attributes: Vec<f32>,
}

fn outputs(
    list: &[LatticeTile],
    meshes: &[TileMesh],
    tiles: &TileTable,
    lattice: &SurfaceLattice<'_>,
    bins: &ParticleBins,
    transfer: &AttributeTransfer<'_>,
) -> Vec<TileOutput> {
    let mut outputs = vec![TileOutput::default(); meshes.len()];
    par::for_each_chunk(&mut outputs, 1, |index, output| {
        let tile_mesh = &meshes[index];
        output[0].triangles = tile_mesh.triangles(meshes, tiles, list[index].at);
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
    mesh.positions = vertices().map(|vertex| lattice.to_metres(vertex.node, vertex.beyond)).collect();
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
