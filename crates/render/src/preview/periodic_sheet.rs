//! Periodic continuation of a sheet of water over the sea around it.
//!
//! Near each edge the waves are blended with those of the opposite edge, so that the sheet tiles without a seam. A skirt of
//! coarser copies surrounds it and fades into the level sea, over which the slopes continue to the horizon as a normal map.
//! This affects pictures only, not the simulation or exports. Sheets that are calm at their edges are left unchanged.

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;
use undine_frame::{Material, Mesh, Triangles};

use super::slope_map::SlopeMap;
use crate::noise::smoothstep;

/// Texels along the side of the slope table.
const SIDE: usize = 256;
/// Cells of the skirt per side of the sheet.
const CELLS: usize = 112;
/// Width of the blended border, as a fraction of the sheet.
const BLEND: f32 = 0.1;
/// Ratio of the mean square slope at the edges to that of the sheet below which the edges count as calm.
const CALM: f32 = 0.08;

/// A sheet of water made periodic.
pub struct PeriodicSheet {
    /// The sheet, blended near its edges.
    pub sheet: Mesh,
    /// The ring of periodic copies around it.
    pub skirt: Mesh,
    /// Its slopes, repeated periodically.
    pub slopes: SlopeMap,
    /// Corners of sheet and skirt together.
    pub corners: [Vec2; 2],
}

/// Heights above the rest level and slopes on a lattice: (z, ∂z/∂x, ∂z/∂y).
struct SheetWaves {
    columns: usize,
    rows: usize,
    values: Vec<Vec3>,
}

impl PeriodicSheet {
    /// Makes `mesh`, a lattice between two corners with the mean height `level`, periodic; `None` if it is no lattice or has
    /// calm edges.
    pub fn new(mesh: &Mesh, corners: [Vec2; 2], level: f32) -> Option<PeriodicSheet> {
        let mut waves = SheetWaves::of(mesh, level)?;
        if waves.edge_slope_ratio() < CALM {
            return None;
        }
        let size = corners[1] - corners[0];
        let margins = [waves.columns, waves.rows].map(|count| (count as f32 * BLEND) as usize);
        waves.blend_columns(margins[0]);
        waves.blend_rows(margins[1]);
        let period = [waves.columns - 1 - margins[0], waves.rows - 1 - margins[1]];
        let fraction = |axis: usize, count: usize| period[axis] as f32 / (count - 1) as f32;
        let extent = size * Vec2::new(fraction(0, waves.columns), fraction(1, waves.rows));
        let slopes = waves.slope_table(period, corners[0], extent);
        let skirt = waves.skirt(period, corners, level);
        let corners = [corners[0] - size, corners[1] + size];
        Some(PeriodicSheet { sheet: waves.applied_to(mesh, level), skirt, slopes, corners })
    }
}

impl SheetWaves {
    fn of(mesh: &Mesh, level: f32) -> Option<SheetWaves> {
        let Triangles::Lattice { columns, rows } = mesh.triangles else { return None };
        if columns < 16 || rows < 16 || mesh.normals.len() != mesh.positions.len() {
            return None;
        }
        let wave = |(position, normal): (&[f32; 3], &[f32; 3])| {
            let steep = normal[2].max(0.1);
            let wave = Vec3::new(position[2] - level, -normal[0] / steep, -normal[1] / steep);
            if wave.is_finite() { wave } else { Vec3::ZERO }
        };
        let values = mesh.positions.iter().zip(&mesh.normals).map(wave).collect();
        Some(SheetWaves { columns: columns as usize, rows: rows as usize, values })
    }

    // Mean square slope along the four edges relative to that of the sheet.
    fn edge_slope_ratio(&self) -> f32 {
        let square = |value: &Vec3| f64::from(value.y * value.y + value.z * value.z);
        let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
        let all = mean(self.values.iter().map(square).sum(), self.values.len());
        let rim = self.values.iter().enumerate().filter(|(index, _)| {
            let (column, row) = (index % self.columns, index / self.columns);
            column == 0 || row == 0 || column + 1 == self.columns || row + 1 == self.rows
        });
        let edge = mean(rim.map(|(_, value)| square(value)).sum(), 2 * (self.columns + self.rows) - 4);
        if all > 1e-12 { (edge / all) as f32 } else { 0.0 }
    }

    fn blend_columns(&mut self, margin: usize) {
        for row in self.values.chunks_exact_mut(self.columns) {
            for column in 0..=margin {
                let far = column + row.len() - 1 - margin;
                let blended = blend(row[far], row[column], column as f32 / margin.max(1) as f32);
                (row[column], row[far]) = (blended, blended);
            }
        }
    }

    fn blend_rows(&mut self, margin: usize) {
        for row in 0..=margin {
            for column in 0..self.columns {
                let near = row * self.columns + column;
                let far = (row + self.rows - 1 - margin) * self.columns + column;
                let blended = blend(self.values[far], self.values[near], row as f32 / margin.max(1) as f32);
                (self.values[near], self.values[far]) = (blended, blended);
            }
        }
    }

    fn slope_table(&self, period: [usize; 2], origin: Vec2, extent: Vec2) -> SlopeMap {
        let texels = (0..SIDE * SIDE).into_par_iter().map(|index| {
            let at = Vec2::new((index % SIDE) as f32 + 0.5, (index / SIDE) as f32 + 0.5) / SIDE as f32;
            let wave = self.interpolate(at * Vec2::new(period[0] as f32, period[1] as f32), period);
            Vec4::new(wave.y, wave.z, 0.0, 0.0)
        });
        SlopeMap::new(texels.collect(), SIDE, origin, extent.max(Vec2::splat(1e-6)), Vec2::X)
    }

