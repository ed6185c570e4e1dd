//! Ground from a height file.

use std::borrow::Cow;
use std::path::Path;

use glam::DVec2;
use undine_grid::Grid;
use undine_scene::{Problem, Scene, SceneErrors, Values};

use super::{Averages, LandShape};
use crate::decode::{DecodeOptions, RawLayout, SampleType};
use crate::error::{Fault, TerrainError};
use crate::formats::Format;
use crate::height_map::HeightMap;
use crate::resample::{self, Interpolation, Taps};
use crate::units::Unit;

pub(crate) use super::file_keys::KEYS;

#[derive(Debug)]
struct FileGround {
    map: HeightMap,
    interpolation: Interpolation,
}

impl FileGround {
    /// A position along an axis in units of samples, whose middles have whole numbers.
    fn in_samples(&self, axis: usize, at: f64) -> f64 {
        (at - self.map.origin()[axis]) / self.map.spacing()[axis] - 0.5
    }
}

impl LandShape for FileGround {
    fn height(&self, at: DVec2) -> f64 {
        let point = [self.in_samples(0, at.x), self.in_samples(1, at.y)];
        resample::point(self.interpolation, self.map.heights(), self.map.columns(), point)
    }

    fn averages(&self, grid: &Grid<2>) -> Option<Averages<'_>> {
        let along = |axis: usize, samples: usize| {
            let (origin, step) = (grid.origin()[axis], grid.spacing()[axis]);
            let side = move |cell: usize| self.in_samples(axis, origin + cell as f64 * step);
            let cells = (0..grid.cells()[axis]).map(move |cell| [side(cell), side(cell + 1)]);
            Taps::of_cells(self.interpolation, samples, cells)
        };
        Some(Averages {
            across: along(0, self.map.columns()),
            up: along(1, self.map.rows()),
            samples: self.map.heights(),
            pitch: self.map.columns(),
        })
    }

    fn extent(&self) -> Option<[[f64; 2]; 2]> {
        Some(self.map.extent())
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let (name, bytes) = file_bytes(values)?;
    let problem = |error: TerrainError, key: &str| problem_with(values, key, error.named(&name));
    let map = HeightMap::decode(&bytes, &options(values, &name)?).map_err(|error| problem(error, "file"))?;
    drop(bytes);
    let map = crop(map, values).map_err(|error| problem(error, "crop"))?;
    let map = without_holes(map, values).map_err(|error| problem(error, "no_data"))?;
    let map = turned(map, values);
    let map = put_in_place(map, values, &name)?;
    let interpolation = match values.word("interpolation") {
        "bilinear" => Interpolation::Bilinear,
        _ => Interpolation::Bicubic,
    };
    Ok(Box::new(FileGround { map, interpolation }))
}

/// The name of the file and its bytes: those that came with the scene, or else those on disk.
fn file_bytes(values: &Values) -> Result<(String, Cow<'_, [u8]>), Problem> {
    let file = values.file("file");
    let bytes = match file.carried() {
        Some(bytes) => Cow::Borrowed(bytes),
        None => Cow::Owned(disk_bytes(values, file.path())?),
    };
    Ok((file.name(), bytes))
}

#[cfg(not(target_arch = "wasm32"))]
fn disk_bytes(values: &Values, path: &Path) -> Result<Vec<u8>, Problem> {
    crate::disk::read_bytes(path).map_err(|error| problem_with(values, "file", error))
}

#[cfg(target_arch = "wasm32")]
fn disk_bytes(values: &Values, _: &Path) -> Result<Vec<u8>, Problem> {
    Err(values.problem("file", "there is no disk in a browser", "bring the file with the scene"))
}

