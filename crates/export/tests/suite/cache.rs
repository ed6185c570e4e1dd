//! The cache: what goes in comes out, and no damage gets past the reader or makes it panic.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use undine_export::cache::{Cache, CacheError, CacheManifest};
use undine_frame::{
    Attribute, Body, Cloud, CloudRole, CounterHistory, Curves, Domain, FieldScale, Frame, Heights, Implicit,
    Material, Mesh, Quantity, Raster, Shared, Sheet, Surface, SurfaceRole, SurfaceShape, Triangles,
    WaterLabel,
};

fn manifest() -> CacheManifest {
    CacheManifest { undine: "0.1.0".into(), name: "pond".into(), fps: 30.0, scene: "[scene]\n".into() }
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.37).sin()).collect()
}

fn attribute(quantity: Quantity, components: u32, count: usize) -> Attribute {
    Attribute::new(quantity.name(), quantity, components, numbers(count * components as usize))
}

fn surface(name: &str, shape: SurfaceShape, attributes: Vec<Attribute>) -> Surface {
    Surface { name: name.into(), water: 0, role: SurfaceRole::Water, shape, attributes }
}

/// A frame with something of everything, also of what is rare: NaN, infinity, empty parts.
fn rich_frame(index: u64) -> Frame {
    let mut rock = Mesh::flat_sheet("rock", [1.0, 1.0], [2, 2]);
    rock.triangles = Triangles::List(vec![[0, 1, 3], [0, 3, 2]]);
    rock.material = Material::Glass;
    rock.normals[0] = [f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE];
    let mut frame = Frame::new(index, index as f64 / 30.0);
    let domain = Domain { size: [20, 10, 1], origin: [0.5, 0.5, 0.0], spacing: [0.1; 3] };
    frame.waters = vec![
        WaterLabel { name: "lake".into(), domain: Some(domain) },
        WaterLabel { name: "sky".into(), domain: None },
    ];
    frame.bodies.push(Body {
        position: [1.0, 2.0, 3.0],
        rotation: [0.0, 0.0, 0.6, 0.8],
        ..Body::standing(7, rock.clone())
    });
    let level: Shared<f32> = numbers(1200).into();
    let heights = Heights {
        size: [40, 30],
        origin: [0.05; 2],
        spacing: [0.1; 2],
        level: level.clone(),
        bed: Some(numbers(1200).iter().map(|level| level - 1.0).collect()),
        velocity: Some(level.iter().map(|&level| [level, 0.5]).collect()),
        dry_depth: 1e-3,
    };
    frame.surfaces = Surface::with_bed("lake", heights);
    frame.surfaces[1].attributes.push(attribute(Quantity::Wetness, 1, 1200));
    let vectors = |scale: f32| numbers(6).iter().map(|&n| [scale * n, 0.5, -n]).collect();
    let sheet = Sheet {
        columns: vec![0.0, 0.1, 0.3].into(),
        rows: vec![0.0, 2.0].into(),
        positions: vectors(1.0),
        normals: vectors(2.0),
        velocities: vectors(3.0),
    };
    frame.surfaces.push(surface(
        "sea",
        SurfaceShape::Sheet(sheet),
        vec![attribute(Quantity::Jacobian, 1, 6)],
    ));
    frame.surfaces.push(surface("rock", SurfaceShape::Mesh(Arc::new(rock)), Vec::new()));
    let tank = Implicit { bounds: [[0.0; 3], [1.0, 2.0, 3.0]], cell: 0.1 };
    frame.surfaces.push(surface("tank", SurfaceShape::Implicit(tank), Vec::new()));
    let loops: [&[[f32; 2]]; 3] = [&[[0.1, 0.2], [0.9, 0.2], [0.5, 0.7]], &[], &[[0.0; 2]; 4]];
    let curves = Curves::new(loops, [[0.0; 2], [1.0, 2.0]], 0.05);
    frame.surfaces.push(surface("drop", SurfaceShape::Curve(curves), Vec::new()));
    let positions = vec![[0.1, 0.2, 0.3]; 7];
    frame.clouds = vec![Cloud {
        name: "spray".into(),
        water: 1,
        role: CloudRole::Spray,
        velocities: positions.clone(),
        positions,
        radius: 0.02,
        attributes: vec![attribute(Quantity::Age, 1, 7), attribute(Quantity::Colour, 3, 7)],
    }];
    let field = |quantity: Quantity, size: [u32; 2], components: u32, values: Shared<f32>| Raster {
        name: quantity.name().into(),
        water: 0,
        unit: "m".into(),
        quantity,
        size: [size[0], size[1], 1],
        components,
        origin: [0.5, 0.5, 0.0],
        spacing: [0.1; 3],
        values,
    };
    frame.fields = vec![
        field(Quantity::Velocity, [20, 10], 2, numbers(400).into()),
        field(Quantity::Height, [40, 30], 1, level),
        field(Quantity::Custom(FieldScale::Signed), [3, 1], 1, vec![f32::NAN, 1.0, -0.0].into()),
    ];
    // One full block, and one that has begun
    let mut steps = CounterHistory::new("steps".into(), "steps".into(), 1.0 / 30.0);
    (0..300).for_each(|count| steps.push(count * count));
    frame.counters = vec![steps, CounterHistory::new("tiles".into(), "tiles".into(), 1.0 / 30.0)];
    frame
}

