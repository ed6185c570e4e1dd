//! GeoTIFF as others write it: layouts, types, compressions, and where on earth it is.

use std::io::Cursor;

use tiff::encoder::colortype::{
    ColorType, Gray8, Gray16, Gray32, Gray32Float, Gray64Float, GrayI16, GrayI32,
};
use tiff::encoder::{
    Compression, Predictor, TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard, TiffValue,
};
use tiff::tags::Tag;
use undine_terrain::{DecodeOptions, Fault, HeightMap, Unit, metres_per_degree};

/// Tags beside the samples.
#[derive(Default, Clone)]
struct Tags {
    scale: Vec<f64>,
    tie: Vec<f64>,
    matrix: Vec<f64>,
    keys: Vec<u16>,
    doubles: Vec<f64>,
    no_data: &'static str,
}

fn write<C: ColorType, K: TiffKind>(
    samples: &[C::Inner],
    how: (Compression, Predictor),
    tags: &Tags,
) -> Vec<u8>
where
    [C::Inner]: TiffValue,
{
    let mut file = Cursor::new(Vec::new());
    let encoder = TiffEncoder::<_, K>::new_generic(&mut file).unwrap();
    let mut encoder = encoder.with_compression(how.0).with_predictor(how.1);
    let mut image = encoder.new_image::<C>(3, 2).unwrap();
    image.rows_per_strip(1).unwrap();
    let directory = image.encoder();
    for (tag, numbers) in [
        (Tag::ModelPixelScaleTag, &tags.scale),
        (Tag::ModelTiepointTag, &tags.tie),
        (Tag::ModelTransformationTag, &tags.matrix),
        (Tag::GeoDoubleParamsTag, &tags.doubles),
    ] {
        if !numbers.is_empty() {
            directory.write_tag(tag, numbers.as_slice()).unwrap();
        }
    }
    if !tags.keys.is_empty() {
        directory.write_tag(Tag::GeoKeyDirectoryTag, tags.keys.as_slice()).unwrap();
    }
    if !tags.no_data.is_empty() {
        directory.write_tag(Tag::GdalNodata, tags.no_data).unwrap();
    }
    image.write_data(samples).unwrap();
    file.into_inner()
}

fn plain<C: ColorType>(samples: &[C::Inner], tags: &Tags) -> Vec<u8>
where
    [C::Inner]: TiffValue,
{
    write::<C, TiffKindStandard>(samples, (Compression::Uncompressed, Predictor::None), tags)
}

