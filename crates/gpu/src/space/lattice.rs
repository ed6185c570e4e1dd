//! A lattice of water on the device: its textures, its visible tiles and its bind group.

use bytemuck::{Pod, Zeroable};
use undine_frame::Shared;
use undine_render::preview::PinholeCamera;
use wgpu::{
    BindGroup, BindGroupLayout, Buffer, BufferUsages, Device, Queue, RenderPass, Texture, TextureFormat,
};

use super::lattice_maps::LatticeMaps;
use super::tiles::{
    Errors, LOD_LEVELS, LOD_THRESHOLDS, LodThreshold, TileContents, TileGrid, TileInstance, TileRun, indices,
};
use crate::context::{Context, bind, texture_entry, uniform_entry};
use crate::upload::{Rectangle, levels, texture, view, write, write_pyramid, write_rectangle};

/// Uniforms of group 2; `shaders/lattice.wgsl` documents each member.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct LatticeUniforms {
    grid: [f32; 4],
    size: [f32; 4],
    level: [f32; 4],
    ground: [f32; 4],
}

/// Resources that all lattices share.
pub struct LatticeShared {
    /// Group 2.
    pub layout: BindGroupLayout,
    triangles: Buffer,
    starts: [u32; LOD_LEVELS as usize + 1],
    threshold: LodThreshold,
    /// A texture of one texel in place of missing maps.
    pub placeholder: Texture,
}

impl LatticeShared {
    /// Creates the layout and the index buffer of a tile.
    pub fn new(context: &Context, device: &Device, queue: &Queue) -> LatticeShared {
        let flat = wgpu::TextureViewDimension::D2;
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("lattice"),
            entries: &[
                uniform_entry(0),
                texture_entry(1, false, flat),
                texture_entry(2, true, flat),
                texture_entry(3, true, flat),
                texture_entry(4, true, flat),
                texture_entry(5, true, flat),
                texture_entry(6, true, flat),
            ],
        });
        let (all, starts) = indices();
        let usage = BufferUsages::INDEX | BufferUsages::COPY_DST;
        let triangles = buffer(device, "tiles", usage, size_of_val(&all[..]) as u64);
        queue.write_buffer(&triangles, 0, bytemuck::cast_slice(&all));
        // ¼ in the caustics map is the irradiance under still water
        let placeholder = texture(device, "placeholder", TextureFormat::Rgba8Unorm, [1, 1], 1);
        write(queue, &placeholder, 0, 0, 4, &[64, 64, 64, 0]);
        let threshold = LOD_THRESHOLDS[usize::from(context.is_software)];
        LatticeShared { layout, triangles, starts, threshold, placeholder }
    }

    /// Draws runs of tiles with the pipeline that is bound.
    pub fn draw<'r>(
        &self,
        pass: &mut RenderPass<'_>,
        tiles: &Buffer,
        runs: impl Iterator<Item = &'r TileRun>,
    ) {
        pass.set_index_buffer(self.triangles.slice(..), wgpu::IndexFormat::Uint16);
        pass.set_vertex_buffer(0, tiles.slice(..));
        for run in runs {
            let lod = run.lod as usize;
            pass.draw_indexed(self.starts[lod]..self.starts[lod + 1], 0, run.tiles.clone());
        }
    }
}

/// One lattice.
pub struct GpuLattice {
    /// Extent and tiles.
    pub tile_grid: TileGrid,
    /// Mean level of its water.
    pub level: f32,
    /// Height of the highest crest above it.
    pub crest: f32,
    /// Whether it has a bed of its own.
    pub has_bed: bool,
    /// Whether its samples are displaced horizontally.
    pub is_sheet: bool,
    /// Whether its textures have changed since its caustics were rendered.
    pub is_new: bool,
    /// Group 2.
    pub group: BindGroup,
    /// Group 2 without the derived maps, for rendering them.
    pub source: BindGroup,
    /// Bytes that were written to the textures for the last height field.
    pub bytes_uploaded: u64,
    /// Position of the first sample, and grid spacing.
    pub grid: [[f32; 2]; 2],
    /// Horizontal velocity of its samples in m/s; empty if it is unknown.
    pub velocities: Shared<[f32; 2]>,
    size: [u32; 2],
    numbers: LatticeUniforms,
    uniform: Buffer,
    positions: Texture,
    slopes: Texture,
    ground: Texture,
    errors: [Errors; 2],
    visible: [VisibleTiles; 2],
}

/// The two surfaces of a lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatticeLayer {
    /// Its water.
    Water,
    /// Its ground.
    Ground,
}