/// The bits of a frame's numbers, for NaN equals nothing.
fn without_nan(mut frame: Frame) -> Frame {
    let values = frame.fields.iter_mut().flat_map(|field| field.values.iter_mut());
    values.filter(|value| value.is_nan()).for_each(|value| *value = 7.0);
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
    frame.clouds[0].positions[5] = [f32::from_bits(0x7fc1_2345); 3];
    let bytes = cache.write(&frame).unwrap();
    assert_eq!(bytes, fs::metadata(cache.path(3)).unwrap().len());
    let mut read = cache.read(3).unwrap();
    assert_eq!(read.clouds[0].positions[5][2].to_bits(), 0x7fc1_2345);
    read.clouds[0].positions[5] = [0.0; 3];
    frame.clouds[0].positions[5] = [0.0; 3];
    assert_eq!(read.fields[2].values.revision(), frame.fields[2].values.revision());
    assert_eq!(without_nan(read), without_nan(frame));
    cache.write(&Frame::new(4, f64::NAN)).unwrap();
    assert!(cache.read(4).unwrap().time.is_nan());
}

#[test]
fn every_quantity_and_role_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[]);
    let mut frame = Frame::new(0, 0.0);
    let scales = [FieldScale::Plain, FieldScale::Signed, FieldScale::Vector, FieldScale::Kinds];
    for quantity in Quantity::KNOWN.into_iter().chain(scales.map(Quantity::Custom)) {
        frame.fields.push(Raster {
            quantity,
            size: [1; 3],
            components: 1,
            values: vec![1.0].into(),
            ..Raster::default()
        });
    }
    for role in CloudRole::ALL {
        frame.clouds.push(Cloud { role, ..Cloud::default() });
    }
    cache.write(&frame).unwrap();
    assert_eq!(cache.read(0).unwrap(), frame);
}

#[test]
fn what_does_not_change_is_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[0]);
    let parts = || {
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|extension| extension == "part")).collect::<Vec<_>>()
    };
    // The ground, the mesh of the body, and the counts that are complete
    assert_eq!(parts().len(), 3);
    cache.write(&rich_frame(1)).unwrap();
    assert_eq!(parts().len(), 3);
    let mut dug = rich_frame(2);
    dug.surfaces = Surface::with_bed(
        "lake",
        match dug.surfaces.swap_remove(0).shape {
            SurfaceShape::Heights(mut heights) => {
                heights.bed.as_mut().unwrap()[5] = -3.0;
                heights
            }
            _ => panic!("no heights"),
        },
    );
    cache.write(&dug).unwrap();
    assert_eq!(parts().len(), 4);
    assert_eq!(without_nan(cache.read(2).unwrap()), without_nan(dug));
    // A part that is lost is missed, and comes again with the next frame of another run
    let lost = parts().remove(0);
    fs::remove_file(&lost).unwrap();
    let name = lost.file_name().unwrap().to_str().unwrap();
    let message = [0, 1, 2].map(|frame| cache.read(frame)).into_iter().find_map(Result::err).unwrap();
    assert!(message.to_string().contains(name), "{message}");
    let again = Cache::open(folder.path()).unwrap();
    for frame in 0..2 {
        again.write(&rich_frame(frame)).unwrap();
    }
    assert!((0..2).all(|frame| again.read(frame).is_ok()));
    assert_eq!(Cache::create(folder.path(), manifest()).unwrap().size().unwrap(), 0);
}

/// A water of 150 × 130 samples of which only a corner moves.
fn sleepy_frame(index: u64) -> Frame {
    let size = [150, 130];
    let count = 150 * 130;
    let bed: Shared<f32> = (0..count).map(|n| 3.0 * (n as f32 * 0.01).sin()).collect();
    let moved = |n: usize| if n % 150 < 40 && n / 150 < 40 { index as f32 } else { 0.0 };
    let heights = Heights {
        size,
        spacing: [0.1; 2],
        level: (0..count).map(|n| bed[n].max(0.5) + 0.01 * moved(n)).collect(),
        velocity: Some((0..count).map(|n| [moved(n), 0.0]).collect()),
        bed: Some(bed),
        ..Heights::default()
    };
    let mut frame = Frame::new(index, index as f64);
    frame.surfaces = Surface::with_bed("lake", heights);
    frame.surfaces[1].attributes.push(attribute(Quantity::Wetness, 1, count));
    frame
}

