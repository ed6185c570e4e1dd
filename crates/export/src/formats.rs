//! The list of formats that a frame can be exported to.
//!
//! A format is one file in this crate and one line in [`FORMATS`]; `undine export --format`, its help and the tests
//! come from the list.

use std::io::{self, Cursor, Seek, Write};
use std::path::{Path, PathBuf};

use undine_frame::{AtomicFile, Curves, FieldRequest, Frame, FrameRequest, Mesh, SinkError};

use crate::names::{UniqueNames, file_name};
use crate::world_mesh::world_mesh;
use crate::{csv, exr, obj, ply, png16};

/// Options of the formats.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// For grey-level images: the values of black and white in every frame. `None` scales each frame to its own minimum and
    /// maximum.
    pub grey_range: Option<[f32; 2]>,
}

/// A format that frames can be exported to.
#[derive(Debug)]
pub struct ExportFormat {
    /// Its name, as given to `--format`, and that of its folder.
    pub name: &'static str,
    /// One line that says what it is for.
    pub summary: &'static str,
    /// File name extension, without the dot.
    pub extension: &'static str,
    /// Which parts of a frame it holds.
    pub request: FrameRequest,
    write: fn(&Frame, &mut Files<'_>) -> Result<(), SinkError>,
}

impl ExportFormat {
    /// Writes what a frame has for this format, one file per mesh, cloud or field: with the stem `ply/000012`, the files are
    /// `ply/000012-water.ply` and so on. Returns the files written; none when the frame has nothing for the format.
    pub fn write(&self, frame: &Frame, stem: &Path, options: &Options) -> Result<Vec<PathBuf>, SinkError> {
        let files = self.run(frame, Destination::Disk { stem, written: Vec::new() }, options)?;
        Ok(if let Destination::Disk { written, .. } = files { written } else { Vec::new() })
    }

    /// The same files in memory, each named after its mesh, cloud or field: `water.ply`. For programs without a disk.
    ///
    /// ```
    /// let mut frame = undine_frame::Frame::new(0, 0.0);
    /// frame.meshes.push(undine_frame::Mesh::flat_sheet("water", [1.0, 1.0], [2, 2]));
    /// let parts = undine_export::format("obj").unwrap().to_memory(&frame, &Default::default())?;
    /// assert_eq!(parts[0].name, "water.obj");
    /// # Ok::<(), undine_frame::SinkError>(())
    /// ```
    pub fn to_memory(&self, frame: &Frame, options: &Options) -> Result<Vec<ExportedFile>, SinkError> {
        let files = self.run(frame, Destination::Memory(Vec::new()), options)?;
        Ok(if let Destination::Memory(parts) = files { parts } else { Vec::new() })
    }

    fn run<'a>(
        &self,
        frame: &Frame,
        destination: Destination<'a>,
        options: &'a Options,
    ) -> Result<Destination<'a>, SinkError> {
        let mut files =
            Files { destination, extension: self.extension, options, names: UniqueNames::default() };
        (self.write)(frame, &mut files)?;
        Ok(files.destination)
    }
}

/// One file of an export, in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// Every format, in the order of the help text.
pub static FORMATS: &[&ExportFormat] = &[&PLY, &OBJ, &EXR, &PNG16, &CSV];

/// The format of this name.
///
/// ```
/// assert_eq!(undine_export::format("ply").unwrap().extension, "ply");
/// assert!(undine_export::format("doc").is_none());
/// ```
pub fn format(name: &str) -> Option<&'static ExportFormat> {
    FORMATS.iter().find(|format| format.name == name).copied()
}

// Outlines of 2-D liquids are surfaces without a mesh
const MESHES: FrameRequest = FrameRequest {
    surfaces: true,
    meshes: true,
    large_meshes: true,
    liquid_meshes: true,
    clouds: false,
    fields: FieldRequest::None,
    counters: false,
};

const FIELDS: FrameRequest = FrameRequest {
    surfaces: false,
    meshes: false,
    large_meshes: false,
    liquid_meshes: false,
    clouds: false,
    fields: FieldRequest::All,
    counters: false,
};

static PLY: ExportFormat = ExportFormat {
    name: "ply",
    summary: "meshes and particles with velocities and attributes, outlines of 2-D liquids as edges, binary",
    extension: "ply",
    request: FrameRequest { clouds: true, ..MESHES },
    write: |frame, files| {
        each_mesh(frame, |mesh| files.add(&mesh.name, |file| ply::write_mesh(mesh, file)))?;
        each_outline(frame, |name, curves| files.add(name, |file| ply::write_curves(name, curves, file)))?;
        frame.clouds.iter().try_for_each(|cloud| {
            // The mesh of a liquid has the name of its particles
            let is_taken = frame.mesh(&cloud.name).is_some();
            let name = if is_taken { format!("{}-particles", cloud.name) } else { cloud.name.clone() };
            files.add(&name, |file| ply::write_cloud(cloud, file))
        })
    },
};

