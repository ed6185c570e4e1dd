//! Rasteriser: fills a visibility buffer with the nearest primitive of every sample.
//!
//! Vertices are snapped to 1/256 of a sample and edge functions evaluated in integers with the top-left rule, so that
//! adjacent triangles neither overlap nor leave gaps. The picture is divided into bands of rows; primitives are binned into
//! the bands they touch, and every band is rasterised on its own, in the order of the primitives. The depth test compares
//! 1/z, which is linear in screen space.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::clip::{self, GUARD_BAND};
use super::pinhole_camera::PinholeCamera;
use super::scene_geometry::{SceneGeometry, Spheres, WorldMesh};
use super::streaks::is_streak;

/// Index of samples that no primitive covers.
pub const NO_PRIMITIVE: u32 = u32::MAX;

/// Subsample resolution of snapped vertices.
const SUBSAMPLES: i32 = 256;
/// Greatest snapped coordinate, so that edge functions fit their integers.
const MAX_COORDINATE: i32 = 1 << 28;
/// Primitives per binning task.
const BATCH: usize = 16_384;

/// A projected vertex: snapped screen coordinates and 1/z; 1/z = 0 marks a vertex that needs clipping.
#[derive(Debug, Clone, Copy, Default)]
struct ScreenVertex {
    x: i32,
    y: i32,
    inverse_depth: f32,
}

/// Visibility buffer of a band of rows: primitive index and 1/z of every sample.
#[derive(Debug)]
pub struct VisibilityBuffer {
    first_row: i32,
    rows: i32,
    width: i32,
    inverse_depth: Vec<f32>,
    primitives: Vec<u32>,
}

impl VisibilityBuffer {
    /// Primitive of the sample at `column` in row `row` of the band.
    pub fn primitive(&self, column: usize, row: usize) -> u32 {
        self.primitives[row * self.width as usize + column]
    }

    /// 1/z of the sample; 0 where there is no primitive.
    pub fn inverse_depth(&self, column: usize, row: usize) -> f32 {
        self.inverse_depth[row * self.width as usize + column]
    }
}

/// Primitives of one surface or cloud, binned by band.
struct PrimitiveBatch {
    source: PrimitiveSource,
    bands: Vec<Vec<u32>>,
}

#[derive(Clone, Copy)]
enum PrimitiveSource {
    WorldMesh(usize),
    Spheres(usize),
}

/// Scene geometry, projected and binned into bands.
pub struct Rasteriser<'a> {
    eye: &'a PinholeCamera,
    geometry: &'a SceneGeometry<'a>,
    samples: i32,
    size: [i32; 2],
    band_rows: i32,
    near: f32,
    planes: [(Vec3, f32); 5],
    vertices: Vec<Vec<ScreenVertex>>,
    batches: Vec<PrimitiveBatch>,
}

