//! Creates textures and writes their mip levels.

use rayon::prelude::*;
use wgpu::{Device, Extent3d, Queue, Texture, TextureDimension, TextureFormat, TextureUsages, TextureView};

use crate::half::half;

/// An empty texture of this size, at least one texel, for [`write`].
pub fn texture(device: &Device, label: &str, format: TextureFormat, size: [u32; 2], levels: u32) -> Texture {
    layered(device, label, format, size, 1, levels)
}

/// An empty texture with several array layers.
pub fn layered(
    device: &Device,
    label: &str,
    format: TextureFormat,
    size: [u32; 2],
    layers: u32,
    levels: u32,
) -> Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: Extent3d { width: size[0].max(1), height: size[1].max(1), depth_or_array_layers: layers },
        mip_level_count: levels,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

/// Writes one mip level of one layer; `bytes` are rows of `row` bytes.
pub fn write(queue: &Queue, texture: &Texture, layer: u32, level: u32, row: u32, bytes: &[u8]) {
    let size = texture.size().mip_level_size(level, TextureDimension::D2);
    queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: level,
            origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        bytes,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row),
            rows_per_image: Some(size.height),
        },
        Extent3d { width: size.width, height: size.height, depth_or_array_layers: 1 },
    );
}

/// Converts texels to four half floats each.
pub fn halves(texels: &[[f32; 4]]) -> Vec<[u16; 4]> {
    texels.par_iter().with_min_len(4096).map(|texel| texel.map(half)).collect()
}

/// Number of mip levels of a full pyramid over this size.
pub fn levels(size: [u32; 2]) -> u32 {
    size[0].max(size[1]).max(1).ilog2() + 1
}

/// Writes a mip pyramid of half floats into a layer, each level the box filter of the one before.
pub fn write_pyramid(queue: &Queue, texture: &Texture, layer: u32, size: [u32; 2], texels: Vec<[f32; 4]>) {
    let (mut size, mut texels) = (size, texels);
    for level in 0..texture.mip_level_count() {
        write(queue, texture, layer, level, size[0] * 8, bytemuck::cast_slice(&halves(&texels)));
        (texels, size) = halved(&texels, size);
    }
}

/// Box filter: means of 2 × 2 texels. An odd last row or column is dropped.
pub fn halved(texels: &[[f32; 4]], size: [u32; 2]) -> (Vec<[f32; 4]>, [u32; 2]) {
    let smaller = size.map(|side| (side / 2).max(1));
    let texel = |column: u32, row: u32| {
        let (column, row) = (column.min(size[0] - 1), row.min(size[1] - 1));
        texels[(row * size[0] + column) as usize]
    };
    let mean = |index: u32| {
        let (column, row) = (2 * (index % smaller[0]), 2 * (index / smaller[0]));
        let four =
            [texel(column, row), texel(column + 1, row), texel(column, row + 1), texel(column + 1, row + 1)];
        std::array::from_fn(|part| 0.25 * four.iter().map(|texel| texel[part]).sum::<f32>())
    };
    ((0..smaller[0] * smaller[1]).map(mean).collect(), smaller)
}

/// The default view of a texture.
pub fn view(texture: &Texture) -> TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_kept_down_to_one_texel() {
        let mut texels: Vec<[f32; 4]> = (0..32).map(|index| [index as f32, 1.0, 0.0, -2.0]).collect();
        let mut size = [8, 4];
        assert_eq!(levels(size), 4);
        for _ in 1..levels(size) {
            (texels, size) = halved(&texels, size);
        }
        assert_eq!((size, texels[0]), ([1, 1], [15.5, 1.0, 0.0, -2.0]));
    }
}
