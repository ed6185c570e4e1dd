//! Where on earth a TIFF is: the tags and keys of GeoTIFF [ogc2019], as far as a map without rotation needs them.

use std::io::{Read, Seek};

use tiff::decoder::Decoder;
use tiff::tags::Tag;

use super::SampleLattice;
use crate::error::{Fault, TerrainError};
use crate::units::Unit;

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const ANGULAR_UNITS: u16 = 2054;
const LINEAR_UNITS: u16 = 3076;
const LINEAR_UNIT_SIZE: u16 = 3077;
const VERTICAL_UNITS: u16 = 4099;

const GEOGRAPHIC: u16 = 2;
const PIXEL_IS_POINT: u16 = 2;

/// The key directory: numbers by key, and the list that some keys point into.
#[derive(Debug, Default)]
pub(super) struct GeoKeys {
    /// Key, tag that holds its value (0: the entry itself), value or place in the tag.
    entries: Vec<[u16; 3]>,
    doubles: Vec<f64>,
}

impl GeoKeys {
    /// The keys of the present picture; none when it has no directory or a damaged one.
    pub fn read<R: Read + Seek>(decoder: &mut Decoder<R>) -> GeoKeys {
        let Ok(Some(directory)) = decoder.find_tag_unsigned_vec::<u16>(Tag::GeoKeyDirectoryTag) else {
            return GeoKeys::default();
        };
        let entries = directory.chunks_exact(4).skip(1).map(|entry| [entry[0], entry[1], entry[3]]);
        let doubles = numbers(decoder, Tag::GeoDoubleParamsTag).unwrap_or_default();
        GeoKeys { entries: entries.collect(), doubles }
    }

    fn short(&self, key: u16) -> Option<u16> {
        self.entries.iter().find(|entry| entry[0] == key && entry[1] == 0).map(|entry| entry[2])
    }

    fn double(&self, key: u16) -> Option<f64> {
        let tag = Tag::GeoDoubleParamsTag.to_u16();
        let entry = self.entries.iter().find(|entry| entry[0] == key && entry[1] == tag)?;
        self.doubles.get(usize::from(entry[2])).copied()
    }

    /// What distances on the ground are measured in; none when the file does not say.
    fn horizontal(&self) -> Option<Unit> {
        if self.short(MODEL_TYPE)? == GEOGRAPHIC {
            return Some(self.short(ANGULAR_UNITS).and_then(Unit::from_epsg).unwrap_or(Unit::DEGREE));
        }
        let named = self.short(LINEAR_UNITS).and_then(Unit::from_epsg);
        named.or_else(|| self.double(LINEAR_UNIT_SIZE).map(Unit::Length)).or(Some(Unit::METRE))
    }

    /// Metres to a unit of height; none when the file does not say.
    pub fn vertical(&self) -> Option<f64> {
        match self.short(VERTICAL_UNITS).and_then(Unit::from_epsg)? {
            Unit::Length(metres) => Some(metres),
            Unit::Angle(_) => None,
        }
    }

    /// Where the samples are; none when the file does not say.
    pub fn lattice<R: Read + Seek>(
        &self,
        decoder: &mut Decoder<R>,
    ) -> Result<Option<SampleLattice>, TerrainError> {
        let Some([corner, step]) = corner_and_step(decoder)? else { return Ok(None) };
        // A sample that is an area has its middle half a step from the corner that is named; a point is there itself.
        let inset = if self.short(RASTER_TYPE) == Some(PIXEL_IS_POINT) { 0.0 } else { 0.5 };
        let first = [corner[0] + inset * step[0], corner[1] + inset * step[1]];
        Ok(Some(SampleLattice { first, step, unit: self.horizontal() }))
    }
}

/// Where (0, 0) of the raster is, and the steps from column to column and row to row.
fn corner_and_step<R: Read + Seek>(decoder: &mut Decoder<R>) -> Result<Option<[[f64; 2]; 2]>, TerrainError> {
    if let (Some(scale), Some(tie)) =
        (numbers(decoder, Tag::ModelPixelScaleTag), numbers(decoder, Tag::ModelTiepointTag))
        && let ([dx, dy, ..], [column, row, _, x, y, ..]) = (scale.as_slice(), tie.as_slice())
    {
        let step = [*dx, -dy];
        return Ok(Some([[x - column * step[0], y - row * step[1]], step]));
    }
    let Some(matrix) = numbers(decoder, Tag::ModelTransformationTag) else { return Ok(None) };
    let [dx, x_by_row, _, x, y_by_column, dy, _, y, ..] = matrix.as_slice() else { return Ok(None) };
    if *x_by_row != 0.0 || *y_by_column != 0.0 {
        let fault = Fault::Unsupported("the map is turned against east and north".into());
        return Err(TerrainError::of_file(fault, "warp it to an upright grid first, as gdalwarp does"));
    }
    Ok(Some([[*x, *y], [*dx, *dy]]))
}

fn numbers<R: Read + Seek>(decoder: &mut Decoder<R>, tag: Tag) -> Option<Vec<f64>> {
    decoder.find_tag(tag).ok().flatten().and_then(|value| value.into_f64_vec().ok())
}
