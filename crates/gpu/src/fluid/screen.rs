//! The maps of a picture's size, or half of it, in which the surface of a liquid is found.

use bytemuck::{Pod, Zeroable};
use wgpu::{BindGroup, BindGroupLayout, Buffer, Device, Queue, TextureFormat, TextureView};

use super::ability::can_draw;
use crate::context::{DEPTH_FORMAT, texture_entry, uniform_entry};
use crate::stage::target;

/// Format of thicknesses, which are added up.
pub const THICKNESS: TextureFormat = TextureFormat::R16Float;

/// Formats of the maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    /// Of distances ahead of the eye.
    pub ahead: TextureFormat,
    /// Of the shape: normal, distance, thickness.
    pub shape: TextureFormat,
}

impl Formats {
    /// The finest that a device can draw into; `None` if it cannot draw into floats at all. Half floats leave a weave
    /// on level water, no worse.
    pub fn of(device: &Device) -> Option<Formats> {
        let single = Formats { ahead: TextureFormat::R32Float, shape: TextureFormat::Rgba32Float };
        let half = Formats { ahead: TextureFormat::R16Float, shape: TextureFormat::Rgba16Float };
        let can =
            |formats: &Formats| [formats.ahead, formats.shape].iter().all(|format| can_draw(device, *format));
        [single, half].into_iter().find(can).filter(|_| can_draw(device, THICKNESS))
    }
}

/// How far apart the looks of each round of smoothing are; the last one clears the pattern that the farthest leave.
const ROUNDS: [f32; 4] = [1.0, 2.0, 4.0, 1.0];

/// Pictures with more pixels than this have maps of half their size.
const MANY_PIXELS: u32 = 500_000;

/// The numbers of a pass, as the shader has them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct ScreenNumbers {
    size: [f32; 2],
    reach: f32,
    apart: f32,
    range: f32,
    behind: f32,
    unused: [f32; 2],
}

/// A pass over the maps: what it reads and where it writes.
pub struct Sweep {
    /// What it reads, as group 1.
    pub group: BindGroup,
    /// Where it writes.
    pub to: TextureView,
}

/// The maps for pictures of one size.
pub struct Screen {
    /// The size of those pictures.
    pub picture: [u32; 2],
    /// The size of the maps.
    pub size: [u32; 2],
    /// How far ahead the nearest sphere is.
    pub front: TextureView,
    /// Which sphere that is.
    pub depth: TextureView,
    /// How thick the liquid is.
    pub thickness: TextureView,
    /// The passes that smooth.
    pub sweeps: Vec<Sweep>,
    /// The pass that finds the shape.
    pub shaping: Sweep,
    /// The shape as group 2 of the surface.
    pub shape: BindGroup,
    blocks: [Buffer; ROUNDS.len()],
}

/// The layouts that the passes share.
pub struct Layouts {
    /// Formats of the maps.
    pub formats: Formats,
    /// Group 1 of passes over the maps.
    pub sweep: BindGroupLayout,
    /// Group 2 of the surface.
    pub shape: BindGroupLayout,
}

impl Layouts {
    /// Makes them.
    pub fn new(device: &Device, formats: Formats) -> Layouts {
        let map = |binding| texture_entry(binding, false, wgpu::TextureViewDimension::D2);
        let layout = |label, entries: &[_]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        Layouts {
            formats,
            sweep: layout("sweep", &[uniform_entry(0), map(1), map(2)]),
            shape: layout("shape", &[map(0)]),
        }
    }
}

impl Screen {
    /// The maps for pictures of this size.
    pub fn new(device: &Device, layouts: &Layouts, picture: [u32; 2]) -> Screen {
        let halves = if picture[0].saturating_mul(picture[1]) > MANY_PIXELS { 2 } else { 1 };
        let size = picture.map(|side| side.div_ceil(halves).max(1));
        let map = |label, format| target(device, label, format, size);
        let fronts = ["front", "smoothed"].map(|label| map(label, layouts.formats.ahead));
        let thickness = map("thickness", THICKNESS);
        let shape_map = map("shape", layouts.formats.shape);
        let blocks = ROUNDS.map(|_| block(device));
        let sweep = |round: usize, from: &TextureView, to: &TextureView| Sweep {
            group: group(device, &layouts.sweep, &blocks[round], from, &thickness),
            to: to.clone(),
        };
        // To and fro between two maps
        let sweeps =
            (0..ROUNDS.len()).map(|round| sweep(round, &fronts[round % 2], &fronts[(round + 1) % 2]));
        let sweeps = sweeps.collect();
        let shaping = sweep(0, &fronts[ROUNDS.len() % 2], &shape_map);
        let shape = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shape"),
            layout: &layouts.shape,
            entries: &[texture(0, &shape_map)],
        });
        let [front, ..] = fronts;
        Screen {
            picture,
            size,
            front,
            depth: map("spheres", DEPTH_FORMAT),
            thickness,
            sweeps,
            shaping,
            shape,
            blocks,
        }
    }

    /// Takes note of the radius of the particles whose surface is to be found, in metres.
    pub fn turn_to(&self, queue: &Queue, radius: f32) {
        let [width, height] = self.size.map(|side| side as f32);
        for (block, apart) in self.blocks.iter().zip(ROUNDS) {
            let numbers = ScreenNumbers {
                size: [width, height],
                reach: 4.5 * radius,
                apart,
                range: 5.0 * radius,
                behind: radius,
                unused: [0.0; 2],
            };
            queue.write_buffer(block, 0, bytemuck::bytes_of(&numbers));
        }
    }
}

fn block(device: &Device) -> Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("screen"),
        size: size_of::<ScreenNumbers>() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn texture(binding: u32, view: &TextureView) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) }
}

fn group(
    device: &Device,
    layout: &BindGroupLayout,
    block: &Buffer,
    ahead: &TextureView,
    thickness: &TextureView,
) -> BindGroup {
    let numbers = wgpu::BindGroupEntry { binding: 0, resource: block.as_entire_binding() };
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("sweep"),
        layout,
        entries: &[numbers, texture(1, ahead), texture(2, thickness)],
    })
}