fn write_frames(cache: &Cache, frames: std::ops::Range<u64>) {
    for index in frames {
        cache.write(&sleepy_frame(index)).unwrap();
    }
}

fn files_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths.map(|path| (name(&path), fs::read(&path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn only_tiles_that_changed_are_stored() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[]);
    let sizes = [0, 1, 2, 5].map(|index| cache.write(&sleepy_frame(index)).unwrap());
    assert!(sizes[1..].iter().all(|&size| 5 * size < sizes[0]), "{sizes:?}");
    for index in [5, 0, 2, 1] {
        assert_eq!(cache.read(index).unwrap(), sleepy_frame(index));
    }
    // What does not move at all has no tiles
    cache.write(&Frame { index: 6, ..sleepy_frame(5) }).unwrap();
    assert!(!folder.path().join("000006.tiles").exists());
    assert_eq!(cache.read(6).unwrap().surfaces, sleepy_frame(5).surfaces);
}

#[test]
fn a_resumed_run_stores_the_same_tiles() {
    let (straight, resumed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cache = cache_with(straight.path(), &[]);
    write_frames(&cache, 0..6);
    // Killed after frame 4, resumed from a checkpoint at frame 2
    let cache = cache_with(resumed.path(), &[]);
    write_frames(&cache, 0..5);
    let cache = Cache::open(resumed.path()).unwrap();
    write_frames(&cache, 3..6);
    assert!(files_of(straight.path()) == files_of(resumed.path()), "files differ");
}

#[test]
fn damaged_tiles_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[]);
    write_frames(&cache, 0..2);
    let path = folder.path().join("000000.tiles");
    let bytes = fs::read(&path).unwrap();
    let mut other = bytes.clone();
    other[8] = 3;
    let mut flipped = bytes.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    for content in [&other[..], &flipped, &bytes[..9], &bytes[..bytes.len() / 2], &[]] {
        fs::write(&path, content).unwrap();
        let message = cache.read(0).unwrap_err().to_string();
        assert!(message.contains("damaged"), "{message}");
    }
    fs::remove_file(&path).unwrap();
    assert!(cache.read(1).unwrap_err().to_string().contains("000000.tiles"));
    assert_eq!(Cache::create(folder.path(), manifest()).unwrap().size().unwrap(), 0);
}

#[test]
fn long_arrays_span_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_with(folder.path(), &[]);
    let mut frame = Frame::new(0, 0.0);
    let mesh = Mesh::flat_sheet("water", [1.0, 1.0], [301, 200]);
    frame.surfaces.push(surface("water", SurfaceShape::Mesh(Arc::new(mesh)), Vec::new()));
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
    assert!(cache.size().unwrap() > sizes, "the parts count too");
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
        (&newer, "version 9 of the cache, this Undine reads version 6; make the cache anew"),
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
    let refused = |frame: &Frame, words: &str| {
        cache.write(frame).unwrap();
        let message = cache.read(0).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    };
    let mut frame = rich_frame(0);
    let mut mesh = Mesh::flat_sheet("rock", [1.0, 1.0], [2, 2]);
    mesh.triangles = Triangles::List(vec![[0, 1, 4]]);
    frame.surfaces[3].shape = SurfaceShape::Mesh(Arc::new(mesh));
    refused(&frame, "names vertex 4 of 4");
    let mut frame = rich_frame(0);
    frame.fields[0].values.pop();
    refused(&frame, "399 values");
    let mut frame = rich_frame(0);
    if let SurfaceShape::Heights(heights) = &mut frame.surfaces[0].shape {
        heights.level.pop();
    }
    refused(&frame, "1199 levels for 1200 samples");
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
        let index = at.index(bytes.len());
        bytes[index] ^= change;
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(cache.path(0), &bytes).unwrap();
        if let Ok(frame) = cache.read(0) {
            prop_assert_eq!(without_nan(frame), without_nan(rich_frame(0)));
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
        let mut file = b"UNDFRAME\x03\0\0\0".to_vec();
        file.extend(zstd::encode_all(inner.as_slice(), 1).unwrap());
        fs::write(cache.path(0), &file).unwrap();
        if let Ok(frame) = cache.read(0) {
            prop_assert_eq!(frame, Frame::new(0, 0.0));
        }
    }
}
