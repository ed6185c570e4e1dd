//! Accuracy of caustics, measured for tests and for `undine validate`.

use glam::{DVec2, Vec3};
use undine_checks::{Worst, measured};
use undine_frame::{Frame, Material, Mesh, Triangles};

use super::fresnel::{INDEX, transmit};
use super::{Caustics, CausticsKind, CausticsSpec, Floor};

/// Waves on a water sheet: height and slopes at (x, y).
type WaveFunction<'a> = &'a dyn Fn(f32, f32) -> (f32, [f32; 2]);

fn sheet(size: [f32; 2], vertices: [u32; 2], waves: WaveFunction<'_>) -> Mesh {
    let mut mesh = Mesh::flat_sheet("water", size, vertices);
    for (position, normal) in mesh.positions.iter_mut().zip(&mut mesh.normals) {
        let (height, [slope_x, slope_y]) = waves(position[0], position[1]);
        position[2] = height;
        *normal = Vec3::new(-slope_x, -slope_y, 1.0).normalize().to_array();
    }
    mesh
}

// A few crossing wave trains; `strength` is the sum of their slopes.
fn pool(x: f32, y: f32, strength: f32) -> (f32, [f32; 2]) {
    let trains = [[4.0, 1.5, 0.2], [-2.5, 5.0, 1.1], [7.0, -3.0, 2.3], [1.0, 8.5, 0.7]];
    trains.iter().fold((0.0, [0.0; 2]), |(height, slope), &[kx, ky, phase]| {
        let (sine, cosine) = (kx * x + ky * y + phase).sin_cos();
        let amplitude = 0.25 * strength / kx.hypot(ky);
        (height + amplitude * sine, [slope[0] + amplitude * kx * cosine, slope[1] + amplitude * ky * cosine])
    })
}

fn sun(elevation: f32, azimuth: f32) -> Vec3 {
    let (height, around) = (elevation.to_radians(), azimuth.to_radians());
    Vec3::new(height.cos() * around.cos(), height.cos() * around.sin(), height.sin())
}

fn one(mesh: Mesh) -> Frame {
    Frame { meshes: vec![mesh], ..Frame::new(0, 0.0) }
}

/// Irradiance under flat water relative to T cos θ: greatest deviation from 1, for several elevations of the sun.
pub fn flat_water(kind: CausticsKind) -> f64 {
    let mut worst = Worst::default();
    for (number, elevation) in [90.0, 70.0, 45.0, 20.0, 8.0].into_iter().enumerate() {
        let sun = sun(elevation, 37.0 * number as f32);
        let frame = one(sheet([6.0, 4.0], [49, 33], &|_, _| (0.0, [0.0; 2])));
        let spec =
            CausticsSpec { kind, extends_water: true, resolution: Some(71), ..CausticsSpec::default() };
        let caustics = Caustics::over_level(&spec, &frame, -0.8, sun, Vec3::ZERO);
        let transmittance =
            transmit(-sun.as_dvec3(), glam::DVec3::Z, INDEX).map_or(0.0, |(_, transmittance)| transmittance);
        let expected = transmittance * sun.as_dvec3().normalize().z;
        for index in 0..400 {
            let at = Vec3::new(0.05 + (index % 20) as f32 * 0.31, 0.05 + (index / 20) as f32 * 0.2, -0.8);
            let found = f64::from(caustics.irradiance(at, Vec3::Z).y);
            worst.compare(found / expected, 1.0);
        }
    }
    worst.value()
}

/// The cases of [`balance`]: gentle and folded waves, clear and coloured water, sloping beds, bodies, a closed drop.
pub const BALANCES: [&str; 5] = ["gentle waves", "folded beams", "a sloping bed", "bodies", "a closed drop"];

/// Imbalance of the power budget of beams in one of [`BALANCES`], relative to the power sent: received, absorbed and
/// escaped power, each summed independently, against the power sent.
pub fn balance(setting: &str) -> f64 {
    let absorption = Vec3::new(0.4, 0.1, 0.05);
    let spec = CausticsSpec { resolution: Some(150), ..CausticsSpec::default() };
    let wide = [DVec2::splat(-3.0), DVec2::splat(7.0)];
    let strength = if setting == "folded beams" { 1.6 } else { 0.25 };
    let water = sheet([4.0, 4.0], [97, 97], &|x, y| pool(x, y, strength));
    let light = sun(50.0, 25.0);
    let caustics = match setting {
        "a sloping bed" => {
            let floor = Floor::sampled([DVec2::ZERO, DVec2::splat(4.0)], [80, 80], |at| {
                -1.6 + 0.45 * at.x + 0.1 * (5.0 * at.y).sin()
            });
            Caustics::new(&spec, &one(water), floor, light, absorption)
        }
        "bodies" => {
            let mut frame = one(water);
            frame.meshes.push(block(Vec3::new(1.0, 1.0, -1.2), Vec3::new(1.8, 1.6, -0.4)));
            frame.meshes.push(block(Vec3::new(2.4, 2.0, 0.5), Vec3::new(3.0, 2.9, 1.0)));
            Caustics::new(&spec, &frame, Floor::level(wide, -1.5), light, absorption)
        }
        "a closed drop" => {
            let drop = ball(Vec3::new(2.0, 2.0, 0.0), 0.8);
            Caustics::new(&spec, &one(drop), Floor::level(wide, -1.5), light, absorption)
        }
        _ => Caustics::new(&spec, &one(water), Floor::level(wide, -1.5), light, absorption),
    };
    measured(caustics.power().imbalance())
}

