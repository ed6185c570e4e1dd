//! Group 0: the world uniforms, the sky as a dome and as a cube map, a bump-map tile of ripples and a tile of noise.

use glam::Vec3;
use undine_render::classic::{BumpMap, CubeMap};
use undine_render::colour::encode;
use undine_render::preview::{EXPOSURE_SCALE, StudioBackdrop, filmic_curve};
use undine_render::sky::{Sky, SkySpec};
use wgpu::{
    BindGroup, Buffer, Device, FilterMode, Queue, Sampler, Texture, TextureFormat, TextureView,
    TextureViewDimension,
};

use crate::context::Context;
use crate::noise;
use crate::upload::{halved, layered, levels, texture, view, write, write_pyramid};
use crate::world::WorldUniforms;

/// Side of the dome texture in texels; `shaders/world.wgsl` repeats it and the next constant.
const DOME: u32 = 512;
/// Half side of the dome texture in units of the horizon's radius in stereographic projection: some of the sky below
/// the horizon is included.
const REACH: f32 = 1.12;
/// Side of a face of the cube map in texels.
const FACE: u32 = 256;

/// A studio in place of the sky.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudioTone {
    /// With pale walls.
    Pale,
    /// With dark walls.
    Dark,
}

/// Lighting of a picture.
pub struct Lighting {
    /// The sky, made for `spec`.
    pub sky: Sky,
    /// The studio in place of the sky, if there is one.
    pub studio: Option<StudioBackdrop>,
    tone: Option<StudioTone>,
    spec: SkySpec,
    buffer: Buffer,
    dome: Texture,
    bumps: Texture,
    cube: Texture,
    is_cube_current: bool,
    /// Group 0.
    pub group: BindGroup,
}

impl Lighting {
    /// Creates the textures for the default sky.
    pub fn new(context: &Context, device: &Device, queue: &Queue) -> Lighting {
        let spec = SkySpec::default();
        let sky = Sky::new(&spec, 0.0);
        let half = TextureFormat::Rgba16Float;
        let dome = texture(device, "dome", half, [DOME; 2], 7);
        let bumps = texture(device, "bumps", half, [256; 2], levels([256; 2]));
        let noise = noise_texture(device, queue);
        let cube = layered(device, "cube", TextureFormat::Rgba8Unorm, [FACE; 2], 6, 1);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("world"),
            size: size_of::<WorldUniforms>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let samplers =
            [wgpu::AddressMode::ClampToEdge, wgpu::AddressMode::Repeat].map(|mode| sampler(device, mode));
        let group = group(context, device, &buffer, &samplers, [&dome, &bumps, &noise], &cube);
        let (studio, tone, is_cube_current) = (None, None, false);
        let light = Lighting { sky, studio, tone, spec, buffer, dome, bumps, cube, is_cube_current, group };
        light.write_dome(queue);
        light.write_bumps(queue);
        light
    }

    /// Computes the textures of a sky, or of a studio in its daylight, if it has changed. Clouds are placed for `time`
    /// when this happens.
    pub fn set_sky(&mut self, queue: &Queue, spec: &SkySpec, tone: Option<StudioTone>, time: f64) {
        if *spec == self.spec && tone == self.tone {
            return;
        }
        let reseeded = spec.seed != self.spec.seed;
        self.sky = Sky::new(spec, time);
        self.spec = spec.clone();
        self.studio = tone.map(|tone| {
            // The lighting of a studio does not depend on the box in it
            StudioBackdrop::around([Vec3::ZERO, Vec3::ONE], &self.sky, tone == StudioTone::Dark)
        });
        self.tone = tone;
        self.is_cube_current = false;
        self.write_dome(queue);
        if reseeded {
            self.write_bumps(queue);
        }
    }

    /// Writes the world uniforms.
    pub fn write_uniforms(&self, queue: &Queue, world: &WorldUniforms) {
        queue.write_buffer(&self.buffer, 0, bytemuck::bytes_of(world));
    }

    /// Computes the cube map of the classic shading, if it is not current: the tone-mapped sky in sRGB.
    pub fn write_cube(&mut self, queue: &Queue) {
        if self.is_cube_current {
            return;
        }
        let shown = |light: f32| encode(filmic_curve(0.6 * light * EXPOSURE_SCALE).clamp(0.0, 1.0));
        let cube = CubeMap::of(&self.sky).map(|light| light.map(shown));
        for (face, axes) in CUBE_FACES.iter().enumerate() {
            let texel = |index: u32| {
                let unit = |at: u32| (at as f32 + 0.5) / FACE as f32 * 2.0 - 1.0;
                let (across, down) = (unit(index % FACE), unit(index / FACE));
                let colour = cube.at(axes[0] + axes[1] * across + axes[2] * down);
                let byte = |channel: f32| (channel * 255.0 + 0.5) as u8;
                [byte(colour.x), byte(colour.y), byte(colour.z), 255]
            };
            let texels: Vec<[u8; 4]> = (0..FACE * FACE).map(texel).collect();
            write(queue, &self.cube, face as u32, 0, FACE * 4, bytemuck::cast_slice(&texels));
        }
        self.is_cube_current = true;
    }