    // Bilinear interpolation at a position in cells of the lattice, periodic.
    fn interpolate(&self, at: Vec2, period: [usize; 2]) -> Vec3 {
        let split = |x: f32, period: usize| {
            let x = x.rem_euclid(period as f32);
            ((x as usize).min(period - 1), x - x.floor())
        };
        let ((column, u), (row, v)) = (split(at.x, period[0]), split(at.y, period[1]));
        let first = row * self.columns + column;
        let south = self.values[first].lerp(self.values[first + 1], u);
        let next = first + self.columns;
        south.lerp(self.values[next].lerp(self.values[next + 1], u), v)
    }

    fn applied_to(&self, mesh: &Mesh, level: f32) -> Mesh {
        let mut sheet = mesh.clone();
        for ((position, normal), wave) in sheet.positions.iter_mut().zip(&mut sheet.normals).zip(&self.values)
        {
            position[2] = level + wave.x;
            *normal = Vec3::new(-wave.y, -wave.z, 1.0).normalize().to_array();
        }
        sheet
    }

    // Skirt of 3 × 3 coarse sheets without the central one but for its outermost cells, which slope down under the edge of
    // the sheet to hide cracks between fine and coarse cells.
    fn skirt(&self, period: [usize; 2], corners: [Vec2; 2], level: f32) -> Mesh {
        let size = corners[1] - corners[0];
        let cells = Vec2::new((self.columns - 1) as f32, (self.rows - 1) as f32);
        let side = 3 * CELLS + 1;
        let position =
            |index: usize| Vec2::new((index % side) as f32, (index / side) as f32) / CELLS as f32 - 1.0;
        let vertex = |index: usize| {
            let fraction = position(index);
            let outside = (-fraction).max(fraction - 1.0).max_element().max(0.0);
            let inside = fraction.min(1.0 - fraction).min_element().max(0.0);
            let height = self.interpolate(fraction * cells, period).x * (1.0 - smoothstep(0.0, 1.0, outside));
            (corners[0] + fraction * size).extend(level + height - inside * size.max_element()).to_array()
        };
        // Two triangles per cell outside the central sheet
        let middle = CELLS + 1..2 * CELLS - 1;
        let mut triangles = Vec::with_capacity(16 * CELLS * CELLS);
        for (row, column) in (0..side - 1).flat_map(|row| (0..side - 1).map(move |column| (row, column))) {
            if !(middle.contains(&row) && middle.contains(&column)) {
                let southwest = (row * side + column) as u32;
                let northwest = southwest + side as u32;
                triangles.push([southwest, southwest + 1, northwest + 1]);
                triangles.push([southwest, northwest + 1, northwest]);
            }
        }
        Mesh {
            name: String::from("sea around"),
            material: Material::Water,
            positions: (0..side * side).into_par_iter().map(vertex).collect(),
            normals: Vec::new(),
            velocities: Vec::new(),
            uvs: Vec::new(),
            attributes: Vec::new(),
            triangles: Triangles::List(triangles),
        }
    }
}

// Blends uncorrelated waves with constant variance.
fn blend(from: Vec3, to: Vec3, fraction: f32) -> Vec3 {
    let fraction = smoothstep(0.0, 1.0, fraction);
    let rest = 1.0 - fraction;
    (from * rest + to * fraction) / (rest * rest + fraction * fraction).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wavy(calm_edges: bool) -> Mesh {
        let mut mesh = Mesh::flat_sheet("water", [10.0, 8.0], [41, 33]);
        for (position, normal) in mesh.positions.iter_mut().zip(&mut mesh.normals) {
            let [x, y, _] = *position;
            let envelope = if calm_edges { (-(x - 5.0).powi(2) - (y - 4.0).powi(2)).exp() } else { 1.0 };
            position[2] = 2.0 + 0.2 * envelope * (1.3 * x + 0.7 * y).sin();
            *normal =
                Vec3::new(-0.26 * envelope * (1.3 * x + 0.7 * y).cos(), 0.0, 1.0).normalize().to_array();
        }
        mesh
    }

    #[test]
    fn sheet_and_skirt_meet() {
        let periodic = PeriodicSheet::new(&wavy(false), [Vec2::ZERO, Vec2::new(10.0, 8.0)], 2.0).unwrap();
        let side = 3 * CELLS + 1;
        let southwest = periodic.skirt.positions[CELLS * side + CELLS];
        assert!((Vec3::from(southwest) - Vec3::from(periodic.sheet.positions[0])).length() < 1e-4);
        let northeast = periodic.skirt.positions[2 * CELLS * side + 2 * CELLS];
        assert!((Vec3::from(northeast) - Vec3::from(periodic.sheet.positions[41 * 33 - 1])).length() < 1e-4);
        assert_eq!(periodic.skirt.inconsistency(), None);
        assert_eq!(periodic.skirt.positions[0][2], 2.0, "the far rim is level");
    }

    #[test]
    fn the_middle_of_the_sheet_is_untouched() {
        let mesh = wavy(false);
        let periodic = PeriodicSheet::new(&mesh, [Vec2::ZERO, Vec2::new(10.0, 8.0)], 2.0).unwrap();
        let middle = 16 * 41 + 20;
        assert!((periodic.sheet.positions[middle][2] - mesh.positions[middle][2]).abs() < 1e-6);
    }

    #[test]
    fn calm_edges_are_left_alone() {
        assert!(PeriodicSheet::new(&wavy(true), [Vec2::ZERO, Vec2::new(10.0, 8.0)], 2.0).is_none());
        assert!(
            PeriodicSheet::new(&Mesh::flat_sheet("w", [1.0; 2], [2, 2]), [Vec2::ZERO, Vec2::ONE], 0.0)
                .is_none()
        );
    }
}
