//! The uniform buffer of group 0: camera, sun and sky, air and water of a picture.

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};
use undine_render::optics::{WATER_INDEX, fresnel, refract};
use undine_render::preview::{EXPOSURE_SCALE, RippleSpec, StudioBackdrop};
use undine_render::sky::Sky;

use crate::settings::classic_bumps;
use crate::{ShadingModel, SpaceView};

/// Wavelengths of the strongest waves along a side of the bump map.
const BUMP_WAVES: f32 = 10.0;

/// Contents of the uniform buffer of group 0; `shaders/world.wgsl` documents each member.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WorldUniforms {
    eye: Vec4,
    right: Vec4,
    up: Vec4,
    ahead: Vec4,
    sun: Vec4,
    sunlight: Vec4,
    skylight: Vec4,
    ground: Vec4,
    deep: Vec4,
    extinction: Vec4,
    size: Vec4,
    sun_below: Vec4,
    ripples: Vec4,
    drift: Vec4,
    effects: Vec4,
    more_effects: Vec4,
    shine_below: Vec4,
    shine_high: Vec4,
    shine_rest: Vec4,
    scales: Vec4,
    solid: Vec4,
    floor: Vec4,
    stands: Vec4,
    haze_towards: Vec4,
    haze_away: Vec4,
    flow: Vec4,
    flow_speeds: Vec4,
    flow_one: Vec4,
    flow_two: Vec4,
}

/// Extent of the water in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WaterSummary {
    /// Mean level.
    pub level: f32,
    /// Height of the highest crest above it.
    pub crest: f32,
    /// Corners of the bounding box of a block or tank that stands on a floor.
    pub standing_box: Option<[Vec3; 2]>,
    /// Whether the camera is under water.
    pub is_camera_below: bool,
}

impl WorldUniforms {
    /// The uniforms of a view at `time` seconds, under a sky or in a studio.
    pub fn new(
        view: &SpaceView,
        sky: &Sky,
        studio: Option<&StudioBackdrop>,
        water: WaterSummary,
        size: [u32; 2],
        time: f64,
    ) -> WorldUniforms {
        // Radiance of deep water: the light below the surface, scattered by the albedo of the water
        let (camera, look) = (&view.camera, &view.materials.look);
        let flag = |on: bool| f32::from(u8::from(on));
        let cosine = sky.sun.z.max(0.0);
        let entering = if cosine > 0.0 { 1.0 - fresnel(cosine, WATER_INDEX) } else { 0.0 };
        let light = sky.sunlight * cosine * entering + sky.skylight * 0.93;
        let deep = light * look.deep_albedo() * std::f32::consts::FRAC_1_PI;
        // Direction of the refracted sun, kept from becoming horizontal
        let below = refract(-sky.sun, Vec3::Z, WATER_INDEX).unwrap_or(-Vec3::Z);
        let below = if below.z > -0.3 { below.with_z(-0.3).normalize() } else { below };
        // Extinction coefficient of air, from the transmittance over a kilometre
        let haze = -sky.transmittance(1000.0).max(1e-30).ln() / 1000.0;
        let [width, height] = size.map(|side| side.max(1) as f32);
        // Half extent of the image plane at distance 1, for the aspect ratio of this picture
        let half_height = camera.half_extent().y;
        let half = [half_height * width / height, half_height];
        let exposure = if view.exposure.is_finite() { view.exposure.max(0.0) } else { 1.0 };
        let mut world = WorldUniforms {
            eye: camera.position.extend((time % 3600.0) as f32),
            right: camera.right.extend(half[0]),
            up: camera.up.extend(half[1]),
            ahead: camera.forward.extend((camera.target_distance * 1e-3).clamp(1e-4, 1.0)),
            sun: sky.sun.extend(entering),
            sunlight: sky.sunlight.extend(haze),
            skylight: sky.skylight.extend(exposure * EXPOSURE_SCALE),
            ground: sky.radiance(-Vec3::Z, 0.01).extend(0.0),
            deep: deep.extend(water.crest.max(0.0)),
            extinction: look.extinction().extend(water.level),
            size: Vec4::new(width, height, 1.0 / width, 1.0 / height),
            sun_below: below.extend(0.0),
            ripples: Vec4::ZERO,
            drift: Vec4::ZERO,
            effects: Vec4::new(
                flag(view.effects.refraction),
                flag(view.effects.caustics),
                flag(view.effects.wetness),
                flag(view.effects.foam),
            ),
            more_effects: Vec4::new(
                flag(view.effects.bumps),
                flag(view.effects.glitter),
                flag(studio.is_some()),
                0.0,
            ),
            shine_below: Vec4::ZERO,
            shine_high: Vec4::ZERO,
            shine_rest: Vec4::ZERO,
            scales: Vec4::new(0.0, 0.0, view.materials.depth.max(0.0), 2.0 * half_height / height),
            solid: view.materials.solid.extend(flag(water.is_camera_below)),
            floor: Vec4::ZERO,
            stands: Vec4::ZERO,
            haze_towards: sky.horizon(sky.sun).extend(0.0),
            haze_away: sky.horizon(-sky.sun).extend(0.0),
            flow: Vec4::ZERO,
            flow_speeds: Vec4::ZERO,
            flow_one: Vec4::ZERO,
            flow_two: Vec4::ZERO,
        };
        if let Some(studio) = studio {
            world.ground = studio.surface(Vec3::ONE).extend(0.0);
            world.skylight = (studio.glow() * std::f32::consts::PI).extend(exposure * EXPOSURE_SCALE);
        }
        if let Some([low, high]) = water.standing_box {
            let width = (high - low).truncate().max_element().max(1e-3);
            world.floor = Vec4::new(low.z, high.z - low.z, width, 0.0);
            world.stands = Vec4::new(low.x, low.y, high.x, high.y);
        }
        match view.shading {
            ShadingModel::Water => world.set_ripples(view, time),
            ShadingModel::Classic(shine) => {
                let shine = shine.on_screen();
                world.shine_below = shine.underwater_colour.extend(shine.sky);
                world.shine_high = shine.highlight.extend(shine.underwater);
                world.shine_rest = Vec4::new(shine.specular, shine.ambient, exposure, 0.0);
                world.set_classic_bumps(view, time);
            }
        }
        world
    }

