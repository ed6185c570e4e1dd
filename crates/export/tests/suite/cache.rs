//! The cache: what goes in comes out, and no damage gets past the reader or makes it panic.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use undine_export::cache::{Cache, CacheError, Manifest};
use undine_frame::{Attribute, Frame, Mesh, Points, Posed, Raster, RasterKind, Substance, Triangles};

fn manifest() -> Manifest {
    Manifest { undine: "0.1.0".into(), name: "pond".into(), fps: 30.0, scene: "[scene]\n".into() }
}

fn attribute(name: &str, count: usize) -> Attribute {
    let values = (0..count).map(|i| (i as f32 * 0.37).sin()).collect();
    Attribute { name: name.into(), unit: "m".into(), values }
}

/// A frame with something of everything, also of what is rare: NaN, infinity, empty parts.
fn rich_frame(index: u64) -> Frame {
    let mut sheet = Mesh::flat_sheet("water", [3.0, 2.0], [40, 30]);
    sheet.positions.iter_mut().for_each(|p| p[2] = (3.0 * p[0]).sin() * (2.0 * p[1]).cos());
    sheet.velocities = sheet.positions.iter().map(|p| [p[2], -p[2], 0.5]).collect();
    sheet.attributes = vec![attribute("foam", 1200), attribute("wetness", 1200)];
    let mut rock = Mesh::flat_sheet("rock", [1.0, 1.0], [2, 2]);
    rock.triangles = Triangles::List(vec![[0, 1, 3], [0, 3, 2]]);
    rock.substance = Substance::Solid;
    rock.normals[0] = [f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE];
    let mut frame = Frame::new(index, index as f64 / 30.0);
    frame.posed.push(Posed {
        shape: rock.clone(),
        position: [1.0, 2.0, 3.0],
        rotation: [0.0, 0.0, 0.6, 0.8],
    });
    frame.meshes = vec![sheet, rock];
    let positions = vec![[0.1, 0.2, 0.3]; 7];
    let velocities = positions.clone();
    let attributes = vec![attribute("age", 7)];
    frame.points = vec![Points { name: "spray".into(), positions, velocities, radius: 0.02, attributes }];
    frame.rasters = vec![Raster {
        name: "flow".into(),
        unit: "m/s".into(),
        kind: RasterKind::Vector,
        size: [20, 10, 1],
        components: 2,
        origin: [0.5, 0.5, 0.0],
        spacing: [0.1; 3],
        values: attribute("flow", 400).values,
    }];
    frame
}

fn cache_with(folder: &Path, frames: &[u64]) -> Cache {
    let cache = Cache::create(folder, manifest()).unwrap();
    for &frame in frames {
        cache.write(&rich_frame(frame)).unwrap();
    }
    cache
}

#[test]
fn frames_come_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[]);
    let mut frame = rich_frame(3);
    frame.meshes[0].positions[5] = [f32::from_bits(0x7fc1_2345); 3];
    let bytes = cache.write(&frame).unwrap();
    assert_eq!(bytes, fs::metadata(cache.path(3)).unwrap().len());
    let mut read = cache.read(3).unwrap();
    assert_eq!(read.meshes[0].positions[5][2].to_bits(), 0x7fc1_2345);
    // NaN equals nothing; the rest must.
    read.meshes[0].positions[5] = [0.0; 3];
    frame.meshes[0].positions[5] = [0.0; 3];
    assert_eq!(read, frame);
    cache.write(&Frame::new(4, f64::NAN)).unwrap();
    assert!(cache.read(4).unwrap().time.is_nan());
}

#[test]
fn long_arrays_span_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[]);
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(Mesh::flat_sheet("water", [1.0, 1.0], [301, 200]));
    cache.write(&frame).unwrap();
    assert_eq!(cache.read(0).unwrap(), frame);
}

