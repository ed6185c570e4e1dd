//! The cache: the frames of a run on disk, so that one simulation can be rendered many times.
//!
//! A cache is a folder with `manifest.txt` and one file per frame, `000012.undine`: the bytes `UNDFRAME`, the version
//! (u32), and a zstd stream [collet2021] with checksum that holds the frame. Large arrays over a lattice, such as the level
//! of a water and its ground, are stored by `tiles`: those that differ from the frame before, in `000012.tiles`. What else
//! seldom changes, such as the meshes of bodies, is in files of its own, `0123456789abcdef.part`, named by a hash of their
//! content. Writes are atomic, and the same frame after the same one always gives the same bytes.

mod byte_planes;
mod codec;
mod fixed_point;
mod manifest;
mod sink;
mod tiles;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use undine_frame::{AtomicFile, Frame, SinkError};

pub use self::manifest::{CACHE_VERSION, CacheManifest};
pub use self::sink::CacheSink;

use self::codec::{FrameReader, FrameWriter, PartStore};
use self::tiles::{TilePlaces, TileWriter};

const MAGIC: &[u8; 8] = b"UNDFRAME";
const MANIFEST: &str = "manifest.txt";
const EXTENSION: &str = "undine";
const PART_MAGIC: &[u8; 8] = b"UNDPART\0";
const PART_EXTENSION: &str = "part";
const TILES_EXTENSION: &str = "tiles";

/// zstd compression level: higher ones take several times longer for a few percent.
const LEVEL: i32 = 3;

/// Why a cache could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// A file could not be written.
    #[error("cannot write {path}: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file could not be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder holds no cache.
    #[error("{folder} is not a cache: it has no {MANIFEST}; name the `cache` folder of a run", folder = folder.display())]
    NotACache {
        /// The folder.
        folder: PathBuf,
    },
    /// The file was written by something else.
    #[error("{path} was not written by Undine; name the `cache` folder of a run", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by another version.
    #[error(
        "{path} has version {found} of the cache, this Undine reads version {CACHE_VERSION}; make the cache anew: `undine \
         run` the scene again with `output.cache = true`",
        path = path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file is damaged.
    #[error("{path} is damaged ({what}); delete it and run the scene again with --resume", path = path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl CacheError {
    fn broken(path: &Path, what: impl ToString) -> CacheError {
        CacheError::Broken { path: path.to_owned(), what: what.to_string() }
    }
}

impl From<CacheError> for SinkError {
    fn from(error: CacheError) -> Self {
        match error {
            CacheError::Write { path, source } | CacheError::Read { path, source } => {
                SinkError::Io { path, source }
            }
            other => SinkError::Unsuited(other.to_string()),
        }
    }
}

/// The frames of a run on disk.
///
/// ```
/// use undine_export::cache::{Cache, CacheManifest};
/// use undine_frame::{Frame, Heights, Surface};
/// # let folder = std::env::temp_dir().join(format!("undine-cache-{}", std::process::id()));
/// let manifest = CacheManifest { undine: "0.1.0".into(), name: "pond".into(), fps: 30.0, scene: String::new() };
/// let cache = Cache::create(&folder, manifest)?;
/// let mut frame = Frame::new(12, 0.4);
/// let level = vec![0.0; 9].into();
/// frame.surfaces = Surface::with_bed("pond", Heights { size: [3, 3], spacing: [1.0; 2], level, ..Heights::default() });
/// cache.write(&frame)?;
/// assert_eq!(Cache::open(&folder)?.frames()?, [12]);
/// assert_eq!(cache.read(12)?, frame);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), undine_export::cache::CacheError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    manifest: CacheManifest,
    /// Content hashes of the parts written since the cache was opened, which are known to be complete.
    stored: Arc<Mutex<HashSet<u64>>>,
    /// The frame written last and the places of its tiles.
    last: Arc<Mutex<Option<(u64, TilePlaces)>>>,
}

impl Cache {
    fn of(folder: &Path, manifest: CacheManifest) -> Cache {
        Cache { folder: folder.to_owned(), manifest, stored: Arc::default(), last: Arc::default() }
    }

    /// Starts a cache in this folder. Frames that an earlier run left there are deleted: they may be of another scene.
    pub fn create(folder: &Path, manifest: CacheManifest) -> Result<Cache, CacheError> {
        let path = folder.join(MANIFEST);
        let at_path = |source| CacheError::Write { path: path.clone(), source };
        fs::create_dir_all(folder).map_err(at_path)?;
        let cache = Cache::of(folder, manifest);
        for (path, ..) in cache.entries()? {
            fs::remove_file(&path).map_err(|source| CacheError::Write { path, source })?;
        }
        AtomicFile::write_all_to(&path, cache.manifest.to_text().as_bytes()).map_err(at_path)?;
        Ok(cache)
    }

