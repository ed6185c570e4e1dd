//! Everything that sunlight meets: the water surface, bodies, and the floor.

use glam::{DVec2, DVec3, Vec2, Vec3};
use undine_frame::{Frame, Material, Mesh, Triangles};

use super::body_lightmap::BodyLightmap;
use super::floor::Floor;
use crate::preview::bvh::Bvh;
use crate::preview::lattice::VertexLattice;

/// Distance below which a closed surface is in contact with the floor or a body, relative to the scene's width.
const CONTACT: f64 = 4e-3;

/// The surface of one water.
#[derive(Debug)]
pub struct WaterSurface {
    /// Its vertices.
    pub positions: Vec<DVec3>,
    /// Unit normals of the vertices.
    pub normals: Vec<DVec3>,
    /// Its triangles, each counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Whether it is closed, so that light may leave it again.
    pub is_closed: bool,
}

/// The scene of caustics.
#[derive(Debug)]
pub struct CausticsScene {
    /// Direction towards the sun.
    pub sun: DVec3,
    /// Absorption coefficient of the water per colour, per metre.
    pub absorption: DVec3,
    /// The floor.
    pub floor: Floor,
    /// The waters.
    pub surfaces: Vec<WaterSurface>,
    /// Solid bodies.
    pub bodies: Option<BodyLightmap>,
    /// The triangles of all closed surfaces, numbered consecutively.
    pub closed: Option<Bvh>,
    /// The surface and triangle of every number in `closed`.
    pub owners: Vec<(u32, u32)>,
    /// Distance below which a closed surface is in contact with what is below it.
    pub contact: f64,
    /// Offset of ray origins from surfaces.
    pub ray_offset: f64,
}

impl CausticsScene {
    /// The scene of some meshes over a floor. Texels on bodies are about as wide as `texel`.
    pub fn new(meshes: &[&Mesh], floor: Floor, sun: Vec3, absorption: Vec3, texel: f64) -> Self {
        let sound = || meshes.iter().copied().filter(|mesh| mesh.inconsistency().is_none());
        let waters = sound().filter(|mesh| mesh.material == Material::Water);
        let surfaces: Vec<WaterSurface> = waters.map(WaterSurface::new).collect();
        let mut owners = Vec::new();
        let mut triangles = Vec::new();
        for (number, surface) in surfaces.iter().enumerate().filter(|(_, surface)| surface.is_closed) {
            for (index, triangle) in surface.triangles.iter().enumerate() {
                triangles.push((owners.len() as u32, surface.corners(*triangle).map(|at| at.as_vec3())));
                owners.push((number as u32, index as u32));
            }
        }
        let [low, high] = floor.corners();
        let width = (high - low).max_element();
        CausticsScene {
            sun: sun.as_dvec3().normalize_or(DVec3::Z),
            absorption: absorption.as_dvec3().max(DVec3::ZERO),
            bodies: BodyLightmap::new(sound().filter(|mesh| mesh.material.is_body()), texel),
            closed: (!triangles.is_empty()).then(|| Bvh::new(triangles.into_iter())),
            owners,
            contact: CONTACT * width,
            ray_offset: 1e-6 * width,
            floor,
            surfaces,
        }
    }

    /// Whether rays can meet nothing but the floor.
    pub fn is_open(&self) -> bool {
        self.bodies.is_none() && self.closed.is_none()
    }

    /// Transmittance of a length of water (Beer's law).
    pub fn transmittance(&self, length: f64) -> DVec3 {
        (-self.absorption * length.max(0.0)).map(f64::exp)
    }
}

impl WaterSurface {
    fn new(mesh: &Mesh) -> Self {
        let positions: Vec<DVec3> = mesh.positions.iter().map(|&at| Vec3::from(at).as_dvec3()).collect();
        let is_sound =
            |triangle: &[u32; 3]| triangle.iter().all(|&vertex| positions[vertex as usize].is_finite());
        let triangles: Vec<[u32; 3]> = mesh.triangles().filter(is_sound).collect();
        let area = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
            0.5 * (b - a).cross(c - a)
        };
        // The area vectors of a closed surface add up to zero.
        let (sum, total) = triangles
            .iter()
            .map(area)
            .fold((DVec3::ZERO, 0.0), |(sum, total), area| (sum + area, total + area.length()));
        let normals = match mesh.normals.is_empty() {
            false => {
                mesh.normals.iter().map(|&at| Vec3::from(at).as_dvec3().normalize_or(DVec3::Z)).collect()
            }
            true => {
                let mut normals = vec![DVec3::ZERO; positions.len()];
                for triangle in &triangles {
                    let area = area(triangle);
                    triangle.iter().for_each(|&vertex| normals[vertex as usize] += area);
                }
                normals.into_iter().map(|normal| normal.normalize_or(DVec3::Z)).collect()
            }
        };
        WaterSurface { is_closed: sum.length() < 1e-3 * total, positions, normals, triangles }
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|vertex| self.positions[vertex as usize])
    }

    /// The normals at the corners of a triangle.
    pub fn normals_of(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|vertex| self.normals[vertex as usize])
    }
}

