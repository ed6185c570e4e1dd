//! Ground from files: where it is put, in which units, and what becomes of samples without a height.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use undine_grid::Grid;
use undine_scene::{LoadOptions, Scene, SceneErrors};
use undine_terrain::{DecodeOptions, EncodeOptions, Format, HeightMap, Terrain, Unit, metres_per_degree};

const GRID: &str = "NCOLS 4\r\nnrows 3\r\nXLLCENTER 105\r\nyllcenter 205\r\ndx 10\r\ndy 20\r\nnodata_value -1\r\n\
                    9 10 11 12\r\n5 6 7 8\r\n1 2 3 4\r\n";

/// A folder with this file and a scene of one layer that reads it.
fn read_in(folder: &Path, name: &str, bytes: &[u8], keys: &str) -> Result<Terrain, SceneErrors> {
    fs::write(folder.join(name), bytes).unwrap();
    let keys = keys.replace("; ", "\n");
    let text = format!("[scene]\nduration = 1\n[[terrain]]\nkind = 'file'\nfile = '{name}'\n{keys}\n");
    let path = folder.join("scene.toml");
    fs::write(&path, text).unwrap();
    Ok(Terrain::read(&Scene::load(&path, &LoadOptions::default())?)?.expect("there is terrain"))
}

fn read(name: &str, bytes: &[u8], keys: &str) -> Terrain {
    let folder = TempDir::new().unwrap();
    read_in(folder.path(), name, bytes, keys).unwrap_or_else(|errors| panic!("{errors}"))
}

fn ramp(columns: usize, rows: usize) -> HeightMap {
    let heights = (0..columns * rows).map(|n| (n % columns) as f64 + 100.0 * (n / columns) as f64);
    HeightMap::new(columns, rows, heights.collect()).unwrap()
}

#[test]
fn a_grid_is_centred_or_left_where_it_is() {
    let centred = read("a.asc", GRID.as_bytes(), "");
    assert_eq!(centred.extent(), Some([[-20.0, -30.0], [20.0, 30.0]]));
    assert!((centred.height(-15.0, -20.0) - 1.0).abs() < 1e-12);
    assert!((centred.height(15.0, 20.0) - 12.0).abs() < 1e-12);
    let kept = read("a.asc", GRID.as_bytes(), "keep_coordinates = true");
    assert_eq!(kept.extent(), Some([[100.0, 195.0], [140.0, 255.0]]));
    assert!((kept.height(125.0, 225.0) - 7.0).abs() < 1e-12);
    let moved = read("a.asc", GRID.as_bytes(), "center = [1000, 0]; size = [4, 3]");
    assert_eq!(moved.extent(), Some([[998.0, -1.5], [1002.0, 1.5]]));
    assert!((moved.height(1001.5, 1.0) - 12.0).abs() < 1e-12);
}

#[test]
fn outside_the_nearest_sample_goes_on() {
    let ground = read("a.asc", GRID.as_bytes(), "interpolation = 'bilinear'");
    assert_eq!(ground.height(-1e6, -1e6), 1.0);
    assert_eq!(ground.height(1e6, 1e6), 12.0);
    assert_eq!(ground.height(1e300, 0.0), 8.0);
}

#[test]
fn maps_are_cropped_flipped_and_turned() {
    let cropped = read("a.asc", GRID.as_bytes(), "crop = [1, 0, 2, 2]");
    assert_eq!(cropped.extent(), Some([[-10.0, -20.0], [10.0, 20.0]]));
    assert!((cropped.height(-5.0, 10.0) - 10.0).abs() < 1e-12);
    let flipped = read("a.asc", GRID.as_bytes(), "flip = ['rows']");
    assert!((flipped.height(-15.0, 20.0) - 1.0).abs() < 1e-12);
    let turned = read("a.asc", GRID.as_bytes(), "turn = 1");
    assert_eq!(turned.extent(), Some([[-30.0, -20.0], [30.0, 20.0]]));
    assert!((turned.height(-20.0, 15.0) - 12.0).abs() < 1e-12);
}

#[test]
fn a_fine_map_is_averaged_over_coarse_cells() {
    let comb: Vec<f64> = (0..64 * 64).map(|n| f64::from(n % 2) * 10.0).collect();
    let map = HeightMap::new(64, 64, comb).unwrap().placed([0.0; 2], [1.0; 2]).unwrap();
    let ground = read("comb.tif", &map.encode(Format::Tiff, &EncodeOptions::default()).unwrap(), "");
    let bed = ground.sample(&Grid::new([8, 8], [8.0; 2], [-32.0; 2]).unwrap()).unwrap();
    for ([column, _], height) in bed.iter().filter(|([column, _], _)| (1..7).contains(column)) {
        assert!((height - 5.0).abs() < 1e-12, "{column}: {height}");
    }
    // The whole is kept.
    let mean = bed.iter().map(|(_, height)| height).sum::<f64>() / 64.0;
    assert!((mean - 5.0).abs() < 0.02, "{mean}");
}

#[test]
fn a_coarse_map_is_smooth_under_a_fine_grid() {
    let map = ramp(8, 8).placed([-4.0; 2], [1.0; 2]).unwrap();
    let ground = read("ramp.exr", &map.encode(Format::Exr, &EncodeOptions::default()).unwrap(), "");
    let grid = Grid::new([20, 20], [0.1; 2], [-1.0; 2]).unwrap();
    for ([column, row], height) in ground.sample(&grid).unwrap().iter() {
        let [x, y] = grid.centre([column as isize, row as isize]);
        assert!((height - (x + 3.5 + 100.0 * (y + 3.5))).abs() < 1e-9, "{x} {y}");
        assert!((height - ground.height(x, y)).abs() < 1e-9);
    }
}

