//! The sheet on which a page is drawn before it is brought to its target.

use wgpu::{BindGroup, BindGroupLayout, Device, PrimitiveTopology, RenderPass, RenderPipeline, TextureView};

use super::draw::SHEET_FORMAT;
use crate::context::{Context, texture_entry};
use crate::pipeline::{Recipe, module};
use crate::stage::target;

/// Brings sheets to their target.
pub struct Sheets {
    layout: BindGroupLayout,
    pipeline: RenderPipeline,
    sheet: Option<Sheet>,
}

/// A sheet of some size.
#[derive(Clone)]
pub struct Sheet {
    size: [u32; 2],
    /// What is drawn into.
    pub view: TextureView,
    bindings: BindGroup,
}

impl Sheets {
    /// Makes the pipeline.
    pub fn new(context: &Context, device: &Device) -> Sheets {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("sheet"),
            entries: &[texture_entry(0, false, wgpu::TextureViewDimension::D2)],
        });
        let recipe = Recipe {
            label: "sheet",
            module: &module(device, "sheet", &[include_str!("sheet.wgsl")]),
            stages: ["whole", if context.encodes { "encoded" } else { "plain" }],
            groups: &[Some(&layout)],
            buffers: &[],
            format: context.format,
            second: None,
            blend: None,
            writes_depth: None,
            topology: PrimitiveTopology::TriangleList,
            culled: None,
        };
        let pipeline = recipe.make(device);
        Sheets { layout, pipeline, sheet: None }
    }

    /// The sheet for pictures of this size.
    pub fn sheet(&mut self, device: &Device, size: [u32; 2]) -> Sheet {
        if let Some(sheet) = self.sheet.as_ref().filter(|sheet| sheet.size == size) {
            return sheet.clone();
        }
        let view = target(device, "sheet", SHEET_FORMAT, size);
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sheet"),
            layout: &self.layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&view),
            }],
        });
        self.sheet.insert(Sheet { size, view, bindings }).clone()
    }

    /// Copies a sheet to the target of a pass.
    pub fn copy(&self, pass: &mut RenderPass<'_>, sheet: &Sheet) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &sheet.bindings, &[]);
        pass.draw(0..3, 0..1);
    }
}