#[test]
fn a_cache_lists_only_its_own_frames_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[10, 2, 1_234_567]);
    for stray in ["7.undine", "000008.undine.partial", "notes.txt", "-00001.undine", "+00001.undine"] {
        fs::write(folder.path().join(stray), "stray").unwrap();
    }
    assert_eq!(cache.frames().unwrap(), [2, 10, 1_234_567]);
    let sizes: u64 =
        [2, 10, 1_234_567].iter().map(|&frame| fs::metadata(cache.path(frame)).unwrap().len()).sum();
    assert_eq!(cache.size().unwrap(), sizes);
    let again = Cache::create(folder.path(), manifest()).unwrap();
    assert_eq!(again.frames().unwrap(), [] as [u64; 0]);
    assert!(folder.path().join("notes.txt").exists());
}

#[test]
fn the_same_frame_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[1]);
    let first = fs::read(cache.path(1)).unwrap();
    cache.write(&rich_frame(1)).unwrap();
    assert_eq!(fs::read(cache.path(1)).unwrap(), first);
}

#[test]
fn every_kind_of_wrong_file_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[0]);
    let path = cache.path(0);
    let bytes = fs::read(&path).unwrap();
    let message_for = |content: &[u8]| {
        fs::write(&path, content).unwrap();
        cache.read(0).unwrap_err().to_string()
    };
    let mut newer = bytes.clone();
    newer[8] = 9;
    let mut longer = bytes.clone();
    longer.extend_from_slice(&bytes[12..]);
    for (content, words) in [
        (b"PK\x03\x04 something else".as_slice(), "not written by Undine"),
        (b"", "not written by Undine"),
        (&newer, "version 9 of the cache, this Undine reads version 2; run the scene again"),
        (&bytes[..10], "damaged"),
        (&bytes[..bytes.len() - 1], "damaged"),
        (&longer, "damaged (there is more than a frame in it)"),
    ] {
        let message = message_for(content);
        assert!(message.contains(words) && message.contains("000000.undine"), "{message}");
    }
    fs::write(cache.path(5), &bytes).unwrap();
    assert!(cache.read(5).unwrap_err().to_string().contains("it holds frame 0"));
    assert!(matches!(cache.read(77), Err(CacheError::Read { .. })));
    assert!(matches!(Cache::open(&folder.path().join("absent")), Err(CacheError::NotACache { .. })));
}

#[test]
fn inconsistent_geometry_is_refused_when_read() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[]);
    let mut frame = rich_frame(0);
    frame.meshes[1].triangles = Triangles::List(vec![[0, 1, 4]]);
    cache.write(&frame).unwrap();
    assert!(cache.read(0).unwrap_err().to_string().contains("names vertex 4 of 4"));
    let mut frame = rich_frame(0);
    frame.rasters[0].values.pop();
    cache.write(&frame).unwrap();
    assert!(cache.read(0).unwrap_err().to_string().contains("399 values"));
}

proptest! {
    /// Whatever happens to a file, reading it neither panics nor gives a frame that was never written.
    #[test]
    fn damage_is_found(
        at in any::<prop::sample::Index>(),
        change in 1u8..,
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache_with(folder.path(), &[0]);
        let mut bytes = fs::read(cache.path(0)).unwrap();
        let place = at.index(bytes.len());
        bytes[place] ^= change;
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(cache.path(0), &bytes).unwrap();
        if let Ok(frame) = cache.read(0) {
            prop_assert_eq!(frame, rich_frame(0));
        }
    }

    /// A stream that decompresses well but is nonsense inside is refused without asking for much memory.
    #[test]
    fn nonsense_inside_is_refused(content in prop::collection::vec(any::<u8>(), 0..400), ones in 0usize..64) {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache_with(folder.path(), &[]);
        let mut inner = vec![0; 16];
        inner.extend(vec![0xff; ones]);
        inner.extend(&content);
        let mut file = b"UNDFRAME\x01\0\0\0".to_vec();
        file.extend(zstd::encode_all(inner.as_slice(), 1).unwrap());
        fs::write(cache.path(0), &file).unwrap();
        if let Ok(frame) = cache.read(0) {
            prop_assert_eq!(frame, Frame::new(0, 0.0));
        }
    }
}