static OBJ: ExportFormat = ExportFormat {
    name: "obj",
    summary: "meshes as text that nearly every program reads, outlines of 2-D liquids as lines",
    extension: "obj",
    request: MESHES,
    write: |frame, files| {
        each_mesh(frame, |mesh| files.add(&mesh.name, |file| obj::write_mesh(mesh, file)))?;
        each_outline(frame, |name, curves| files.add(name, |file| obj::write_curves(name, curves, file)))
    },
};

static EXR: ExportFormat = ExportFormat {
    name: "exr",
    summary: "flat fields as 32-bit float maps, north up",
    extension: "exr",
    request: FIELDS,
    write: |frame, files| {
        let mut maps = frame.fields.iter().filter(|raster| exr::accepts(raster));
        maps.try_for_each(|map| files.add(&map.name, |file| exr::write_raster(map, frame.time, file)))
    },
};

static PNG16: ExportFormat = ExportFormat {
    name: "png16",
    summary: "flat scalar fields as 16-bit grey maps, north up",
    extension: "png",
    request: FIELDS,
    write: |frame, files| {
        let range = files.options.grey_range;
        let mut maps = frame.fields.iter().filter(|raster| png16::accepts(raster));
        maps.try_for_each(|map| {
            files.add(&map.name, |file| png16::write_raster(map, frame.time, range, file))
        })
    },
};

static CSV: ExportFormat = ExportFormat {
    name: "csv",
    summary: "fields of any dimension and outlines of 2-D liquids as tables, one line per sample or point",
    extension: "csv",
    request: FrameRequest { surfaces: true, ..FIELDS },
    write: |frame, files| {
        let mut rasters = frame.fields.iter().filter(|raster| !raster.values.is_empty());
        rasters.try_for_each(|raster| files.add(&raster.name, |file| csv::write_raster(raster, file)))?;
        each_outline(frame, |name, curves| files.add(name, |file| csv::write_curves(curves, file)))
    },
};

/// All meshes of a frame, those of rigid bodies in world coordinates.
fn each_mesh(frame: &Frame, mut write: impl FnMut(&Mesh) -> Result<(), SinkError>) -> Result<(), SinkError> {
    frame.meshes.iter().try_for_each(&mut write)?;
    frame.bodies.iter().try_for_each(|body| write(&world_mesh(body)))
}

/// All outlines of 2-D liquids, named after their water.
fn each_outline(
    frame: &Frame,
    mut write: impl FnMut(&str, &Curves) -> Result<(), SinkError>,
) -> Result<(), SinkError> {
    frame.curves().try_for_each(|(surface, curves)| write(&format!("{}-outline", surface.name), curves))
}

/// Output of a format; seekable, since some formats fill in headers at the end.
trait WriteSeek: Write + Seek {}

impl<T: Write + Seek> WriteSeek for T {}

/// The files being written for one frame.
struct Files<'a> {
    destination: Destination<'a>,
    extension: &'static str,
    options: &'a Options,
    names: UniqueNames,
}

enum Destination<'a> {
    Disk { stem: &'a Path, written: Vec<PathBuf> },
    Memory(Vec<ExportedFile>),
}

impl Files<'_> {
    /// Writes one file, named after the mesh, cloud or field it holds.
    fn add(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn WriteSeek) -> io::Result<()>,
    ) -> Result<(), SinkError> {
        let name = format!("{}.{}", self.names.name(file_name(name), '-'), self.extension);
        match &mut self.destination {
            Destination::Disk { stem, written } => {
                let path = file_path(stem, &name);
                write_file(&path, write).map_err(|error| sink_error(&path, error))?;
                written.push(path);
            }
            Destination::Memory(parts) => {
                let mut bytes = Cursor::new(Vec::new());
                write(&mut bytes).map_err(|error| sink_error(Path::new(&name), error))?;
                parts.push(ExportedFile { name, bytes: bytes.into_inner() });
            }
        }
        Ok(())
    }
}

/// `ply/000012` and `water.ply` are `ply/000012-water.ply`.
fn file_path(stem: &Path, name: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(format!("-{name}"));
    PathBuf::from(path)
}

fn write_file(path: &Path, write: impl FnOnce(&mut dyn WriteSeek) -> io::Result<()>) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file)?;
    file.commit()
}

fn sink_error(path: &Path, error: io::Error) -> SinkError {
    match error.kind() {
        io::ErrorKind::InvalidInput => SinkError::Unsuited(format!("{}: {error}", path.display())),
        _ => SinkError::Io { path: path.to_owned(), source: error },
    }
}
