//! Scene geometry: the meshes, bodies and particles of a frame as numbered primitives in world coordinates.

use std::borrow::Cow;

use glam::{Quat, Vec2, Vec3};
use undine_frame::{Body, Cloud, Frame, Material, Mesh, Triangles};

use super::periodic_sheet::PeriodicSheet;
use super::slope_map::SlopeMap;
use crate::DrawError;

/// A mesh in world coordinates.
#[derive(Debug)]
pub struct WorldMesh<'a> {
    /// The mesh, in world coordinates.
    pub mesh: Cow<'a, Mesh>,
    /// What kind of primitives its triangles are.
    pub kind: PrimitiveKind,
    /// Index of its first triangle among all primitives.
    pub first: u32,
}

/// A cloud of spheres.
#[derive(Debug)]
pub struct Spheres<'a> {
    /// The particles.
    pub points: &'a Cloud,
    /// Index of its first sphere among all primitives.
    pub first: u32,
    /// Whether fast ones are drawn as motion-blurred streaks instead.
    pub may_streak: bool,
}

/// All primitives of a picture, numbered consecutively: the triangles of all surfaces, then all spheres.
#[derive(Debug)]
pub struct SceneGeometry<'a> {
    /// All surfaces.
    pub surfaces: Vec<WorldMesh<'a>>,
    /// All clouds of spheres.
    pub spheres: Vec<Spheres<'a>>,
    /// Slopes of the periodic continuation of the water to the horizon, and the corners of the part that is geometry.
    pub sea: Option<(SlopeMap, [Vec2; 2])>,
}

/// What a primitive belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrimitiveKind {
    /// A mesh of the frame.
    Mesh,
    /// The skirt: periodic copies of the water around its sheet.
    Skirt,
    /// The side of a block of land.
    Cut,
    /// The tank around a liquid.
    Tank,
    /// A particle.
    Particle,
}

/// Intersection of a camera ray with a primitive.
#[derive(Debug, Clone, Copy)]
pub struct PrimaryHit {
    /// The point.
    pub point: Vec3,
    /// Distance from the eye.
    pub distance: f32,
    /// Unit shading normal: interpolated for surfaces, on the outer side of the mesh.
    pub normal: Vec3,
    /// Unit geometric normal of the triangle.
    pub face: Vec3,
    /// Whether the ray comes from the outside.
    pub outside: bool,
    /// Material of the primitive.
    pub material: Material,
    /// What the primitive belongs to.
    pub kind: PrimitiveKind,
    /// Interpolated vertex colour of a body, if it has colours.
    pub colour: Option<Vec3>,
}

impl<'a> SceneGeometry<'a> {
    /// Collects a frame of checked meshes and the meshes `around` it; refuses inconsistent bodies. Meshes `in_view` take the
    /// places of those of the same name. With `carries_on`, the largest sheet of water is continued periodically beyond
    /// its edges.
    pub fn new(
        frame: &'a Frame,
        mut in_view: Vec<Mesh>,
        carries_on: bool,
        around: Vec<(Mesh, PrimitiveKind)>,
    ) -> Result<Self, DrawError> {
        let mut geometry = SceneGeometry { surfaces: Vec::new(), spheres: Vec::new(), sea: None };
        let mut next = 0;
        let widest = widest_sheet(&frame.meshes).filter(|_| carries_on);
        for (index, mesh) in frame.meshes.iter().enumerate() {
            if let Some(place) = in_view.iter().position(|other| other.name == mesh.name) {
                geometry.add(Cow::Owned(in_view.swap_remove(place)), PrimitiveKind::Mesh, &mut next)?;
                continue;
            }
            let water = (Some(index) == widest).then(|| SheetExtent::of(std::iter::once(mesh)));
            match water.and_then(|extent| PeriodicSheet::new(mesh, extent.sheet, extent.mean)) {
                Some(periodic) => geometry.add_periodic_sheet(periodic, &mut next)?,
                None => geometry.add(Cow::Borrowed(mesh), PrimitiveKind::Mesh, &mut next)?,
            }
        }
        for (mesh, kind) in around {
            geometry.add(Cow::Owned(mesh), kind, &mut next)?;
        }
        for body in &frame.bodies {
            check(&body.mesh)?;
            geometry.add(Cow::Owned(world_mesh(body)), PrimitiveKind::Mesh, &mut next)?;
        }
        for points in &frame.clouds {
            let first = advance(&mut next, points.positions.len())?;
            geometry.spheres.push(Spheres { points, first, may_streak: true });
        }
        Ok(geometry)
    }

