//! Height fields: one vertex per sample, normals by central differences.

use undine_frame::{Attribute, Mesh, Substance, Triangles};
use undine_sim::{HeightView, Lattice};

/// The mesh of a water surface. Where the ground is dry there is none; a triangle on the shoreline dives below the
/// ground at its dry corners, so that the ground itself draws the edge.
pub fn height_mesh(name: &str, water: &HeightView<'_>) -> Mesh {
    let mut mesh = lattice_mesh(name, Substance::Water, &*water.level);
    if let Some([along_x, along_y]) = &water.velocity {
        let pairs = along_x.values().into_iter().zip(along_y.values());
        mesh.velocities = pairs.map(|(u, v)| [u, v, 0.0]).collect();
    }
    if let Some(bed) = &water.bed {
        let beds = bed.values();
        let depth: Vec<f32> =
            mesh.positions.iter().zip(&beds).map(|(at, bed)| (at[2] - bed).max(0.0)).collect();
        mesh.triangles = wet_triangles(&mesh, |vertex| depth[vertex as usize] > water.dry_depth);
        for ((position, depth), bed) in mesh.positions.iter_mut().zip(&depth).zip(&beds) {
            if *depth <= water.dry_depth {
                position[2] = bed - water.dry_depth.max(1e-4);
            }
        }
        mesh.attributes.push(Attribute { name: "depth".into(), unit: "m".into(), values: depth });
    }
    mesh
}

/// The mesh of the ground, with how wet it is.
pub fn ground_mesh(name: &str, water: &HeightView<'_>) -> Option<Mesh> {
    let mut mesh = lattice_mesh(name, Substance::Ground, &**water.bed.as_ref()?);
    if let Some(wetness) = &water.wetness {
        let values = wetness.values();
        mesh.attributes.push(Attribute { name: "wetness".into(), unit: String::new(), values });
    }
    Some(mesh)
}

/// All triangles, or those with a wet corner when some are dry.
fn wet_triangles(mesh: &Mesh, is_wet: impl Fn(u32) -> bool) -> Triangles {
    let wet: Vec<[u32; 3]> =
        mesh.triangles().filter(|corners| corners.iter().any(|&corner| is_wet(corner))).collect();
    if wet.len() == mesh.triangle_count() { mesh.triangles.clone() } else { Triangles::List(wet) }
}

fn lattice_mesh(name: &str, substance: Substance, level: &dyn Lattice) -> Mesh {
    let ([columns, rows, _], levels) = (level.size(), level.values());
    let at = |column: usize, row: usize| levels[row * columns + column];
    // At the rim the difference is one-sided.
    let slope = |low: f32, high: f32, steps: usize, spacing: f64| {
        (high - low) / (steps as f32 * spacing as f32).max(1e-20)
    };
    let ([first_x, first_y, _], [step_x, step_y, _]) = (level.origin(), level.spacing());
    let mut mesh = Mesh {
        name: name.to_owned(),
        substance,
        positions: Vec::with_capacity(columns * rows),
        normals: Vec::with_capacity(columns * rows),
        velocities: Vec::new(),
        uvs: Vec::with_capacity(columns * rows),
        attributes: Vec::new(),
        triangles: Triangles::Lattice { columns: columns as u32, rows: rows as u32 },
    };
    for row in 0..rows {
        for column in 0..columns {
            let (west, east) = (column.saturating_sub(1), (column + 1).min(columns - 1));
            let (south, north) = (row.saturating_sub(1), (row + 1).min(rows - 1));
            let slope_x = slope(at(west, row), at(east, row), east - west, step_x);
            let slope_y = slope(at(column, south), at(column, north), north - south, step_y);
            let length = (slope_x * slope_x + slope_y * slope_y + 1.0).sqrt();
            let (x, y) = (first_x + column as f64 * step_x, first_y + row as f64 * step_y);
            mesh.positions.push([x as f32, y as f32, at(column, row)]);
            mesh.normals.push([-slope_x / length, -slope_y / length, 1.0 / length]);
            mesh.uvs.push([x as f32, y as f32]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_grid::{Condition, Field, Grid, Location};

    fn field(value: impl Fn(f64, f64) -> f64 + Sync) -> Field<f32, 2> {
        let grid = Grid::new([10, 8], [0.5, 0.5], [0.0, 0.0]).unwrap();
        let mut field = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
        field.set_by_position(|[x, y]| value(x, y));
        field
    }

    #[test]
    fn a_tilted_plane_has_its_exact_normal_everywhere() {
        let level = field(|x, y| 0.3 * x - 0.2 * y);
        let view =
            HeightView { level: Box::new(&level), bed: None, velocity: None, wetness: None, dry_depth: 0.0 };
        let mesh = height_mesh("water", &view);
        let length = (0.09f32 + 0.04 + 1.0).sqrt();
        for normal in &mesh.normals {
            assert!((normal[0] + 0.3 / length).abs() < 1e-5 && (normal[1] - 0.2 / length).abs() < 1e-5);
        }
        assert_eq!(mesh.fault(), None);
    }

    #[test]
    fn water_ends_at_the_shore() {
        let (level, bed) = (field(|_, _| 0.0), field(|x, _| x - 2.6));
        let view = HeightView {
            level: Box::new(&level),
            bed: Some(Box::new(&bed)),
            velocity: None,
            wetness: None,
            dry_depth: 0.0,
        };
        let mesh = height_mesh("water", &view);
        let farthest =
            mesh.triangles().flatten().map(|vertex| mesh.positions[vertex as usize][0]).fold(0.0, f32::max);
        // Samples stand at 0.25, 0.75, … : the last wet one is 2.25, and one dry column closes the shore.
        assert_eq!(farthest, 2.75);
        assert_eq!(mesh.fault(), None);
    }
}
