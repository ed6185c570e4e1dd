//! `undine terrain`.

use std::path::{Path, PathBuf};

use undine::frame::AtomicFile;
use undine::grid::Grid;
use undine::scene::{Kind, Section};
use undine::sim::WATER_KEYS;
use undine::terrain::{
    DecodeOptions, EncodeOptions, FORMATS, Format, HeightMap, RawLayout, SampleType, Terrain, read_bytes,
};
use undine::{LoadOptions, MODELS, Scene};

use super::OverrideArgs;
use crate::terminal::{CommandError, print_json, print_line, text};

/// Default number of samples along x of a scene's terrain.
const DEFAULT_RESOLUTION: usize = 512;

/// Write the terrain of a scene, or convert, crop and resample a height file
///
/// Without --out it only prints size, extent and range. `undine keys terrain` explains the keys of [[terrain]].
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine terrain dam-valley                       size, extent, lowest and highest point
  undine terrain dam-valley -o valley.tif         the ground as a GeoTIFF
  undine terrain my/scene.toml -o bed.png --resolution 2048 --low 0 --high 500
  undine terrain alps.tif -o part.asc --crop 1000 400 512 512
  undine terrain alps.tif -o small.exr --size 256 256
  undine terrain old.raw --raw 1201 1201 i16 -o new.tif")]
pub struct Args {
    /// A scene (file, folder or name), or a height file: PNG, EXR, ESRI ASCII grid, TIFF or raw samples
    source: String,

    /// The file to write; its extension determines the format: png, exr, asc, tif, raw
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Samples along x and y of the result
    #[arg(long, value_names = ["COLUMNS", "ROWS"], num_args = 2, conflicts_with = "resolution")]
    size: Option<Vec<usize>>,

    /// Samples along x of the result; along y as many as give square cells
    #[arg(long, value_name = "N")]
    resolution: Option<usize>,

    /// The rectangle of a scene's terrain in metres; by default that of its first water, or of its height file
    #[arg(long, value_names = ["X0", "Y0", "X1", "Y1"], num_args = 4, allow_hyphen_values = true)]
    area: Option<Vec<f64>>,

    /// The part of a height file to keep, in samples from its top left
    #[arg(long, value_names = ["COLUMN", "ROW", "COLUMNS", "ROWS"], num_args = 4, conflicts_with = "area")]
    crop: Option<Vec<usize>>,

    /// The height of black in the PNG to write; the minimum when absent
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    low: Option<f64>,

    /// The height of white in the PNG to write; the maximum when absent
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    high: Option<f64>,

    /// Write a PNG with 8 bits instead of 16
    #[arg(long)]
    eight_bits: bool,

    /// The heights of black and white in the PNG to read
    #[arg(long, value_names = ["LOW", "HIGH"], num_args = 2, allow_hyphen_values = true)]
    from: Option<Vec<f64>>,

    /// The channel of a height file to read
    #[arg(long)]
    channel: Option<String>,

    /// The layout of raw samples to read; the type is u8, i8, u16, i16, u32, i32, f32 or f64, with the suffix `be` for
    /// big-endian
    #[arg(long, value_names = ["COLUMNS", "ROWS", "TYPE"], num_args = 3)]
    raw: Option<Vec<String>>,

    #[command(flatten)]
    change: OverrideArgs,

