//! Draw calls of a page, and their uniform buffers and bind groups.

use bytemuck::Pod;
use wgpu::{BindGroup, BindGroupLayout, Buffer, BufferUsages, Device, Queue, RenderPass, RenderPipeline};

/// Format of the page texture: sRGB, so that layers are blended in linear light.
pub const PAGE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// One draw call. Group 0 is the page.
#[derive(Debug, Clone)]
pub struct DrawCall {
    /// Render pipeline.
    pub pipeline: RenderPipeline,
    /// Bind groups from group 1 on.
    pub bind_groups: Vec<BindGroup>,
    /// Vertex or instance buffer, if any.
    pub buffer: Option<Buffer>,
    /// Vertices per instance.
    pub vertices: u32,
    /// Number of instances.
    pub instances: u32,
}

impl DrawCall {
    /// Records it in a render pass.
    pub fn record(&self, pass: &mut RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        for (group, bind_groups) in (1..).zip(&self.bind_groups) {
            pass.set_bind_group(group, bind_groups, &[]);
        }
        if let Some(buffer) = &self.buffer {
            pass.set_vertex_buffer(0, buffer.slice(..));
        }
        pass.draw(0..self.vertices, 0..self.instances);
    }
}

/// A uniform buffer with these contents.
///
/// It is written by the queue: browsers have little memory for buffers that are mapped at creation.
pub fn uniform_buffer<T: Pod>(device: &Device, queue: &Queue, label: &str, contents: &T) -> Buffer {
    let bytes = bytemuck::bytes_of(contents);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: (bytes.len() as u64).next_multiple_of(16),
        usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// A bind group of a uniform buffer at binding 0 and, if given, a texture at binding 1.
pub fn bind_group(
    device: &Device,
    layout: &BindGroupLayout,
    uniforms: &Buffer,
    texture: Option<&wgpu::TextureView>,
) -> BindGroup {
    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() }];
    entries.extend(
        texture.map(|view| wgpu::BindGroupEntry {
            binding: 1,
            resource: wgpu::BindingResource::TextureView(view),
        }),
    );
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
