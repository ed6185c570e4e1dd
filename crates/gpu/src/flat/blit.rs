//! The off-screen texture of a page, and the blit from it to the render target.

use wgpu::{BindGroup, BindGroupLayout, Device, PrimitiveTopology, RenderPass, RenderPipeline, TextureView};

use super::draw_call::PAGE_FORMAT;
use crate::context::{Context, texture_entry};
use crate::pipeline::{PipelineDescriptor, module};
use crate::targets::render_target;

/// Copies page textures to a render target, with sRGB encoding if the target needs it.
pub struct PageBlit {
    layout: BindGroupLayout,
    pipeline: RenderPipeline,
    texture: Option<PageTexture>,
}

/// A page texture.
#[derive(Clone)]
pub struct PageTexture {
    size: [u32; 2],
    /// Render attachment of the page.
    pub view: TextureView,
    bind_group: BindGroup,
}

impl PageBlit {
    /// Creates the pipeline.
    pub fn new(context: &Context, device: &Device) -> PageBlit {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("page"),
            entries: &[texture_entry(0, false, wgpu::TextureViewDimension::D2)],
        });
        let descriptor = PipelineDescriptor {
            label: "page",
            module: &module(device, "page", &[include_str!("blit.wgsl")]),
            entry_points: [
                "fullscreen_vertex",
                if context.encodes { "srgb_fragment" } else { "linear_fragment" },
            ],
            bind_group_layouts: &[Some(&layout)],
            vertex_buffers: &[],
            target: context.format,
            second_target: None,
            blend: None,
            depth_write: None,
            topology: PrimitiveTopology::TriangleList,
            cull_mode: None,
        };
        let pipeline = descriptor.create(device);
        PageBlit { layout, pipeline, texture: None }
    }

    /// The page texture of this size, reused while the size stays the same.
    pub fn texture(&mut self, device: &Device, size: [u32; 2]) -> PageTexture {
        if let Some(texture) = self.texture.as_ref().filter(|texture| texture.size == size) {
            return texture.clone();
        }
        let view = render_target(device, "page", PAGE_FORMAT, size);
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("page"),
            layout: &self.layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&view),
            }],
        });
        self.texture.insert(PageTexture { size, view, bind_group }).clone()
    }

    /// Copies a page texture to the attachment of a pass.
    pub fn copy(&self, pass: &mut RenderPass<'_>, texture: &PageTexture) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &texture.bind_group, &[]);
        pass.draw(0..3, 0..1);
    }
}
