//! The off-screen pictures behind a picture: the opaque part of what is seen, and depth.

use wgpu::{BindGroup, Device, TextureFormat, TextureUsages, TextureView};

use crate::context::{Context, DEPTH_FORMAT};

/// Off-screen pictures of one size.
pub struct Stage {
    /// Pixels along and down.
    pub size: [u32; 2],
    /// The opaque part: linear light, and the distance from the eye as alpha (see `shaders/world.wgsl`).
    pub light: TextureView,
    /// Depth of everything that was drawn so far.
    pub depth: TextureView,
    /// `light` as group 1 of what is drawn over it.
    pub behind: BindGroup,
}

impl Stage {
    /// Pictures of this size, which is not zero.
    pub fn new(context: &Context, device: &Device, size: [u32; 2]) -> Stage {
        let light = target(device, "opaque light", context.light, size);
        let depth = target(device, "depth", DEPTH_FORMAT, size);
        let behind = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("behind"),
            layout: &context.behind,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&light),
            }],
        });
        Stage { size, light, depth, behind }
    }
}

/// A texture that can be drawn into and then looked at.
pub fn target(device: &Device, label: &str, format: TextureFormat, size: [u32; 2]) -> TextureView {
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
