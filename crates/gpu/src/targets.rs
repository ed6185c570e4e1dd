//! Off-screen render targets of a picture in space: radiance of the opaque pass, and depth.

use wgpu::{BindGroup, Device, TextureFormat, TextureUsages, TextureView};

use crate::context::{Context, DEPTH_FORMAT};

/// Off-screen render targets of one size.
pub struct RenderTargets {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The opaque pass: linear radiance, and the distance from the eye in alpha (see `shaders/world.wgsl`).
    pub light: TextureView,
    /// Depth of everything drawn so far.
    pub depth: TextureView,
    /// `light` as group 1 of what is drawn over it.
    pub behind: BindGroup,
}

impl RenderTargets {
    /// Creates targets of this size, which is not zero.
    pub fn new(context: &Context, device: &Device, size: [u32; 2]) -> RenderTargets {
        let light = render_target(device, "opaque light", context.light_format, size);
        let depth = render_target(device, "depth", DEPTH_FORMAT, size);
        let behind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("behind"),
            layout: &context.behind_layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&light),
            }],
        });
        RenderTargets { size, light, depth, behind }
    }
}

/// A texture that can be rendered to and then sampled.
pub fn render_target(device: &Device, label: &str, format: TextureFormat, size: [u32; 2]) -> TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width: size[0].max(1), height: size[1].max(1), depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