fn decode(bytes: &[u8]) -> HeightMap {
    HeightMap::decode(bytes, &DecodeOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn geo_keys(entries: &[[u16; 4]]) -> Vec<u16> {
    let header = [1, 1, 0, entries.len() as u16];
    header.into_iter().chain(entries.iter().flatten().copied()).collect()
}

/// Upside down: the first row of the file is the north.
const NORTH_UP: [f64; 6] = [4.0, 5.0, 6.0, 1.0, 2.0, 3.0];

#[test]
fn every_type_of_sample_is_read() {
    let tags = Tags::default();
    assert_eq!(decode(&plain::<Gray8>(&[1, 2, 3, 4, 5, 6], &tags)).heights(), NORTH_UP);
    assert_eq!(decode(&plain::<Gray16>(&[1, 2, 3, 4, 5, 6], &tags)).heights(), NORTH_UP);
    assert_eq!(decode(&plain::<Gray32>(&[1, 2, 3, 4, 5, 6], &tags)).heights(), NORTH_UP);
    assert_eq!(decode(&plain::<GrayI16>(&[1, 2, 3, 4, 5, -6], &tags)).heights()[2], -6.0);
    assert_eq!(decode(&plain::<GrayI32>(&[1, 2, 3, -70_000, 5, 6], &tags)).heights()[0], -70_000.0);
    assert_eq!(decode(&plain::<Gray32Float>(&[1.0, 2.0, 3.0, 4.5, 5.0, 6.0], &tags)).heights()[0], 4.5);
    assert_eq!(decode(&plain::<Gray64Float>(&[1.0, 2.0, 3.0, 0.1, 5.0, 6.0], &tags)).heights()[0], 0.1);
}

#[test]
fn compressions_predictors_and_big_files_are_read() {
    use tiff::encoder::compression::DeflateLevel::Balanced;
    for compression in [Compression::Lzw, Compression::Deflate(Balanced), Compression::Packbits] {
        for predictor in [Predictor::None, Predictor::Horizontal] {
            let how = (compression, predictor);
            let small = write::<Gray16, TiffKindStandard>(&[1, 2, 3, 4, 5, 6], how, &Tags::default());
            assert_eq!(decode(&small).heights(), NORTH_UP);
            let big = write::<Gray16, TiffKindBig>(&[1, 2, 3, 4, 5, 6], how, &Tags::default());
            assert_eq!((big[2], decode(&big).heights()), (43, NORTH_UP.as_slice()));
        }
    }
}

#[test]
fn the_scale_and_a_tie_point_place_the_map() {
    let tags =
        Tags { scale: vec![10.0, 20.0, 0.0], tie: vec![1.0, 1.0, 0.0, 510.0, 980.0, 0.0], ..Tags::default() };
    let map = decode(&plain::<Gray8>(&[1, 2, 3, 4, 5, 6], &tags));
    assert!(map.is_placed());
    assert_eq!(map.extent(), [[500.0, 960.0], [530.0, 1000.0]]);
    // The same with samples that are points: half a sample to the north-west.
    let points = Tags { keys: geo_keys(&[[1024, 0, 1, 1], [1025, 0, 1, 2]]), ..tags };
    assert_eq!(decode(&plain::<Gray8>(&[0; 6], &points)).extent(), [[495.0, 970.0], [525.0, 1010.0]]);
}

#[test]
fn a_matrix_places_the_map_also_from_the_south() {
    let upright = [10.0, 0.0, 0.0, 500.0, 0.0, -20.0, 0.0, 1000.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let map =
        decode(&plain::<Gray8>(&[1, 2, 3, 4, 5, 6], &Tags { matrix: upright.to_vec(), ..Tags::default() }));
    assert_eq!((map.extent(), map.heights()), ([[500.0, 960.0], [530.0, 1000.0]], NORTH_UP.as_slice()));
    let mut from_south = upright;
    (from_south[5], from_south[7]) = (20.0, 960.0);
    let map = decode(&plain::<Gray8>(
        &[1, 2, 3, 4, 5, 6],
        &Tags { matrix: from_south.to_vec(), ..Tags::default() },
    ));
    assert_eq!(map.extent(), [[500.0, 960.0], [530.0, 1000.0]]);
    assert_eq!(map.heights(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let mut turned = upright;
    turned[1] = 3.0;
    let bytes = plain::<Gray8>(&[0; 6], &Tags { matrix: turned.to_vec(), ..Tags::default() });
    let error = HeightMap::decode(&bytes, &DecodeOptions::default()).unwrap_err();
    assert!(matches!(error.fault, Fault::Unsupported(_)) && error.remedy.contains("gdalwarp"));
}

#[test]
fn units_are_taken_from_the_keys() {
    let placed =
        Tags { scale: vec![1.0, 1.0, 0.0], tie: vec![0.0, 0.0, 0.0, 10.0, 46.0, 0.0], ..Tags::default() };
    let with = |entries: &[[u16; 4]]| {
        decode(&plain::<Gray8>(&[10; 6], &Tags { keys: geo_keys(entries), ..placed.clone() }))
    };
    let [east, north] = metres_per_degree(45.0);
    let degrees = with(&[[1024, 0, 1, 2], [2054, 0, 1, 9102]]);
    assert!((degrees.spacing()[0] - east).abs() < 1e-6 && (degrees.spacing()[1] - north).abs() < 1e-6);
    assert_eq!(with(&[[1024, 0, 1, 1], [3076, 0, 1, 9002]]).spacing(), [0.3048; 2]);
    let survey = with(&[[1024, 0, 1, 1], [3076, 0, 1, 9003], [4099, 0, 1, 9002]]);
    assert!((survey.spacing()[0] - 1200.0 / 3937.0).abs() < 1e-15);
    assert!((survey.heights()[0] - 3.048).abs() < 1e-12);
    let own =
        Tags { doubles: vec![9.0, 2.5], keys: geo_keys(&[[1024, 0, 1, 1], [3077, 34736, 1, 1]]), ..placed };
    assert_eq!(decode(&plain::<Gray8>(&[0; 6], &own)).spacing(), [2.5; 2]);
    let options = DecodeOptions { unit: Some(Unit::METRE), ..DecodeOptions::default() };
    assert_eq!(HeightMap::decode(&plain::<Gray8>(&[0; 6], &own), &options).unwrap().spacing(), [1.0; 2]);
}

#[test]
fn no_data_is_what_gdal_says() {
    let tags = Tags { no_data: "-9999", ..Tags::default() };
    let map = decode(&plain::<GrayI16>(&[1, 2, 3, -9999, 5, 6], &tags));
    assert!(map.heights()[0].is_nan() && map.no_data_count() == 1);
    let lowest = Tags { no_data: "-3.4028234663852886e+38", ..Tags::default() };
    let map = decode(&plain::<Gray32Float>(&[f32::MIN, 2.0, f32::NAN, f32::INFINITY, 5.0, 6.0], &lowest));
    assert_eq!(map.no_data_count(), 3);
}

/// A tiled file by hand: 19 × 2 samples in tiles of 16 × 16, the second one left out as GDAL does.
fn tiled(offset: u32, length: u32) -> Vec<u8> {
    let mut bytes = b"II*\0\x08\0\0\0".to_vec();
    let entries: [(u16, u16, u32, u32); 9] = [
        (256, 4, 1, 19),
        (257, 4, 1, 2),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (322, 4, 1, 16),
        (323, 4, 1, 16),
        (324, 4, 2, 8 + 2 + 9 * 12 + 4),
        (325, 4, 2, 8 + 2 + 9 * 12 + 4 + 8),
    ];
    bytes.extend((entries.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in entries {
        bytes.extend([tag, kind].iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend([count, value].iter().flat_map(|n| n.to_le_bytes()));
    }
    let numbers = [0, offset, 0, length, 0];
    bytes.extend(numbers.iter().flat_map(|n: &u32| n.to_le_bytes()));
    bytes.extend((0..=255).map(|n: u8| n));
    bytes
}

#[test]
fn tiles_are_put_together_and_missing_ones_hold_no_data() {
    let map = decode(&tiled(138, 256));
    assert_eq!((map.columns(), map.rows()), (19, 2));
    assert_eq!((map.at(0, 1), map.at(15, 1), map.at(3, 0)), (Some(0.0), Some(15.0), Some(19.0)));
    assert!(map.at(16, 0).unwrap().is_nan() && map.no_data_count() == 6);
    let cut = HeightMap::decode(&tiled(138, 256)[..150], &DecodeOptions::default()).unwrap_err();
    assert!(matches!(cut.fault, Fault::Truncated(_)), "{cut}");
}