    fn add(&mut self, mesh: Cow<'a, Mesh>, kind: PrimitiveKind, next: &mut u32) -> Result<(), DrawError> {
        let first = advance(next, mesh.triangle_count())?;
        self.surfaces.push(WorldMesh { mesh, kind, first });
        Ok(())
    }

    fn add_periodic_sheet(&mut self, periodic: PeriodicSheet, next: &mut u32) -> Result<(), DrawError> {
        self.add(Cow::Owned(periodic.sheet), PrimitiveKind::Mesh, next)?;
        self.add(Cow::Owned(periodic.skirt), PrimitiveKind::Skirt, next)?;
        self.sea = Some((periodic.slopes, periodic.corners));
        Ok(())
    }

    /// Keeps only some surfaces and clouds and renumbers the primitives; particles are then all drawn as spheres.
    pub fn keep(
        &mut self,
        is_kept: impl Fn(&WorldMesh<'a>) -> bool,
        is_kept_cloud: impl Fn(&Spheres<'a>) -> bool,
    ) {
        self.surfaces.retain(is_kept);
        self.spheres.retain(is_kept_cloud);
        let mut next = 0;
        for surface in &mut self.surfaces {
            surface.first = next;
            next += surface.mesh.triangle_count() as u32;
        }
        for cloud in &mut self.spheres {
            cloud.first = next;
            cloud.may_streak = false;
            next += cloud.points.positions.len() as u32;
        }
    }

    /// Intersection of a camera ray with a primitive that covers its sample.
    pub fn hit(&self, primitive: u32, eye: Vec3, direction: Vec3) -> Option<PrimaryHit> {
        if let Some(cloud) = self.spheres.iter().rev().find(|cloud| cloud.first <= primitive) {
            let centre = *cloud.points.positions.get((primitive - cloud.first) as usize)?;
            return Some(sphere_hit(centre.into(), cloud.points.radius, eye, direction));
        }
        let surface = self.surfaces.iter().rev().find(|surface| surface.first <= primitive)?;
        surface.hit((primitive - surface.first) as usize, eye, direction)
    }

    /// Whether all these primitives are triangles of one surface.
    pub fn is_one_surface(&self, primitives: &[u32]) -> bool {
        let Some(&first) = primitives.first() else { return false };
        let Some(surface) = self.surfaces.iter().rev().find(|surface| surface.first <= first) else {
            return false;
        };
        let end = surface.first + surface.mesh.triangle_count() as u32;
        primitives.iter().all(|&primitive| primitive >= surface.first && primitive < end)
    }

    /// Whether there is any geometry but water; ground counts only if `with_ground`.
    pub fn has_solids(&self, with_ground: bool) -> bool {
        self.surfaces.iter().any(|surface| match surface.mesh.material {
            Material::Water => false,
            Material::Ground => with_ground,
            Material::Solid | Material::Glass => true,
        })
    }
}

impl WorldMesh<'_> {
    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.mesh.triangle(triangle).map(|vertex| Vec3::from(self.mesh.positions[vertex as usize]))
    }

    // Möller–Trumbore intersection with the triangle's plane; barycentric coordinates are clamped, since rays of samples on
    // an edge may miss the triangle by rounding.
    fn hit(&self, triangle: usize, eye: Vec3, direction: Vec3) -> Option<PrimaryHit> {
        let vertices = self.mesh.triangle(triangle);
        let [a, b, c] = vertices.map(|vertex| Vec3::from(self.mesh.positions[vertex as usize]));
        let (edge_1, edge_2) = (b - a, c - a);
        let p_vector = direction.cross(edge_2);
        let determinant = edge_1.dot(p_vector);
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let from = eye - a;
        let v = (from.dot(p_vector) / determinant).clamp(0.0, 1.0);
        let q_vector = from.cross(edge_1);
        let w = (direction.dot(q_vector) / determinant).clamp(0.0, 1.0);
        let distance = edge_2.dot(q_vector) / determinant;
        // Interpolate the vertex normals
        let face = edge_1.cross(edge_2).normalize_or(Vec3::Z);
        let normal = match self.mesh.normals.is_empty() {
            true => face,
            false => {
                let [na, nb, nc] = vertices.map(|vertex| Vec3::from(self.mesh.normals[vertex as usize]));
                (na * (1.0 - v - w) + nb * v + nc * w).normalize_or(face)
            }
        };
        (distance.is_finite() && normal.is_finite()).then(|| PrimaryHit {
            point: eye + direction * distance,
            distance,
            normal,
            face,
            outside: face.dot(direction) <= 0.0,
            material: self.mesh.material,
            kind: self.kind,
            colour: self.colour_of(vertices, [1.0 - v - w, v, w]),
        })
    }

