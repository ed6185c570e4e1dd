//! Triangulation of height fields: the water, and the ground below it.

use undine_frame::{Attribute, Heights, Material, Mesh, Quantity, Triangles};

use crate::mesh_lattice::MeshLattice;
use crate::shoreline::{MIN_DEPTH_BELOW, ShorelineLevels};
use crate::slopes::{normal, slopes};

/// The mesh of a water surface, over the whole domain. Dry ground has no triangles; at the shoreline the surface
/// continues below the ground, so that the ground itself clips it. A field one sample wide becomes a ribbon as wide
/// as its cells.
///
/// With a bed the mesh has the attribute `depth`, zero where it is dry.
pub fn height_mesh(name: &str, water: &Heights) -> Mesh {
    let vertices = MeshLattice::over(water);
    let levels = &*water.level;
    let Some(bed) = &water.bed else {
        let slopes = slopes(levels, vertices.samples, vertices.spacing, |_| true);
        return surface_with_velocity(name, Material::Water, &vertices, levels, &slopes, water);
    };
    let beds: &[f32] = bed;
    let bed_slopes = slopes(beds, vertices.samples, vertices.spacing, |_| true);
    let shore =
        ShorelineLevels::new(levels.clone(), beds, vertices.samples, vertices.spacing, water.dry_depth);
    let mut mesh =
        surface_with_velocity(name, Material::Water, &vertices, &shore.levels, &shore.slopes, water);
    let is_wet = vertices.map(|sample, _| shore.is_wet[sample]);
    mesh.triangles = wet_triangles(&mesh, &is_wet);
    let ground = vertices.map(|sample, offset| extrapolated(beds[sample], bed_slopes[sample], offset));
    let mut depth = Vec::with_capacity(ground.len());
    for ((position, ground), is_wet) in mesh.positions.iter_mut().zip(ground).zip(is_wet) {
        depth.push(if is_wet { (position[2] - ground).max(0.0) } else { 0.0 });
        // On the border too, dry vertices stay below the ground.
        position[2] = if is_wet { position[2] } else { position[2].min(ground - MIN_DEPTH_BELOW) };
    }
    mesh.attributes
        .push(Attribute { unit: "m".into(), ..Attribute::new("depth", Quantity::Depth, 1, depth) });
    mesh
}

/// The mesh of the ground, over the whole domain. Attributes of its samples, such as wetness, become attributes of its
/// vertices.
pub fn ground_mesh(name: &str, ground: &Heights, attributes: &[Attribute]) -> Mesh {
    let vertices = MeshLattice::over(ground);
    let slopes = slopes(&ground.level, vertices.samples, vertices.spacing, |_| true);
    let mut mesh = surface(name, Material::Ground, &vertices, &ground.level, &slopes);
    let on_vertices = |attribute: &Attribute| {
        let components = attribute.components as usize;
        let values =
            vertices.map(|sample, _| &attribute.values[sample * components..(sample + 1) * components]);
        Attribute { values: values.concat().into(), ..attribute.clone() }
    };
    let sound = attributes.iter().filter(|one| one.inconsistency(ground.level.len(), "").is_none());
    mesh.attributes = sound.map(on_vertices).collect();
    mesh
}

/// All triangles, or those with a wet vertex when some are dry.
fn wet_triangles(mesh: &Mesh, is_wet: &[bool]) -> Triangles {
    if is_wet.iter().all(|&is_wet| is_wet) {
        return mesh.triangles.clone();
    }
    let has_wet = |corners: &[u32; 3]| corners.iter().any(|&corner| is_wet[corner as usize]);
    Triangles::List(mesh.triangles().filter(has_wet).collect())
}

/// A surface with the velocities of the water.
fn surface_with_velocity(
    name: &str,
    material: Material,
    vertices: &MeshLattice,
    heights: &[f32],
    slopes: &[[f32; 2]],
    water: &Heights,
) -> Mesh {
    let mut mesh = surface(name, material, vertices, heights, slopes);
    if let Some(velocity) = &water.velocity {
        mesh.velocities = vertices.map(|sample, _| [velocity[sample][0], velocity[sample][1], 0.0]);
    }
    mesh
}

fn surface(
    name: &str,
    material: Material,
    vertices: &MeshLattice,
    heights: &[f32],
    slopes: &[[f32; 2]],
) -> Mesh {
    let heights = vertices.map(|sample, offset| extrapolated(heights[sample], slopes[sample], offset));
    let (columns, rows) = (vertices.columns.len(), vertices.rows.len());
    let positions =
        vertices.rows.iter().flat_map(|row| vertices.columns.iter().map(move |column| (column, row)));
    let uvs: Vec<[f32; 2]> = positions.map(|(column, row)| [column.position, row.position]).collect();
    Mesh {
        name: name.to_owned(),
        material,
        positions: uvs.iter().zip(heights).map(|(&[x, y], height)| [x, y, height]).collect(),
        normals: vertices.map(|sample, _| normal(slopes[sample])),
        velocities: Vec::new(),
        uvs,
        attributes: Vec::new(),
        triangles: Triangles::Lattice { columns: columns as u32, rows: rows as u32 },
    }
}

/// Linear extrapolation of a height from its sample by the slope there.
fn extrapolated(height: f32, [slope_x, slope_y]: [f32; 2], [dx, dy]: [f32; 2]) -> f32 {
    height + slope_x * dx + slope_y * dy
}