    /// Opens the cache in this folder.
    pub fn open(folder: &Path) -> Result<Cache, CacheError> {
        let path = folder.join(MANIFEST);
        let bytes = fs::read(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => CacheError::NotACache { folder: folder.to_owned() },
            _ => CacheError::Read { path: path.clone(), source },
        })?;
        let text = String::from_utf8(bytes).map_err(|_| CacheError::Foreign { path: path.clone() })?;
        Ok(Cache::of(folder, CacheManifest::from_text(&text, &path)?))
    }

    /// Where its frames come from.
    pub fn manifest(&self) -> &CacheManifest {
        &self.manifest
    }

    /// The file of a frame.
    pub fn path(&self, frame: u64) -> PathBuf {
        Cache::file(&self.folder, frame)
    }

    /// The file of a frame in the cache of this folder.
    pub fn file(folder: &Path, frame: u64) -> PathBuf {
        folder.join(format!("{frame:06}.{EXTENSION}"))
    }

    /// The numbers of all frames, in order.
    pub fn frames(&self) -> Result<Vec<u64>, CacheError> {
        let mut frames: Vec<u64> = self.entries()?.into_iter().filter_map(|(_, _, frame)| frame).collect();
        frames.sort_unstable();
        Ok(frames)
    }

    /// Length of all frames, tiles and parts together, in bytes.
    pub fn size(&self) -> Result<u64, CacheError> {
        Ok(self.entries()?.into_iter().map(|(_, bytes, _)| bytes).sum())
    }

    /// The files of all frames, tiles and parts, their lengths, and which frames they hold.
    fn entries(&self) -> Result<Vec<(PathBuf, u64, Option<u64>)>, CacheError> {
        let list = || {
            let mut entries = Vec::new();
            for entry in fs::read_dir(&self.folder)? {
                let entry = entry?;
                let (path, frame) = (entry.path(), frame_number(&entry.path()));
                if frame.is_some() || is_part(&path) || numbered(&path, TILES_EXTENSION).is_some() {
                    entries.push((path, entry.metadata()?.len(), frame));
                }
            }
            Ok(entries)
        };
        list().map_err(|source| CacheError::Read { path: self.folder.clone(), source })
    }

    /// Stores a frame under its index; returns the size of its files in bytes.
    pub fn write(&self, frame: &Frame) -> Result<u64, CacheError> {
        let path = self.path(frame.index);
        let write = || {
            let mut file = CountingWriter { writer: AtomicFile::create(&path)?, bytes: 0 };
            let tiles = TileWriter::new(frame.index, self.places_before(frame.index)?);
            let tiles = encode(frame, &mut file, self, tiles)?;
            // Tiles first: a frame never lacks those that it names
            let (bytes, places) = tiles.finish(&self.tiles_path(frame.index))?;
            file.writer.commit()?;
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((frame.index, places));
            Ok(file.bytes + bytes)
        };
        write().map_err(|source| CacheError::Write { path: path.clone(), source })
    }

    /// The places of the tiles of the last frame before one: from memory, or after a resume from its file. None of a
    /// damaged frame.
    fn places_before(&self, index: u64) -> io::Result<TilePlaces> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        let frames = self.frames().map_err(io::Error::other)?;
        let Some(before) = frames.into_iter().rfind(|&frame| frame < index) else {
            return Ok(TilePlaces::new());
        };
        match last {
            Some((frame, places)) if frame == before => Ok(places),
            _ => Ok(self.read_with_places(before).map(|(_, places)| places).unwrap_or_default()),
        }
    }

    /// Reads a frame back.
    pub fn read(&self, frame: u64) -> Result<Frame, CacheError> {
        self.read_with_places(frame).map(|(frame, _)| frame)
    }

    fn read_with_places(&self, frame: u64) -> Result<(Frame, TilePlaces), CacheError> {
        let path = self.path(frame);
        let file = File::open(&path).map_err(|source| CacheError::Read { path: path.clone(), source })?;
        let (read, places) = decode(BufReader::with_capacity(1 << 16, file), &path, self)?;
        if read.index != frame {
            return Err(CacheError::broken(&path, format!("it holds frame {}", read.index)));
        }
        Ok((read, places))
    }
}

/// The frame index in a file name of the form `000012.undine`; `None` for any other name.
fn frame_number(path: &Path) -> Option<u64> {
    numbered(path, EXTENSION)
}

