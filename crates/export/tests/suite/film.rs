//! Films of small pictures: the container, the errors, and the same bytes for any number of threads.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use undine_export::film::{FilmError, FilmQuality, FilmSummary, GOP, encode_film};
use undine_export::png::write_rgb8;

/// A bright disc that moves over a ramp.
fn picture(width: u32, height: u32, frame: u32) -> Vec<u8> {
    let centre = [10 + 2 * frame, height / 2];
    let pixels = (0..height).flat_map(|row| (0..width).map(move |column| [column, row]));
    let colour = |[column, row]: [u32; 2]| {
        let inside = column.abs_diff(centre[0]).pow(2) + row.abs_diff(centre[1]).pow(2) < 64;
        if inside { [250, 240, 200] } else { [(column * 2) as u8, (row * 2) as u8, 160] }
    };
    pixels.flat_map(colour).collect()
}

fn frames(folder: &Path, count: u32, size: [u32; 2]) -> Vec<PathBuf> {
    let write = |frame| {
        let path = folder.join(format!("{frame:06}.png"));
        write_rgb8(&path, size[0], size[1], &picture(size[0], size[1], frame)).unwrap();
        path
    };
    (0..count).map(write).collect()
}

fn film(frames: &[PathBuf], fps: f64, out: &Path) -> Result<FilmSummary, FilmError> {
    encode_film(frames, fps, out, FilmQuality::GOOD, |_, _| {})
}

/// The content of the box at the end of a path such as `moov/trak`; `stsd` and `avc1` have fields before their boxes.
fn find<'a>(bytes: &'a [u8], path: &str) -> &'a [u8] {
    let (name, rest) = path.split_once('/').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let mut at = 0;
    while at < bytes.len() {
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if &bytes[at + 4..at + 8] == name.as_bytes() {
            let content = &bytes[at + 8..at + size];
            let fields = match name {
                "stsd" => 8,
                "avc1" => 78,
                _ => 0,
            };
            return rest.map_or(content, |rest| find(&content[fields..], rest));
        }
        at += size;
    }
    panic!("no box {path}");
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn the_index_comes_first_and_tells_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let count = GOP as u32 + 3;
    let out = folder.path().join("film.mp4");
    let made = film(&frames(folder.path(), count, [70, 45]), 29.97, &out).unwrap();
    let bytes = std::fs::read(&out).unwrap();
    assert_eq!((made.frames, made.width, made.height), (51, 70, 46));
    assert!((made.seconds - 51.0 * 1001.0 / 30000.0).abs() < 1e-12);
    assert_eq!(made.bytes, bytes.len() as u64);

    let position = |name: &[u8]| bytes.windows(4).position(|window| window == name).unwrap();
    assert!(position(b"moov") < position(b"mdat"));
    let media = find(&bytes, "moov/trak/mdia/mdhd");
    assert_eq!((number(media, 12), number(media, 16)), (30_000, count * 1001));
    let table = |name: &str| find(&bytes, &format!("moov/trak/mdia/minf/stbl/{name}"));
    assert_eq!(number(table("stsz"), 8), count);
    assert_eq!((number(table("stss"), 4), number(table("stss"), 8), number(table("stss"), 12)), (2, 1, 49));
    assert_eq!(table("stsd/avc1/colr"), b"nclx\x00\x01\x00\x01\x00\x01\x00");

    // Chunks and frames cover the pictures to the last byte, and the second chunk starts with a key frame (type 5).
    let sizes: Vec<u64> = (0..count as usize).map(|i| u64::from(number(table("stsz"), 12 + 4 * i))).collect();
    let second = u64::from_be_bytes(table("co64")[16..24].try_into().unwrap()) as usize;
    assert_eq!(second as u64 + sizes[GOP..].iter().sum::<u64>(), made.bytes);
    assert_eq!(bytes[second + 4] & 0x1f, 5);
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = tempfile::tempdir().unwrap();
    let frames = frames(folder.path(), 2 * GOP as u32 + 1, [48, 32]);
    let make = |threads: usize| {
        let out = folder.path().join(format!("{threads}.mp4"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| film(&frames, 24.0, &out)).unwrap();
        std::fs::read(out).unwrap()
    };
    let alone = make(1);
    assert!(alone == make(2) && alone == make(3));
}

#[test]
fn one_frame_is_a_film_and_none_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("film.mp4");
    assert!(matches!(film(&[], 30.0, &out), Err(FilmError::Empty)));
    assert!(!out.exists());
    assert_eq!(film(&frames(folder.path(), 1, [20, 20]), 30.0, &out).unwrap().frames, 1);
}

#[test]
fn a_frame_of_another_size_is_named_and_leaves_no_film() {
    let folder = tempfile::tempdir().unwrap();
    let frames = frames(folder.path(), 3, [32, 32]);
    write_rgb8(&frames[2], 30, 32, &picture(30, 32, 0)).unwrap();
    let out = folder.path().join("film.mp4");
    let message = film(&frames, 30.0, &out).unwrap_err().to_string();
    assert!(message.contains("000002.png") && message.contains("[30, 32]"), "{message}");
    assert!(!out.exists() && !folder.path().join("film.mp4.partial").exists());
}

#[test]
fn senseless_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("film.mp4");
    let frames = frames(folder.path(), 1, [32, 32]);
    assert!(matches!(film(&frames, f64::NAN, &out), Err(FilmError::Rate(_))));
    assert!(matches!(film(&[folder.path().join("absent.png")], 30.0, &out), Err(FilmError::Frame(_))));
    write_rgb8(&frames[0], 3900, 2, &vec![0; 3900 * 2 * 3]).unwrap();
    assert!(matches!(film(&frames, 30.0, &out), Err(FilmError::TooLarge { .. })));
}

#[test]
fn progress_counts_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let frames = frames(folder.path(), 50, [32, 32]);
    let (calls, last) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let watch = |done, total| {
        assert_eq!(total, 50);
        calls.fetch_add(1, Ordering::Relaxed);
        last.store(done, Ordering::Relaxed);
    };
    encode_film(&frames, 30.0, &folder.path().join("film.mp4"), FilmQuality::DRAFT, watch).unwrap();
    assert_eq!((calls.into_inner(), last.into_inner()), (50, 50));
}
