//! Any bytes are decoded as a height map or refused with a message and a remedy, in every format, within bounded memory.
//! A decoded map can be cropped, resampled, filled, encoded, and decoded again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use undine_terrain::{DecodeOptions, EncodeOptions, Format, HeightMap, RawLayout, SampleType};

fuzz_target!(|bytes: &[u8]| {
    let options = DecodeOptions { name: "fuzz".into(), most_samples: 1 << 16, ..DecodeOptions::default() };
    check(bytes, &options);
    check(bytes, &DecodeOptions { format: Some(Format::Asc), ..options.clone() });
    if let [columns, rows, kind, samples @ ..] = bytes {
        let raw = RawLayout {
            columns: u64::from(*columns),
            rows: u64::from(*rows),
            sample: SampleType::ALL[usize::from(*kind) % 8].1,
            is_big_endian: kind & 8 != 0,
            header: u64::from(kind >> 5),
            is_bottom_up: kind & 16 != 0,
        };
        check(samples, &DecodeOptions { format: Some(Format::Raw), raw: Some(raw), ..options });
    }
});

fn check(bytes: &[u8], options: &DecodeOptions) {
    match HeightMap::decode(bytes, options) {
        Ok(map) => check_map(&map),
        Err(error) => assert!(error.to_string().starts_with("fuzz") && !error.remedy.is_empty()),
    }
}

fn check_map(map: &HeightMap) {
    assert_eq!(map.heights().len(), map.columns() * map.rows());
    assert!(map.heights().iter().all(|height| height.is_nan() || height.abs() <= 1e9));
    assert!(map.extent().iter().flatten().all(|coordinate| coordinate.is_finite()));
    let part = map.crop([map.columns() / 2, 0], [map.columns().div_ceil(2), 1]).unwrap();
    assert!(part.heights().len() <= map.columns());
    assert_eq!(map.resample(3, 2).unwrap().heights().len(), 6);
    if let Ok(filled) = map.clone().fill_no_data() {
        assert_eq!(filled.no_data_count(), 0);
    }
    for format in [Format::Png, Format::Exr, Format::Asc, Format::Tiff] {
        let written = map.encode(format, &EncodeOptions::default()).unwrap();
        match HeightMap::decode(&written, &DecodeOptions::default()) {
            Ok(again) => assert_eq!((again.columns(), again.rows()), (map.columns(), map.rows()), "{format:?}"),
            // A TIFF with no data in every sample may be encoded, and is refused by the decoder
            Err(error) => assert!(map.range().is_none(), "{format:?}: {error}"),
        }
    }
}
