//! Walks the list of formats: every one of them writes what it promises, where it promises, the same every time.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use undine_export::cache::{Cache, CacheManifest};
use undine_export::{CacheSink, FORMATS, FormatSink, Options, format};
use undine_frame::{
    Body, Cloud, Curves, Frame, FrameRequest, Mesh, Quantity, Raster, Schedule, Sink, SinkError, Surface,
    SurfaceRole, SurfaceShape,
};

fn frame() -> Frame {
    let mut frame = Frame::new(12, 0.4);
    frame.meshes =
        ["water", "Water", "../bed"].map(|name| Mesh::flat_sheet(name, [2.0, 1.0], [5, 4])).to_vec();
    let shape = Mesh::flat_sheet("raft", [1.0, 1.0], [2, 2]);
    frame.bodies.push(Body {
        position: [0.0, 0.0, 1.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        ..Body::standing(0, shape)
    });
    frame.clouds.push(Cloud { name: "spray".into(), positions: vec![[0.0; 3]; 4], ..Cloud::default() });
    let raster = |name: &str, size: [u32; 3], components: u32| Raster {
        name: name.into(),
        quantity: Quantity::Height,
        size,
        components,
        spacing: [0.1; 3],
        values: (0..size.iter().product::<u32>() * components).map(|i| i as f32).collect(),
        ..Raster::default()
    };
    frame.fields =
        vec![raster("height", [4, 3, 1], 1), raster("flow", [4, 3, 1], 2), raster("pressure", [2, 2, 2], 1)];
    frame
}

/// What every file of a format starts with, and the files that the frame above becomes.
fn expected(name: &str) -> (&'static [u8], &'static [&'static str]) {
    match name {
        "ply" => (b"ply\nformat binary_little_endian 1.0\n", &["water", "Water-2", "bed", "raft", "spray"]),
        "obj" => (b"# undine", &["water", "Water-2", "bed", "raft"]),
        "exr" => (&[0x76, 0x2f, 0x31, 0x01], &["height", "flow"]),
        "png16" => (b"\x89PNG\r\n\x1a\n", &["height"]),
        "csv" => (b"x [m],y [m],z [m],", &["height", "flow", "pressure"]),
        other => panic!("say here what {other} files look like"),
    }
}

#[test]
fn every_format_writes_its_files_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let (start, parts) = expected(format.name);
        let stem = folder.path().join(format.name).join("000012");
        let files = format.write(&frame(), &stem, &Options::default()).unwrap();
        let names: Vec<_> = parts.iter().map(|part| format!("000012-{part}.{}", format.extension)).collect();
        let found: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(found, names);
        let first: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
        assert!(first.iter().all(|bytes| bytes.starts_with(start)), "{}", format.name);
        format.write(&frame(), &stem, &Options::default()).unwrap();
        assert!(files.iter().zip(&first).all(|(file, bytes)| fs::read(file).unwrap() == *bytes));
        assert_eq!(fs::read_dir(stem.parent().unwrap()).unwrap().count(), files.len(), "no partial files");
        let parts = format.to_memory(&frame(), &Options::default()).unwrap();
        assert!(parts.iter().map(|part| format!("000012-{}", part.name)).eq(names), "{}", format.name);
        assert!(parts.iter().map(|part| &part.bytes).eq(&first), "{} differs in memory", format.name);
    }
}

#[test]
fn outlines_are_written_by_the_formats_for_geometry_and_tables() {
    let curves = Curves::new([[[0.0, 0.0], [1.0, 0.0], [0.5, 0.5]]], [[0.0; 2], [1.0; 2]], 0.1);
    let shape = SurfaceShape::Curve(curves);
    let surface =
        Surface { name: "drop".into(), water: 0, role: SurfaceRole::Water, shape, attributes: Vec::new() };
    let frame = Frame { surfaces: vec![surface], ..Frame::new(0, 0.0) };
    for format in FORMATS {
        let files = format.to_memory(&frame, &Options::default()).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        match format.name {
            "ply" => assert_eq!(names, ["drop-outline.ply"]),
            "obj" => assert_eq!(names, ["drop-outline.obj"]),
            "csv" => assert_eq!(names, ["drop-outline.csv"]),
            _ => assert!(names.is_empty(), "{}", format.name),
        }
        assert!(names.is_empty() || format.request.surfaces, "{}", format.name);
    }
}

#[test]
fn names_are_distinct_and_every_format_is_described() {
    let names: HashSet<_> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(names.len(), FORMATS.len());
    for listed in FORMATS {
        assert_eq!(format(listed.name).unwrap().name, listed.name);
        assert!(!listed.summary.is_empty() && listed.request != FrameRequest::default());
    }
}

#[test]
fn broken_geometry_is_refused_by_name_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut broken = frame();
    broken.meshes[0].normals.pop();
    let error =
        format("ply").unwrap().write(&broken, &folder.path().join("0"), &Options::default()).unwrap_err();
    assert!(
        matches!(&error, SinkError::Unsuited(why) if why.contains("0-water.ply") && why.contains("normals"))
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_error_of_the_disk_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    // A file stands where the folder should be.
    fs::write(folder.path().join("ply"), "in the way").unwrap();
    let mut sink = FormatSink::new(format("ply").unwrap(), folder.path(), 1, Options::default());
    let message = sink.write(&frame()).unwrap_err().to_string();
    assert!(message.contains("000012-water.ply"), "{message}");
}

#[test]
fn sinks_follow_their_schedule_and_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    let sink: Box<dyn Sink> =
        Box::new(FormatSink::new(format("obj").unwrap(), folder.path(), 4, Options::default()));
    let manifest = CacheManifest { undine: "0".into(), name: "n".into(), fps: 1.0, scene: String::new() };
    let cache = Cache::create(&folder.path().join("cache"), manifest).unwrap();
    let cache: Box<dyn Sink> = Box::new(CacheSink::new(cache, 4));
    for mut sink in [sink, cache] {
        assert_eq!(sink.due(), Schedule::Every(4));
        sink.write(&frame()).unwrap();
        sink.finish().unwrap();
    }
    assert!(folder.path().join("obj/000012-water.obj").exists());
    assert_eq!(
        Cache::open(&folder.path().join("cache")).unwrap().read(12).unwrap(),
        Frame { meshes: Vec::new(), ..frame() }
    );
}

#[test]
fn a_sink_that_never_got_anything_to_write_says_so() {
    let mut sink =
        Box::new(FormatSink::new(format("exr").unwrap(), Path::new("nowhere"), 1, Options::default()));
    sink.write(&Frame::new(0, 0.0)).unwrap();
    assert!(sink.finish().unwrap_err().to_string().contains("1 frames had nothing for exr"));
}
