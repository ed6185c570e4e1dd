//! Single-layer rasters in the row order of image files.
//!
//! The first row of an image is its top, and north is up: row 0 has the greatest y, columns follow x.

use undine_frame::Raster;

use crate::number::Shortest;

/// A raster with one layer in z as an image with north up.
pub(crate) struct RasterImage<'a> {
    raster: &'a Raster,
    pub width: u32,
    pub height: u32,
}

impl<'a> RasterImage<'a> {
    /// The image of a raster; `None` when it has several layers in z, is empty or inconsistent.
    pub fn of(raster: &'a Raster) -> Option<RasterImage<'a>> {
        let [width, height, layers] = raster.size;
        let flat = layers == 1 && width > 0 && height > 0 && raster.inconsistency().is_none();
        flat.then_some(RasterImage { raster, width, height })
    }

    /// The values of one component, row after row from the north.
    pub fn component(&self, component: usize) -> impl Iterator<Item = f32> + '_ {
        let components = self.raster.components as usize;
        let row_length = components * self.width as usize;
        let rows = self.raster.values.chunks_exact(row_length).rev();
        rows.flat_map(move |row| row.iter().skip(component).step_by(components).copied())
    }
}

/// The names of a raster's components: its own name, or that with `.x`, `.y`, `.z`, `.3`, … behind it.
pub(crate) fn component_names(raster: &Raster) -> Vec<String> {
    if raster.components == 1 {
        return vec![raster.name.clone()];
    }
    let axis = |component: u32| match component {
        0 => "x".to_owned(),
        1 => "y".to_owned(),
        2 => "z".to_owned(),
        further => further.to_string(),
    };
    (0..raster.components).map(|component| format!("{}.{}", raster.name, axis(component))).collect()
}

/// Three numbers with spaces between them.
pub(crate) fn space_separated([x, y, z]: [f64; 3]) -> String {
    format!("{} {} {}", Shortest(x), Shortest(y), Shortest(z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_components_are_parted() {
        let values = (0..12).map(|value| value as f32).collect();
        let raster =
            Raster { name: "flow".into(), size: [3, 2, 1], components: 2, values, ..Raster::default() };
        let map = RasterImage::of(&raster).unwrap();
        assert_eq!(map.component(0).collect::<Vec<_>>(), [6.0, 8.0, 10.0, 0.0, 2.0, 4.0]);
        assert_eq!(map.component(1).collect::<Vec<_>>(), [7.0, 9.0, 11.0, 1.0, 3.0, 5.0]);
        assert_eq!(component_names(&raster), ["flow.x", "flow.y"]);
    }

    #[test]
    fn solids_and_broken_rasters_are_no_maps() {
        let solid =
            Raster { size: [1, 1, 2], components: 1, values: vec![0.0; 2].into(), ..Raster::default() };
        assert!(RasterImage::of(&solid).is_none());
        let broken =
            Raster { size: [2, 2, 1], components: 1, values: vec![0.0; 3].into(), ..Raster::default() };
        assert!(RasterImage::of(&broken).is_none());
        assert!(RasterImage::of(&Raster { components: 1, ..Raster::default() }).is_none());
    }
}
