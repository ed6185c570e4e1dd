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

#[cfg(feature = "checks")]
pub mod bench;
mod bins;
mod carry;
mod cubes;
mod falloff;
mod field;
mod keys;
mod measure;
mod patch;
mod shallows;
mod smooth;
mod tank;
mod tiles;

use undine_frame::{Attribute, Liquid, Material, Mesh, Triangles};
use undine_grid::par;

pub use keys::{SURFACE, Surfacing};

use bins::Bins;
use carry::Cargo;
use patch::Patch;
use tank::Tank;
use tiles::{Tile, Tiles};

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
    per_cell: f32,
    /// Heights beyond this say no more.
    clamp: f32,
    /// Liquid whose distance is below minus this is there in any case.
    margin: f32,
    /// Factor by which the mean of a lone drop is nearer than it looks.
    lone: f32,
    /// Weight of all particles around a node deep inside.
    full: f32,
}

impl Scales {
    fn new(surfacing: &Surfacing, tank: &Tank<'_>) -> Scales {
        let per_cell = f64::from(tank.per_cell);
        let reach = (surfacing.reach * per_cell).max(LEAST_REACH);
        let usual = falloff::mean_at_surface() * reach;
        let drop = (surfacing.radius * per_cell).max(LEAST_DROP);
        Scales {
            reach: reach as f32,
            per_cell: tank.per_cell,
            clamp: -falloff::DEEPEST * reach as f32,
            margin: (MARGIN * per_cell) as f32,
            lone: (usual / drop) as f32,
            full: (FULL * (reach / per_cell).powi(3) * falloff::WHOLE) as f32,
        }
    }

    /// The reach in whole cells of the simulation.
    fn reach_cells(&self) -> usize {
        (self.reach / self.per_cell).ceil() as usize
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
    let Some(tank) = Tank::new(liquid, surfacing.cells) else { return mesh };
    let scales = Scales::new(surfacing, &tank);
    let bins = Bins::new(liquid.cloud, &tank);
    let (tiles, list, far) = levels(&tank, &bins, &scales, surfacing);
    let mut patches = vec![Patch::default(); list.len()];
    par::for_each_chunk(&mut patches, 1, |index, patch| {
        patch[0] = Patch::find(&list, &tiles, &tank, far, &list[index]);
    });
    let mut before = 0;
    for patch in &mut patches {
        patch.before = before;
        before += patch.vertices.len();
    }
    let cargo = Cargo::new(liquid.cloud);
    let parts = parts(&list, &patches, &tiles, &tank, &bins, &cargo);
    fill_mesh(&mut mesh, liquid, &patches, parts, &tank, &cargo);
    mesh
}

/// The smoothed levels of all tiles that the surface may pass through, and that of all others.
fn levels(tank: &Tank<'_>, bins: &Bins, scales: &Scales, surfacing: &Surfacing) -> (Tiles, Vec<Tile>, f32) {
    let (mut tiles, mut list, near) = Tiles::find(tank, bins, scales);
    par::for_each_chunk(&mut list, 1, |_, tile| field::fill(&mut tile[0], tank, bins, &near, scales));
    let far = smooth::smooth(&mut list, &tiles, tank, scales.clamp, surfacing.smoothing as f32);
    tiles.close(&mut list, far);
    (tiles, list, far)
}

/// What a patch adds to the mesh beside its vertices.
#[derive(Debug, Clone, Default)]
struct Part {
    triangles: Vec<[u32; 3]>,
    carried: Vec<f32>,
}

fn parts(
    list: &[Tile],
    patches: &[Patch],
    tiles: &Tiles,
    tank: &Tank<'_>,
    bins: &Bins,
    cargo: &Cargo<'_>,
) -> Vec<Part> {
    let mut parts = vec![Part::default(); patches.len()];
    par::for_each_chunk(&mut parts, 1, |index, part| {
        let patch = &patches[index];
        part[0].triangles = patch.triangles(patches, tiles, list[index].at);
        part[0].carried = cargo.to(&patch.vertices, tank, bins);
    });
    parts
}

fn fill_mesh(
    mesh: &mut Mesh,
    liquid: &Liquid<'_>,
    patches: &[Patch],
    parts: Vec<Part>,
    tank: &Tank<'_>,
    cargo: &Cargo<'_>,
) {
    let vertices = || patches.iter().flat_map(|patch| &patch.vertices);
    mesh.positions = vertices().map(|vertex| tank.position(vertex.node, vertex.beyond)).collect();
    mesh.normals = vertices().map(|vertex| vertex.normal).collect();
    let width = cargo.width();
    let rows = || parts.iter().flat_map(|part| part.carried.chunks_exact(width.max(1)));
    let skipped = if cargo.has_velocities() { 3 } else { 0 };
    if cargo.has_velocities() {
        mesh.velocities = rows().map(|row| [row[0], row[1], row[2]]).collect();
    }
    let mut column = skipped;
    for attribute in &liquid.cloud.attributes {
        let columns = column..column + attribute.components as usize;
        column = columns.end;
        let values = rows().flat_map(|row| &row[columns.clone()]).copied().collect();
        mesh.attributes.push(Attribute { values, ..attribute.clone() });
    }
    mesh.triangles = Triangles::List(parts.into_iter().flat_map(|part| part.triangles).collect());
}
