//! Surfaces of revolution: the outline of a 2-D liquid, turned about a vertical axis, as a closed smooth mesh
//! [foster1996, §8].
//!
//! Of every outline the part at r = x − axis ≥ 0 is a profile (`profile`), which a cubic smoothing spline makes smooth
//! (`spline`). Its points at equal distances are swept around the axis: (r, z) becomes (r cos θ, r sin θ, z), with normals
//! from the derivative of the spline. A profile that ends on the axis is reflected there before it is smoothed, so that the
//! surface is smooth at its poles. Every edge belongs to two triangles.
//!
//! The flow stays that of the plane: a drop of the plane is a cylinder, and its volume is not that of the ball that is drawn.

mod profile;
mod spline;

use std::f64::consts::TAU;

use undine_frame::{Curves, Frame, Implicit, Material, Mesh, Surface, SurfaceRole, SurfaceShape, Triangles};

use crate::liquid::Surfacing;
use profile::Profile;
use spline::ClosedSpline;

/// Rings of vertices and vertices of a ring per lattice cell.
const VERTICES_PER_CELL: f64 = 2.0;
/// Fewest and most rings of a profile, and vertices of a ring.
const RINGS: [f64; 2] = [16.0, 4096.0];
const AROUND: [f64; 2] = [48.0, 1024.0];
/// Smallest radius of a ring in cells: a profile that comes close to the axis between its ends keeps a thread.
const THREAD: f64 = 1e-3;

/// How the outline of a 2-D liquid is turned to a body in space.
///
/// ```
/// use undine_frame::Curves;
/// use undine_surface::{Revolution, mesh_volume};
///
/// let half_disc = |n: i32| [(0.1 * n as f32 - 1.5708).cos().max(0.0), (0.1 * n as f32 - 1.5708).sin()];
/// let curves = Curves::new([(0..=31).map(half_disc).collect::<Vec<_>>()], [[0.0, -1.0], [1.0, 1.0]], 0.1);
/// let ball = Revolution { axis: 0.0, smoothing: 0.0, cells: 2.0 }.mesh("ball", &curves);
/// assert!((mesh_volume(&ball) / (4.0 / 3.0 * 3.1416) - 1.0).abs() < 1e-2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Revolution {
    /// x of the axis in metres; in space it is the line x = axis, y = 0.
    pub axis: f64,
    /// Length of the smoothing in cells of the simulation: undulations of 2π times this length are halved.
    pub smoothing: f64,
    /// Lattice cells per cell of the simulation.
    pub cells: f64,
}

impl Revolution {
    /// The revolution that a scene asks for, if it does.
    fn of(surfacing: &Surfacing, curves: &Curves) -> Option<Revolution> {
        let axis = surfacing.axis.unwrap_or(curves.bounds[0][0]);
        let Surfacing { smoothing, cells, .. } = *surfacing;
        surfacing.revolves.then_some(Revolution { axis, smoothing, cells })
    }

    /// The closed mesh of all outlines.
    pub fn mesh(&self, name: &str, curves: &Curves) -> Mesh {
        let mut mesh = Mesh {
            name: name.to_owned(),
            material: Material::Water,
            positions: Vec::new(),
            normals: Vec::new(),
            velocities: Vec::new(),
            uvs: Vec::new(),
            attributes: Vec::new(),
            triangles: Triangles::List(Vec::new()),
        };
        let cell = curves.cell.max(f64::MIN_POSITIVE);
        for profile in profile::profiles(curves, self.axis) {
            let spline = ClosedSpline::smoothing(&profile.closed(), self.smoothing * cell);
            self.sweep(&mut mesh, &profile, &spline, cell);
        }
        mesh
    }

    /// The box in which the body moves: the domain, turned about the axis.
    fn tank(&self, curves: &Curves) -> Implicit {
        let [low, high] = curves.bounds;
        let radius = (high[0] - self.axis).max(0.0);
        let corner = |side: f64, z: f64| [self.axis + side * radius, side * radius, z];
        Implicit { bounds: [corner(-1.0, low[1]), corner(1.0, high[1])], cell: curves.cell }
    }

