//! Lines drawn over a picture: mesh edges, velocity arrows, the grid.

use std::collections::BTreeSet;

use glam::{Vec2, Vec3};
use undine_frame::{Cloud, Frame, Material};

use super::TankLiquid;
use super::tank::grid_lines;
use crate::flat::{LayerContent, PictureLayer};
use crate::preview::BAND;
use crate::preview::pinhole_camera::PinholeCamera;
use crate::preview::rasteriser::VisibilityBuffer;

/// Radiance of a white line.
const WHITE: f32 = 26.0;
/// Opacity of hidden lines.
const HIDDEN: f32 = 0.22;
/// Relative depth bias that keeps lines visible on the surface they lie on.
const NEARER: f32 = 1.003;
/// Velocity arrows along the longest side of a tank.
const ARROWS: f32 = 28.0;

/// A projected line, in pixels.
#[derive(Debug, Clone, Copy)]
struct OverlayLine {
    ends: [Vec2; 2],
    nearness: [f32; 2],
    half: f32,
    light: Vec3,
    cover: f32,
}

/// The lines of a picture, sorted into bands of rows.
#[derive(Debug, Default)]
pub struct LineOverlay {
    lines: Vec<OverlayLine>,
    bands: Vec<Vec<u32>>,
}

/// Line style of a layer.
#[derive(Debug, Clone, Copy)]
struct LineStyle {
    thickness: f32,
    ink: [f32; 3],
    cover: f32,
}

impl LineOverlay {
    /// The lines of all line layers, in a picture of so many rows.
    pub fn of_layers(
        liquid: &TankLiquid,
        layers: &[PictureLayer],
        frame: &Frame,
        eye: &PinholeCamera,
        rows: usize,
    ) -> LineOverlay {
        let mut all = LineOverlay { lines: Vec::new(), bands: vec![Vec::new(); rows.div_ceil(BAND)] };
        let tank = liquid.tank;
        for layer in layers {
            let cover = layer.opacity.clamp(0.0, 1.0);
            match &layer.show {
                // The edges of the tank, and paler the cells on its far walls.
                LayerContent::Grid(grid) => {
                    let style = LineStyle { thickness: grid.thickness, ink: grid.colour, cover };
                    let away = (eye.position - 0.5 * (tank.low + tank.high)).truncate();
                    let lines = grid_lines(tank.low, tank.high, None, away);
                    lines.iter().for_each(|&line| all.add(eye, line, style));
                    let pale = LineStyle { cover: 0.35 * cover, ..style };
                    let lines = grid_lines(tank.low, tank.high, Some(liquid.cell), away);
                    lines.iter().skip(12).for_each(|&line| all.add(eye, line, pale));
                }
                // The edges of the mesh.
                LayerContent::Outline(outline) => {
                    let style = LineStyle { thickness: outline.thickness, ink: outline.colour, cover };
                    edges(frame).into_iter().for_each(|line| all.add(eye, line, style));
                }
                // Arrows of particle velocities.
                LayerContent::Vectors(arrows) => {
                    let style = LineStyle { thickness: arrows.thickness, ink: arrows.colour, cover };
                    for cloud in &frame.clouds {
                        velocities(cloud, tank.size() / ARROWS, arrows.longest)
                            .into_iter()
                            .for_each(|line| all.arrow(eye, line, style));
                    }
                }
                _ => {}
            }
        }
        all
    }

    fn arrow(&mut self, eye: &PinholeCamera, [from, to]: [Vec3; 2], style: LineStyle) {
        self.add(eye, [from, to], style);
        let aside = (to - from).cross(eye.forward) * 0.22;
        let neck = to - (to - from) * 0.34;
        self.add(eye, [to, neck + aside], style);
        self.add(eye, [to, neck - aside], style);
    }

    fn add(&mut self, eye: &PinholeCamera, line: [Vec3; 2], style: LineStyle) {
        let Some([from, to]) = clipped_at_near_plane(line.map(|end| eye.to_view_space(end))) else { return };
        let ends = [eye.project(from), eye.project(to)];
        let half = 0.5 * style.thickness.max(0.2);
        let reach = half + 1.0;
        let last = (self.bands.len() * BAND) as f32;
        let (top, bottom) = (ends[0].y.min(ends[1].y) - reach, ends[0].y.max(ends[1].y) + reach);
        if !(bottom >= 0.0 && top < last && ends.iter().all(|end| end.abs().max_element() < 1e5)) {
            return;
        }
        let band = |y: f32| y.clamp(0.0, last - 1.0) as usize / BAND;
        for index in band(top)..=band(bottom) {
            self.bands[index].push(self.lines.len() as u32);
        }
        let nearness = [1.0 / from.z, 1.0 / to.z];
        let light = Vec3::from(style.ink) * WHITE;
        self.lines.push(OverlayLine { ends, nearness, half, light, cover: style.cover });
    }