    // Interpolated vertex colour of a body.
    fn colour_of(&self, vertices: [u32; 3], fractions: [f32; 3]) -> Option<Vec3> {
        if !self.mesh.material.is_body() {
            return None;
        }
        let colours = self.mesh.colours()?;
        Some(
            vertices
                .iter()
                .zip(fractions)
                .map(|(&vertex, fraction)| Vec3::from(colours[vertex as usize]) * fraction)
                .sum(),
        )
    }
}

/// Nearest intersection of a ray with a sphere, or its silhouette for a ray that just misses.
pub fn sphere_hit(centre: Vec3, radius: f32, eye: Vec3, direction: Vec3) -> PrimaryHit {
    let middle = (centre - eye).dot(direction);
    let aside = (eye + direction * middle - centre).length_squared();
    let distance = middle - (radius * radius - aside).max(0.0).sqrt();
    let point = eye + direction * distance;
    let normal = (point - centre).normalize_or(Vec3::Z);
    PrimaryHit {
        point,
        distance,
        normal,
        face: normal,
        outside: true,
        material: Material::Water,
        kind: PrimitiveKind::Particle,
        colour: None,
    }
}

fn advance(next: &mut u32, count: usize) -> Result<u32, DrawError> {
    let first = *next;
    *next = u32::try_from(count).ok().and_then(|count| first.checked_add(count)).ok_or(DrawError::TooMuch)?;
    // The last index is reserved for "no primitive"
    if *next == u32::MAX { Err(DrawError::TooMuch) } else { Ok(first) }
}

/// Refuses an inconsistent mesh.
pub fn check(mesh: &Mesh) -> Result<(), DrawError> {
    mesh.inconsistency().map_or(Ok(()), |fault| Err(DrawError::Mesh { name: mesh.name.clone(), fault }))
}

// Index of the water lattice with the most vertices.
fn widest_sheet(meshes: &[Mesh]) -> Option<usize> {
    let is_sheet =
        |mesh: &Mesh| mesh.material == Material::Water && matches!(mesh.triangles, Triangles::Lattice { .. });
    let sheets = meshes.iter().enumerate().filter(|(_, mesh)| is_sheet(mesh));
    sheets.max_by_key(|(_, mesh)| mesh.positions.len()).map(|(index, _)| index)
}

/// The mesh of a body in world coordinates.
pub fn world_mesh(body: &Body) -> Mesh {
    let [x, y, z, w] = body.rotation;
    let turn = Quat::from_xyzw(x, y, z, w);
    let turn = if turn.is_finite() && turn.length() > 0.0 { turn.normalize() } else { Quat::IDENTITY };
    let shift = Vec3::from(body.position);
    let mut mesh = (*body.mesh).clone();
    for position in &mut mesh.positions {
        *position = (turn * Vec3::from(*position) + shift).to_array();
    }
    for normal in &mut mesh.normals {
        *normal = (turn * Vec3::from(*normal)).to_array();
    }
    mesh
}

/// Horizontal bounds and heights of a frame's water.
#[derive(Debug, Clone, Copy)]
pub struct SheetExtent {
    /// Corners in the horizontal plane.
    pub sheet: [Vec2; 2],
    /// Mean height of the vertices.
    pub mean: f32,
    /// Greatest height.
    pub highest: f32,
}

impl SheetExtent {
    /// The extent of some meshes; all zero when they have no finite vertex.
    pub fn of<'m>(meshes: impl Iterator<Item = &'m Mesh>) -> Self {
        let mut sheet = [Vec2::splat(f32::INFINITY), Vec2::splat(f32::NEG_INFINITY)];
        let (mut sum, mut count, mut highest) = (0.0, 0_u64, f32::NEG_INFINITY);
        for point in meshes.flat_map(|mesh| &mesh.positions).map(|&point| Vec3::from(point)) {
            if point.is_finite() {
                let at = Vec2::new(point.x, point.y);
                sheet = [sheet[0].min(at), sheet[1].max(at)];
                sum += f64::from(point.z);
                count += 1;
                highest = highest.max(point.z);
            }
        }
        if count == 0 {
            return SheetExtent { sheet: [Vec2::ZERO; 2], mean: 0.0, highest: 0.0 };
        }
        SheetExtent { sheet, mean: (sum / count as f64) as f32, highest }
    }
}
