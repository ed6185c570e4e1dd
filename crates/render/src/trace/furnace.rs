//! The white furnace test: under uniform light a scene without absorption is invisible.
//!
//! Without absorption every path has the radiance of the environment, however it is refracted, reflected, scattered,
//! split or chosen. Diffuse albedos are 1 here, water and glass absorb nothing, and paths are never cut off.

use glam::Vec3;
use undine_checks::{Worst, measured};
use undine_frame::{Attribute, Cloud, CloudRole, Frame, Material, Mesh, Quantity, Triangles};

use super::integrator::{PathIntegrator, PathLimits, Ray};
use super::sampler::Sampler;
use super::scene::{StagedFrame, TraceScene};
use crate::noise::unit;
use crate::preview::liquid::media::RayMedium;
use crate::preview::{BackdropKind, Beyond, PreviewSpec, RippleSpec, TankKind, Viewpoint, WaterLook};
use crate::sky::Sky;

/// Paths per direction.
const PATHS: u32 = 48;
/// Directions along each side of the picture.
const DIRECTIONS: usize = 14;

/// Result of the white furnace test of one scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Furnace {
    /// The scene.
    pub name: &'static str,
    /// Deviation of the mean radiance from 1.
    pub mean: f32,
    /// Greatest deviation of a direction from 1, in any colour.
    pub worst: f32,
}

struct FurnaceScene {
    name: &'static str,
    frame: Frame,
    scattering: f32,
    tank: TankKind,
    eye: Option<[f32; 3]>,
}

/// Runs the white furnace test on several kinds of water.
pub fn white_furnace() -> Vec<Furnace> {
    let of =
        |name, frame, scattering| FurnaceScene { name, frame, scattering, tank: TankKind::Bare, eye: None };
    let below = Some([10.0, 4.0, -3.0]);
    let scenes = [
        of("clear drop", drop(), 0.0),
        of("hazy drop", drop(), 0.2),
        of("cloudy drop", drop(), 6.0),
        of("milky drop", drop(), 400.0),
        FurnaceScene { tank: TankKind::Glass, ..of("clear drop in a tank of glass", drop(), 0.0) },
        FurnaceScene { tank: TankKind::Glass, ..of("cloudy drop and a glass ball", with_glass(drop()), 6.0) },
        of("rippled sea", sea(), 0.05),
        of("foam, spray, mist and floating bubbles", stormy(), 0.05),
        FurnaceScene { eye: below, ..of("bubbles and spray seen from under water", stormy(), 0.05) },
        of("wet land", beach(), 0.3),
    ];
    scenes.iter().map(furnace).collect()
}

fn furnace(setup: &FurnaceScene) -> Furnace {
    // Settings without absorption, under a uniform sky.
    let look = WaterLook { absorption: Vec3::ZERO, scattering: Vec3::splat(setup.scattering) };
    let mut spec = PreviewSpec { look, beyond: Beyond::Sea, depth: 1e4, ..PreviewSpec::default() };
    spec.ripples = RippleSpec { strength: 0.1, ..RippleSpec::default() };
    spec.liquid.tank = setup.tank;
    spec.liquid.fits_tank = false;
    spec.backdrop = BackdropKind::Sky;
    let sky = Sky::uniform(Vec3::ONE);
    let view = match setup.eye {
        Some(eye) => Viewpoint {
            eye: Some(eye.into()),
            target: Some(Vec3::new(10.0, 10.0, -1.0)),
            ..Viewpoint::default()
        },
        None => Viewpoint { elevation: Some(35.0), ..Viewpoint::default() },
    };
    let failed = Furnace { name: setup.name, mean: f32::INFINITY, worst: f32::INFINITY };
    let Ok(mut staged) = StagedFrame::new(&spec, &sky, 1, &view, [DIRECTIONS; 2], &setup.frame) else {
        return failed;
    };
    let (mut scene, eye) = TraceScene::new(&mut staged, &spec, &sky, &setup.frame, 0.0);
    // There is no light below a floor.
    scene.intersector.planes.floor = None;
    scene.floor_sunlight = None;
    scene.is_lossless = true;
    // Unlimited paths, unclamped.
    let limits = PathLimits {
        bounces: 100_000,
        diffuse_bounces: 100_000,
        splits: 2,
        clamp: f32::INFINITY,
        min_throughput: 0.0,
    };
    let integrator = PathIntegrator { scene: &scene, limits };
    let medium = RayMedium { water: scene.intersector.is_in_water(eye.position, 0.0), glass: false };
    // The mean of all paths in each direction must be 1.
    let (mut sum, mut worst) = (0.0, Worst::default());
    for index in 0..DIRECTIONS * DIRECTIONS {
        let (x, y) = (index % DIRECTIONS, index / DIRECTIONS);
        let mut seen = Vec3::ZERO;
        for path in 0..PATHS {
            let mut sampler = Sampler::new(x, y, 0, path);
            let at = glam::Vec2::new(x as f32, y as f32) + sampler.get_2d();
            let ray = Ray {
                from: eye.position,
                direction: eye.ray_direction(at),
                medium,
                width: 0.0,
                spread: eye.pixel_angle(),
                time: 0.0,
            };
            seen += integrator.radiance(ray, &mut sampler).light / PATHS as f32;
        }
        sum += f64::from(seen.y);
        seen.to_array().into_iter().for_each(|radiance| worst.compare(f64::from(radiance), 1.0));
    }
    let mean = (measured(sum) / (DIRECTIONS * DIRECTIONS) as f64 - 1.0).abs() as f32;
    Furnace { name: setup.name, mean, worst: worst.value() as f32 }
}

