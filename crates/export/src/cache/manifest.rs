//! The cache's manifest: a short, human-readable text file.

use std::path::Path;

use super::CacheError;
use crate::names::one_line;
use crate::number::Shortest;

/// Version of the cache; raised whenever an older Undine could not read what a newer one writes.
pub const CACHE_VERSION: u32 = 6;

/// Where the frames of a cache come from.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheManifest {
    /// Version of Undine that wrote it.
    pub undine: String,
    /// Name of the scene.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// The scene file as it was run, overrides included.
    pub scene: String,
}

const FIRST_LINE: &str = "undine cache";

impl CacheManifest {
    /// The manifest as text: a few lines of `key value`, then the scene.
    pub(super) fn to_text(&self) -> String {
        let CacheManifest { undine, name, fps, scene } = self;
        let (undine, name, fps) = (one_line(undine), one_line(name), Shortest(*fps));
        format!("{FIRST_LINE} {CACHE_VERSION}\nundine {undine}\nname {name}\nfps {fps}\nscene\n{scene}")
    }

    /// Reads what [`to_text`](CacheManifest::to_text) wrote; `path` is for messages.
    pub(super) fn from_text(text: &str, path: &Path) -> Result<CacheManifest, CacheError> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let version = first.strip_prefix(FIRST_LINE).and_then(|version| version.trim().parse::<u32>().ok());
        let version = version.ok_or_else(|| CacheError::Foreign { path: path.to_owned() })?;
        if version != CACHE_VERSION {
            return Err(CacheError::Version { path: path.to_owned(), found: version });
        }
        CacheManifest::from_lines(rest).ok_or_else(|| CacheError::broken(path, "a line of it is missing"))
    }

    fn from_lines(text: &str) -> Option<CacheManifest> {
        let (undine, rest) = text.strip_prefix("undine ")?.split_once('\n')?;
        let (name, rest) = rest.strip_prefix("name ")?.split_once('\n')?;
        let (fps, rest) = rest.strip_prefix("fps ")?.split_once('\n')?;
        let scene = rest.strip_prefix("scene\n")?.to_owned();
        Some(CacheManifest {
            undine: undine.to_owned(),
            name: name.to_owned(),
            fps: fps.parse().ok()?,
            scene,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_reads_back_and_a_foreign_or_old_one_is_refused() {
        let scene = "[scene]\nname = \"pond\"\n\n".to_owned();
        let manifest = CacheManifest { undine: "0.1.0".into(), name: "a pond".into(), fps: 29.97, scene };
        let text = manifest.to_text();
        let path = Path::new("cache/manifest.txt");
        assert_eq!(CacheManifest::from_text(&text, path).unwrap(), manifest);
        for cut in 0..text.find("scene\n").unwrap() + 6 {
            assert!(CacheManifest::from_text(&text[..cut], path).is_err(), "cut at {cut}");
        }
        assert!(matches!(CacheManifest::from_text("hello", path), Err(CacheError::Foreign { .. })));
        let newer = text.replacen(&format!("cache {CACHE_VERSION}"), "cache 77", 1);
        assert!(matches!(CacheManifest::from_text(&newer, path), Err(CacheError::Version { found: 77, .. })));
    }
}
