//! Speed of building and traversing a BVH, for benchmarks.

use std::time::Instant;

use glam::Vec3;

use super::sampling::sample_uniform_sphere;
use crate::noise::unit;
use crate::preview::liquid::bvh::Bvh;

/// Measured speed of a BVH.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// Triangles.
    pub triangles: usize,
    /// Triangles built into the BVH per second, on all threads.
    pub build: f64,
    /// Incoherent rays traced per second by one thread.
    pub rays: f64,
    /// Fraction of the rays that hit something.
    pub hits: f64,
}

/// Measures a bumpy sphere of about `triangles` triangles with `rays` random rays.
pub fn measure(triangles: usize, rays: usize) -> Speed {
    let sphere = sphere(triangles);
    let numbered = || (0..).zip(sphere.iter().copied());
    let start = Instant::now();
    let bvh = Bvh::new(numbered());
    let build = sphere.len() as f64 / start.elapsed().as_secs_f64().max(1e-9);
    let number = |index: usize, which: i32| unit(index as i32, which, 7);
    let ray = |index: usize| {
        let from = 2.4 * (Vec3::new(number(index, 0), number(index, 1), number(index, 2)) - 0.5);
        (from, sample_uniform_sphere(glam::Vec2::new(number(index, 3), number(index, 4))))
    };
    let start = Instant::now();
    let hits = (0..rays)
        .map(ray)
        .filter(|(from, direction)| bvh.closest_hit(*from, *direction, f32::INFINITY).is_some())
        .count();
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    Speed {
        triangles: sphere.len(),
        build,
        rays: rays as f64 / seconds,
        hits: hits as f64 / rays.max(1) as f64,
    }
}

fn sphere(triangles: usize) -> Vec<[Vec3; 3]> {
    let side = ((triangles / 2) as f32).sqrt().max(2.0) as usize;
    let vertex = |column: usize, row: usize| {
        let turn = column as f32 / side as f32 * std::f32::consts::TAU;
        let fall = (0.01 + 0.98 * row as f32 / side as f32) * std::f32::consts::PI;
        let radius =
            1.0 + 0.15 * (9.0 * turn).sin() * (7.0 * fall).sin() + 0.04 * (31.0 * turn + 20.0 * fall).sin();
        Vec3::new(turn.cos() * fall.sin(), turn.sin() * fall.sin(), fall.cos()) * radius
    };
    let cells = (0..side * side).map(|cell| (cell % side, cell / side));
    let halves = cells.flat_map(|(column, row)| {
        let [a, b] = [vertex(column, row), vertex(column + 1, row)];
        let [c, d] = [vertex(column + 1, row + 1), vertex(column, row + 1)];
        [[a, b, c], [a, c, d]]
    });
    halves.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_hit_the_sphere() {
        let speed = measure(2000, 1000);
        assert!(speed.hits > 0.3 && speed.hits < 0.9, "{speed:?}");
        assert!(speed.triangles > 1500);
    }
}