#[test]
fn holes_are_filled_levelled_or_refused() {
    let holed = GRID.replace("6 7", "-1 nan");
    let folder = TempDir::new().unwrap();
    let filled = read_in(folder.path(), "h.asc", holed.as_bytes(), "interpolation = 'bilinear'").unwrap();
    let height = filled.height(-5.0, 0.0);
    assert!((4.0..9.0).contains(&height), "{height}");
    let level =
        read_in(folder.path(), "h.asc", holed.as_bytes(), "no_data = 'level'; no_data_level = -7").unwrap();
    assert!((level.height(5.0, 0.0) + 7.0).abs() < 1e-12);
    let refused = read_in(folder.path(), "h.asc", holed.as_bytes(), "no_data = 'error'").unwrap_err();
    assert!(refused.to_string().contains("h.asc: 2 samples are marked as no data"), "{refused}");
    let empty = "ncols 2\nnrows 1\ncellsize 1\nNODATA_value 5\n5 5\n";
    for keys in ["", "no_data = 'level'"] {
        let refused = read_in(folder.path(), "e.asc", empty.as_bytes(), keys).unwrap_err();
        assert!(refused.to_string().contains("e.asc: every sample is marked as no data"), "{refused}");
    }
    let other = read_in(folder.path(), "h.asc", GRID.as_bytes(), "no_data_value = 12").unwrap();
    assert!(other.height(15.0, 20.0) < 11.9);
}

#[test]
fn a_picture_needs_a_size_and_takes_its_heights_from_the_scene() {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[255, 0, 0, 0, 0, 51]).unwrap();
    let folder = TempDir::new().unwrap();
    let refused = read_in(folder.path(), "p.png", &bytes, "").unwrap_err().to_string();
    assert!(refused.contains("p.png does not say how far apart its samples are"), "{refused}");
    let red = read_in(folder.path(), "p.png", &bytes, "size = [2, 1]; channel = 'red'; low = -10; high = 30")
        .unwrap();
    assert!((red.height(-0.5, 0.0) - 30.0).abs() < 1e-12 && (red.height(0.5, 0.0) + 10.0).abs() < 1e-12);
    let grey = read_in(folder.path(), "p.png", &bytes, "spacing = [1, 1]; high = 255").unwrap();
    assert!((grey.height(-0.5, 0.0) - 0.2126 * 255.0).abs() < 1e-9);
    assert!((grey.height(0.5, 0.0) - 0.0722 * 51.0).abs() < 1e-9);
    let unknown = read_in(folder.path(), "p.png", &bytes, "size = [2, 1]; channel = 'infrared'").unwrap_err();
    assert!(unknown.to_string().contains("one of luminance, red, green, blue, alpha"), "{unknown}");
}

#[test]
fn raw_samples_are_read_as_told() {
    let bytes: Vec<u8> =
        [7u8; 3].into_iter().chain([1i16, -2, 300, 4].iter().flat_map(|n| n.to_be_bytes())).collect();
    let keys =
        "samples = [2, 2]; sample = 'i16'; bytes = 'big'; header = 3; rows_from = 'south'; spacing = [1, 1]";
    let ground = read("h.raw", &bytes, keys);
    assert!((ground.height(-0.5, -0.5) - 1.0).abs() < 1e-12);
    assert!((ground.height(-0.5, 0.5) - 300.0).abs() < 1e-12);
    let mapped =
        read("h.raw", &[0, 255], "samples = [2, 1]; sample = 'u8'; size = [2, 1]; low = 10; high = 20");
    assert!(
        (mapped.height(-0.5, 0.0) - 10.0).abs() < 1e-12 && (mapped.height(0.5, 0.0) - 20.0).abs() < 1e-12
    );
}

#[test]
fn degrees_and_feet_become_metres() {
    let grid = "ncols 3\nnrows 3\nxllcorner 10\nyllcorner 44.5\ncellsize 0.01\n1 2 3 4 5 6 7 8 9\n";
    let options = DecodeOptions { unit: Some(Unit::DEGREE), ..DecodeOptions::default() };
    let map = HeightMap::decode(grid.as_bytes(), &options).unwrap();
    let [east, north] = metres_per_degree(44.515);
    assert!((map.spacing()[0] - 0.01 * east).abs() < 1e-9 && (map.spacing()[1] - 0.01 * north).abs() < 1e-9);
    assert!((map.origin()[1] - 44.5 * north).abs() < 1e-6);
    let feet = read("a.asc", GRID.as_bytes(), "units = 'feet'; vertical_unit = 'feet'");
    assert!((feet.extent().unwrap()[1][0] - 20.0 * 0.3048).abs() < 1e-12);
    assert!((feet.height(-15.0 * 0.3048, -20.0 * 0.3048) - 0.3048).abs() < 1e-12);
}

#[test]
fn a_file_may_not_lie_outside_the_scenes_folder() {
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("secret.asc"), GRID).unwrap();
    let path = inner.join("scene.toml");
    fs::write(&path, "[scene]\nduration = 1\n[[terrain]]\nkind = 'file'\nfile = '../secret.asc'\n").unwrap();
    let refused = Terrain::read(&Scene::load(&path, &LoadOptions::default()).unwrap()).unwrap_err();
    assert!(refused.to_string().contains("outside the scene's folder"), "{refused}");
}
