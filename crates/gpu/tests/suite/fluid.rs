//! Particles in space: balls, and the screen-space surface of a liquid.

use glam::Vec3;
use undine_frame::{Cloud, Frame};
use undine_gpu::{
    Effects, Headless, ParticleStyle, RenderSettings, SceneryMaterials, ShadingModel, SpaceView,
};
use undine_render::Picture;
use undine_render::preview::{PinholeCamera, WaterLook};
use undine_render::sky::SkySpec;

const SIZE: [u32; 2] = [160, 120];

fn device() -> Headless {
    Headless::new().expect("pictures need a graphics adapter")
}

// A cube of one metre around the origin.
fn cube(count: usize) -> Cloud {
    let place = |index: usize| {
        let cell = [index % count, index / count % count, index / count / count];
        cell.map(|cell| (cell as f32 + 0.5) / count as f32 - 0.5)
    };
    let positions = (0..count * count * count).map(place).collect();
    Cloud { positions, radius: 0.866 / count as f32, ..Cloud::default() }
}

fn settings(particles: ParticleStyle, target: Vec3) -> RenderSettings {
    RenderSettings::Space(Box::new(SpaceView {
        camera: PinholeCamera::new(
            Vec3::new(0.0, -4.0, 1.0),
            target,
            0.6,
            SIZE[0] as usize,
            SIZE[1] as usize,
        ),
        sky: SkySpec { clouds: 0.0, ..SkySpec::default() },
        shading: ShadingModel::Water,
        materials: SceneryMaterials { look: WaterLook::in_tank(), ..SceneryMaterials::default() },
        effects: Effects::ALL,
        particles,
        drape: None,
        shows_grid: false,
        exposure: 1.0,
    }))
}

fn draw(device: &mut Headless, points: Cloud, particles: ParticleStyle, target: Vec3) -> Picture {
    let subject = Frame { clouds: vec![points], ..Frame::default() };
    device.draw(&subject, &settings(particles, target), SIZE).expect("a picture")
}

// Fraction of the pixels that differ visibly.
fn changed(a: &Picture, b: &Picture) -> f64 {
    let pairs = a.rgb.chunks(3).zip(b.rgb.chunks(3));
    let differ = pairs.filter(|(a, b)| (0..3).any(|channel| a[channel].abs_diff(b[channel]) > 6));
    differ.count() as f64 / f64::from(SIZE[0] * SIZE[1])
}

#[test]
fn particles_are_drawn_at_their_positions() {
    let mut device = device();
    let empty = draw(&mut device, cube(12), ParticleStyle::Hidden, Vec3::ZERO);
    for particles in [ParticleStyle::Balls, ParticleStyle::Surface] {
        let seen = draw(&mut device, cube(12), particles, Vec3::ZERO);
        // A cube of a metre four metres away fills about a sixth of this picture.
        let share = changed(&seen, &empty);
        assert!((0.08..0.3).contains(&share), "{particles:?}: {share}");
        assert_eq!(seen.pixel(4, 60), empty.pixel(4, 60));
        let away = Vec3::new(0.0, -8.0, 1.0);
        let behind = draw(&mut device, cube(12), ParticleStyle::Hidden, away);
        assert_eq!(draw(&mut device, cube(12), particles, away), behind, "{particles:?} behind the eye");
    }
}

#[test]
fn a_thicker_liquid_absorbs_more_red() {
    let mut device = device();
    let mut squeezed = |thick: f32| {
        let mut points = cube(24);
        points.positions.retain(|position| position[1].abs() < 0.5 * thick);
        let picture = draw(&mut device, points, ParticleStyle::Surface, Vec3::ZERO);
        let [red, _, blue] = picture.pixel(80, 66).unwrap();
        f64::from(red) / f64::from(blue)
    };
    let (thin, thick) = (squeezed(0.1), squeezed(1.0));
    assert!(thick < 0.8 * thin, "{thick} against {thin}");
}

#[test]
fn a_surface_is_smoother_than_its_balls() {
    let mut device = device();
    let mut roughness = |particles| {
        let picture = draw(&mut device, cube(12), particles, Vec3::ZERO);
        let green = |x: u32, y: u32| i32::from(picture.pixel(x, y).unwrap()[1]);
        let steps = (60..68).flat_map(|y| (70..90).map(move |x| (x, y)));
        steps.map(|(x, y)| (green(x, y) - green(x + 1, y)).abs()).sum::<i32>()
    };
    let (balls, surface) = (roughness(ParticleStyle::Balls), roughness(ParticleStyle::Surface));
    assert!(surface * 4 < balls, "{surface} against {balls}");
}

#[test]
fn invalid_clouds_are_drawn_without_errors() {
    let mut device = device();
    let strange = [
        Cloud::default(),
        Cloud {
            positions: vec![[f32::NAN; 3], [f32::INFINITY; 3], [0.0; 3]],
            radius: f32::NAN,
            ..Cloud::default()
        },
        Cloud { positions: vec![[0.0, -4.0, 1.0]], radius: 1e9, ..Cloud::default() },
    ];
    for points in strange {
        for particles in [ParticleStyle::Balls, ParticleStyle::Surface] {
            let subject = Frame { clouds: vec![points.clone()], ..Frame::default() };
            for size in [SIZE, [1, 1], [0, 5]] {
                assert!(device.draw(&subject, &settings(particles, Vec3::ZERO), size).is_ok());
            }
        }
    }
}