fn options(values: &Values, name: &str) -> Result<DecodeOptions, Problem> {
    // Units across the map and upwards; without a word the file's own hold
    let unit = match values.word("units") {
        "metres" => Some(Unit::METRE),
        "feet" => Some(Unit::FOOT),
        "us-feet" => Some(Unit::SURVEY_FOOT),
        "degrees" => Some(Unit::DEGREE),
        _ => None,
    };
    let vertical = match values.word("vertical_unit") {
        "metres" => Some(1.0),
        "decimetres" => Some(0.1),
        "centimetres" => Some(0.01),
        "feet" => Some(0.3048),
        "us-feet" => Some(1200.0 / 3937.0),
        _ => None,
    };

    // Raw samples have no header, so that the scene must say how they lie
    let format = Format::from_name(values.word("format"));
    let raw = raw_layout(values);
    if format == Some(Format::Raw) && raw.is_none() {
        let message = "raw samples do not say how many they are";
        return Err(values.problem("format", message, "add samples = [columns, rows]"));
    }
    Ok(DecodeOptions {
        name: name.to_owned(),
        format,
        channel: values.text_if("channel").map(str::to_owned),
        low: values.number_if("low"),
        high: values.number_if("high"),
        unit,
        vertical,
        no_data: values.number_if("no_data_value"),
        raw,
        ..DecodeOptions::default()
    })
}

fn raw_layout(values: &Values) -> Option<RawLayout> {
    let [columns, rows] = values.integers_if::<2>("samples")?.map(i64::unsigned_abs);
    Some(RawLayout {
        columns,
        rows,
        sample: SampleType::from_name(values.word("sample")).unwrap_or_default(),
        is_big_endian: values.word("bytes") == "big",
        header: values.integer("header").unsigned_abs(),
        is_bottom_up: values.word("rows_from") == "south",
    })
}

fn crop(map: HeightMap, values: &Values) -> Result<HeightMap, TerrainError> {
    let Some(part) = values.integers_if::<4>("crop") else { return Ok(map) };
    let [column, row, columns, rows] = part.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    map.crop([column, row], [columns, rows])
}

fn without_holes(map: HeightMap, values: &Values) -> Result<HeightMap, TerrainError> {
    match (map.no_data_count(), values.word("no_data")) {
        (0, _) => Ok(map),
        (holes, "error") => {
            let fault = Fault::SomeNoData(holes as u64);
            Err(TerrainError::of_file(fault, "set no_data = \"fill\" or \"level\", or crop the map"))
        }
        (holes, "level") if holes < map.heights().len() => {
            Ok(map.fill_no_data_with(values.number("no_data_level")))
        }
        _ => map.fill_no_data(),
    }
}

fn turned(mut map: HeightMap, values: &Values) -> HeightMap {
    for axis in values.words("flip") {
        map = if axis == "columns" { map.flip_columns() } else { map.flip_rows() };
    }
    (0..values.integer("turn")).fold(map, |map, _| map.turn())
}

/// Sets size and position of the map.
fn put_in_place(map: HeightMap, values: &Values, name: &str) -> Result<HeightMap, Problem> {
    let counts = DVec2::new(map.columns() as f64, map.rows() as f64);
    let spacing = match (values.vector_if::<2>("size"), values.vector_if::<2>("spacing")) {
        (Some(_), Some(_)) => {
            let message = "both size and spacing say how large the map is";
            return Err(values.problem("spacing", message, "keep one of them"));
        }
        (Some(size), None) => DVec2::from(size) / counts,
        (None, Some(spacing)) => DVec2::from(spacing),
        (None, None) if map.is_placed() => DVec2::from(map.spacing()),
        (None, None) => {
            let message = format!("{name} does not say how far apart its samples are");
            return Err(values.problem("file", message, "add size = [x, y] of the map, in metres"));
        }
    };
    let keeps = values.flag("keep_coordinates");
    if keeps && !map.is_placed() {
        let message = format!("{name} does not say where it is");
        return Err(values.problem("keep_coordinates", message, "give center instead"));
    }
    let low = match keeps {
        true => DVec2::from(map.origin()),
        false => DVec2::from(values.vector::<2>("center")) - 0.5 * spacing * counts,
    };
    map.placed(low.into(), spacing.into()).map_err(|error| problem_with(values, "file", error.named(name)))
}

/// The error of a file as a problem at a key of the scene.
fn problem_with(values: &Values, key: &str, error: TerrainError) -> Problem {
    values.problem(key, error.message(), error.remedy)
}
