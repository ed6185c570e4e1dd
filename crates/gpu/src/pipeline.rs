//! Render pipelines from short descriptors, and shader modules from several source texts.

use wgpu::{BindGroupLayout, ColorTargetState, Device, RenderPipeline, ShaderModule, TextureFormat};

use crate::context::depth_state;

/// The parts of a [`wgpu::RenderPipelineDescriptor`] in which the pipelines of this crate differ.
pub struct PipelineDescriptor<'a> {
    /// Debug label.
    pub label: &'a str,
    /// Shader module with both entry points.
    pub module: &'a ShaderModule,
    /// Entry points of the vertex and the fragment stage.
    pub entry_points: [&'a str; 2],
    /// Bind group layouts from group 0 on.
    pub bind_group_layouts: &'a [Option<&'a BindGroupLayout>],
    /// Layouts of the vertex buffers.
    pub vertex_buffers: &'a [wgpu::VertexBufferLayout<'a>],
    /// Format of colour attachment 0.
    pub target: TextureFormat,
    /// Format of colour attachment 1, if there is one.
    pub second_target: Option<TextureFormat>,
    /// Blend state of the colour attachments; `None` replaces the colour.
    pub blend: Option<wgpu::BlendState>,
    /// Depth test with or without depth write; `None` without a depth attachment.
    pub depth_write: Option<bool>,
    /// Primitive topology.
    pub topology: wgpu::PrimitiveTopology,
    /// Culled faces.
    pub cull_mode: Option<wgpu::Face>,
}

impl PipelineDescriptor<'_> {
    /// Creates the pipeline.
    pub fn create(&self, device: &Device) -> RenderPipeline {
        self.create_with_constants(device, &[])
    }

    /// Creates the pipeline with values for the pipeline-overridable constants of its shaders.
    pub fn create_with_constants(&self, device: &Device, constants: &[(&str, f64)]) -> RenderPipeline {
        self.create_with_depth(device, self.depth_write.map(depth_state), constants)
    }

    fn create_with_depth(
        &self,
        device: &Device,
        depth: Option<wgpu::DepthStencilState>,
        constants: &[(&str, f64)],
    ) -> RenderPipeline {
        // Layout and attachments
        let options = wgpu::PipelineCompilationOptions { constants, ..Default::default() };
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(self.label),
            bind_group_layouts: self.bind_group_layouts,
            immediate_size: 0,
        });
        let buffers: Vec<Option<wgpu::VertexBufferLayout<'_>>> =
            self.vertex_buffers.iter().cloned().map(Some).collect();
        let targets: Vec<Option<ColorTargetState>> = std::iter::once(self.target)
            .chain(self.second_target)
            .map(|format| {
                Some(ColorTargetState { format, blend: self.blend, write_mask: wgpu::ColorWrites::ALL })
            })
            .collect();

        // Both stages use the same constants
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.entry_points[0]),
                compilation_options: options.clone(),
                buffers: &buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: self.topology,
                cull_mode: self.cull_mode,
                ..Default::default()
            },
            depth_stencil: depth,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(self.entry_points[1]),
                compilation_options: options,
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// A shader module from several WGSL texts, joined in order.
pub fn module(device: &Device, label: &str, parts: &[&str]) -> ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(parts.concat().into()),
    })
}
