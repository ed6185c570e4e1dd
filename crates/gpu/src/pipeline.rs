//! Pipelines in few words.

use wgpu::{BindGroupLayout, ColorTargetState, Device, RenderPipeline, ShaderModule, TextureFormat};

use crate::context::depth_state;

/// What a pipeline is made of; what is not said is usual.
pub struct Recipe<'a> {
    /// Its name.
    pub label: &'a str,
    /// The text of its shaders.
    pub module: &'a ShaderModule,
    /// Its vertex and fragment shader.
    pub stages: [&'a str; 2],
    /// Its groups of bindings.
    pub groups: &'a [Option<&'a BindGroupLayout>],
    /// Its buffers of vertices.
    pub buffers: &'a [wgpu::VertexBufferLayout<'a>],
    /// Format of what it draws into.
    pub format: TextureFormat,
    /// Format of what it draws into at the same time, if anything.
    pub second: Option<TextureFormat>,
    /// How what it draws is joined with what is there; `None` to replace it.
    pub blend: Option<wgpu::BlendState>,
    /// Depth is compared, and written if this says so; `None` without depth.
    pub writes_depth: Option<bool>,
    /// How its vertices are joined.
    pub topology: wgpu::PrimitiveTopology,
    /// Faces that are left out.
    pub culled: Option<wgpu::Face>,
}

impl Recipe<'_> {
    /// The pipeline.
    pub fn make(&self, device: &Device) -> RenderPipeline {
        self.make_with(device, &[])
    }

    /// The pipeline, of shaders made with these numbers.
    pub fn make_with(&self, device: &Device, constants: &[(&str, f64)]) -> RenderPipeline {
        self.with_depth(device, self.writes_depth.map(depth_state), constants)
    }

    fn with_depth(
        &self,
        device: &Device,
        depth: Option<wgpu::DepthStencilState>,
        constants: &[(&str, f64)],
    ) -> RenderPipeline {
        let options = wgpu::PipelineCompilationOptions { constants, ..Default::default() };
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(self.label),
            bind_group_layouts: self.groups,
            immediate_size: 0,
        });
        let buffers: Vec<Option<wgpu::VertexBufferLayout<'_>>> =
            self.buffers.iter().cloned().map(Some).collect();
        let targets: Vec<Option<ColorTargetState>> = std::iter::once(self.format)
            .chain(self.second)
            .map(|format| {
                Some(ColorTargetState { format, blend: self.blend, write_mask: wgpu::ColorWrites::ALL })
            })
            .collect();
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.stages[0]),
                compilation_options: options.clone(),
                buffers: &buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: self.topology,
                cull_mode: self.culled,
                ..Default::default()
            },
            depth_stencil: depth,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(self.stages[1]),
                compilation_options: options,
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// A module of shaders from parts of its text.
pub fn module(device: &Device, label: &str, parts: &[&str]) -> ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(parts.concat().into()),
    })
}
