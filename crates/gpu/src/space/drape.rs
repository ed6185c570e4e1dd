//! A field draped over the surface of a lattice, as a colour texture.

use undine_frame::Raster;
use undine_render::colour::encode;
use undine_render::plots::{ColourMap, Scale};
use wgpu::{Device, Queue, Texture, TextureFormat};

use super::lattice::GpuLattice;
use crate::ColourMapping;
use crate::upload::{texture, write};

/// Opacity of a draped field.
const OPACITY: u8 = 215;

/// The colour texture of a field over one lattice.
pub struct Drape {
    /// sRGB colours and opacity.
    pub map: Texture,
    size: [u32; 2],
}

impl Drape {
    /// Creates the texture of a lattice.
    pub fn new(device: &Device, lattice: &GpuLattice) -> Drape {
        let size = lattice.size();
        Drape { map: texture(device, "drape", TextureFormat::Rgba8Unorm, size, 1), size }
    }

    /// Whether the map was made for a lattice of this size.
    pub fn fits(&self, lattice: &GpuLattice) -> bool {
        self.size == lattice.size()
    }

    /// Writes the colour of the nearest field value at every sample of the lattice.
    pub fn write(&self, queue: &Queue, lattice: &GpuLattice, raster: &Raster, colours: &ColourMapping) {
        let colour_of = colour_function(colours);
        let [origin, spacing] = lattice.grid;
        let texel = |index: u32| {
            let at = [index % self.size[0], index / self.size[0]];
            let position = [0, 1].map(|axis| f64::from(origin[axis] + spacing[axis] * at[axis] as f32));
            let value = nearest(raster, position);
            if !value.is_finite() {
                return [0; 4];
            }
            let [red, green, blue] =
                colour_of(value).map(|part| (encode(part.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8);
            [red, green, blue, OPACITY]
        };
        let texels: Vec<[u8; 4]> = (0..self.size[0] * self.size[1]).map(texel).collect();
        write(queue, &self.map, 0, 0, self.size[0] * 4, bytemuck::cast_slice(&texels));
    }
}

// The value of the sample nearest to a position; NaN outside the field.
fn nearest(raster: &Raster, position: [f64; 2]) -> f32 {
    let index = |axis: usize| {
        let index = (position[axis] - raster.origin[axis]) / raster.spacing[axis];
        let last = f64::from(raster.size[axis].saturating_sub(1));
        let inside = (-1.0..=last + 1.0).contains(&index) || raster.size[axis] == 1;
        inside.then(|| index.round().clamp(0.0, last) as u32)
    };
    match (index(0), index(1)) {
        (Some(x), Some(y)) => raster.value([x, y, 0]),
        _ => f32::NAN,
    }
}

// The linear colour of a value.
fn colour_function(colours: &ColourMapping) -> Box<dyn Fn(f32) -> [f32; 3]> {
    match colours.clone() {
        ColourMapping::Hsl { ramp, unit } => {
            let unit = if unit.is_finite() && unit != 0.0 { unit } else { 1.0 };
            Box::new(move |value| ramp.colour(value / unit))
        }
        ColourMapping::Map { map, limits: [low, high], is_log } => {
            let map = ColourMap::named(&map).or_else(|| ColourMap::named("lagoon"));
            let map = map.unwrap_or_else(|| ColourMap::through(&[[0.0; 3], [1.0; 3]]));
            let scale = Scale::new(low, high, is_log);
            Box::new(move |value| map.colour(scale.fraction(value)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_from_the_nearest_sample() {
        let raster = Raster {
            size: [3, 2, 1],
            components: 1,
            spacing: [1.0, 1.0, 1.0],
            values: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0].into(),
            ..Raster::default()
        };
        assert_eq!(nearest(&raster, [1.2, 0.9]), 4.0);
        assert!(nearest(&raster, [9.0, 0.0]).is_nan());
    }
}
