//! Light measured against what must be true of it.
//!
//! In a world that is equally bright everywhere nothing can be seen: whatever light does in water that absorbs nothing,
//! every ray has the brightness of the world. Reflection and refraction are held against their formulae in double
//! precision.

use glam::Vec3;
use undine_frame::{Frame, Mesh, Triangles};

use super::numbers::Numbers;
use super::path::{Limits, Ray, Walker};
use super::place::{Place, Staged};
use crate::optics::{WATER_INDEX, fresnel, refract};
use crate::preview::liquid::media::Inside;
use crate::preview::{Beyond, PreviewSpec, RippleSpec, TankKind, Viewpoint, WaterLook};
use crate::sky::Sky;

/// Paths of one look into a white world.
const PATHS: u32 = 64;
/// Looks along each side of the picture.
const LOOKS: usize = 12;

/// The greatest difference from 1 of the mean radiance that an eye sees in a white world through some waters: the name of
/// the water, and the difference.
pub fn white_furnace() -> Vec<(&'static str, f32)> {
    let scattering = |often: f32| WaterLook { absorption: Vec3::ZERO, scattering: Vec3::splat(often) };
    let waters = [
        ("clear drop", drop(), scattering(0.0)),
        ("hazy drop", drop(), scattering(0.2)),
        ("cloudy drop", drop(), scattering(6.0)),
        ("milky drop", drop(), scattering(400.0)),
        ("rippled sea", sea(), scattering(0.05)),
    ];
    waters.map(|(name, frame, look)| (name, furnace(&frame, look))).to_vec()
}

fn furnace(frame: &Frame, look: WaterLook) -> f32 {
    let mut spec = PreviewSpec { look, beyond: Beyond::Sea, depth: 1e4, ..PreviewSpec::default() };
    spec.ripples = RippleSpec { strength: 0.1, ..RippleSpec::default() };
    spec.liquid.tank = TankKind::Bare;
    spec.liquid.fits_tank = false;
    spec.backdrop = crate::preview::BackdropKind::Sky;
    let sky = Sky::uniform(Vec3::ONE);
    let size = [LOOKS; 2];
    let view = Viewpoint { elevation: Some(35.0), ..Viewpoint::default() };
    let Ok(mut staged) = Staged::new(&spec, &sky, 1, &view, size, frame) else { return f32::INFINITY };
    let (mut place, eye) = Place::new(&mut staged, &spec, &sky, frame, 0.0);
    // A floor would not be white, and light that is cut off would be a guess.
    place.world.planes.floor = None;
    place.on_floor = None;
    let limits = Limits { bounces: 100_000, scatters: 100_000, splits: 2, clamp: f32::INFINITY };
    let walker = Walker { place: &place, limits };
    let mut sum = 0.0_f64;
    for look in 0..LOOKS * LOOKS {
        let (x, y) = (look % LOOKS, look / LOOKS);
        for path in 0..PATHS {
            let mut numbers = Numbers::new(x, y, 0, path);
            let at = glam::Vec2::new(x as f32, y as f32) + numbers.pair();
            let ray = Ray {
                from: eye.position,
                direction: eye.through(at),
                inside: Inside::default(),
                width: 0.0,
                spread: eye.pixel_angle(),
                time: 0.0,
            };
            sum += f64::from(walker.look(ray, &mut numbers).light.y);
        }
    }
    (sum / f64::from(PATHS * (LOOKS * LOOKS) as u32) - 1.0).abs() as f32
}

// A bumpy ball of water.
fn drop() -> Frame {
    let (around, down) = (48_u32, 24_u32);
    let mut positions = Vec::new();
    for row in 0..=down {
        for column in 0..around {
            let (turn, fall) = (
                column as f32 / around as f32 * std::f32::consts::TAU,
                row as f32 / down as f32 * std::f32::consts::PI,
            );
            let radius = 0.4 + 0.03 * (5.0 * turn).sin() * (4.0 * fall).sin();
            let up = Vec3::new(turn.cos() * fall.sin(), turn.sin() * fall.sin(), fall.cos());
            positions.push((up * radius).to_array());
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
    let mut frame = Frame::new(0, 0.0);
    let mesh = Mesh::flat_sheet("drop", [0.0; 2], [0; 2]);
    let normals = positions.iter().map(|&at| Vec3::from(at).normalize_or(Vec3::Z).to_array()).collect();
    frame.meshes.push(Mesh { positions, normals, triangles: Triangles::List(triangles), ..mesh });
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

/// The greatest error of the reflectance of a boundary, from both sides and at all angles.
pub fn fresnel_error() -> f64 {
    angles()
        .flat_map(|cosine| {
            indices().map(move |index| {
                let exact = exact_fresnel(f64::from(cosine), f64::from(index));
                (f64::from(fresnel(cosine, index)) - exact).abs()
            })
        })
        .fold(0.0, f64::max)
}

/// The greatest error of Snell's law, n₁ sin θ₁ = n₂ sin θ₂, in the direction of bent rays.
pub fn snell_error() -> f64 {
    angles()
        .flat_map(|cosine| {
            indices().filter_map(move |index| {
                let sine = (1.0 - f64::from(cosine).powi(2)).sqrt();
                let bent = refract(Vec3::new(sine as f32, 0.0, -cosine), Vec3::Z, index)?;
                Some(
                    (f64::from(bent.x) * f64::from(index) - sine)
                        .abs()
                        .max((f64::from(bent.length()) - 1.0).abs()),
                )
            })
        })
        .fold(0.0, f64::max)
}

fn angles() -> impl Iterator<Item = f32> {
    (1..=1000).map(|step| step as f32 / 1000.0)
}

fn indices() -> impl Iterator<Item = f32> {
    [WATER_INDEX, 1.0 / WATER_INDEX, 1.5, 1.0 / 1.5].into_iter()
}

// Both polarisations by the angles themselves [born1999].
fn exact_fresnel(cosine: f64, index: f64) -> f64 {
    let sine = (1.0 - cosine * cosine).sqrt() / index;
    if sine >= 1.0 {
        return 1.0;
    }
    let inner = (1.0 - sine * sine).sqrt();
    let across = (cosine - index * inner) / (cosine + index * inner);
    let along = (inner - index * cosine) / (inner + index * cosine);
    0.5 * (across * across + along * along)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_seen_in_a_white_world() {
        for (name, difference) in white_furnace() {
            assert!(difference < 1e-3, "{name}: {difference} of {:?}", white_furnace());
        }
    }

    #[test]
    fn boundaries_follow_their_laws() {
        assert!(fresnel_error() < 1e-6, "{}", fresnel_error());
        assert!(snell_error() < 1e-6, "{}", snell_error());
    }
}