/// The visible tiles of a layer.
#[derive(Default)]
struct VisibleTiles {
    tiles: Option<Buffer>,
    runs: Vec<TileRun>,
}

impl VisibleTiles {
    fn set(&mut self, device: &Device, queue: &Queue, (tiles, runs): (Vec<TileInstance>, Vec<TileRun>)) {
        self.runs = runs;
        let bytes: &[u8] = bytemuck::cast_slice(&tiles);
        let fits = self.tiles.as_ref().is_some_and(|buffer| buffer.size() >= bytes.len() as u64);
        if !fits && !bytes.is_empty() {
            let usage = BufferUsages::VERTEX | BufferUsages::COPY_DST;
            self.tiles = Some(buffer(device, "tiles", usage, bytes.len() as u64));
        }
        if let Some(buffer) = self.tiles.as_ref().filter(|_| !bytes.is_empty()) {
            queue.write_buffer(buffer, 0, bytes);
        }
    }
}

impl GpuLattice {
    /// Uploads maps, into the textures of `old` if they fit; then only the rectangles that have `changed`, if they are known.
    pub fn new(
        shared: &LatticeShared,
        device: &Device,
        queue: &Queue,
        lattice_maps: LatticeMaps,
        changed: Option<&[Rectangle]>,
        old: Option<GpuLattice>,
    ) -> GpuLattice {
        let fitting =
            |old: &GpuLattice| old.size == lattice_maps.size && old.is_sheet == lattice_maps.is_sheet;
        let (mut lattice, changed) = match old.filter(fitting) {
            Some(old) => (old, changed),
            None => (GpuLattice::empty(shared, device, &lattice_maps), None),
        };
        lattice.fill(queue, lattice_maps, changed);
        lattice
    }

    fn empty(shared: &LatticeShared, device: &Device, lattice_maps: &LatticeMaps) -> GpuLattice {
        let size = lattice_maps.size;
        let half = TextureFormat::Rgba16Float;
        let positions = texture(device, "positions", position_format(lattice_maps), size, 1);
        let slopes = texture(device, "slopes", half, size, levels(size));
        let ground = texture(device, "ground", half, size, 1);
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let uniform = buffer(device, "lattice", usage, size_of::<LatticeUniforms>() as u64);
        let none = &shared.placeholder;
        let maps = [&positions, &slopes, &ground, none, none, none];
        let [group, source] = [(); 2].map(|()| group(shared, device, &uniform, maps));
        GpuLattice {
            tile_grid: lattice_maps.tile_grid.clone(),
            level: 0.0,
            crest: 0.0,
            has_bed: false,
            is_sheet: lattice_maps.is_sheet,
            is_new: true,
            bytes_uploaded: 0,
            group,
            source,
            grid: [lattice_maps.origin, lattice_maps.spacing],
            velocities: Shared::default(),
            size,
            numbers: LatticeUniforms::zeroed(),
            uniform,
            positions,
            slopes,
            ground,
            errors: Default::default(),
            visible: Default::default(),
        }
    }

    fn fill(&mut self, queue: &Queue, lattice_maps: LatticeMaps, changed: Option<&[Rectangle]>) {
        let flag = |on: bool| f32::from(u8::from(on));
        let [columns, rows] = lattice_maps.size;
        (self.level, self.crest, self.has_bed, self.is_new) =
            (lattice_maps.level, lattice_maps.crest, lattice_maps.has_bed, true);
        self.grid = [lattice_maps.origin, lattice_maps.spacing];
        self.velocities = lattice_maps.velocities.clone();
        // Uniforms; a cut block reaches 6 % of its width below the lowest ground
        let span = lattice_maps.tile_grid.high - lattice_maps.tile_grid.low;
        let base = lattice_maps.tile_grid.low.z - 0.06 * span.x.max(span.y);
        self.numbers = LatticeUniforms {
            grid: [
                lattice_maps.origin[0],
                lattice_maps.origin[1],
                lattice_maps.spacing[0],
                lattice_maps.spacing[1],
            ],
            size: [columns as f32, rows as f32, flag(lattice_maps.has_bed), flag(lattice_maps.is_sheet)],
            level: [
                lattice_maps.level,
                lattice_maps.dry_depth.max(1e-5),
                base,
                stride(lattice_maps.size) as f32,
            ],
            ground: [lattice_maps.ground_range[0], lattice_maps.ground_range[1], span.x.max(span.y), 0.0],
        };
        // Textures, with mip levels for slopes and ground
        let whole = [[0..columns, 0..rows]];
        let (sheet, pairs): (Vec<[f32; 4]>, Vec<[f32; 2]>);
        let (row, bytes): (u32, &[u8]) = if lattice_maps.is_sheet {
            sheet = lattice_maps.positions;
            (columns * 16, bytemuck::cast_slice(&sheet))
        } else {
            pairs = lattice_maps.positions.iter().map(|texel| [texel[0], texel[1]]).collect();
            (columns * 8, bytemuck::cast_slice(&pairs))
        };
        let written = changed
            .unwrap_or(&whole)
            .iter()
            .map(|rectangle| write_rectangle(queue, &self.positions, [0, 0], row, bytes, rectangle.clone()));
        self.bytes_uploaded = written.sum();
        (self.tile_grid, self.errors) = (lattice_maps.tile_grid, lattice_maps.errors);
        let size = lattice_maps.size;
        self.bytes_uploaded += write_pyramid(queue, &self.slopes, 0, size, lattice_maps.slopes, changed);
        self.bytes_uploaded += write_pyramid(queue, &self.ground, 0, size, lattice_maps.ground, changed);
    }