/// Relative difference of the power received on a sufficiently wide floor and the power transmitted into clear water.
pub fn transmission(strength: f32) -> f64 {
    let water = sheet([4.0, 4.0], [97, 97], &|x, y| pool(x, y, strength));
    let floor = Floor::level([DVec2::splat(-8.0), DVec2::splat(12.0)], -1.5);
    let spec = CausticsSpec { resolution: Some(200), ..CausticsSpec::default() };
    let caustics = Caustics::new(&spec, &one(water), floor, sun(55.0, 70.0), Vec3::ZERO);
    let power = caustics.power();
    measured(((power.received - power.transmitted) / power.transmitted).abs().max_element())
}

/// Relative error of the focal depth below the crests of a sinusoid under a sun overhead, against that of a thin lens
/// of the crest's curvature, f = n / ((n − 1) a k²) [born1999].
///
/// Under a crest irradiance grows as 1 / (1 − d / f) with the depth d, so that f is found by linear extrapolation of
/// 1 / irradiance to zero, away from the singularity.
pub fn focal_depth() -> f64 {
    let (amplitude, length) = (0.01_f64, 1.0_f64);
    let k = std::f64::consts::TAU / length;
    let lens = INDEX / ((INDEX - 1.0) * amplitude * k * k);
    let water = sheet([2.0, 0.25], [2049, 17], &|x, _| {
        let (sine, cosine) = (k * f64::from(x)).sin_cos();
        ((amplitude * cosine) as f32, [(-amplitude * k * sine) as f32, 0.0])
    });
    let frame = one(water);
    let spec = CausticsSpec { resolution: Some(1001), ..CausticsSpec::default() };
    // 1 / irradiance at a depth below the crest at x = 1, relative to no depth.
    let inverse = |fraction: f64| {
        let depth = fraction * lens;
        let floor = Floor::level([DVec2::ZERO, DVec2::new(2.0, 0.25)], amplitude - depth);
        let caustics = Caustics::new(&spec, &frame, floor, Vec3::Z, Vec3::ZERO);
        1.0 / f64::from(caustics.irradiance(Vec3::new(1.0, 0.125, (amplitude - depth) as f32), Vec3::Z).y)
    };
    let (near, far) = (inverse(0.3), inverse(0.7));
    let focal = lens * (0.3 + 0.4 * near / (near - far));
    (measured(focal) / lens - 1.0).abs()
}

/// Relative L1 difference of beams and photons on the floor of a pool.
pub fn agreement() -> f64 {
    let water = sheet([4.0, 4.0], [257, 257], &|x, y| pool(x, y, 0.3));
    let frame = one(water);
    let made = |kind: CausticsKind| {
        let spec = CausticsSpec { kind, resolution: Some(96), photons: 400, extends_water: true };
        Caustics::over_level(&spec, &frame, -1.2, sun(60.0, 30.0), Vec3::new(0.3, 0.1, 0.05))
    };
    let (beams, photons) = (made(CausticsKind::Beams), made(CausticsKind::Photons));
    let pairs = || beams.map().1.iter().zip(photons.map().1);
    let apart: f64 = pairs().map(|(one, other)| f64::from((*one - *other).abs().element_sum())).sum();
    measured(apart) / pairs().map(|(one, _)| f64::from(one.element_sum())).sum::<f64>()
}

fn block(low: Vec3, high: Vec3) -> Mesh {
    let corner =
        |index: usize| [0, 1, 2].map(|axis| if index >> axis & 1 == 1 { high[axis] } else { low[axis] });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let list = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh {
        material: Material::Solid,
        positions: (0..8).map(corner).collect(),
        normals: Vec::new(),
        uvs: Vec::new(),
        triangles: Triangles::List(list),
        ..Mesh::flat_sheet("block", [1.0; 2], [2, 2])
    }
}

/// A sphere of triangles along its lines of latitude and longitude.
fn ball(middle: Vec3, radius: f32) -> Mesh {
    let (around, up) = (96_u32, 48_u32);
    let direction = |index: u32| {
        let (turn, rise) = ((index % around) as f32 / around as f32, (index / around) as f32 / up as f32);
        let (sine, cosine) = (turn * std::f32::consts::TAU).sin_cos();
        let (ring, height) = ((rise - 0.5) * std::f32::consts::PI).sin_cos();
        Vec3::new(cosine * height, sine * height, ring)
    };
    let directions: Vec<Vec3> = (0..around * (up + 1)).map(direction).collect();
    let quads = (0..around * up).flat_map(|index| {
        let neighbour = index / around * around + (index + 1) % around;
        [[index, neighbour, neighbour + around], [index, neighbour + around, index + around]]
    });
    Mesh {
        positions: directions.iter().map(|&direction| (middle + radius * direction).to_array()).collect(),
        normals: directions.iter().map(|direction| direction.to_array()).collect(),
        uvs: Vec::new(),
        triangles: Triangles::List(quads.collect()),
        ..Mesh::flat_sheet("drop", [1.0; 2], [2, 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_water_lights_its_floor_evenly() {
        for kind in [CausticsKind::Beams, CausticsKind::IlluminationMap] {
            assert!(flat_water(kind) < 1e-6, "{kind:?}: {}", flat_water(kind));
        }
        assert!(flat_water(CausticsKind::Photons) < 0.2, "{}", flat_water(CausticsKind::Photons));
    }

    #[test]
    fn the_ledger_of_beams_balances() {
        for setting in BALANCES {
            assert!(balance(setting) < 1e-6, "{setting}: {}", balance(setting));
        }
        for strength in [0.1, 0.6, 1.6] {
            assert!(transmission(strength) < 1e-6, "{strength}: {}", transmission(strength));
        }
    }

    #[test]
    fn a_sinusoid_has_the_focus_of_a_lens() {
        assert!(focal_depth() < 0.02, "{}", focal_depth());
    }

    #[test]
    fn beams_and_photons_agree() {
        assert!(agreement() < 0.03, "{}", agreement());
    }
}