    // Two bump-map tiles of incommensurate size, each moving with the wind at the phase speed of its waves.
    fn set_ripples(&mut self, view: &SpaceView, time: f64) {
        let spec = &view.materials.ripples;
        let is_drawn = view.effects.bumps && spec.strength > 0.0 && spec.scale > 0.0;
        let long = f64::from(spec.scale.max(1e-3)) * 13.0;
        let short = long * 0.377;
        // Deep-water phase speed √(g λ / 2π), with λ ≈ 0.1 of the tile
        let moved = |length: f64| {
            let speed = (9.81 * 0.1 * length / std::f64::consts::TAU).sqrt();
            ((speed * time / length) % 1.0) as f32
        };
        let heading = glam::Vec2::from_angle(spec.direction.to_radians());
        self.ripples =
            Vec4::new(if is_drawn { spec.strength } else { 0.0 }, long as f32, short as f32, time as f32);
        self.drift = Vec4::new(heading.x, heading.y, moved(long), moved(short));
    }

    /// Ripples on running water, for a lattice of this spacing. The tile is the bump map, whose waves stand in the water.
    pub fn set_flow_ripples(&mut self, spec: &RippleSpec, spacing: f32, time: f64, seed: u32) {
        let phases = spec.flow_phases(2.0 * spacing, time, seed);
        let [onset, fast] = phases.speeds();
        self.flow = Vec4::new(spec.flow_strength, BUMP_WAVES * phases.scale, phases.full_depth(), 0.0);
        self.flow_speeds = Vec4::new(onset, fast, 0.0, 0.0);
        [self.flow_one, self.flow_two] =
            phases.tiles.map(|tile| Vec4::new(tile.shift.x, tile.shift.y, tile.age, tile.weight));
    }

    fn set_classic_bumps(&mut self, view: &SpaceView, time: f64) {
        let spec = classic_bumps(&view.materials.ripples);
        let strength = if view.effects.bumps { spec.strength } else { 0.0 };
        let shift = (f64::from(spec.drift) * time % f64::from(spec.length * 2.0)) as f32;
        self.ripples = Vec4::new(strength, spec.length, spec.length, shift);
    }
}
