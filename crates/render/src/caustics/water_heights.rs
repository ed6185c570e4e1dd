//! Water surfaces on lattices, as height fields with normals.

use glam::{DVec2, DVec3, Vec3};
use undine_frame::{Material, Mesh};

use crate::preview::lattice::VertexLattice;

struct WaterHeightField {
    lattice: VertexLattice,
    levels: Vec<f32>,
    normals: Vec<Vec3>,
}

/// All waters of a frame whose vertices stand on a level lattice; other water is left out.
pub struct WaterHeights(Vec<WaterHeightField>);

impl WaterHeights {
    /// The height fields among some meshes.
    pub fn of(meshes: &[&Mesh]) -> Self {
        let waters = meshes.iter().filter(|mesh| mesh.material == Material::Water);
        WaterHeights(waters.filter_map(|mesh| WaterHeightField::of(mesh)).collect())
    }

    /// The highest water level at a point or, beyond the border, at the nearest point of it; −∞ where there is none.
    pub fn level(&self, at: DVec2) -> f64 {
        let levels = self.0.iter().map(|sheet| sheet.level(at)).filter(|level| level.is_finite());
        levels.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The unit normal of the highest water at a point.
    pub fn normal(&self, at: DVec2) -> DVec3 {
        let top = match &self.0[..] {
            [only] => Some(only),
            several => several.iter().max_by(|one, other| one.level(at).total_cmp(&other.level(at))),
        };
        let normal = top.map(|sheet| sheet.lattice.weights(at.as_vec2()).interpolate(&sheet.normals));
        normal.map_or(DVec3::Z, |normal| normal.as_dvec3().normalize_or(DVec3::Z))
    }
}

impl WaterHeightField {
    fn of(mesh: &Mesh) -> Option<WaterHeightField> {
        let lattice = VertexLattice::under(mesh)?;
        let normals = match mesh.normals.is_empty() {
            true => vec![Vec3::Z; mesh.positions.len()],
            false => mesh.normals.iter().map(|&normal| normal.into()).collect(),
        };
        Some(WaterHeightField { lattice, levels: mesh.positions.iter().map(|at| at[2]).collect(), normals })
    }

    fn level(&self, at: DVec2) -> f64 {
        f64::from(self.lattice.weights(at.as_vec2()).interpolate(&self.levels))
    }
}