    /// Allow a scene to read files outside its own folder
    #[arg(long)]
    allow_outside: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Writes a terrain and prints its size, extent and range.
pub fn run(args: &Args) -> Result<(), CommandError> {
    let out = args.out.as_deref().map(|out| Ok::<_, CommandError>((out, format_of(out)?))).transpose()?;
    let path = Path::new(&args.source);
    let is_toml = path.extension().is_some_and(|ending| ending == "toml");
    let is_height_file = Format::of_name(&args.source).is_some() || path.is_file() && !is_toml;
    let (map, origin) = if is_height_file { read_file(args, path)? } else { sample_scene(args)? };
    if let Some((out, format)) = out {
        let options = EncodeOptions {
            low: args.low,
            high: args.high,
            is_eight_bits: args.eight_bits,
            ..EncodeOptions::default()
        };
        AtomicFile::write_all_to(out, &map.encode(format, &options)?)?;
    }
    print_summary(args, &map, origin);
    Ok(())
}

fn format_of(out: &Path) -> Result<Format, CommandError> {
    Format::of_name(&text(out)).ok_or_else(|| {
        let endings: Vec<&str> =
            FORMATS.iter().filter_map(|format| format.endings.first().copied()).collect();
        CommandError::Wrong(format!(
            "{} has no known extension; one of {}",
            out.display(),
            endings.join(", ")
        ))
    })
}

/// A height file, cropped and resampled as requested, and the name of its format.
fn read_file(args: &Args, path: &Path) -> Result<(HeightMap, &'static str), CommandError> {
    if args.area.is_some() {
        return Err(CommandError::Wrong(
            "--area is for scenes; --crop takes a part of a height file".to_owned(),
        ));
    }
    let bytes = read_bytes(path)?;
    let options = DecodeOptions {
        name: args.source.clone(),
        channel: args.channel.clone(),
        low: args.from.as_ref().and_then(|from| from.first().copied()),
        high: args.from.as_ref().and_then(|from| from.get(1).copied()),
        raw: args.raw.as_deref().map(parse_raw).transpose()?,
        ..DecodeOptions::default()
    };
    let format = Format::detect(&bytes, &args.source).unwrap_or(Format::Raw);
    let mut map = HeightMap::decode(&bytes, &options)?;
    if let Some(&[column, row, columns, rows]) = args.crop.as_deref() {
        map = map.crop([column, row], [columns, rows]).map_err(|error| error.named(&args.source))?;
    }
    if args.size.is_some() || args.resolution.is_some() {
        let [columns, rows] = samples(args, [map.columns() as f64, map.rows() as f64], map.columns())?;
        map = map.resample(columns, rows)?;
    }
    Ok((map, format.name()))
}

fn parse_raw(words: &[String]) -> Result<RawLayout, CommandError> {
    let wrong =
        || CommandError::Wrong("--raw takes columns, rows and a type, such as `1201 1201 i16be`".to_owned());
    let [columns, rows, kind] = words else { return Err(wrong()) };
    let (name, is_big_endian) = match kind.strip_suffix("be") {
        Some(name) => (name, true),
        None => (kind.strip_suffix("le").unwrap_or(kind), false),
    };
    Ok(RawLayout {
        columns: columns.parse().map_err(|_| wrong())?,
        rows: rows.parse().map_err(|_| wrong())?,
        sample: SampleType::from_name(name).ok_or_else(wrong)?,
        is_big_endian,
        header: 0,
        is_bottom_up: false,
    })
}

/// The terrain of a scene on a lattice.
fn sample_scene(args: &Args) -> Result<(HeightMap, &'static str), CommandError> {
    if args.crop.is_some() || args.raw.is_some() || args.from.is_some() || args.channel.is_some() {
        let message = "--crop, --raw, --from and --channel are for height files; a scene has keys for them";
        return Err(CommandError::Wrong(message.to_owned()));
    }
    let overrides = args.change.overrides.clone();
    let options = LoadOptions { overrides, allow_outside: args.allow_outside, ..LoadOptions::default() };
    let scene = undine::open(&args.source, &options)?;
    let Some(terrain) = Terrain::read(&scene)? else {
        return Err(CommandError::Wrong(format!("{} has no [[terrain]]", args.source)));
    };
    let [low, high] = area(args, &scene, &terrain)?;
    let length = [high[0] - low[0], high[1] - low[1]];
    let [columns, rows] = samples(args, length, DEFAULT_RESOLUTION)?;
    let spacing = [length[0] / columns as f64, length[1] / rows as f64];
    let bed = terrain.sample(&Grid::new([columns, rows], spacing, low)?)?;
    Ok((HeightMap::new(columns, rows, bed.to_dense())?.placed(low, spacing)?, "scene"))
}

/// Samples along x and y for a rectangle of these lengths.
fn samples(args: &Args, length: [f64; 2], default: usize) -> Result<[usize; 2], CommandError> {
    let size = match args.size.as_deref() {
        Some(&[columns, rows]) => [columns, rows],
        _ => {
            let columns = args.resolution.unwrap_or(default);
            // The cast saturates.
            [columns, ((columns as f64 * length[1] / length[0]).round() as usize).max(1)]
        }
    };
    let is_fit = size.iter().all(|count| (1..=1 << 20).contains(count)) && size[0] * size[1] <= 1 << 28;
    match is_fit {
        true => Ok(size),
        false => Err(CommandError::Wrong(format!(
            "{} × {} samples are not possible; choose 1 to 2^20 per side and at most 2^28 in all",
            size[0], size[1]
        ))),
    }
}

/// The rectangle to write: that of --area, of the first water, or of the height file.
fn area(args: &Args, scene: &Scene, terrain: &Terrain) -> Result<[[f64; 2]; 2], CommandError> {
    if let Some(&[x0, y0, x1, y1]) = args.area.as_deref() {
        let is_sound = x1 > x0 && y1 > y0 && [x0, y0, x1, y1].iter().all(|at| at.is_finite());
        let wrong = || CommandError::Wrong("--area takes the low corner first: X0 Y0 X1 Y1".to_owned());
        return is_sound.then_some([[x0, y0], [x1, y1]]).ok_or_else(wrong);
    }
    let of_water = scene.sections("water").iter().find_map(rectangle);
    of_water.or_else(|| terrain.extent()).ok_or_else(|| {
        CommandError::Wrong(format!("{} does not say how large its terrain is; give --area", args.source))
    })
}

/// The rectangle of a water that has a size; problems with its other keys are ignored here.
fn rectangle(water: &Section<'_>) -> Option<[[f64; 2]; 2]> {
    let model = MODELS.iter().find(|model| water.text("kind") == Some(model.name))?;
    let has =
        |name: &str| model.keys.iter().any(|key| key.name == name && matches!(key.kind, Kind::Vector(2)));
    let values = water.read(&[WATER_KEYS, model.keys]).ok().filter(|_| has("size"))?;
    let size = values.vector_if::<2>("size")?;
    let center = if has("center") { values.vector_if::<2>("center") } else { None }.unwrap_or_default();
    let corner = |side: f64| [center[0] + side * size[0], center[1] + side * size[1]];
    Some([corner(-0.5), corner(0.5)])
}

fn print_summary(args: &Args, map: &HeightMap, format: &str) {
    let ([[x0, y0], [x1, y1]], [dx, dy]) = (map.extent(), map.spacing());
    let range = map.range();
    // One JSON object
    if args.json {
        return print_json(&serde_json::json!({
            "source": args.source,
            "format": format,
            "columns": map.columns(),
            "rows": map.rows(),
            "is_placed": map.is_placed(),
            "spacing_m": [dx, dy],
            "extent_m": [[x0, y0], [x1, y1]],
            "lowest_m": range.map(|range| range[0]),
            "highest_m": range.map(|range| range[1]),
            "no_data": map.no_data_count(),
            "out": args.out.as_deref().map(text),
        }));
    }
    // Or a line per fact
    print_line(format!("source   {} ({format})", args.source));
    print_line(format!(
        "samples  {} × {}, {} of them without data",
        map.columns(),
        map.rows(),
        map.no_data_count()
    ));
    match map.is_placed() {
        true => {
            print_line(format!("spacing  {dx:.6} × {dy:.6} m"));
            print_line(format!("extent   {x0:.3} to {x1:.3} m along x, {y0:.3} to {y1:.3} m along y"));
        }
        false => print_line("spacing  not in the file"),
    }
    match range {
        Some([low, high]) => print_line(format!("heights  {low:.3} to {high:.3} m")),
        None => print_line("heights  none"),
    }
    if let Some(out) = &args.out {
        print_line(format!("written  {}", out.display()));
    }
}
