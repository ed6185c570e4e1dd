//! Colour mapping in shaders: the HSL ramp of two hues [demeulenaere2008], colour maps, cell kinds.
//!
//! [`wgsl`] is the source that declares `colour_of(value) -> vec4<f32>`, to be joined before a shader: the same linear
//! colours as [`undine_render::plots`] has. A [`GpuPalette`] is the bind group that it reads.

use bytemuck::{Pod, Zeroable};
use undine_frame::Quantity;
use undine_render::plots::{ColourMap, HslRamp, Scale, kind_colour};
use wgpu::util::DeviceExt;

use super::draw_call::uniform_buffer;
use crate::ColourMapping;

/// Entries of the colour table.
const TABLE_SIZE: u32 = 256;

/// Stored in place of a missing value; shaders treat values this large as missing.
pub const MISSING: f32 = 3e38;

/// Values are clamped to this magnitude, so that they are not treated as missing.
const MAX_STORED: f32 = 1e30;

/// A value as it is stored for shaders: finite, or [`MISSING`] for NaN.
pub fn stored(value: f32) -> f32 {
    if value.is_nan() { MISSING } else { value.clamp(-MAX_STORED, MAX_STORED) }
}

/// The source of `colours.wgsl`, with its bindings in this group.
pub fn wgsl(group: u32) -> String {
    include_str!("colours.wgsl").replace("COLOURS_GROUP", &group.to_string())
}

/// Uniforms of a palette, as `colours.wgsl` declares them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct ColourUniforms {
    hues: [f32; 4],
    ramp: [f32; 4],
    scale: [f32; 4],
}

/// What a palette maps to colours.
#[derive(Debug, Clone, PartialEq)]
pub enum ColourScheme {
    /// Values of a quantity.
    Values(ColourMapping),
    /// Kinds of a quantity.
    Kinds(Quantity),
}

impl ColourScheme {
    fn uniforms(&self) -> ColourUniforms {
        match self {
            ColourScheme::Values(ColourMapping::Hsl { ramp, unit }) => hsl_uniforms(ramp, *unit),
            ColourScheme::Values(ColourMapping::Map { limits: [low, high], is_log, .. }) => {
                let scale = Scale::new(*low, *high, *is_log);
                let is_log = f32::from(u8::from(scale.is_log));
                ColourUniforms { scale: [scale.low, scale.high, is_log, 1.0], ..ColourUniforms::zeroed() }
            }
            ColourScheme::Kinds(_) => {
                ColourUniforms { scale: [0.0, 0.0, 0.0, 2.0], ..ColourUniforms::zeroed() }
            }
        }
    }

    fn table(&self) -> Vec<[f32; 4]> {
        let opaque = |[red, green, blue]: [f32; 3]| [red, green, blue, 1.0];
        match self {
            ColourScheme::Values(ColourMapping::Hsl { .. }) => vec![[0.0; 4]; TABLE_SIZE as usize],
            ColourScheme::Values(ColourMapping::Map { map, .. }) => {
                let map = ColourMap::named(map).or_else(|| ColourMap::named("lagoon"));
                let map = map.unwrap_or_else(|| ColourMap::through(&[[0.0; 3], [1.0; 3]]));
                (0..TABLE_SIZE)
                    .map(|step| opaque(map.colour(step as f32 / (TABLE_SIZE - 1) as f32)))
                    .collect()
            }
            ColourScheme::Kinds(quantity) => {
                (0..TABLE_SIZE as usize).map(|kind| opaque(kind_colour(*quantity, kind))).collect()
            }
        }
    }
}

fn hsl_uniforms(ramp: &HslRamp, unit: f32) -> ColourUniforms {
    let unit = if unit.is_finite() && unit.abs() > 0.0 { unit } else { 1.0 };
    ColourUniforms {
        hues: [ramp.hue_a, ramp.hue_b, ramp.saturation.clamp(0.0, 1.0), unit],
        ramp: [ramp.linear, ramp.log, ramp.light_limit.clamp(0.0, 1.0), ramp.overflow_limit],
        scale: [0.0; 4],
    }
}

/// The bind group layout of palettes: uniforms and colour table, both for the fragment stage.
pub fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty,
        count: None,
    };
    let uniforms = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let table = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: false },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("colours"),
        entries: &[entry(0, uniforms), entry(1, table)],
    })
}

/// The bind group of one colour scheme.
#[derive(Debug)]
pub struct GpuPalette {
    /// What it maps to colours.
    pub scheme: ColourScheme,
    /// Uniforms and colour table.
    pub bind_group: wgpu::BindGroup,
}

impl GpuPalette {
    /// Uploads a scheme.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layout: &wgpu::BindGroupLayout,
        scheme: ColourScheme,
    ) -> GpuPalette {
        // Uniforms, and the colours of a map as a texture of one row
        let uniforms = uniform_buffer(device, queue, "colours", &scheme.uniforms());
        let table = device.create_texture_with_data(
            queue,
            &wgpu::TextureDescriptor {
                label: Some("colour table"),
                size: wgpu::Extent3d { width: TABLE_SIZE, height: 1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::Rgba32Float,
                usage: wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            },
            wgpu::util::TextureDataOrder::default(),
            bytemuck::cast_slice(&scheme.table()),
        );
        let view = table.create_view(&wgpu::TextureViewDescriptor::default());
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("colours"),
            layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&view) },
            ],
        });
        GpuPalette { scheme, bind_group }
    }
}
