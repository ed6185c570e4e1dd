//! Side faces of a terrain that is cut out as a block: earth and water.

use glam::{Vec2, Vec3};
use undine_frame::{Material, Mesh, Triangles};

use super::{Land, LandDetail};

/// Meshes of the side faces of a block.
pub struct BlockSides {
    /// Faces of earth, from the ground down to the base.
    pub earth: Mesh,
    /// Faces of water, from its surface down to the ground.
    pub water: Mesh,
}

impl BlockSides {
    /// The side faces of a terrain.
    pub fn new(land: &Land) -> BlockSides {
        let mut block = BlockSides { earth: faces(Material::Ground), water: faces(Material::Water) };
        let base = land.base();
        // The border vertices of each side, with the outside on the right
        for (outward, vertices) in border_vertices(land) {
            for pair in vertices.windows(2) {
                let (from, to) = (pair[0], pair[1]);
                quad(&mut block.earth, outward, [from.foot(base), to.foot(base), to.ground(), from.ground()]);
                add_water(&mut block.water, outward, from, to);
            }
        }
        block
    }
}

fn border_vertices(land: &Land) -> [(Vec3, Vec<BorderVertex>); 4] {
    let [low, high] = land.lattice.corners();
    let [south, east, mut north, mut west]: [Vec<BorderVertex>; 4] = match land.detail() {
        Some(detail) => {
            let [south, north, west, east] = detail.border();
            let line = |along: &[f32], at: &dyn Fn(f32) -> Vec2| {
                along.iter().map(|&x| BorderVertex::of_detail(detail, at(x))).collect()
            };
            [
                line(south, &|x| Vec2::new(x, low.y)),
                line(east, &|y| Vec2::new(high.x, y)),
                line(north, &|x| Vec2::new(x, high.y)),
                line(west, &|y| Vec2::new(low.x, y)),
            ]
        }
        None => {
            let [columns, rows] = land.lattice.size();
            let vertex = |column: usize, row: usize| BorderVertex::at(land, [column, row]);
            [
                (0..columns).map(|column| vertex(column, 0)).collect(),
                (0..rows).map(|row| vertex(columns - 1, row)).collect(),
                (0..columns).map(|column| vertex(column, rows - 1)).collect(),
                (0..rows).map(|row| vertex(0, row)).collect(),
            ]
        }
    };
    north.reverse();
    west.reverse();
    [(-Vec3::Y, south), (Vec3::X, east), (Vec3::Y, north), (-Vec3::X, west)]
}

impl Land {
    /// Height of the underside of a block.
    pub fn base(&self) -> f32 {
        let thickness = (0.22 * (self.range[1] - self.range[0])).max(0.035 * self.texture.width);
        self.range[0] - thickness
    }
}

/// A vertex of the border with the heights of ground and water.
#[derive(Clone, Copy)]
struct BorderVertex {
    at: Vec2,
    ground: f32,
    water: f32,
}

impl BorderVertex {
    fn at(land: &Land, [column, row]: [usize; 2]) -> BorderVertex {
        let vertex = row * land.lattice.size()[0] + column;
        let ground = land.heights[vertex];
        let water = land.water.as_ref().map_or(ground, |water| water.levels[vertex]);
        let is_wet = land.water.as_ref().is_some_and(|water| water.depths[vertex] > 0.0);
        // Far from any water the surface is slightly below the ground
        BorderVertex {
            at: land.lattice.position([column, row]),
            ground,
            water: if is_wet { water } else { water.min(ground) },
        }
    }

    fn of_detail(detail: &LandDetail, at: Vec2) -> BorderVertex {
        let ground = detail.ground(at);
        let water = detail.level(at).unwrap_or(ground - 1e-4);
        BorderVertex { at, ground, water }
    }

    fn foot(&self, base: f32) -> Vec3 {
        self.at.extend(base)
    }

    fn ground(&self) -> Vec3 {
        self.at.extend(self.ground)
    }

    fn water(&self) -> Vec3 {
        self.at.extend(self.water)
    }

    fn depth(&self) -> f32 {
        self.water - self.ground
    }
}

// Both ends wet: a quad. One end wet: a triangle that ends at the waterline.
fn add_water(mesh: &mut Mesh, outward: Vec3, from: BorderVertex, to: BorderVertex) {
    let (deep, shallow) = (from.depth(), to.depth());
    let shore = from.ground().lerp(to.ground(), (deep / (deep - shallow)).clamp(0.0, 1.0));
    match (deep > 0.0, shallow > 0.0) {
        (true, true) => quad(mesh, outward, [from.ground(), to.ground(), to.water(), from.water()]),
        (true, false) => triangle(mesh, outward, [from.ground(), shore, from.water()]),
        (false, true) => triangle(mesh, outward, [to.ground(), to.water(), shore]),
        (false, false) => {}
    }
}

fn faces(material: Material) -> Mesh {
    Mesh { material, triangles: Triangles::List(Vec::new()), ..Mesh::flat_sheet("cut", [0.0; 2], [0; 2]) }
}

fn quad(mesh: &mut Mesh, outward: Vec3, [a, b, c, d]: [Vec3; 4]) {
    triangle(mesh, outward, [a, b, c]);
    triangle(mesh, outward, [a, c, d]);
}

fn triangle(mesh: &mut Mesh, outward: Vec3, corners: [Vec3; 3]) {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(corners.map(|corner| corner.to_array()));
    mesh.normals.extend([outward.to_array(); 3]);
    if let Triangles::List(list) = &mut mesh.triangles {
        list.push([first, first + 1, first + 2]);
    }
}
