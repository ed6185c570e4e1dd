//! What is written comes back, for every format, whatever the heights.

use proptest::prelude::*;
use undine_terrain::{DecodeOptions, EncodeOptions, Format, HeightMap, RawLayout, SampleType};

fn map_of(columns: usize, rows: usize, height: impl Fn(usize) -> f64) -> HeightMap {
    let heights = (0..columns * rows).map(height).collect();
    HeightMap::new(columns, rows, heights).unwrap().placed([-120.5, 3000.25], [2.5, 1.25]).unwrap()
}

prop_compose! {
    /// Maps of all sizes, some samples without a height, placed anywhere.
    fn any_map()(columns in 1..24usize, rows in 1..24usize)(
        heights in proptest::collection::vec(prop_oneof![9 => -9e3..9e3f64, 1 => Just(f64::NAN)], columns * rows),
        columns in Just(columns),
        rows in Just(rows),
        origin in [-1e6..1e6f64, -1e6..1e6f64],
        spacing in [1e-3..1e4f64, 1e-3..1e4f64],
    ) -> HeightMap {
        HeightMap::new(columns, rows, heights).unwrap().placed(origin, spacing).unwrap()
    }
}

fn assert_same(found: &HeightMap, wanted: &HeightMap, tolerance: f64) {
    assert_eq!((found.columns(), found.rows()), (wanted.columns(), wanted.rows()));
    for (at, (found, wanted)) in found.heights().iter().zip(wanted.heights()).enumerate() {
        let is_same = found.is_nan() && wanted.is_nan() || (found - wanted).abs() <= tolerance;
        assert!(is_same, "sample {at}: {found}, not {wanted}");
    }
}

fn assert_same_place(found: &HeightMap, wanted: &HeightMap) {
    for axis in 0..2 {
        let size = wanted.extent()[1][axis] - wanted.extent()[0][axis];
        let tolerance = 1e-12 * (size + wanted.origin()[axis].abs());
        assert!((found.origin()[axis] - wanted.origin()[axis]).abs() < tolerance);
        assert!((found.spacing()[axis] / wanted.spacing()[axis] - 1.0).abs() < 1e-12);
    }
}

fn there_and_back(map: &HeightMap, format: Format, write: &EncodeOptions) -> HeightMap {
    let bytes = map.encode(format, write).unwrap();
    assert_eq!(bytes, map.encode(format, write).unwrap(), "the same map gives the same bytes");
    HeightMap::decode(&bytes, &DecodeOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ascii_grids_come_back_exactly(map in any_map()) {
        let found = there_and_back(&map, Format::Asc, &EncodeOptions::default());
        assert_same(&found, &map, 0.0);
        assert_same_place(&found, &map);
    }

    #[test]
    fn exr_and_tiff_come_back_in_single_precision(map in any_map()) {
        for format in [Format::Exr, Format::Tiff] {
            let found = there_and_back(&map, format, &EncodeOptions::default());
            assert_same(&found, &map, 9e3 * f64::from(f32::EPSILON));
            assert_same_place(&found, &map);
        }
    }

    #[test]
    fn pictures_come_back_to_half_a_grey(map in any_map(), is_eight_bits: bool) {
        let found = there_and_back(&map, Format::Png, &EncodeOptions { is_eight_bits, ..EncodeOptions::default() });
        let [low, high] = map.range().unwrap_or([0.0, 1.0]);
        let greys = if is_eight_bits { 255.0 } else { 65535.0 };
        assert_same(&found, &map, 0.5001 * (high - low) / greys + 1e-9);
        assert_same_place(&found, &map);
    }

    #[test]
    fn raw_samples_come_back(map in any_map(), is_big_endian: bool, number in 0..SampleType::ALL.len()) {
        let sample = SampleType::ALL[number].1;
        let map = match sample {
            SampleType::U8 | SampleType::U16 | SampleType::U32 => map.scale(0.012, 120.0),
            SampleType::I8 => map.scale(0.012, 0.0),
            _ => map,
        };
        let no_data = Some(if sample.bytes() == 1 { 127.0 } else { 30_000.0 });
        let write = EncodeOptions { sample, is_big_endian, no_data, ..EncodeOptions::default() };
        let bytes = map.encode(Format::Raw, &write).unwrap();
        let (columns, rows) = (map.columns() as u64, map.rows() as u64);
        let raw = RawLayout { columns, rows, sample, is_big_endian, header: 0, is_bottom_up: false };
        let read = DecodeOptions { raw: Some(raw), no_data, format: Some(Format::Raw), ..DecodeOptions::default() };
        let found = HeightMap::decode(&bytes, &read).unwrap();
        let tolerance = match sample {
            SampleType::F64 => 0.0,
            SampleType::F32 => 1e-3,
            _ => 0.5,
        };
        let hole = |height: f64| if no_data == Some(height.round()) { f64::NAN } else { height };
        let wanted = map.heights().iter().map(|height| if sample.bytes() == 1 { hole(*height) } else { *height });
        let wanted = HeightMap::new(map.columns(), map.rows(), wanted.collect()).unwrap();
        assert_same(&found, &wanted, tolerance);
    }

    #[test]
    fn bytes_of_no_format_are_refused_with_a_remedy(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for format in [Format::Png, Format::Exr, Format::Asc, Format::Tiff] {
            let options = DecodeOptions { format: Some(format), name: "x".into(), ..DecodeOptions::default() };
            if let Err(error) = HeightMap::decode(&bytes, &options) {
                prop_assert!(error.to_string().starts_with('x') && !error.remedy.is_empty());
            }
        }
    }

    #[test]
    fn files_cut_anywhere_are_refused(cut in 0.0..1.0f64) {
        let map = map_of(40, 30, |n| (n as f64 * 0.7).sin() * 50.0);
        for format in [Format::Png, Format::Exr, Format::Tiff, Format::Asc] {
            let bytes = map.encode(format, &EncodeOptions::default()).unwrap();
            // The last samples of a grid may lose a digit, and the last bytes of a picture hold no sample.
            let kept = (cut * (bytes.len() as f64 * 0.9)) as usize;
            let options = DecodeOptions { format: Some(format), ..DecodeOptions::default() };
            prop_assert!(HeightMap::decode(&bytes[..kept], &options).is_err(), "{format:?} {kept}");
        }
    }
}

#[test]
fn a_plane_can_be_a_picture() {
    let map = map_of(3, 2, |_| 7.0);
    assert_eq!(there_and_back(&map, Format::Png, &EncodeOptions::default()).heights(), [7.0; 6]);
}

#[test]
fn a_picture_clamps_to_the_span_it_is_given() {
    let map = map_of(3, 1, |n| 10.0 * n as f64);
    let write = EncodeOptions { low: Some(5.0), high: Some(10.0), ..EncodeOptions::default() };
    assert_eq!(there_and_back(&map, Format::Png, &write).heights(), [5.0, 10.0, 10.0]);
    let crossed = EncodeOptions { low: Some(5.0), high: Some(1.0), ..EncodeOptions::default() };
    assert!(map.encode(Format::Png, &crossed).is_err());
}

#[test]
fn no_height_is_taken_for_no_data() {
    let map = map_of(3, 1, |n| [-9999.0, f64::NAN, 2.0][n]);
    let found = there_and_back(&map, Format::Asc, &EncodeOptions::default());
    assert!(found.heights()[0] == -9999.0 && found.heights()[1].is_nan());
}
