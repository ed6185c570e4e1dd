//! What everything that a device draws has in common: formats and the layouts of shared bindings.

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, Device,
    SamplerBindingType, ShaderStages, TextureFormat, TextureSampleType, TextureViewDimension,
};

/// Depth is reversed: one at the near plane, zero at infinity. [`depth_state`] compares accordingly.
pub const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32Float;

/// Formats and shared layouts of a device.
#[derive(Debug, Clone)]
pub struct Context {
    /// Format of the pictures.
    pub format: TextureFormat,
    /// Whether shaders must encode for the screen, because the format does not do it by itself.
    pub encodes: bool,
    /// Format of light off the screen: linear, with the distance from the eye as alpha.
    pub light: TextureFormat,
    /// Group 0 of everything in space: the world, as `shaders/world.wgsl` declares it.
    pub world: BindGroupLayout,
    /// Group 1 of what is drawn over the opaque picture: that picture, as `shaders/behind.wgsl` declares it.
    pub behind: BindGroupLayout,
    /// Whether the device is a program: triangles smaller than some pixels are then dear.
    pub is_software: bool,
    /// Longest side that a texture may have.
    pub longest_side: u32,
    /// Most bytes that a buffer may have.
    pub most_bytes: u64,
}

impl Context {
    /// The context of a device for pictures of this format.
    pub fn new(device: &Device, format: TextureFormat) -> Context {
        let limits = device.limits();
        Context {
            format,
            encodes: !format.is_srgb(),
            light: light_format(device),
            world: world_layout(device),
            behind: behind_layout(device),
            is_software: device.adapter_info().device_type == wgpu::DeviceType::Cpu,
            longest_side: limits.max_texture_dimension_2d.max(1),
            most_bytes: limits.max_buffer_size,
        }
    }
}

impl Context {
    /// The numbers that all shaders in space are made with.
    pub fn constants(&self) -> [(&'static str, f64); 2] {
        let flag = |on: bool| f64::from(u8::from(on));
        [("ENCODES", flag(self.encodes)), ("HALVES", flag(self.light == TextureFormat::Rgba16Float))]
    }
}

/// How depth is compared and written.
pub fn depth_state(is_written: bool) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(is_written),
        depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}

/// A layout entry for a texture of floats.
pub fn texture_entry(
    binding: u32,
    is_filtered: bool,
    view_dimension: TextureViewDimension,
) -> BindGroupLayoutEntry {
    let sample_type = TextureSampleType::Float { filterable: is_filtered };
    let ty = BindingType::Texture { sample_type, view_dimension, multisampled: false };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::VERTEX_FRAGMENT, ty, count: None }
}

/// A layout entry for a uniform block.
pub fn uniform_entry(binding: u32) -> BindGroupLayoutEntry {
    let ty = BindingType::Buffer {
        ty: BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::VERTEX_FRAGMENT, ty, count: None }
}

/// A layout entry for a sampler that filters.
pub fn sampler_entry(binding: u32) -> BindGroupLayoutEntry {
    let ty = BindingType::Sampler(SamplerBindingType::Filtering);
    BindGroupLayoutEntry { binding, visibility: ShaderStages::VERTEX_FRAGMENT, ty, count: None }
}

fn world_layout(device: &Device) -> BindGroupLayout {
    let flat = TextureViewDimension::D2;
    device.create_bind_group_layout(&BindGroupLayoutDescriptor {
        label: Some("world"),
        entries: &[
            uniform_entry(0),
            sampler_entry(1),
            sampler_entry(2),
            texture_entry(3, true, flat),
            texture_entry(4, true, flat),
            texture_entry(5, true, flat),
            texture_entry(6, true, TextureViewDimension::Cube),
        ],
    })
}

fn behind_layout(device: &Device) -> BindGroupLayout {
    let entries = &[texture_entry(0, true, TextureViewDimension::D2)];
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some("behind"), entries })
}

// Some devices of the WebGL2 class cannot draw into half floats. They answer at once; those that do not can.
fn light_format(device: &Device) -> TextureFormat {
    let wanted = TextureFormat::Rgba16Float;
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("can light be drawn"),
        size: wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wanted,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let mut answer = std::pin::pin!(scope.pop());
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    let refused = matches!(answer.as_mut().poll(&mut task), std::task::Poll::Ready(Some(_)));
    drop(texture);
    if refused { TextureFormat::Rgba8Unorm } else { wanted }
}

/// A bind group of resources numbered from zero.
pub fn bind(
    device: &Device,
    label: &str,
    layout: &BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let numbered = resources.iter().enumerate();
    let entries: Vec<wgpu::BindGroupEntry<'_>> = numbered
        .map(|(number, resource)| wgpu::BindGroupEntry { binding: number as u32, resource: resource.clone() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}
