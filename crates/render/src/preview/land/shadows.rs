//! Terrain shadows by a height sweep.
//!
//! Every vertex stores the height up to which the terrain towards the sun shadows it. One sweep over the lines of the
//! lattice, away from the sun, finds it: the shadow height is the greater of ground and shadow height where the sun's ray
//! crosses the previous line, less the descent of the ray. Interpolated between vertices, it gives shadow edges finer than a
//! cell, also for points above the ground. The sweep blurs distant shadows slightly, as does the angular size of the sun.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::lattice::VertexLattice;

/// Shadow height of unshadowed vertices.
const NONE: f32 = -1e9;

/// The shadow height at every vertex of `lattice` with the ground `heights`.
pub fn shadow_heights(lattice: &VertexLattice, heights: &[f32], sun: Vec3) -> Vec<f32> {
    let level = Vec2::new(sun.x, sun.y);
    let mut shadows = vec![NONE; heights.len()];
    if level.length() < 1e-4 || sun.z <= 0.0 {
        return shadows;
    }
    let size = lattice.size();
    let axis = usize::from((level.y / size[1] as f32).abs() > (level.x / size[0] as f32).abs());
    let across = 1 - axis;
    // Sweep from the line nearest to the sun to the farthest
    let order: Vec<usize> =
        if level[axis] > 0.0 { (0..size[axis]).rev().collect() } else { (0..size[axis]).collect() };
    let mut line = vec![NONE; size[across]];
    for pair in order.windows(2) {
        let (nearer, here) = (pair[0], pair[1]);
        let run = (lattice.line(axis, nearer) - lattice.line(axis, here)).abs() / level[axis].abs();
        let (shift, fall) = (level[across] * run, sun.z * run);
        let top = |index: usize| {
            let vertex = lattice.vertex(across, nearer, index);
            heights[vertex].max(shadows[vertex])
        };
        line.par_iter_mut().with_min_len(1024).enumerate().for_each(|(index, shadow)| {
            let entry = lattice.locate_inside(across, lattice.line(across, index) + shift);
            *shadow = entry
                .map_or(NONE, |(low, fraction)| top(low) * (1.0 - fraction) + top(low + 1) * fraction - fall);
        });
        for (index, &shadow) in line.iter().enumerate() {
            shadows[lattice.vertex(across, here, index)] = shadow;
        }
    }
    shadows
}

#[cfg(test)]
mod tests {
    use undine_frame::Mesh;

    use super::*;

    #[test]
    fn a_wall_casts_a_shadow_as_long_as_the_sun_is_low() {
        let lattice = VertexLattice::of(&Mesh::flat_sheet("g", [40.0, 8.0], [81, 17])).unwrap();
        let heights: Vec<f32> =
            (0..81 * 17).map(|vertex| if vertex % 81 == 40 { 3.0 } else { 0.0 }).collect();
        let elevation = 0.5_f32;
        let sun = Vec3::new(elevation.cos(), 0.0, elevation.sin());
        let shadows = shadow_heights(&lattice, &heights, sun);
        // The wall stands at x = 20 and the sun east of it: the shadow ends 3 / tan(elevation) west.
        let end = 20.0 - 3.0 / elevation.tan();
        let shade = |x: f32| lattice.weights(Vec2::new(x, 4.0)).interpolate(&shadows);
        assert!(shade(end + 0.6) > 0.0 && shade(end - 0.6) < 0.0);
        assert!(shade(25.0) <= 0.0, "no shadow towards the sun");
    }

    #[test]
    fn slanting_rays_are_followed() {
        let lattice = VertexLattice::of(&Mesh::flat_sheet("g", [20.0, 20.0], [81, 81])).unwrap();
        let is_tower = |at: Vec2| (at - Vec2::splat(10.0)).abs().max_element() < 0.6;
        let position = |vertex: usize| lattice.position([vertex % 81, vertex / 81]);
        let heights: Vec<f32> =
            (0..81 * 81).map(|vertex| if is_tower(position(vertex)) { 4.0 } else { 0.0 }).collect();
        let towards = Vec3::new(0.6, 0.5, 0.6).normalize();
        let shadows = shadow_heights(&lattice, &heights, towards);
        let away = Vec2::splat(10.0) - 3.0 * Vec2::new(0.6, 0.5).normalize();
        assert!(lattice.weights(away).interpolate(&shadows) > 0.3);
        let aside = Vec2::splat(10.0) - 3.0 * Vec2::new(-0.5, 0.6).normalize();
        assert!(lattice.weights(aside).interpolate(&shadows) < 0.0);
    }
}
