//! Screen-space maps of a liquid surface, at full or half resolution, and the passes that filter them.

use bytemuck::{Pod, Zeroable};
use wgpu::{BindGroup, BindGroupLayout, Buffer, Device, Queue, TextureFormat, TextureView};

use super::renderable::is_renderable;
use crate::context::{DEPTH_FORMAT, texture_entry, uniform_entry};
use crate::targets::render_target;

/// Format of the thickness map, which is blended additively.
pub const THICKNESS_FORMAT: TextureFormat = TextureFormat::R16Float;

/// Formats of the maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenFormats {
    /// Of the depth map: distance along the view axis.
    pub ahead: TextureFormat,
    /// Of the shape map: normal, depth, thickness.
    pub shape: TextureFormat,
}

impl ScreenFormats {
    /// Single precision if renderable, else half precision, which leaves a faint pattern on level water; `None` if
    /// neither is.
    pub fn of(device: &Device) -> Option<ScreenFormats> {
        let single = ScreenFormats { ahead: TextureFormat::R32Float, shape: TextureFormat::Rgba32Float };
        let half = ScreenFormats { ahead: TextureFormat::R16Float, shape: TextureFormat::Rgba16Float };
        let can = |formats: &ScreenFormats| {
            [formats.ahead, formats.shape].iter().all(|format| is_renderable(device, *format))
        };
        [single, half].into_iter().find(can).filter(|_| is_renderable(device, THICKNESS_FORMAT))
    }
}

/// Spacing of the filter taps in each round of smoothing. The last round removes the pattern that the widest one
/// leaves.
const TAP_SPACINGS: [f32; 4] = [1.0, 2.0, 4.0, 1.0];

/// Pictures with more pixels than this have maps of half resolution.
const HALF_SIZE_ABOVE: u32 = 500_000;

/// Uniforms of a filter pass, as `smooth.wgsl` declares them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct FilterUniforms {
    size: [f32; 2],
    reach: f32,
    apart: f32,
    range: f32,
    behind: f32,
    unused: [f32; 2],
}

/// A full-screen pass over the maps: its inputs and its attachment.
pub struct FilterPass {
    /// Inputs, as group 1.
    pub bind_group: BindGroup,
    /// Attachment.
    pub to: TextureView,
}

/// The maps for one picture size.
pub struct ScreenMaps {
    /// Size of the picture.
    pub picture: [u32; 2],
    /// Size of the maps.
    pub size: [u32; 2],
    /// Depth map: distance of the nearest sphere along the view axis.
    pub front: TextureView,
    /// Depth buffer of the spheres.
    pub depth: TextureView,
    /// Thickness map.
    pub thickness: TextureView,
    /// Smoothing passes.
    pub filters: Vec<FilterPass>,
    /// The pass that computes normals.
    pub shape_pass: FilterPass,
    /// The shape map, as group 2 of the surface shader.
    pub shape: BindGroup,
    uniforms: [Buffer; TAP_SPACINGS.len()],
}

/// Bind group layouts of the passes.
pub struct ScreenLayouts {
    /// Formats of the maps.
    pub formats: ScreenFormats,
    /// Group 1 of filter passes.
    pub filter: BindGroupLayout,
    /// Group 2 of the surface shader.
    pub shape: BindGroupLayout,
}

impl ScreenLayouts {
    /// Creates the layouts.
    pub fn new(device: &Device, formats: ScreenFormats) -> ScreenLayouts {
        let map = |binding| texture_entry(binding, false, wgpu::TextureViewDimension::D2);
        let layout = |label, entries: &[_]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        ScreenLayouts {
            formats,
            filter: layout("filter", &[uniform_entry(0), map(1), map(2)]),
            shape: layout("shape", &[map(0)]),
        }
    }
}

impl ScreenMaps {
    /// Creates the maps for pictures of this size.
    pub fn new(device: &Device, layouts: &ScreenLayouts, picture: [u32; 2]) -> ScreenMaps {
        let divisor = if picture[0].saturating_mul(picture[1]) > HALF_SIZE_ABOVE { 2 } else { 1 };
        let size = picture.map(|side| side.div_ceil(divisor).max(1));
        let map = |label, format| render_target(device, label, format, size);
        let fronts = ["front", "smoothed"].map(|label| map(label, layouts.formats.ahead));
        let thickness = map("thickness", THICKNESS_FORMAT);
        let shape_map = map("shape", layouts.formats.shape);
        let uniforms = TAP_SPACINGS.map(|_| uniform_buffer(device));
        let filter = |round: usize, from: &TextureView, to: &TextureView| FilterPass {
            bind_group: bind_group(device, &layouts.filter, &uniforms[round], from, &thickness),
            to: to.clone(),
        };
        // Ping-pong between two depth maps
        let filters =
            (0..TAP_SPACINGS.len()).map(|round| filter(round, &fronts[round % 2], &fronts[(round + 1) % 2]));
        let filters = filters.collect();
        let shape_pass = filter(0, &fronts[TAP_SPACINGS.len() % 2], &shape_map);
        let shape = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shape"),
            layout: &layouts.shape,
            entries: &[texture(0, &shape_map)],
        });
        let [front, ..] = fronts;
        ScreenMaps {
            picture,
            size,
            front,
            depth: map("spheres", DEPTH_FORMAT),
            thickness,
            filters,
            shape_pass,
            shape,
            uniforms,
        }
    }

    /// Writes the uniforms of the filters for a particle radius in metres.
    pub fn write_uniforms(&self, queue: &Queue, radius: f32) {
        let [width, height] = self.size.map(|side| side as f32);
        for (buffer, apart) in self.uniforms.iter().zip(TAP_SPACINGS) {
            let values = FilterUniforms {
                size: [width, height],
                reach: 4.5 * radius,
                apart,
                range: 5.0 * radius,
                behind: radius,
                unused: [0.0; 2],
            };
            queue.write_buffer(buffer, 0, bytemuck::bytes_of(&values));
        }
    }
}

fn uniform_buffer(device: &Device) -> Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("screen"),
        size: size_of::<FilterUniforms>() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn texture(binding: u32, view: &TextureView) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) }
}

fn bind_group(
    device: &Device,
    layout: &BindGroupLayout,
    uniforms: &Buffer,
    ahead: &TextureView,
    thickness: &TextureView,
) -> BindGroup {
    let values = wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() };
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("filter"),
        layout,
        entries: &[values, texture(1, ahead), texture(2, thickness)],
    })
}
