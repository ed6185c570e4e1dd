//! Meshes of the extrapolated terrain and water beyond the border.

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use undine_frame::{Material, Mesh, Triangles};

use super::Land;

/// Rings of cells around the terrain, and growth of their width from one to the next.
const RINGS: usize = 26;
const GROWTH: f32 = 1.42;

/// Meshes around a terrain.
pub struct SurroundingTerrain {
    /// The ground.
    pub ground: Mesh,
    /// The water, if the terrain has any.
    pub water: Option<Mesh>,
}

impl SurroundingTerrain {
    /// The meshes around a terrain; `None` when it is not extrapolated.
    pub fn new(land: &Land) -> Option<SurroundingTerrain> {
        let extrapolation = land.extrapolation.as_ref()?;
        let around = |name: &str, material: Material, height: &(dyn Fn(Vec2) -> f32 + Sync)| {
            let mut mesh = empty(name, material);
            let vertex = |at: Vec2| {
                let step = 0.5 * land.step() + 0.1 * extrapolation.distance_outside(at);
                (at.extend(height(at)), normal(at, step, height))
            };
            each_strip(land, |xs, ys| strip(&mut mesh, xs, ys, vertex));
            mesh
        };
        let ground = around("land around", Material::Ground, &|at| land.height(at));
        let water = land
            .water
            .as_ref()
            .map(|_| around("water around", Material::Water, &|at| land.surface_outside(extrapolation, at)));
        Some(SurroundingTerrain { ground, water })
    }
}

// Unit normal of a height function by central differences over `step` metres.
fn normal(at: Vec2, step: f32, height: &(dyn Fn(Vec2) -> f32 + Sync)) -> Vec3 {
    let rise = |towards: Vec2| height(at + towards * step) - height(at - towards * step);
    Vec3::new(-rise(Vec2::X), -rise(Vec2::Y), 2.0 * step).normalize_or(Vec3::Z)
}

fn empty(name: &str, material: Material) -> Mesh {
    Mesh {
        name: name.to_owned(),
        material,
        triangles: Triangles::List(Vec::new()),
        ..Mesh::flat_sheet("", [0.0; 2], [0; 2])
    }
}

// Calls `take` with the lattice lines of four strips: south and north with the corners, then west and east.
fn each_strip(land: &Land, mut take: impl FnMut(&[f32], &[f32])) {
    let lines = |axis: usize| -> Vec<f32> {
        (0..land.lattice.size()[axis]).map(|line| land.lattice.line(axis, line)).collect()
    };
    let [along_south, along_north, along_west, along_east] = match land.detail() {
        Some(detail) => detail.border().clone(),
        None => [lines(0), lines(0), lines(1), lines(1)],
    };
    let rings = |from: f32, sign: f32| {
        let mut reach = 0.0;
        let mut step = land.step();
        let mut rings = vec![from];
        for _ in 0..RINGS {
            reach += step;
            step *= GROWTH;
            rings.push(from + sign * reach);
        }
        rings
    };
    let [low, high] = land.lattice.corners();
    let before = |from: f32| rings(from, -1.0).into_iter().rev().collect::<Vec<_>>();
    let (west, east) = (before(low.x), rings(high.x, 1.0));
    let (south, north) = (before(low.y), rings(high.y, 1.0));
    let wide = |along: &[f32]| -> Vec<f32> {
        let inner = along.get(1..along.len().saturating_sub(1)).unwrap_or_default();
        west.iter().chain(inner).chain(&east).copied().collect()
    };
    take(&wide(&along_south), &south);
    take(&wide(&along_north), &north);
    take(&west, &along_west);
    take(&east, &along_east);
}

fn strip(mesh: &mut Mesh, xs: &[f32], ys: &[f32], vertex: impl Fn(Vec2) -> (Vec3, Vec3) + Sync) {
    let first = mesh.positions.len() as u32;
    let indices = (0..xs.len() * ys.len()).into_par_iter();
    let vertices: Vec<(Vec3, Vec3)> =
        indices.map(|index| vertex(Vec2::new(xs[index % xs.len()], ys[index / xs.len()]))).collect();
    mesh.positions.extend(vertices.iter().map(|(position, _)| position.to_array()));
    mesh.normals.extend(vertices.iter().map(|(_, normal)| normal.to_array()));
    let columns = xs.len() as u32;
    let Triangles::List(triangles) = &mut mesh.triangles else { return };
    for row in 0..ys.len().saturating_sub(1) as u32 {
        for column in 0..columns - 1 {
            let southwest = first + row * columns + column;
            let northwest = southwest + columns;
            triangles.push([southwest, southwest + 1, northwest + 1]);
            triangles.push([southwest, northwest + 1, northwest]);
        }
    }
}