impl<'a> Rasteriser<'a> {
    /// Projects and bins the geometry for a picture of `size` pixels with `samples` × `samples` samples each, in bands of
    /// `band_rows` pixel rows. Surfaces for which `drawn` is false are left out.
    pub fn new(
        eye: &'a PinholeCamera,
        geometry: &'a SceneGeometry<'a>,
        size: [usize; 2],
        samples: usize,
        band_rows: usize,
        drawn: impl Fn(&WorldMesh<'_>) -> bool,
    ) -> Self {
        let samples = samples.max(1) as i32;
        let near = 1e-3;
        let mut raster = Rasteriser {
            eye,
            geometry,
            samples,
            size: size.map(|pixels| pixels as i32 * samples),
            band_rows: band_rows as i32 * samples,
            near,
            planes: clip::planes(eye, near),
            vertices: Vec::new(),
            batches: Vec::new(),
        };
        // Vertex stage: project all vertices
        raster.vertices = geometry.surfaces.iter().map(|surface| raster.project(surface)).collect();
        // Bin batches of primitives into bands
        let surfaces = geometry.surfaces.iter().enumerate().filter(|(_, surface)| drawn(surface));
        let surfaces = surfaces
            .map(|(index, surface)| (PrimitiveSource::WorldMesh(index), surface.mesh.triangle_count()));
        let spheres = geometry.spheres.iter().enumerate();
        let spheres =
            spheres.map(|(index, cloud)| (PrimitiveSource::Spheres(index), cloud.points.positions.len()));
        let tasks: Vec<(PrimitiveSource, std::ops::Range<usize>)> = surfaces
            .chain(spheres)
            .flat_map(|(source, count)| {
                (0..count).step_by(BATCH).map(move |first| (source, first..count.min(first + BATCH)))
            })
            .collect();
        raster.batches = tasks.into_par_iter().map(|(source, range)| raster.bin(source, range)).collect();
        raster
    }

    fn bands(&self) -> usize {
        (self.size[1].max(1) as usize).div_ceil(self.band_rows.max(1) as usize)
    }

    fn project(&self, surface: &WorldMesh<'_>) -> Vec<ScreenVertex> {
        surface
            .mesh
            .positions
            .par_iter()
            .map(|&position| self.project_vertex(self.eye.to_view_space(position.into())))
            .collect()
    }

    fn project_vertex(&self, view_point: Vec3) -> ScreenVertex {
        let guard_band = self.eye.half_extent() * (view_point.z * GUARD_BAND);
        let safe = view_point.z > self.near
            && view_point.x.abs() <= guard_band.x
            && view_point.y.abs() <= guard_band.y;
        if safe { self.snap_to_grid(view_point) } else { ScreenVertex::default() }
    }

    fn snap_to_grid(&self, view_point: Vec3) -> ScreenVertex {
        let at = self.eye.project(view_point) * (self.samples * SUBSAMPLES) as f32;
        let snap = |steps: f32| (steps as i32).clamp(-MAX_COORDINATE, MAX_COORDINATE);
        ScreenVertex { x: snap(at.x), y: snap(at.y), inverse_depth: 1.0 / view_point.z }
    }

    fn bin(&self, source: PrimitiveSource, range: std::ops::Range<usize>) -> PrimitiveBatch {
        let mut bands = vec![Vec::new(); self.bands()];
        for index in range {
            if let Some((low, high)) = self.rows_of(source, index) {
                for band in low / self.band_rows..=high / self.band_rows {
                    bands[band as usize].push(index as u32);
                }
            }
        }
        PrimitiveBatch { source, bands }
    }

    // First and last row of samples that a primitive may cover; `None` when it covers none.
    fn rows_of(&self, source: PrimitiveSource, index: usize) -> Option<(i32, i32)> {
        let mut low = [MAX_COORDINATE; 2];
        let mut high = [-MAX_COORDINATE; 2];
        let mut include = |x: i32, y: i32| {
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x), high[1].max(y)];
        };
        match source {
            PrimitiveSource::WorldMesh(surface) => {
                self.each_clipped_triangle(surface, index, |triangle| {
                    triangle.iter().for_each(|corner| include(corner.x, corner.y))
                });
            }
            PrimitiveSource::Spheres(cloud) => {
                let disc = self.disc(&self.geometry.spheres[cloud], index)?;
                let steps = SUBSAMPLES as f32;
                include(
                    ((disc.at.x - disc.radius) * steps) as i32,
                    ((disc.at.y - disc.radius) * steps) as i32,
                );
                include(
                    ((disc.at.x + disc.radius) * steps) as i32,
                    ((disc.at.y + disc.radius) * steps) as i32,
                );
            }
        }
        // Cull primitives whose bounds contain no sample centre
        let first = low.map(first_centre);
        let last = high.map(last_centre);
        let seen =
            (0..2).all(|axis| first[axis] <= last[axis] && last[axis] >= 0 && first[axis] < self.size[axis]);
        seen.then(|| (first[1].max(0), last[1].min(self.size[1] - 1)))
    }

    // Calls `take` with the projected triangle, or with the triangles left after clipping.
    fn each_clipped_triangle(
        &self,
        surface: usize,
        triangle: usize,
        mut take: impl FnMut([ScreenVertex; 3]),
    ) {
        let vertices = self.geometry.surfaces[surface].mesh.triangle(triangle);
        let corners = vertices.map(|vertex| self.vertices[surface][vertex as usize]);
        if corners.iter().all(|corner| corner.inverse_depth > 0.0) {
            return take(corners);
        }
        let view_points =
            self.geometry.surfaces[surface].corners(triangle).map(|corner| self.eye.to_view_space(corner));
        let polygon = clip::clip(view_points, &self.planes);
        for edge in polygon.windows(2).skip(1) {
            take([polygon[0], edge[0], edge[1]].map(|corner| self.snap_to_grid(corner)));
        }
    }

    fn disc(&self, cloud: &Spheres<'_>, index: usize) -> Option<ScreenDisc> {
        if cloud.may_streak && is_streak(self.eye, cloud.points, index) {
            return None;
        }
        let view_point = self.eye.to_view_space(cloud.points.positions[index].into());
        let radius = cloud.points.radius;
        let ahead = view_point.z - radius;
        let scale = self.samples as f32;
        (ahead > self.near && view_point.is_finite() && radius > 0.0).then(|| ScreenDisc {
            at: self.eye.project(view_point) * scale,
            radius: (self.eye.focal_length() * scale * radius / view_point.z).min(1e5),
            depth: view_point.z,
            sphere_radius: radius,
        })
    }

    /// Rasterises one band.
    pub fn rasterise_band(&self, index: usize) -> VisibilityBuffer {
        let first_row = index as i32 * self.band_rows;
        let rows = self.band_rows.min(self.size[1] - first_row).max(0);
        let samples = (rows * self.size[0]) as usize;
        let mut band = VisibilityBuffer {
            first_row,
            rows,
            width: self.size[0],
            inverse_depth: vec![0.0; samples],
            primitives: vec![NO_PRIMITIVE; samples],
        };
        for batch in &self.batches {
            for &primitive in &batch.bands[index] {
                self.draw(&mut band, batch.source, primitive);
            }
        }
        band
    }

    fn draw(&self, band: &mut VisibilityBuffer, source: PrimitiveSource, index: u32) {
        match source {
            PrimitiveSource::WorldMesh(surface) => {
                let id = self.geometry.surfaces[surface].first + index;
                self.each_clipped_triangle(surface, index as usize, |triangle| band.triangle(triangle, id));
            }
            PrimitiveSource::Spheres(cloud) => {
                let cloud = &self.geometry.spheres[cloud];
                if let Some(disc) = self.disc(cloud, index as usize) {
                    band.disc(disc, cloud.first + index);
                }
            }
        }
    }
}