    /// Adds the surface that a profile sweeps.
    fn sweep(&self, mesh: &mut Mesh, profile: &Profile, spline: &ClosedSpline, cell: f64) {
        let length = if profile.is_closed { spline.length() } else { 0.5 * spline.length() };
        let fine = VERTICES_PER_CELL * self.cells / cell;
        let rings = (length * fine).ceil().clamp(RINGS[0], RINGS[1]) as usize;
        let widest = profile.points.iter().map(|at| at[0]).fold(0.0, f64::max);
        let around = (TAU * widest * fine).ceil().clamp(AROUND[0], AROUND[1]) as usize;
        let lattice =
            RingLattice { first: mesh.positions.len() as u32, rings, around, is_closed: profile.is_closed };
        // Distance along the profile is the polar radius of the texture, so that it has no seam
        for ring in lattice.ring_numbers() {
            let along = length * ring as f64 / rings as f64;
            let ([r, z], [dr, dz]) = spline.at(along);
            let is_pole = lattice.is_pole(ring);
            let (r, normal) = match is_pole {
                true => (0.0, [0.0, if ring == 0 { -1.0 } else { 1.0 }]),
                false => (r.max(THREAD * cell), [dz, -dr]),
            };
            let steepness = normal[0].hypot(normal[1]).max(f64::MIN_POSITIVE);
            let texture = if profile.is_closed { r } else { length - along };
            for vertex in 0..if is_pole { 1 } else { around } {
                let (sin, cos) = (TAU * vertex as f64 / around as f64).sin_cos();
                let turned = |radius: f64| [radius * cos, radius * sin];
                let ([x, y], [nx, ny]) = (turned(r), turned(normal[0] / steepness));
                mesh.positions.push([self.axis + x, y, z].map(|x| x as f32));
                mesh.normals.push([nx, ny, normal[1] / steepness].map(|x| x as f32));
                mesh.uvs.push(turned(texture).map(|x| x as f32));
            }
        }
        if let Triangles::List(triangles) = &mut mesh.triangles {
            lattice.triangulate(triangles);
        }
    }
}

/// The vertices of a swept profile: rings along it; the first and last one of an open profile are poles.
struct RingLattice {
    first: u32,
    rings: usize,
    around: usize,
    is_closed: bool,
}

impl RingLattice {
    fn ring_numbers(&self) -> impl Iterator<Item = usize> + use<> {
        0..if self.is_closed { self.rings } else { self.rings + 1 }
    }

    fn is_pole(&self, ring: usize) -> bool {
        !self.is_closed && (ring == 0 || ring == self.rings)
    }

    fn vertex(&self, ring: usize, vertex: usize) -> u32 {
        let (ring, vertex) = (if self.is_closed { ring % self.rings } else { ring }, vertex % self.around);
        let before = match (self.is_closed, ring) {
            (true, _) => ring * self.around,
            (false, 0) => 0,
            (false, _) => 1 + (ring - 1) * self.around,
        };
        self.first + (before + if self.is_pole(ring) { 0 } else { vertex }) as u32
    }

    /// Two triangles between neighbours on two rings, one at a pole.
    fn triangulate(&self, triangles: &mut Vec<[u32; 3]>) {
        for ring in 0..self.rings {
            for vertex in 0..self.around {
                let lower = [self.vertex(ring, vertex), self.vertex(ring, vertex + 1)];
                let upper = [self.vertex(ring + 1, vertex), self.vertex(ring + 1, vertex + 1)];
                if !self.is_pole(ring) {
                    triangles.push([lower[0], lower[1], upper[1]]);
                }
                if !self.is_pole(ring + 1) {
                    triangles.push([lower[0], upper[1], upper[0]]);
                }
            }
        }
    }
}

/// Adds the bodies of the outlines that a scene has revolved, with the box that each moves in.
pub(crate) fn add_to(frame: &mut Frame, surfaces: &[Surfacing]) {
    let (mut meshes, mut tanks) = (Vec::new(), Vec::new());
    for (surface, curves) in frame.curves().filter(|(surface, _)| frame.mesh(&surface.name).is_none()) {
        let Some(revolution) = Revolution::of(&Surfacing::of(surfaces, &surface.name), curves) else {
            continue;
        };
        meshes.push(revolution.mesh(&surface.name, curves));
        tanks.push((surface.name.clone(), surface.water, revolution.tank(curves)));
    }
    frame.meshes.extend(meshes);
    for (name, water, tank) in tanks {
        let shape = SurfaceShape::Implicit(tank);
        let is_there = frame.surfaces.iter().any(|surface| surface.water == water && surface.shape == shape);
        if !is_there {
            frame.surfaces.push(Surface {
                name,
                water,
                role: SurfaceRole::Water,
                shape,
                attributes: Vec::new(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