// A bumpy sphere, about 0.8 m wide.
fn ball(name: &str, material: Material, middle: Vec3, size: f32) -> Mesh {
    let (around, down) = (48_u32, 24_u32);
    let mut normals = Vec::new();
    let mut positions = Vec::new();
    for row in 0..=down {
        for column in 0..around {
            let (turn, fall) = (
                column as f32 / around as f32 * std::f32::consts::TAU,
                row as f32 / down as f32 * std::f32::consts::PI,
            );
            let radius = size * (0.4 + 0.03 * (5.0 * turn).sin() * (4.0 * fall).sin());
            let up = Vec3::new(turn.cos() * fall.sin(), turn.sin() * fall.sin(), fall.cos());
            positions.push((middle + up * radius).to_array());
            normals.push(up.to_array());
        }
    }
    let vertex = |row: u32, column: u32| row * around + column % around;
    let mut triangles = Vec::new();
    for row in 0..down {
        for column in 0..around {
            let [a, b] = [vertex(row, column), vertex(row + 1, column)];
            let [c, d] = [vertex(row + 1, column + 1), vertex(row, column + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let empty = Mesh::flat_sheet(name, [0.0; 2], [0; 2]);
    Mesh { material, positions, normals, triangles: Triangles::List(triangles), ..empty }
}

fn drop() -> Frame {
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(ball("drop", Material::Water, Vec3::ZERO, 1.0));
    frame
}

fn with_glass(mut frame: Frame) -> Frame {
    frame.meshes.push(ball("glass", Material::Solid, Vec3::new(0.6, 0.2, 0.0), 0.4));
    frame
}

fn sea() -> Frame {
    let mut sheet = Mesh::flat_sheet("sea", [20.0, 20.0], [65, 65]);
    for (at, normal) in sheet.positions.iter_mut().zip(&mut sheet.normals) {
        at[2] = 0.2 * at[0].sin();
        *normal = Vec3::new(-0.2 * at[0].cos(), 0.0, 1.0).normalize().to_array();
    }
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(sheet);
    frame
}

// A sea with foam, spray and mist above it, and bubbles below and on it.
fn stormy() -> Frame {
    let mut frame = sea();
    let count = frame.meshes[0].positions.len();
    let values: Vec<f32> = (0..count).map(|vertex| unit(vertex as i32, 3, 5)).collect();
    frame.meshes[0].attributes.push(Attribute::new("foam", Quantity::Foam, 1, values));
    let cloud = |role: CloudRole, radius: f32, heights: [f32; 2], seed: u32| {
        let position = |index: i32| {
            let [x, y, z] = [0, 1, 2].map(|axis| unit(index, axis, seed));
            [20.0 * x, 20.0 * y, heights[0] + (heights[1] - heights[0]) * z]
        };
        Cloud { role, positions: (0..3000).map(position).collect(), radius, ..Cloud::default() }
    };
    frame.clouds = vec![
        cloud(CloudRole::Spray, 0.08, [0.4, 3.0], 1),
        cloud(CloudRole::Mist, 0.05, [0.4, 3.0], 2),
        cloud(CloudRole::Bubble, 0.06, [-2.5, -0.4], 3),
        cloud(CloudRole::Bubble, 0.06, [0.3, 0.5], 4),
    ];
    frame
}

fn beach() -> Frame {
    let mut ground = Mesh::flat_sheet("ground", [40.0, 30.0], [60, 45]);
    ground.material = Material::Ground;
    let mut water = Mesh::flat_sheet("water", [40.0, 30.0], [60, 45]);
    let mut depths = Vec::new();
    for (bed, surface) in ground.positions.iter_mut().zip(&mut water.positions) {
        bed[2] = 0.1 * (bed[0] - 20.0) + 0.3 * (0.7 * bed[1]).sin();
        surface[2] = 0.05 * (0.8 * surface[0]).sin();
        depths.push((surface[2] - bed[2]).max(0.0));
    }
    let normal = |at: &[f32; 3]| Vec3::new(-0.1, -0.21 * (0.7 * at[1]).cos(), 1.0).normalize().to_array();
    ground.normals = ground.positions.iter().map(normal).collect();
    let wetness: Vec<f32> = (0..ground.positions.len()).map(|vertex| unit(vertex as i32, 1, 9)).collect();
    ground.attributes.push(Attribute::new("wetness", Quantity::Wetness, 1, wetness));
    water.attributes.push(Attribute::new("depth", Quantity::Depth, 1, depths));
    let mut frame = Frame::new(0, 0.0);
    frame.meshes = vec![water, ground];
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_furnace_radiance_is_uniform() {
        let furnaces = white_furnace();
        for furnace in &furnaces {
            assert!(furnace.mean < 1e-3 && furnace.worst < 1e-3, "{furnace:?} of {furnaces:#?}");
        }
    }
}