    /// Draws the lines of a band over its pixels, faintly where they are hidden.
    pub fn draw(
        &self,
        index: usize,
        band: &VisibilityBuffer,
        samples: usize,
        width: usize,
        pixels: &mut [[f32; 3]],
    ) {
        let rows = pixels.len() / width.max(1);
        let first = index * BAND;
        for &line in self.bands.get(index).into_iter().flatten() {
            let line = &self.lines[line as usize];
            for row in 0..rows {
                for x in line.columns(row + first, width) {
                    let at = Vec2::new(x as f32 + 0.5, (row + first) as f32 + 0.5);
                    let (cover, nearness) = line.at(at);
                    let depth = band.inverse_depth(x * samples, row * samples);
                    let cover = if nearness * NEARER >= depth { cover } else { HIDDEN * cover };
                    if cover > 0.0 {
                        let pixel = &mut pixels[row * width + x];
                        *pixel = Vec3::from(*pixel).lerp(line.light, cover).to_array();
                    }
                }
            }
        }
    }
}

impl OverlayLine {
    // The columns of a row that the line may cover.
    fn columns(&self, row: usize, width: usize) -> std::ops::Range<usize> {
        let [from, to] = self.ends;
        let reach = self.half + 1.0;
        let (top, bottom) = (row as f32 - reach, row as f32 + 1.0 + reach);
        if from.y.max(to.y) < top || from.y.min(to.y) > bottom {
            return 0..0;
        }
        let rise = to.y - from.y;
        let fraction = |y: f32| if rise.abs() < 1e-3 { 0.0 } else { ((y - from.y) / rise).clamp(0.0, 1.0) };
        let (one, other) = match rise.abs() < 1e-3 {
            true => (from.x, to.x),
            false => (from.x + (to.x - from.x) * fraction(top), from.x + (to.x - from.x) * fraction(bottom)),
        };
        let start = (one.min(other) - reach).max(0.0) as usize;
        let end = (one.max(other) + reach + 1.0).max(0.0) as usize;
        start.min(width)..end.min(width)
    }

    fn at(&self, at: Vec2) -> (f32, f32) {
        let [from, to] = self.ends;
        let line = to - from;
        let fraction = ((at - from).dot(line) / line.length_squared().max(1e-12)).clamp(0.0, 1.0);
        let aside = (at - from - line * fraction).length();
        // Lines thinner than a pixel are drawn paler instead.
        let (drawn, strength) = (self.half.max(0.5), (2.0 * self.half).min(1.0));
        let cover = self.cover * strength * (drawn + 0.5 - aside).clamp(0.0, 1.0);
        (cover, self.nearness[0] + (self.nearness[1] - self.nearness[0]) * fraction)
    }
}

// Clips a line in camera coordinates (right, up, ahead) at the near plane.
fn clipped_at_near_plane([from, to]: [Vec3; 2]) -> Option<[Vec3; 2]> {
    const NEAR: f32 = 1e-3;
    if !(from.is_finite() && to.is_finite()) || (from.z < NEAR && to.z < NEAR) {
        return None;
    }
    let cut = |out: Vec3, other: Vec3| out.lerp(other, (NEAR - out.z) / (other.z - out.z));
    Some(match (from.z < NEAR, to.z < NEAR) {
        (true, _) => [cut(from, to), to],
        (_, true) => [from, cut(to, from)],
        _ => [from, to],
    })
}

// The edges of all water triangles, each once.
fn edges(frame: &Frame) -> Vec<[Vec3; 2]> {
    let waters = frame.meshes.iter().filter(|mesh| mesh.material == Material::Water);
    let mut lines = Vec::new();
    for mesh in waters.filter(|mesh| mesh.inconsistency().is_none()) {
        let mut pairs: Vec<[u32; 2]> = mesh
            .triangles()
            .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[one, other]| [one.min(other), one.max(other)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        lines.extend(pairs.iter().map(|pair| pair.map(|at| Vec3::from(mesh.positions[at as usize]))));
    }
    lines
}

// One velocity arrow per cell of so many metres, the fastest two cells long.
fn velocities(cloud: &Cloud, cell: f32, longest: Option<f32>) -> Vec<[Vec3; 2]> {
    let moving = cloud.positions.iter().zip(&cloud.velocities);
    let moving = moving.map(|(&at, &velocity)| (Vec3::from(at), Vec3::from(velocity)));
    let moving: Vec<(Vec3, Vec3)> =
        moving.filter(|(at, velocity)| at.is_finite() && velocity.is_finite()).collect();
    let fastest = moving.iter().map(|(_, velocity)| velocity.length()).fold(0.0, f32::max);
    let scale = 2.0 * cell / longest.unwrap_or(fastest).max(1e-12);
    let mut occupied = BTreeSet::new();
    let is_first = |(at, _): &&(Vec3, Vec3)| occupied.insert((*at / cell).floor().as_ivec3().to_array());
    let chosen = moving.iter().filter(is_first);
    chosen.map(|(at, velocity)| [*at, *at + (*velocity * scale).clamp_length_max(4.0 * cell)]).collect()
}
