//! Seen volume: the volume inside the surface that is drawn.
//!
//! In space that is the closed mesh of `liquid`, with the drops that it draws apart: V = ⅙ Σ a·(b × c) over its
//! triangles (Gauss's theorem). In the plane pictures fill the region where the distance from the surface, bilinear
//! between cell centres and constant beyond the outermost ones, is negative: V is its area outside solids, in a layer
//! of one metre. It is found on four subcells per cell, in which the fraction ½ − φ/h of a subcell of edge h, limited
//! to [0, 1], lies inside.

use undine_frame::{Frame, Liquid, Mesh, Raster};
use undine_grid::par;

use crate::Tessellation;
use crate::liquid::{Surfacing, liquid_mesh};

/// Subcells along an edge of a cell.
const SUBCELLS: usize = 2;

/// The seen volume of each water of a frame in m³; `None` for waters that are no liquid. A mesh that the frame has is
/// used, and else made, for which the frame needs the parts of [`FrameRequest::liquid_meshes`].
///
/// [`FrameRequest::liquid_meshes`]: undine_frame::FrameRequest::liquid_meshes
pub fn seen_volumes(frame: &Frame, settings: &Tessellation) -> Vec<Option<f64>> {
    let mut volumes = vec![None; frame.waters.len()];
    for (number, volume) in volumes.iter_mut().enumerate() {
        let water = &frame.waters[number].name;
        *volume = match frame.liquids().find(|liquid| liquid.cloud.water == number) {
            Some(liquid) => {
                let surfacing = Surfacing::of(&settings.surfaces, &liquid.cloud.name);
                Some(match frame.mesh(&liquid.cloud.name).filter(|_| is_in_space(&liquid)) {
                    Some(mesh) => mesh_volume(mesh),
                    None => seen_volume(&liquid, &surfacing),
                })
            }
            // Particles are dropped from a frame of which only the mesh was wanted
            None => frame.mesh(water).filter(|_| has_liquid(frame, number)).map(mesh_volume),
        };
    }
    volumes
}

fn has_liquid(frame: &Frame, water: usize) -> bool {
    let is_distance = |field: &&Raster| field.quantity == undine_frame::Quantity::SurfaceDistance;
    frame.fields.iter().filter(is_distance).any(|field| field.water == water && field.size[2] > 1)
}

fn is_in_space(liquid: &Liquid<'_>) -> bool {
    liquid.distance.size[2] > 1
}

/// The volume inside the surface of a liquid in m³; the layer of a 2-D liquid is one metre thick.
pub fn seen_volume(liquid: &Liquid<'_>, surfacing: &Surfacing) -> f64 {
    match is_in_space(liquid) {
        true => mesh_volume(&liquid_mesh(liquid, surfacing)),
        false => area(liquid.distance, liquid.solids),
    }
}

/// The volume inside a closed mesh in m³, by Gauss's theorem.
///
/// ```
/// use undine_frame::{Mesh, Triangles};
/// let mut mesh = Mesh::flat_sheet("tetrahedron", [1.0, 1.0], [2, 2]);
/// mesh.positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// mesh.triangles = Triangles::List(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
/// assert!((undine_surface::mesh_volume(&mesh) - 1.0 / 6.0).abs() < 1e-15);
/// ```
pub fn mesh_volume(mesh: &Mesh) -> f64 {
    // Relative to a vertex, so that a distant mesh loses no digits
    let Some(origin) = mesh.positions.first().map(|at| at.map(f64::from)) else { return 0.0 };
    let corner = |vertex: u32| -> [f64; 3] {
        let at = mesh.positions[vertex as usize];
        std::array::from_fn(|axis| f64::from(at[axis]) - origin[axis])
    };
    let triple_product = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(corner);
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    mesh.triangles().map(triple_product).sum::<f64>() / 6.0
}

/// The area in which the distance at cell centres is negative and, at nodes, that from solids positive.
fn area(distance: &Raster, solids: Option<&Raster>) -> f64 {
    let [columns, rows, _] = distance.size.map(|count| count as usize);
    let is_sound = distance.spacing[0] > 0.0 && distance.values.len() == columns * rows && columns > 0;
    if !is_sound {
        return 0.0;
    }
    let nodes = [columns + 1, rows + 1];
    let solids = solids.filter(|solids| solids.values.len() == nodes[0] * nodes[1]);
    let edge = distance.spacing[0] / SUBCELLS as f64;
    let fraction = |height: f64| (0.5 - height / edge).clamp(0.0, 1.0);
    let row_sum = |row: usize| {
        let subcell = |column: usize| {
            let [x, y] = [column, row].map(|i| (i as f64 + 0.5) / SUBCELLS as f64);
            let inside = fraction(bilinear(&distance.values, [columns, rows], [x - 0.5, y - 0.5]));
            let open = solids.map_or(1.0, |solids| 1.0 - fraction(bilinear(&solids.values, nodes, [x, y])));
            inside * open
        };
        (0..SUBCELLS * columns).map(subcell).sum::<f64>()
    };
    let sum = par::fold(SUBCELLS * rows, 16, |range| range.map(row_sum).sum::<f64>(), |a, b| a + b);
    sum.unwrap_or(0.0) * edge * edge
}

/// A value between samples; constant beyond the outermost ones.
fn bilinear(values: &[f32], size: [usize; 2], at: [f64; 2]) -> f64 {
    let [(x, tx), (y, ty)] = [0, 1].map(|axis| {
        let i = at[axis].clamp(0.0, (size[axis] - 1) as f64);
        let below = (i as usize).min(size[axis].saturating_sub(2));
        (below, i - below as f64)
    });
    let value = |x: usize, y: usize| f64::from(values[y.min(size[1] - 1) * size[0] + x.min(size[0] - 1)]);
    let along = |y: usize| value(x, y) + tx * (value(x + 1, y) - value(x, y));
    along(y) + ty * (along(y + 1) - along(y))
}