/// The floor of a frame's ground: its finest height field, sampled in `cells` along the longer side. `None` when the
/// frame has no ground on a lattice.
pub fn ground(frame: &Frame, cells: usize) -> Option<Floor> {
    let grounds = frame.meshes.iter().filter(|mesh| mesh.material == Material::Ground);
    let widest = grounds.max_by_key(|mesh| mesh.positions.len())?;
    let lattice = VertexLattice::of(widest)?;
    let heights: Vec<f32> = widest.positions.iter().map(|at| at[2]).collect();
    let [low, high] = lattice.corners();
    let extent = high - low;
    let edge = extent.max_element() / cells.max(1) as f32;
    let count = [extent.x, extent.y].map(|side| ((side / edge.max(1e-9)).round() as usize).max(1));
    Some(Floor::sampled([low.as_dvec2(), high.as_dvec2()], count, |at| {
        f64::from(lattice.weights(at.as_vec2()).interpolate(&heights))
    }))
}

/// Still water around the sunward sides of an open sheet, as far as light can enter below the sheet.
///
/// Without it the bed along these sides would be dark.
pub fn extended_towards_sun(mesh: &Mesh, sun: Vec3, reach: f32) -> Option<Mesh> {
    // Bounds of the sheet, and the direction towards the sun.
    let finite = || mesh.positions.iter().map(|&at| Vec3::from(at)).filter(|at| at.is_finite());
    let (low, high) = finite()
        .fold((Vec2::MAX, Vec2::MIN), |(low, high), at| (low.min(at.truncate()), high.max(at.truncate())));
    let towards = sun.truncate();
    if !(low.cmplt(high).all() && reach > 0.0) || towards.length() < 1e-6 {
        return None;
    }
    let offset = (towards.normalize() * reach).extend(0.0);
    // A displaced sheet ends at the lines of its lattice, any other at the sides of its rectangle.
    let is_on = |vertex: u32, axis: usize| match mesh.triangles {
        _ if towards[axis] == 0.0 => false,
        Triangles::Lattice { columns, rows } => {
            let line = [vertex % columns, vertex / columns][axis];
            line == if towards[axis] > 0.0 { [columns, rows][axis] - 1 } else { 0 }
        }
        Triangles::List(_) => {
            let side = if towards[axis] > 0.0 { high[axis] } else { low[axis] };
            mesh.positions[vertex as usize][axis] == side
        }
    };
    // A quadrilateral for every edge on a sunward side.
    let mut strip = Mesh { name: mesh.name.clone(), ..Mesh::flat_sheet("", [0.0; 2], [0, 0]) };
    let mut list = Vec::new();
    for triangle in mesh.triangles() {
        let corner = |vertex: u32| Vec3::from(mesh.positions[vertex as usize]);
        for (from, to) in [(0, 1), (1, 2), (2, 0)].map(|(from, to)| (triangle[from], triangle[to])) {
            if ![0, 1].iter().any(|&axis| is_on(from, axis) && is_on(to, axis)) {
                continue;
            }
            let ends = [corner(from), corner(to)];
            let first = strip.positions.len() as u32;
            let outer = ends.map(|end| end + offset);
            strip.positions.extend([ends[0], ends[1], outer[1], outer[0]].map(|at| at.to_array()));
            let normal = |vertex: u32| mesh.normals.get(vertex as usize).copied().unwrap_or([0.0, 0.0, 1.0]);
            strip.normals.extend([normal(from), normal(to), [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]);
            list.extend([[first + 1, first, first + 3], [first + 1, first + 3, first + 2]]);
        }
    }
    strip.triangles = Triangles::List(list);
    Some(strip)
}

/// Whether a surface is an open sheet.
pub fn is_open(mesh: &Mesh) -> bool {
    matches!(mesh.triangles, Triangles::Lattice { .. }) || VertexLattice::under(mesh).is_some()
}

/// The corners of all water in the horizontal plane; `None` when there is none.
pub fn extent(meshes: &[&Mesh]) -> Option<[DVec2; 2]> {
    let waters = meshes.iter().filter(|mesh| mesh.material == Material::Water);
    let points = waters.flat_map(|mesh| &mesh.positions).map(|&at| Vec3::from(at).as_dvec3());
    let (low, high) = points
        .filter(|at| at.is_finite())
        .fold((DVec2::MAX, DVec2::MIN), |(low, high), at| (low.min(at.truncate()), high.max(at.truncate())));
    low.cmplt(high).all().then_some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_open_and_boxes_closed() {
        let sheet = Mesh::flat_sheet("w", [2.0, 1.0], [5, 4]);
        assert!(!WaterSurface::new(&sheet).is_closed);
        let positions = (0..8).map(|corner| [0, 1, 2].map(|axis| (corner >> axis & 1) as f32)).collect();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let list = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let cube = Mesh {
            positions,
            normals: Vec::new(),
            uvs: Vec::new(),
            triangles: Triangles::List(list),
            ..sheet
        };
        let surface = WaterSurface::new(&cube);
        assert!(surface.is_closed);
        assert!(surface.normals[7].dot(DVec3::ONE) > 1.5, "normals point outwards");
    }

    #[test]
    fn water_is_extended_towards_the_sun() {
        let sheet = Mesh::flat_sheet("w", [2.0, 1.0], [5, 4]);
        let strip = extended_towards_sun(&sheet, Vec3::new(0.5, -0.2, 0.8), 3.0).unwrap();
        assert_eq!(strip.inconsistency(), None);
        // Four edges in the south and three in the east, each with two triangles that face up.
        assert_eq!(strip.triangle_count(), 14);
        for triangle in strip.triangles() {
            let [a, b, c] = triangle.map(|vertex| Vec3::from(strip.positions[vertex as usize]));
            assert!((b - a).cross(c - a).z > 0.0);
        }
        assert!(extended_towards_sun(&sheet, Vec3::Z, 3.0).is_none());
    }
}