/// The frame index in the name of a file with this extension.
fn numbered(path: &Path, extension: &str) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let frame = name.strip_suffix(extension)?.strip_suffix('.')?.parse().ok()?;
    (name == format!("{frame:06}.{extension}")).then_some(frame)
}

/// Whether a file name is that of a part that several frames share.
fn is_part(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let number = name.strip_suffix(PART_EXTENSION).and_then(|name| name.strip_suffix('.'));
    number.is_some_and(|number| number.len() == 16 && u64::from_str_radix(number, 16).is_ok())
}

impl PartStore for Cache {
    /// Writes a part unless this was done since the cache was opened: an older file may be damaged.
    fn store(&self, hash: u64, bytes: &[u8]) -> io::Result<()> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if stored.contains(&hash) {
            return Ok(());
        }
        let mut file = AtomicFile::create(self.part_path(hash))?;
        let mut stream = begin(&mut file, PART_MAGIC)?;
        stream.write_all(bytes)?;
        stream.finish()?;
        file.commit()?;
        stored.insert(hash);
        Ok(())
    }

    fn open(&self, hash: u64) -> io::Result<Box<dyn Read>> {
        let path = self.part_path(hash);
        let broken = |what: &str| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            io::Error::new(io::ErrorKind::InvalidData, format!("{name}, which it needs, {what}"))
        };
        let file = File::open(&path).map_err(|error| broken(&format!("cannot be read: {error}")))?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut head = [0; 12];
        file.read_exact(&mut head).map_err(|_| broken("is cut off"))?;
        if head[..8] != *PART_MAGIC || head[8..] != CACHE_VERSION.to_le_bytes() {
            return Err(broken("is of another version"));
        }
        Ok(Box::new(zstd::stream::read::Decoder::with_buffer(file)?))
    }

    fn open_tiles(&self, frame: u64) -> io::Result<File> {
        File::open(self.tiles_path(frame)).map_err(|error| {
            let what = format!("{frame:06}.{TILES_EXTENSION}, which it needs, cannot be read: {error}");
            io::Error::new(io::ErrorKind::InvalidData, what)
        })
    }
}

impl Cache {
    fn part_path(&self, hash: u64) -> PathBuf {
        self.folder.join(format!("{hash:016x}.{PART_EXTENSION}"))
    }

    fn tiles_path(&self, frame: u64) -> PathBuf {
        self.folder.join(format!("{frame:06}.{TILES_EXTENSION}"))
    }
}

/// Writes the file header and returns the compressed stream for what follows.
fn begin<'w, W: Write>(mut writer: W, magic: &[u8; 8]) -> io::Result<zstd::stream::write::Encoder<'w, W>> {
    writer.write_all(magic)?;
    writer.write_all(&CACHE_VERSION.to_le_bytes())?;
    let mut stream = zstd::stream::write::Encoder::new(writer, LEVEL)?;
    stream.include_checksum(true)?;
    Ok(stream)
}

fn encode(
    frame: &Frame,
    writer: impl Write,
    parts: &dyn PartStore,
    tiles: TileWriter,
) -> io::Result<TileWriter> {
    let mut frame_writer = FrameWriter::new(begin(writer, MAGIC)?, parts, tiles);
    frame_writer.frame(frame)?;
    let (stream, tiles) = frame_writer.into_inner();
    stream.finish()?;
    Ok(tiles)
}

fn decode(
    mut reader: impl BufRead,
    path: &Path,
    parts: &dyn PartStore,
) -> Result<(Frame, TilePlaces), CacheError> {
    let mut magic = [0; 8];
    let mut version = [0; 4];
    let foreign = |_| CacheError::Foreign { path: path.to_owned() };
    reader.read_exact(&mut magic).map_err(foreign)?;
    if magic != *MAGIC {
        return Err(CacheError::Foreign { path: path.to_owned() });
    }
    reader.read_exact(&mut version).map_err(|error| CacheError::broken(path, error))?;
    let found = u32::from_le_bytes(version);
    if found != CACHE_VERSION {
        return Err(CacheError::Version { path: path.to_owned(), found });
    }
    let stream = zstd::stream::read::Decoder::with_buffer(reader);
    stream
        .and_then(|stream| {
            let mut reader = FrameReader::new(stream, parts);
            Ok((reader.frame()?, reader.into_places()))
        })
        .map_err(|error| CacheError::broken(path, error))
}

/// Counts the bytes written.
struct CountingWriter<W> {
    writer: W,
    bytes: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
