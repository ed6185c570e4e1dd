//! Water on a terrain, sampled at its vertices: level, depth, velocity and foam.

use glam::Vec2;
use undine_frame::{Material, Mesh, Quantity};

use super::lattice::VertexLattice;
use crate::noise::smoothstep;

const GRAVITY: f32 = 9.81;

/// Water at the vertices of a terrain lattice.
#[derive(Debug, Clone)]
pub struct LandWater {
    /// Height of the surface; below the ground where it is dry.
    pub levels: Vec<f32>,
    /// Depth, zero where it is dry.
    pub depths: Vec<f32>,
    /// Horizontal velocity in m/s; empty if the mesh has none.
    pub velocities: Vec<Vec2>,
    /// Foam density, 0 to 1; empty if the mesh has no velocity.
    pub foam: Vec<f32>,
}

impl LandWater {
    /// The water mesh whose vertices are those of the terrain.
    pub fn find(meshes: &[Mesh], lattice: &VertexLattice, beds: &[f32]) -> Option<LandWater> {
        let [low, high] = lattice.corners();
        let stands = |mesh: &&Mesh| {
            let corner = |at: Option<&[f32; 3]>| at.map(|at| Vec2::new(at[0], at[1]));
            mesh.material == Material::Water
                && mesh.positions.len() == beds.len()
                && corner(mesh.positions.first()) == Some(low)
                && corner(mesh.positions.last()) == Some(high)
        };
        meshes.iter().find(stands).map(|mesh| LandWater::new(mesh, lattice, beds))
    }

    fn new(mesh: &Mesh, lattice: &VertexLattice, beds: &[f32]) -> LandWater {
        let over = |(position, &bed): (&[f32; 3], &f32)| (position[2] - bed).max(0.0);
        let depths = match mesh.attribute(Quantity::Depth) {
            Some(depth) => depth.values.to_vec(),
            None => mesh.positions.iter().zip(beds).map(over).collect(),
        };
        let levels = mesh.positions.iter().map(|position| position[2]).collect();
        let velocities: Vec<Vec2> =
            mesh.velocities.iter().map(|&[u, v, _]| finite(Vec2::new(u, v))).collect();
        let foam = if velocities.is_empty() { Vec::new() } else { foam(lattice, &velocities, &depths) };
        LandWater { levels, depths, velocities, foam }
    }

    /// Greatest depth.
    pub fn deepest(&self) -> f32 {
        self.depths.iter().copied().filter(|depth| depth.is_finite()).fold(0.0, f32::max)
    }

    /// Mean height of the surface where there is water.
    pub fn mean_level(&self) -> Option<f32> {
        let wet =
            self.levels.iter().zip(&self.depths).filter(|(level, depth)| **depth > 0.0 && level.is_finite());
        let (sum, count) =
            wet.fold((0.0, 0_u64), |(sum, count), (&level, _)| (sum + f64::from(level), count + 1));
        (count > 0).then(|| (sum / count as f64) as f32)
    }
}

fn finite(velocity: Vec2) -> Vec2 {
    if velocity.is_finite() { velocity } else { Vec2::ZERO }
}

// Foam density: supercritical flow (Froude number u/√(gh) > 1) and converging flow (−∇·u > 0), unless the water is a thin
// film.
fn foam(lattice: &VertexLattice, velocities: &[Vec2], depths: &[f32]) -> Vec<f32> {
    let [columns, rows] = lattice.size();
    let step = lattice.step();
    let amount = |index: usize| {
        let (column, row) = (index % columns, index / columns);
        let (speed, depth) = (velocities[index].length(), depths[index]);
        if depth <= 0.0 || speed < 0.05 {
            return 0.0;
        }
        let (west, east) = (index - usize::from(column > 0), index + usize::from(column + 1 < columns));
        let (south, north) =
            (index - if row > 0 { columns } else { 0 }, index + if row + 1 < rows { columns } else { 0 });
        let closing = velocities[west].x - velocities[east].x + velocities[south].y - velocities[north].y;
        let wave = (GRAVITY * depth).sqrt();
        let shooting = smoothstep(0.9, 2.2, speed / wave.max(1e-3));
        let gathering = smoothstep(0.05, 0.5, 0.5 * closing / wave.max(0.1));
        // A film that runs down a slope is always supercritical but has no foam
        let is_more = smoothstep(0.02, 0.15, depth / (0.02 * step + 0.1)) * smoothstep(0.3, 1.5, speed);
        (0.55 * shooting + 0.9 * gathering).min(1.0) * is_more
    };
    (0..depths.len()).map(amount).collect()
}
