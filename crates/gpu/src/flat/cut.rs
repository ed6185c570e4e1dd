//! A plane cut through a field, uploaded as a texture.

use undine_frame::{Quantity, Raster};
use undine_render::plots::Slice;
use wgpu::{Device, Queue, Texture, TextureFormat, TextureView};

use super::colours::stored;
use super::redistance::redistance;

/// A plane cut through a field.
#[derive(Debug)]
pub struct Cut {
    /// The values of the plane.
    pub slice: Slice,
    /// What it shows.
    pub quantity: Quantity,
    revision: RasterRevision,
    textures: [Option<Upload>; 2],
}

/// Identifies the contents of a raster by its revision, without comparing values.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RasterRevision {
    size: [u32; 3],
    grid: [[f64; 3]; 2],
    values: u64,
}

impl RasterRevision {
    fn of(raster: &Raster) -> RasterRevision {
        let grid = [raster.origin, raster.spacing];
        RasterRevision { size: raster.size, grid, values: raster.values.revision() }
    }
}

/// A texture, and whether it holds the present values or those of an earlier frame.
#[derive(Debug)]
struct Upload {
    texture: Texture,
    is_current: bool,
}

/// What a texture of a cut contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureContent {
    /// The values of the field.
    Field,
    /// Signed distance from the zero contour of the field, in metres.
    Distance,
}

impl Cut {
    /// The cut through a raster, or `None` if it is inconsistent or empty. A 3-D raster is cut along its middle xz
    /// plane, so that z points up the page.
    pub fn of(raster: &Raster) -> Option<Cut> {
        if raster.inconsistency().is_some() || raster.size.contains(&0) {
            return None;
        }
        let across = raster.size.iter().all(|&samples| samples > 1).then_some(1);
        let slice = Slice::new(raster, across, None);
        (!slice.is_empty()).then(|| Cut {
            slice,
            quantity: raster.quantity,
            revision: RasterRevision::of(raster),
            textures: [None, None],
        })
    }

    /// Whether it is the cut through a raster of this revision.
    pub fn is_of(&self, raster: &Raster) -> bool {
        self.revision == RasterRevision::of(raster)
    }

    /// Reuses the textures of an earlier frame of the same field; they are written again when needed.
    pub fn reuse_textures(&mut self, earlier: Cut) {
        self.textures =
            earlier.textures.map(|upload| upload.map(|upload| Upload { is_current: false, ..upload }));
    }

    /// Subsampling strides along both axes for a texture whose sides are at most `longest`.
    fn strides(&self, longest: u32) -> [usize; 2] {
        self.slice.size.map(|samples| samples.div_ceil(longest.max(1) as usize).max(1))
    }

    /// Size of the texture.
    pub fn texels(&self, longest: u32) -> [u32; 2] {
        let strides = self.strides(longest);
        [0, 1].map(|axis| self.slice.size[axis].div_ceil(strides[axis]) as u32)
    }

    /// Components per texel: those of the field, or its magnitude alone if there are more than four.
    pub fn channels(&self) -> usize {
        if self.slice.components > 4 { 1 } else { self.slice.components }
    }

    /// The view of a texture, which is written if it is not current.
    pub fn view(
        &mut self,
        device: &Device,
        queue: &Queue,
        longest: u32,
        content: TextureContent,
    ) -> TextureView {
        let texels = self.texels(longest);
        let padded = if content == TextureContent::Distance { 1 } else { self.padded() };
        let format = match padded {
            1 => TextureFormat::R32Float,
            2 => TextureFormat::Rg32Float,
            _ => TextureFormat::Rgba32Float,
        };
        // Reuse the texture if size and format fit
        let fits = |upload: &Upload| {
            let size = upload.texture.size();
            [size.width, size.height] == texels && upload.texture.format() == format
        };
        let upload = self.textures[content as usize].take().filter(fits);
        let Upload { texture, is_current } = upload.unwrap_or_else(|| Upload {
            texture: crate::upload::texture(device, "field", format, texels, 1),
            is_current: false,
        });
        if !is_current {
            let values = match content {
                TextureContent::Field => self.values(longest),
                TextureContent::Distance => self.distances(longest),
            };
            let row = texels[0] * padded * size_of::<f32>() as u32;
            crate::upload::write(queue, &texture, 0, 0, row, bytemuck::cast_slice(&values));
        }
        let view = crate::upload::view(&texture);
        self.textures[content as usize] = Some(Upload { texture, is_current: true });
        view
    }

    // There are no textures with three float channels
    fn padded(&self) -> u32 {
        match self.channels() {
            1 => 1,
            2 => 2,
            _ => 4,
        }
    }

    fn distances(&self, longest: u32) -> Vec<f32> {
        let strides = self.strides(longest);
        let [columns, rows] = self.texels(longest).map(|count| count as usize);
        let texels = (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row]));
        let near: Vec<f32> =
            texels.map(|at| self.slice.value([0, 1].map(|axis| at[axis] * strides[axis]))).collect();
        let spacing = [0, 1].map(|axis| (self.slice.spacing[axis] * strides[axis] as f64) as f32);
        redistance(&near, columns, spacing).into_iter().map(stored).collect()
    }

    fn values(&self, longest: u32) -> Vec<f32> {
        let [stride_x, stride_y] = self.strides(longest);
        let padded = self.padded() as usize;
        let [columns, rows] = self.slice.size;
        let mut values = Vec::with_capacity(columns.div_ceil(stride_x) * rows.div_ceil(stride_y) * padded);
        for row in (0..rows).step_by(stride_y) {
            for column in (0..columns).step_by(stride_x) {
                let at = [column, row];
                let value = |channel| match channel < self.channels() {
                    true if self.slice.components > 4 => stored(self.slice.value(at)),
                    true => stored(self.slice.number(at, channel)),
                    false => 0.0,
                };
                values.extend((0..padded).map(value));
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_3d_field_is_cut_along_its_middle_xz_plane() {
        let values = (0..24).map(|value| value as f32).collect();
        let raster =
            Raster { size: [2, 4, 3], components: 1, spacing: [1.0; 3], values, ..Raster::default() };
        let cut = Cut::of(&raster).unwrap();
        assert_eq!((cut.slice.axes, cut.slice.size), ([0, 2], [2, 3]));
        assert_eq!(cut.values(64), [4.0, 5.0, 12.0, 13.0, 20.0, 21.0]);
    }

    #[test]
    fn fields_larger_than_a_texture_are_subsampled() {
        let values = (0..21).map(|value| value as f32).collect();
        let raster =
            Raster { size: [7, 3, 1], components: 1, spacing: [1.0; 3], values, ..Raster::default() };
        let cut = Cut::of(&raster).unwrap();
        let kept = (0..3).flat_map(|row| [0, 2, 4, 6].map(|column| (7 * row + column) as f32));
        assert_eq!((cut.texels(4), cut.values(4)), ([4, 3], kept.collect()));
    }

    #[test]
    fn broken_and_empty_fields_have_no_cut() {
        let broken =
            Raster { size: [3, 3, 1], components: 1, values: vec![0.0; 4].into(), ..Raster::default() };
        assert!(Cut::of(&broken).is_none());
        assert!(Cut::of(&Raster { size: [0, 3, 1], components: 1, ..Raster::default() }).is_none());
        assert!(Cut::of(&Raster::default()).is_none());
    }
}