    /// Binds the derived maps: caustics, a field draped over the surface, and velocities.
    pub fn rebind(&mut self, shared: &LatticeShared, device: &Device, derived: [Option<&Texture>; 3]) {
        let [caustics, drape, velocity] = derived.map(|map| map.unwrap_or(&shared.placeholder));
        let maps = [&self.positions, &self.slopes, &self.ground, caustics, drape, velocity];
        self.group = group(shared, device, &self.uniform, maps);
    }

    /// Selects the tiles that are visible from `camera` and writes the uniforms.
    pub fn select_tiles(
        &mut self,
        shared: &LatticeShared,
        device: &Device,
        queue: &Queue,
        camera: &PinholeCamera,
        is_draped: bool,
    ) {
        self.numbers.ground[3] = f32::from(u8::from(is_draped));
        queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&self.numbers));
        for (visible, errors) in self.visible.iter_mut().zip(&self.errors).take(1 + usize::from(self.has_bed))
        {
            visible.set(device, queue, self.tile_grid.visible(camera, shared.threshold, errors));
        }
    }

    /// The different contents of the visible tiles of a layer.
    pub fn visible_contents(&self, layer: LatticeLayer) -> Vec<TileContents> {
        let mut contents: Vec<TileContents> =
            self.visible[layer as usize].runs.iter().map(|run| run.contents).collect();
        contents.dedup();
        contents
    }

    /// Draws the visible tiles of a layer with these contents, with the pipeline that is bound.
    pub fn draw(
        &self,
        shared: &LatticeShared,
        pass: &mut RenderPass<'_>,
        layer: LatticeLayer,
        contents: TileContents,
    ) {
        let visible = &self.visible[layer as usize];
        let Some(tiles) = &visible.tiles else { return };
        pass.set_bind_group(2, &self.group, &[]);
        shared.draw(pass, tiles, visible.runs.iter().filter(|run| run.contents == contents));
    }

    /// Height of the base of the block that is cut out of its terrain.
    pub fn base(&self) -> f32 {
        self.numbers.level[2]
    }

    /// Steps along its border: from sample to sample, and with the stride of the extended terrain.
    pub fn border(&self) -> [u32; 2] {
        let perimeter =
            |stride: u32| self.size.iter().map(|samples| 2 * (samples - 1).div_ceil(stride)).sum();
        [perimeter(1), perimeter(stride(self.size))]
    }

    /// Samples along both axes.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }
}

/// Instance layout of tiles.
pub const TILE_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<TileInstance>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &[wgpu::VertexAttribute {
        format: wgpu::VertexFormat::Sint32x4,
        offset: 0,
        shader_location: 0,
    }],
};

// Stride in samples of the extended terrain along the border, which gives some hundred steps.
fn stride([columns, rows]: [u32; 2]) -> u32 {
    (columns.max(rows) / 64).max(1)
}

fn position_format(lattice_maps: &LatticeMaps) -> TextureFormat {
    if lattice_maps.is_sheet { TextureFormat::Rgba32Float } else { TextureFormat::Rg32Float }
}

fn group(shared: &LatticeShared, device: &Device, uniform: &Buffer, maps: [&Texture; 6]) -> BindGroup {
    let views = maps.map(view);
    let mut resources = vec![uniform.as_entire_binding()];
    resources.extend(views.iter().map(wgpu::BindingResource::TextureView));
    bind(device, "lattice", &shared.layout, &resources)
}

/// An empty buffer.
pub fn buffer(device: &Device, label: &str, usage: BufferUsages, size: u64) -> Buffer {
    let size = size.next_multiple_of(4).max(4);
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    })
}