/// A projected sphere: centre and radius in samples, view depth, and radius in the world.
#[derive(Clone, Copy)]
struct ScreenDisc {
    at: Vec2,
    radius: f32,
    depth: f32,
    sphere_radius: f32,
}

impl VisibilityBuffer {
    fn triangle(&mut self, [a, mut b, mut c]: [ScreenVertex; 3], id: u32) {
        // Orient the triangle; skip degenerate ones
        let area = edge_function(a, b, c.x, c.y);
        if area == 0 {
            return;
        }
        if area < 0 {
            std::mem::swap(&mut b, &mut c);
        }
        // Bounding box in samples
        let low = first_centre(a.x.min(b.x).min(c.x)).max(0);
        let high = last_centre(a.x.max(b.x).max(c.x)).min(self.width - 1);
        let top = first_centre(a.y.min(b.y).min(c.y)).max(self.first_row);
        let bottom = last_centre(a.y.max(b.y).max(c.y)).min(self.first_row + self.rows - 1);
        if low > high {
            return;
        }
        // Edge functions, their increments per column, and the bias of the top-left rule
        let scale = 1.0 / area.unsigned_abs() as f32;
        let weights = [a.inverse_depth * scale, b.inverse_depth * scale, c.inverse_depth * scale];
        let sides = [(b, c), (c, a), (a, b)];
        let column_steps = sides.map(|(from, to)| i64::from(from.y - to.y) * i64::from(SUBSAMPLES));
        let biases = sides.map(|(from, to)| i64::from(is_top_left(from, to)) - 1);
        for row in top..=bottom {
            let y = row * SUBSAMPLES + SUBSAMPLES / 2;
            let mut edge_values: [i64; 3] = std::array::from_fn(|side| {
                edge_function(sides[side].0, sides[side].1, low * SUBSAMPLES + SUBSAMPLES / 2, y)
            });
            let first = ((row - self.first_row) * self.width) as usize;
            // Depth-test the samples inside all three edges
            for column in low..=high {
                let inside = (0..3).all(|side| edge_values[side] + biases[side] >= 0);
                if inside {
                    let inverse_depth: f32 =
                        (0..3).map(|side| edge_values[side] as f32 * weights[side]).sum();
                    self.depth_test(first + column as usize, inverse_depth, id);
                }
                for side in 0..3 {
                    edge_values[side] += column_steps[side];
                }
            }
        }
    }

    fn disc(&mut self, disc: ScreenDisc, id: u32) {
        let low = ((disc.at.x - disc.radius).floor() as i32).max(0);
        let high = ((disc.at.x + disc.radius).ceil() as i32).min(self.width - 1);
        let top = ((disc.at.y - disc.radius).floor() as i32).max(self.first_row);
        let bottom = ((disc.at.y + disc.radius).ceil() as i32).min(self.first_row + self.rows - 1);
        for row in top..=bottom {
            for column in low..=high {
                let offset = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) - disc.at;
                let squared = offset.length_squared() / (disc.radius * disc.radius);
                if squared <= 1.0 {
                    let depth = disc.depth - disc.sphere_radius * (1.0 - squared).sqrt();
                    self.depth_test(((row - self.first_row) * self.width + column) as usize, 1.0 / depth, id);
                }
            }
        }
    }

    fn depth_test(&mut self, sample: usize, inverse_depth: f32, id: u32) {
        if inverse_depth > self.inverse_depth[sample] {
            self.inverse_depth[sample] = inverse_depth;
            self.primitives[sample] = id;
        }
    }
}

// Edge function: twice the signed area of the triangle (from, to, point), positive on the inner side.
fn edge_function(from: ScreenVertex, to: ScreenVertex, x: i32, y: i32) -> i64 {
    i64::from(to.x - from.x) * i64::from(y - from.y) - i64::from(to.y - from.y) * i64::from(x - from.x)
}

// Top-left rule: a sample on a shared edge belongs to the triangle for which it is a top or left edge.
fn is_top_left(from: ScreenVertex, to: ScreenVertex) -> bool {
    to.y < from.y || (to.y == from.y && to.x > from.x)
}

// The first sample whose centre is at or after a snapped coordinate.
fn first_centre(steps: i32) -> i32 {
    (steps - SUBSAMPLES / 2 + SUBSAMPLES - 1).div_euclid(SUBSAMPLES)
}

// The last sample whose centre is at or before a snapped coordinate.
fn last_centre(steps: i32) -> i32 {
    (steps - SUBSAMPLES / 2).div_euclid(SUBSAMPLES)
}
