//! Sunlight that waves gather on the bed, after the illumination map of [kass1990].
//!
//! Every vertex of the water lets one ray of the sun through. Under still water it would fall straight below its own
//! vertex along the bent ray; the slope of the wave moves it aside by depth × (tan θ − tan θ₀), the bed taken as flat
//! there. Rays are counted on the vertices with a tent as wide as a cell, and the counts are smoothed once. Still
//! water gives one ray per vertex, so that counts are brightness. The width of the sun is not modelled.

use glam::{Vec2, Vec3};

use super::lattice::Lattice;
use crate::optics::{WATER_INDEX, refract};

/// The brightness of the bed under every vertex over that under still water.
pub fn caustics(lattice: &Lattice, depths: &[f32], normals: &[[f32; 3]], sun: Vec3) -> Vec<f32> {
    let [columns, rows] = lattice.size();
    if normals.len() != depths.len() || sun.z < 0.05 {
        return vec![1.0; depths.len()];
    }
    let bent = |normal: Vec3| {
        let ray = refract(-sun, normal, WATER_INDEX).unwrap_or(-Vec3::Z);
        Vec2::new(ray.x, ray.y) / (-ray.z).max(0.2)
    };
    let still = bent(Vec3::Z);
    let mut counts = vec![0.0; depths.len()];
    let step = lattice.step().max(1e-20);
    let last = Vec2::new((columns - 1) as f32, (rows - 1) as f32);
    for (index, (&depth, &normal)) in depths.iter().zip(normals).enumerate() {
        let aside = if depth > 0.0 { depth * (bent(normal.into()) - still) / step } else { Vec2::ZERO };
        let aside = if aside.is_finite() { aside.clamp_length_max(12.0) } else { Vec2::ZERO };
        let at = Vec2::new((index % columns) as f32, (index / columns) as f32) + aside;
        // Rays that leave at the border would darken it, so they stay on it.
        let at = at.clamp(Vec2::ZERO, last);
        let (column, row) = ((at.x as usize).min(columns - 2), (at.y as usize).min(rows - 2));
        let (along, up) = (at.x - column as f32, at.y - row as f32);
        let first = row * columns + column;
        counts[first] += (1.0 - along) * (1.0 - up);
        counts[first + 1] += along * (1.0 - up);
        counts[first + columns] += (1.0 - along) * up;
        counts[first + columns + 1] += along * up;
    }
    smoothed(&counts, columns, rows)
}

// Means over three by three vertices, weighted 1 2 1 along each axis.
fn smoothed(counts: &[f32], columns: usize, rows: usize) -> Vec<f32> {
    let pass = |values: &[f32], stride: usize, along: &dyn Fn(usize) -> (bool, bool)| -> Vec<f32> {
        let mean = |index: usize| {
            let (has_low, has_high) = along(index);
            let low = values[if has_low { index - stride } else { index }];
            let high = values[if has_high { index + stride } else { index }];
            0.25 * low + 0.5 * values[index] + 0.25 * high
        };
        (0..values.len()).map(mean).collect()
    };
    let rowwise = pass(counts, 1, &|index| (index % columns > 0, index % columns + 1 < columns));
    pass(&rowwise, columns, &|index| (index >= columns, index / columns + 1 < rows))
}

#[cfg(test)]
mod tests {
    use undine_frame::Mesh;

    use super::*;

    #[test]
    fn still_water_changes_nothing_and_crests_gather_light() {
        let sheet = Mesh::flat_sheet("w", [20.0, 20.0], [41, 41]);
        let lattice = Lattice::of(&sheet).unwrap();
        let depths = vec![2.0; 41 * 41];
        let still = caustics(&lattice, &depths, &sheet.normals, Vec3::Z);
        assert!(still.iter().all(|light| (light - 1.0).abs() < 1e-5));
        // A long crest at x = 10: h = 0.3 cos(0.6 (x − 10)), a lens.
        let slope = |x: f32| -0.18 * (0.6 * (x - 10.0)).sin();
        let normals: Vec<[f32; 3]> = sheet
            .positions
            .iter()
            .map(|at| Vec3::new(-slope(at[0]), 0.0, 1.0).normalize().to_array())
            .collect();
        let lit = caustics(&lattice, &depths, &normals, Vec3::Z);
        assert!(lit[20 * 41 + 20] > 1.04, "{}", lit[20 * 41 + 20]);
        assert!(lit[20 * 41 + 20 + 10] < 0.97);
        let total: f32 = lit.iter().sum();
        assert!((total / (41.0 * 41.0) - 1.0).abs() < 1e-3, "light is only moved");
    }
}
