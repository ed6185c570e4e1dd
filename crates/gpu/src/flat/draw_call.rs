//! What is drawn onto a page: a pipeline with its bindings and vertices.

use bytemuck::Pod;
use wgpu::{BindGroup, BindGroupLayout, Buffer, BufferUsages, Device, Queue, RenderPass, RenderPipeline};

/// Format in which a page is drawn: layers are mixed as light, not as bytes.
pub const PAGE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// One draw call of a page. Group 0 is the page.
#[derive(Debug, Clone)]
pub struct DrawCall {
    /// How.
    pub pipeline: RenderPipeline,
    /// Groups from 1 on.
    pub bind_groups: Vec<BindGroup>,
    /// The vertices or instances, if any.
    pub buffer: Option<Buffer>,
    /// Vertices of each instance.
    pub vertices: u32,
    /// How often.
    pub instances: u32,
}

impl DrawCall {
    /// Hands it to the device.
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

/// A uniform block with these numbers.
///
/// It is written by the queue: browsers have little memory for buffers that are born mapped.
pub fn uniform_buffer<T: Pod>(device: &Device, queue: &Queue, label: &str, numbers: &T) -> Buffer {
    let bytes = bytemuck::bytes_of(numbers);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: (bytes.len() as u64).next_multiple_of(16),
        usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// A group of a uniform block and, after it, a texture if there is one.
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
