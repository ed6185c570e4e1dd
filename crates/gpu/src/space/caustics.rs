//! Caustics maps: irradiance of refracted sunlight on the bed of a lattice.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue, RenderPipeline, Texture, TextureUsages};

use super::lattice::{GpuLattice, LatticeShared, buffer};
use super::tiles::TileRun;
use crate::context::Context;
use crate::upload::view;

/// Format of the map: bytes, which every device can blend and filter.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Largest side of a map in texels, and most rays along it: on a GPU, and on a software rasteriser.
const MAX_SIZE: [u32; 2] = [512, 320];
const MAX_RAYS: [u32; 2] = [256, 64];

/// The caustics map of one lattice.
pub struct CausticsMap {
    /// Red is ¼ of the irradiance relative to that under still water.
    pub map: Texture,
    size: [u32; 2],
    tiles: Buffer,
    runs: Vec<TileRun>,
}

impl CausticsMap {
    /// Creates the map of a lattice and the tiles of its rays.
    pub fn new(context: &Context, device: &Device, queue: &Queue, lattice: &GpuLattice) -> CausticsMap {
        let size = lattice.size();
        let device_class = usize::from(context.is_software);
        let map = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("caustics"),
            size: wgpu::Extent3d {
                width: (2 * size[0]).min(MAX_SIZE[device_class]),
                height: (2 * size[1]).min(MAX_SIZE[device_class]),
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let longest = size[0].max(size[1]);
        let lod = longest.div_ceil(MAX_RAYS[device_class]).next_power_of_two().ilog2();
        let (tiles, runs) = lattice.tile_grid.all(lod);
        let bytes: &[u8] = bytemuck::cast_slice(&tiles);
        let usage = BufferUsages::VERTEX | BufferUsages::COPY_DST;
        let buffer = buffer(device, "rays", usage, bytes.len() as u64);
        queue.write_buffer(&buffer, 0, bytes);
        CausticsMap { map, size, tiles: buffer, runs }
    }

    /// Whether the map was made for a lattice of this size.
    pub fn fits(&self, lattice: &GpuLattice) -> bool {
        self.size == lattice.size()
    }

    /// Renders the map; `world` is group 0.
    pub fn gather(
        &self,
        shared: &LatticeShared,
        encoder: &mut CommandEncoder,
        pipeline: &RenderPipeline,
        world: &wgpu::BindGroup,
        lattice: &GpuLattice,
    ) {
        let map = view(&self.map);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("caustics"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &map,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, world, &[]);
        pass.set_bind_group(2, &lattice.source, &[]);
        shared.draw(&mut pass, &self.tiles, self.runs.iter());
    }
}
