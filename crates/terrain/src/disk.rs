//! The only place that touches the file system.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Fault, TerrainError};

/// Largest file, in bytes: the samples that are accepted, in the widest type.
const LARGEST: u64 = 1 << 32;

/// All bytes of a height file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, TerrainError> {
    let name = file_name(path);
    let unreadable =
        |what: String, remedy: &str| TerrainError::of_file(Fault::Unreadable(what), remedy).named(&name);
    let file = File::open(path).map_err(|error| unreadable(error.to_string(), "check name and rights"))?;
    let is_plain = file.metadata().is_ok_and(|found| found.is_file());
    if !is_plain {
        return Err(unreadable("it is no regular file".into(), "name a file"));
    }
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(error.to_string(), "check name and rights"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(unreadable("it is larger than 4 GiB".into(), "crop or thin it first"));
    }
    Ok(bytes)
}

/// The last part of a path, for messages.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
