//! The list of formats that a frame can be exported to.
//!
//! A format is one file in this crate and one line in [`FORMATS`]; `undine export --format`, its help and the tests
//! come from the list.

use std::io;
use std::path::{Path, PathBuf};

use undine_frame::{AtomicFile, Frame, Mesh, SinkError, Wants};

use crate::names::{Distinct, file_name};
use crate::pose::moved;
use crate::{csv, exr, obj, ply, png16};

/// What a format leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// For grey maps: the values that are black and white, the same in every frame. Without it every frame spans its
    /// own least and greatest value.
    pub grey_range: Option<[f32; 2]>,
}

/// A format that frames can be exported to.
#[derive(Debug)]
pub struct Format {
    /// Its name, as given to `--format`, and that of its folder.
    pub name: &'static str,
    /// One line that says what it is for.
    pub summary: &'static str,
    /// How its files end, without the dot.
    pub extension: &'static str,
    /// Which parts of a frame it holds.
    pub wants: Wants,
    write: fn(&Frame, &mut Files<'_>) -> Result<(), SinkError>,
}

impl Format {
    /// Writes what a frame has for this format, one file per part: with the stem `ply/000012`, the files are
    /// `ply/000012-water.ply` and so on. Gives the files written; none when the frame has nothing for the format.
    pub fn write(&self, frame: &Frame, stem: &Path, options: &Options) -> Result<Vec<PathBuf>, SinkError> {
        let (extension, names) = (self.extension, Distinct::default());
        let mut files = Files { stem, extension, options, names, written: Vec::new() };
        (self.write)(frame, &mut files)?;
        Ok(files.written)
    }
}

/// Every format, in the order in which help shows them.
pub static FORMATS: &[&Format] = &[&PLY, &OBJ, &EXR, &PNG16, &CSV];

/// The format of this name.
///
/// ```
/// assert_eq!(undine_export::format("ply").unwrap().extension, "ply");
/// assert!(undine_export::format("doc").is_none());
/// ```
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name).copied()
}

static PLY: Format = Format {
    name: "ply",
    summary: "meshes and particles with velocities and attributes, binary",
    extension: "ply",
    wants: Wants { meshes: true, points: true, rasters: false, smoke: false, liquid_meshes: true },
    write: |frame, files| {
        each_mesh(frame, |mesh| files.add(&mesh.name, |file| ply::write_mesh(mesh, file)))?;
        frame.points.iter().try_for_each(|points| {
            // A liquid has a mesh and particles of one name
            let is_taken = frame.mesh(&points.name).is_some();
            let name = if is_taken { format!("{}-particles", points.name) } else { points.name.clone() };
            files.add(&name, |file| ply::write_points(points, file))
        })
    },
};

static OBJ: Format = Format {
    name: "obj",
    summary: "meshes as text that nearly every program reads",
    extension: "obj",
    wants: Wants { meshes: true, points: false, rasters: false, smoke: false, liquid_meshes: true },
    write: |frame, files| each_mesh(frame, |mesh| files.add(&mesh.name, |file| obj::write_mesh(mesh, file))),
};

static EXR: Format = Format {
    name: "exr",
    summary: "flat fields as 32-bit float maps, north up",
    extension: "exr",
    wants: Wants { meshes: false, points: false, rasters: true, smoke: false, liquid_meshes: false },
    write: |frame, files| {
        let mut maps = frame.rasters.iter().filter(|raster| exr::accepts(raster));
        maps.try_for_each(|map| files.add(&map.name, |file| exr::write_raster(map, frame.time, file)))
    },
};

static PNG16: Format = Format {
    name: "png16",
    summary: "flat scalar fields as 16-bit grey maps, north up",
    extension: "png",
    wants: Wants { meshes: false, points: false, rasters: true, smoke: false, liquid_meshes: false },
    write: |frame, files| {
        let range = files.options.grey_range;
        let mut maps = frame.rasters.iter().filter(|raster| png16::accepts(raster));
        maps.try_for_each(|map| {
            files.add(&map.name, |file| png16::write_raster(map, frame.time, range, file))
        })
    },
};

static CSV: Format = Format {
    name: "csv",
    summary: "fields of any dimension as a table, one line per sample",
    extension: "csv",
    wants: Wants { meshes: false, points: false, rasters: true, smoke: false, liquid_meshes: false },
    write: |frame, files| {
        let mut rasters = frame.rasters.iter().filter(|raster| !raster.values.is_empty());
        rasters.try_for_each(|raster| files.add(&raster.name, |file| csv::write_raster(raster, file)))
    },
};

/// All meshes of a frame, those of rigid shapes moved to where they are.
fn each_mesh(frame: &Frame, mut write: impl FnMut(&Mesh) -> Result<(), SinkError>) -> Result<(), SinkError> {
    frame.meshes.iter().try_for_each(&mut write)?;
    frame.posed.iter().try_for_each(|posed| write(&moved(posed)))
}

/// The files that one frame becomes.
struct Files<'a> {
    stem: &'a Path,
    extension: &'static str,
    options: &'a Options,
    names: Distinct,
    written: Vec<PathBuf>,
}

impl Files<'_> {
    /// Writes one file, named after the part of the frame it holds.
    fn add(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
    ) -> Result<(), SinkError> {
        let name = self.names.name(file_name(name), '-');
        let mut path = self.stem.as_os_str().to_owned();
        path.push(format!("-{name}.{}", self.extension));
        let path = PathBuf::from(path);
        let attempt = || {
            let mut file = AtomicFile::create(&path)?;
            write(&mut file)?;
            file.commit()
        };
        attempt().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => SinkError::Unsuited(format!("{}: {error}", path.display())),
            _ => SinkError::Io { path: path.clone(), source: error },
        })?;
        self.written.push(path);
        Ok(())
    }
}