    fn write_dome(&self, queue: &Queue) {
        let texel = |index: u32| {
            let unit = |at: u32| ((at as f32 + 0.5) / DOME as f32 * 2.0 - 1.0) * REACH;
            let (u, v) = (unit(index % DOME), unit(index / DOME));
            let squared = u * u + v * v;
            let direction = Vec3::new(2.0 * u, 2.0 * v, 1.0 - squared) / (1.0 + squared);
            let light = match &self.studio {
                Some(studio) => studio.shine(self.sky.sun, direction),
                None => self.sky.blurred_radiance(direction, 0.0),
            };
            light.extend(1.0).to_array()
        };
        write_pyramid(queue, &self.dome, 0, [DOME; 2], (0..DOME * DOME).map(texel).collect(), None);
    }

    fn write_bumps(&self, queue: &Queue) {
        let map = BumpMap::waves(self.spec.seed);
        let [columns, rows] = map.size();
        let at = |column: usize, row: usize| map.slope(column % columns, row % rows);
        let texel = |index: usize| {
            let (column, row) = (index % columns, index / columns);
            let slope = at(column, row);
            // Divergence of the slopes per width of the map, for caustics of ripples
            let bend = (at(column + 1, row) - at(column + columns - 1, row)).x
                + (at(column, row + 1) - at(column, row + rows - 1)).y;
            [slope.x, slope.y, slope.length_squared(), bend * columns as f32 * 0.5]
        };
        let texels = (0..columns * rows).map(texel).collect();
        write_pyramid(queue, &self.bumps, 0, [columns as u32, rows as u32], texels, None);
    }
}

// For each cube-map face: direction to its centre, its u axis and its v axis, by the convention of WebGPU.
const CUBE_FACES: [[Vec3; 3]; 6] = [
    [Vec3::X, Vec3::NEG_Z, Vec3::NEG_Y],
    [Vec3::NEG_X, Vec3::Z, Vec3::NEG_Y],
    [Vec3::Y, Vec3::X, Vec3::Z],
    [Vec3::NEG_Y, Vec3::X, Vec3::NEG_Z],
    [Vec3::Z, Vec3::X, Vec3::NEG_Y],
    [Vec3::NEG_Z, Vec3::NEG_X, Vec3::NEG_Y],
];

fn noise_texture(device: &Device, queue: &Queue) -> Texture {
    let size = [noise::SIDE; 2];
    let noise = texture(device, "noise", TextureFormat::Rgba8Unorm, size, levels(size));
    let (mut texels, mut size) = (noise::tile(), size);
    for level in 0..noise.mip_level_count() {
        let bytes: Vec<[u8; 4]> =
            texels.iter().map(|texel| texel.map(|part| (part * 255.0 + 0.5) as u8)).collect();
        write(queue, &noise, 0, level, size[0] * 4, bytemuck::cast_slice(&bytes));
        (texels, size) = halved(&texels, size);
    }
    noise
}

fn sampler(device: &Device, mode: wgpu::AddressMode) -> Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("smooth"),
        address_mode_u: mode,
        address_mode_v: mode,
        address_mode_w: mode,
        mag_filter: FilterMode::Linear,
        min_filter: FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Nearest,
        ..Default::default()
    })
}

fn group(
    context: &Context,
    device: &Device,
    buffer: &Buffer,
    samplers: &[Sampler; 2],
    flat: [&Texture; 3],
    cube: &Texture,
) -> BindGroup {
    let flat = flat.map(view);
    let cube: TextureView = cube.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(TextureViewDimension::Cube),
        ..Default::default()
    });
    let resources = [
        buffer.as_entire_binding(),
        wgpu::BindingResource::Sampler(&samplers[0]),
        wgpu::BindingResource::Sampler(&samplers[1]),
        wgpu::BindingResource::TextureView(&flat[0]),
        wgpu::BindingResource::TextureView(&flat[1]),
        wgpu::BindingResource::TextureView(&flat[2]),
        wgpu::BindingResource::TextureView(&cube),
    ];
    crate::context::bind(device, "world", &context.world_layout, &resources)
}
