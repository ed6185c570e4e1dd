//! Formats, limits and shared bind group layouts of a device.

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, Device,
    SamplerBindingType, ShaderStages, TextureFormat, TextureSampleType, TextureViewDimension,
};

/// Format of the depth buffer. Depth is reversed: 1 at the near plane, 0 at infinity; [`depth_state`] compares
/// accordingly.
pub const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32Float;

/// Formats and shared layouts of a device.
#[derive(Debug, Clone)]
pub struct Context {
    /// Format of the render target.
    pub format: TextureFormat,
    /// Whether shaders apply the sRGB transfer function, because the format is not an sRGB one.
    pub encodes: bool,
    /// Format of off-screen radiance: linear, with the distance from the eye in alpha.
    pub light_format: TextureFormat,
    /// Layout of group 0 of everything in space, declared in `shaders/world.wgsl`.
    pub world_layout: BindGroupLayout,
    /// Layout of group 1 of everything drawn over the opaque pass: the texture of that pass, declared in
    /// `shaders/behind.wgsl`.
    pub behind_layout: BindGroupLayout,
    /// Whether the device is a software rasteriser, for which triangles of a few pixels are expensive.
    pub is_software: bool,
    /// Largest side of a texture, in texels.
    pub longest_side: u32,
    /// Largest size of a buffer, in bytes.
    pub most_bytes: u64,
}

impl Context {
    /// Reads the limits of a device and creates the shared layouts, for render targets of `format`.
    pub fn new(device: &Device, format: TextureFormat) -> Context {
        let limits = device.limits();
        Context {
            format,
            encodes: !format.is_srgb(),
            light_format: light_format(device),
            world_layout: world_layout(device),
            behind_layout: behind_layout(device),
            is_software: device.adapter_info().device_type == wgpu::DeviceType::Cpu,
            longest_side: limits.max_texture_dimension_2d.max(1),
            most_bytes: limits.max_buffer_size,
        }
    }
}

impl Context {
    /// Pipeline-overridable constants that all shaders in space have.
    pub fn constants(&self) -> [(&'static str, f64); 2] {
        let flag = |on: bool| f64::from(u8::from(on));
        [("ENCODES", flag(self.encodes)), ("HALVES", flag(self.light_format == TextureFormat::Rgba16Float))]
    }
}

/// The depth-stencil state for reversed depth.
pub fn depth_state(is_written: bool) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(is_written),
        depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}

/// A layout entry for a texture with float samples.
pub fn texture_entry(
    binding: u32,
    is_filtered: bool,
    view_dimension: TextureViewDimension,
) -> BindGroupLayoutEntry {
    let sample_type = TextureSampleType::Float { filterable: is_filtered };
    let ty = BindingType::Texture { sample_type, view_dimension, multisampled: false };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::VERTEX_FRAGMENT, ty, count: None }
}

/// A layout entry for a uniform buffer.
pub fn uniform_entry(binding: u32) -> BindGroupLayoutEntry {
    let ty = BindingType::Buffer {
        ty: BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::VERTEX_FRAGMENT, ty, count: None }
}

/// A layout entry for a filtering sampler.
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

// Rgba16Float where it is renderable, else Rgba8Unorm: some WebGL2 devices cannot render to half floats. They report
// the validation error at once, so an error scope that is still pending counts as success.
fn light_format(device: &Device) -> TextureFormat {
    let wanted = TextureFormat::Rgba16Float;
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("half-float probe"),
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

/// A bind group of resources with bindings numbered from zero.
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
