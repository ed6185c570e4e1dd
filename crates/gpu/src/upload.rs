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

/// Columns and rows of texels.
pub type Rectangle = [std::ops::Range<u32>; 2];

/// Writes one mip level of one layer; `bytes` are rows of `row` bytes. Answers the number of bytes.
pub fn write(queue: &Queue, texture: &Texture, layer: u32, level: u32, row: u32, bytes: &[u8]) -> u64 {
    let size = texture.size().mip_level_size(level, TextureDimension::D2);
    write_rectangle(queue, texture, [layer, level], row, bytes, [0..size.width, 0..size.height])
}

/// Writes a rectangle of a layer and mip level, whose `bytes` are all of its rows, of `row` bytes. Answers the number of
/// bytes written.
pub fn write_rectangle(
    queue: &Queue,
    texture: &Texture,
    [layer, level]: [u32; 2],
    row: u32,
    bytes: &[u8],
    [columns, rows]: Rectangle,
) -> u64 {
    let size = texture.size().mip_level_size(level, TextureDimension::D2);
    let texel = u64::from(row / size.width.max(1));
    let offset = u64::from(rows.start) * u64::from(row) + u64::from(columns.start) * texel;
    let [width, height] = [columns.len() as u32, rows.len() as u32];
    if width == 0 || height == 0 {
        return 0;
    }
    queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: level,
            origin: wgpu::Origin3d { x: columns.start, y: rows.start, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        bytes,
        wgpu::TexelCopyBufferLayout { offset, bytes_per_row: Some(row), rows_per_image: Some(height) },
        Extent3d { width, height, depth_or_array_layers: 1 },
    );
    u64::from(width) * u64::from(height) * texel
}

/// Converts texels to four half floats each.
pub fn halves(texels: &[[f32; 4]]) -> Vec<[u16; 4]> {
    texels.par_iter().with_min_len(4096).map(|texel| texel.map(half)).collect()
}

/// Number of mip levels of a full pyramid over this size.
pub fn levels(size: [u32; 2]) -> u32 {
    size[0].max(size[1]).max(1).ilog2() + 1
}

/// Writes a mip pyramid of half floats into a layer, each level the box filter of the one before; where `changed` names
/// rectangles of the finest level, only what depends on them. Answers the number of bytes written.
pub fn write_pyramid(
    queue: &Queue,
    texture: &Texture,
    layer: u32,
    size: [u32; 2],
    texels: Vec<[f32; 4]>,
    changed: Option<&[Rectangle]>,
) -> u64 {
    let (mut size, mut texels, mut written) = (size, texels, 0);
    for level in 0..texture.mip_level_count() {
        let rectangles = match changed {
            Some(changed) => changed.iter().map(|changed| coarser(changed, level, size)).collect(),
            None => vec![[0..size[0], 0..size[1]]],
        };
        let halves = halves(&texels);
        let bytes = bytemuck::cast_slice(&halves);
        for rectangle in rectangles {
            written += write_rectangle(queue, texture, [layer, level], size[0] * 8, bytes, rectangle);
        }
        (texels, size) = halved(&texels, size);
    }
    written
}

/// The texels of a mip level of this size that depend on a rectangle of the finest level.
fn coarser(rectangle: &Rectangle, level: u32, size: [u32; 2]) -> Rectangle {
    [0, 1].map(|axis| {
        // The last texel also stands for an odd column or row
        let last = size[axis].saturating_sub(1);
        let (first, end) = (rectangle[axis].start >> level, rectangle[axis].end.div_ceil(1 << level));
        first.min(last)..end.min(size[axis])
    })
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
    fn a_change_is_seen_in_all_coarser_levels() {
        let mut before: Vec<[f32; 4]> =
            (0..45 * 27).map(|index| [(index % 7) as f32, 1.0, 0.0, 0.0]).collect();
        let mut after = before.clone();
        let mut size = [45, 27];
        let changed = [13..15, 20..27];
        for row in changed[1].clone() {
            changed[0].clone().for_each(|column| after[(row * size[0] + column) as usize][0] += 9.0);
        }
        for level in 0..levels(size) {
            let [columns, rows] = coarser(&changed, level, size);
            for (index, (before, after)) in before.iter().zip(&after).enumerate() {
                let (column, row) = (index as u32 % size[0], index as u32 / size[0]);
                assert!(before == after || columns.contains(&column) && rows.contains(&row), "level {level}");
            }
            (before, after, size) =
                (halved(&before, size).0, halved(&after, size).0, halved(&before, size).1);
        }
    }

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
